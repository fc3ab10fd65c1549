/* SPDX-License-Identifier: BSD-2-Clause */
/* Makes ends with default values, and checks the pairing of two of them. */
#include "support/channel_ends.h"

#include "support/build.h"

#include "command/channels/end_words.h"

#include <arpa/inet.h>
#include <string.h>

static void drop(void *list)
{
	channel_list__free(list);
}

struct channel_list *new_list(void)
{
	return drop_after(channel_list__new(NETWORK), drop);
}

void add_end(struct channel_list *list, struct end end)
{
	assert_int_equal(channel_list__add(list, &end), 0);
}

struct end unix_end(uint64_t inode, const char *name)
{
	return (struct end){
		.transport = TRANSPORT_UDS_STREAM,
		.state = END_CONNECTED,
		.network = NETWORK,
		.inode = inode,
		.name = (char *)name,
		.name_len = name ? strlen(name) : 0,
	};
}

struct end unix_peer(uint64_t inode, const char *name, uint64_t peer)
{
	struct end end = unix_end(inode, name);

	end.has_peer = true;
	end.peer = peer;
	return end;
}

struct end unix_listener(uint64_t inode, const char *name)
{
	struct end end = unix_end(inode, name);

	end.state = END_LISTENING;
	return end;
}

struct end datagram(struct end end)
{
	end.transport = TRANSPORT_UDS;
	end.state = end.has_peer ? END_CONNECTED : END_UNCONNECTED;
	return end;
}

struct address address(const char *ip, uint16_t port)
{
	struct address address = {.port = port};

	if (inet_pton(AF_INET6, ip, address.ip) != 1) {
		memset(address.ip + 10, 0xff, 2);
		assert_int_equal(inet_pton(AF_INET, ip, address.ip + 12), 1);
	}
	return address;
}

struct end tcp(uint64_t inode, const char *local, uint16_t port, const char *remote,
	       uint16_t remote_port)
{
	return (struct end){
		.transport = strchr(local, ':') ? TRANSPORT_TCP6 : TRANSPORT_TCP,
		.state = END_CONNECTED,
		.network = NETWORK,
		.inode = inode,
		.inet = {address(local, port), address(remote, remote_port)},
	};
}

struct end tcp_listener(uint64_t inode, const char *local, uint16_t port)
{
	struct end end = tcp(inode, local, port, strchr(local, ':') ? "::" : "0.0.0.0", 0);

	end.state = END_LISTENING;
	return end;
}

struct end half_closed(struct end end)
{
	end.half_closed = true;
	return end;
}

struct end abroad(struct end end)
{
	end.network = ABROAD;
	return end;
}

void pair_all(struct channel_list *list)
{
	assert_int_equal(channel_list__pair(list), 0);
	channel_list__filter(list, 0, false);
}

uint64_t inode_of(const struct end *end)
{
	return end ? end->inode : 0;
}

void assert_connection(struct channel_list *list, enum connection_state state, uint64_t from,
		       uint64_t to, const char *name)
{
	char text[END_NAME_LEN];

	pair_all(list);
	assert_int_equal(list->connection_cnt, 1);
	assert_string_equal(connection_state_name(list->connection[0].state),
			    connection_state_name(state));
	assert_int_equal(inode_of(list->connection[0].from), from);
	assert_int_equal(inode_of(list->connection[0].to), to);
	connection_name(&list->connection[0], text);
	assert_string_equal(text, name);
}
