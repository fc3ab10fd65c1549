/* SPDX-License-Identifier: BSD-2-Clause */
/* `ipctrace list`: who owns what, which ends belong together, and what is shown of that. */
#include "support/build.h"
#include "support/capture.h"
#include "support/page.h"

#include "command/list/end_words.h"
#include "command/list/list_view.h"
#include "command/list/pipes.h"

#include <arpa/inet.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NETWORK 4026531840ULL
#define ABROAD  4026532177ULL

static struct channel_list *new_list(void)
{
	struct channel_list *list = channel_list__new(NETWORK);

	assert_non_null(list);
	return list;
}

static void add(struct channel_list *list, struct end end)
{
	assert_int_equal(channel_list__add(list, &end), 0);
}

static struct end unix_end(uint64_t inode, const char *name)
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

static struct end unix_peer(uint64_t inode, const char *name, uint64_t peer)
{
	struct end end = unix_end(inode, name);

	end.has_peer = true;
	end.peer = peer;
	return end;
}

static struct end unix_listener(uint64_t inode, const char *name)
{
	struct end end = unix_end(inode, name);

	end.state = END_LISTENING;
	return end;
}

static struct end datagram(struct end end)
{
	end.transport = TRANSPORT_UDS;
	end.state = end.has_peer ? END_CONNECTED : END_UNCONNECTED;
	return end;
}

static struct address address(const char *ip, uint16_t port)
{
	struct address address = {.port = port};

	if (inet_pton(AF_INET6, ip, address.ip) != 1) {
		memset(address.ip + 10, 0xff, 2);
		assert_int_equal(inet_pton(AF_INET, ip, address.ip + 12), 1);
	}
	return address;
}

static struct end tcp(uint64_t inode, const char *local, uint16_t port, const char *remote,
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

static struct end tcp_listener(uint64_t inode, const char *local, uint16_t port)
{
	struct end end = tcp(inode, local, port, strchr(local, ':') ? "::" : "0.0.0.0", 0);

	end.state = END_LISTENING;
	return end;
}

static struct end udp(uint64_t inode, const char *local, uint16_t port, const char *remote,
		      uint16_t remote_port)
{
	struct end end = tcp(inode, local, port, remote, remote_port);

	end.transport = end.transport == TRANSPORT_TCP6 ? TRANSPORT_UDP6 : TRANSPORT_UDP;
	end.state = remote_port ? END_CONNECTED : END_UNCONNECTED;
	return end;
}

static struct end in_state(struct end end, enum end_state state)
{
	end.state = state;
	return end;
}

static struct end half_closed(struct end end)
{
	end.half_closed = true;
	return end;
}

static struct end abroad(struct end end)
{
	end.network = ABROAD;
	return end;
}

static void finish(struct channel_list *list)
{
	assert_int_equal(channel_list__pair(list), 0);
	channel_list__filter(list, 0, false);
}

static uint64_t inode_of(const struct end *end)
{
	return end ? end->inode : 0;
}

/* The only connection; 0: an end that is gone. */
static void assert_connection(struct channel_list *list, enum connection_state state, uint64_t from,
			      uint64_t to, const char *name)
{
	char text[END_NAME_LEN];

	finish(list);
	assert_int_equal(list->connection_cnt, 1);
	assert_string_equal(connection_state_name(list->connection[0].state),
			    connection_state_name(state));
	assert_int_equal(inode_of(list->connection[0].from), from);
	assert_int_equal(inode_of(list->connection[0].to), to);
	connection_name(&list->connection[0], text);
	assert_string_equal(text, name);
}

static void assert_no_connection(struct channel_list *list)
{
	finish(list);
	assert_int_equal(list->connection_cnt, 0);
}

/* In both orders: the kernel tells of sockets in any. */
static void assert_pair(struct end one, struct end other, enum connection_state state,
			uint64_t from, uint64_t to, const char *name)
{
	for (int i = 0; i < 2; i++) {
		struct channel_list *list = new_list();

		add(list, i ? other : one);
		add(list, i ? one : other);
		assert_connection(list, state, from, to, name);
		channel_list__free(list);
	}
}

static void a_client_is_connected_to_the_end_that_has_the_name(void **state)
{
	(void)state;
	assert_pair(unix_peer(9, NULL, 5), unix_peer(5, "/run/x", 9), CONNECTION_OPEN, 9, 5,
		    "/run/x");
	assert_pair(unix_peer(5, NULL, 9), unix_peer(9, "/run/x", 5), CONNECTION_OPEN, 5, 9,
		    "/run/x");
}

static void a_pair_without_names_begins_with_the_older_socket(void **state)
{
	(void)state;
	assert_pair(unix_peer(7, NULL, 8), unix_peer(8, NULL, 7), CONNECTION_OPEN, 7, 8, "");
	assert_pair(datagram(unix_peer(7, NULL, 8)), datagram(unix_peer(8, NULL, 7)),
		    CONNECTION_OPEN, 7, 8, "");
}

static void a_shut_down_direction_is_half_closed(void **state)
{
	(void)state;
	assert_pair(half_closed(unix_peer(9, NULL, 5)), unix_peer(5, "/run/x", 9),
		    CONNECTION_HALF_CLOSED, 9, 5, "/run/x");
	assert_pair(tcp(1, "127.0.0.1", 40000, "127.0.0.1", 80),
		    half_closed(tcp(2, "127.0.0.1", 80, "127.0.0.1", 40000)),
		    CONNECTION_HALF_CLOSED, 1, 2, "127.0.0.1:80");
}

static void whose_peer_has_closed_is_alone(void **state)
{
	struct channel_list *list = new_list();

	(void)state;
	add(list, half_closed(unix_peer(5, "/run/x", 0)));
	assert_connection(list, CONNECTION_PEER_GONE, 0, 5, "/run/x");
	channel_list__free(list);

	list = new_list();
	add(list, half_closed(unix_peer(5, NULL, 0)));
	assert_connection(list, CONNECTION_PEER_GONE, 5, 0, "");
	channel_list__free(list);

	list = new_list();
	add(list, datagram(unix_peer(5, "/run/client", 0)));
	assert_connection(list, CONNECTION_PEER_GONE, 5, 0, "/run/client");
	channel_list__free(list);
}

static void a_peer_that_the_kernel_did_not_tell_of_is_there_by_its_inode(void **state)
{
	struct channel_list *list = new_list();

	(void)state;
	add(list, unix_peer(5, NULL, 77));
	assert_connection(list, CONNECTION_OPEN, 5, 77, "");
	channel_list__free(list);
}

static void who_waits_is_connected_to_the_listener(void **state)
{
	struct channel_list *list = new_list();

	(void)state;
	add(list, unix_peer(9, NULL, 0));
	add(list, unix_listener(3, "/run/x"));
	assert_int_equal(channel_list__add_waiting(list, 3, 9), 0);
	assert_connection(list, CONNECTION_NOT_ACCEPTED, 9, 3, "/run/x");
	assert_int_equal(list->service_cnt, 1);
	channel_list__free(list);
}

/* accept() may come between the listener and the client's turn. */
static void who_was_accepted_meanwhile_does_not_wait(void **state)
{
	struct channel_list *list = new_list();

	(void)state;
	add(list, unix_listener(3, "/run/x"));
	assert_int_equal(channel_list__add_waiting(list, 3, 9), 0);
	add(list, unix_peer(9, NULL, 12));
	add(list, unix_peer(12, "/run/x", 9));
	assert_connection(list, CONNECTION_OPEN, 9, 12, "/run/x");
	channel_list__free(list);
}

static void a_socket_that_is_told_twice_is_one(void **state)
{
	struct channel_list *list = new_list();

	(void)state;
	add(list, unix_peer(9, NULL, 5));
	add(list, unix_peer(5, "/run/x", 9));
	add(list, unix_peer(9, NULL, 5));
	assert_connection(list, CONNECTION_OPEN, 9, 5, "/run/x");
	channel_list__free(list);
}

static void many_send_to_a_datagram_socket(void **state)
{
	struct channel_list *list = new_list();

	(void)state;
	add(list, datagram(unix_end(3, "/dev/log")));
	add(list, datagram(unix_peer(9, NULL, 3)));
	add(list, datagram(unix_peer(8, "/run/client", 3)));
	finish(list);
	assert_int_equal(list->connection_cnt, 2);
	for (int i = 0; i < 2; i++) {
		assert_int_equal(inode_of(list->connection[i].from), 9 - i);
		assert_int_equal(inode_of(list->connection[i].to), 3);
	}
	assert_int_equal(list->service_cnt, 1);
	channel_list__free(list);
}

static void what_nobody_can_find_is_idle(void **state)
{
	struct channel_list *list = new_list();

	(void)state;
	add(list, datagram(unix_end(3, NULL)));
	add(list, in_state(unix_end(4, NULL), END_UNCONNECTED));
	add(list, in_state(unix_end(5, "/bound/only"), END_UNCONNECTED));
	add(list, udp(6, "0.0.0.0", 0, "0.0.0.0", 0));
	assert_no_connection(list);
	assert_int_equal(list->service_cnt, 0);
	assert_int_equal(list->idle, 4);
	channel_list__free(list);
}

static void tcp_ends_meet_by_their_addresses(void **state)
{
	(void)state;
	assert_pair(tcp(1, "127.0.0.1", 40000, "127.0.0.1", 80),
		    tcp(2, "127.0.0.1", 80, "127.0.0.1", 40000), CONNECTION_OPEN, 1, 2,
		    "127.0.0.1:80");
	assert_pair(tcp(1, "::1", 40000, "::1", 80), tcp(2, "::1", 80, "::1", 40000),
		    CONNECTION_OPEN, 1, 2, "[::1]:80");
}

static void a_listener_makes_the_server_whatever_its_port(void **state)
{
	struct channel_list *list = new_list();

	(void)state;
	add(list, tcp(1, "127.0.0.1", 1000, "127.0.0.1", 50000));
	add(list, tcp(2, "127.0.0.1", 50000, "127.0.0.1", 1000));
	add(list, tcp_listener(3, "0.0.0.0", 50000));
	assert_connection(list, CONNECTION_OPEN, 1, 2, "127.0.0.1:50000");
	channel_list__free(list);
}

/* One with addresses that are as good is connected within its own namespace. */
static void loopbacks_of_two_namespaces_are_not_mixed(void **state)
{
	struct channel_list *list = new_list();

	(void)state;
	add(list, tcp(1, "127.0.0.1", 40000, "127.0.0.1", 80));
	add(list, abroad(tcp(2, "127.0.0.1", 80, "127.0.0.1", 40000)));
	finish(list);
	assert_int_equal(list->connection_cnt, 2);
	for (int i = 0; i < 2; i++)
		assert_int_equal(list->connection[i].state, CONNECTION_PEER_GONE);
	channel_list__free(list);

	list = new_list();
	add(list, abroad(tcp(2, "127.0.0.1", 80, "127.0.0.1", 40000)));
	add(list, tcp(1, "127.0.0.1", 40000, "127.0.0.1", 80));
	add(list, tcp(4, "127.0.0.1", 80, "127.0.0.1", 40000));
	add(list, abroad(tcp(3, "127.0.0.1", 40000, "127.0.0.1", 80)));
	finish(list);
	assert_int_equal(list->connection_cnt, 2);
	for (int i = 0; i < 2; i++) {
		assert_int_equal(list->connection[i].state, CONNECTION_OPEN);
		assert_int_equal(list->connection[i].from->network,
				 list->connection[i].to->network);
	}
	channel_list__free(list);
}

static void a_connection_may_join_two_namespaces(void **state)
{
	(void)state;
	assert_pair(tcp(1, "10.0.0.1", 40000, "10.0.0.2", 80),
		    abroad(tcp(2, "10.0.0.2", 80, "10.0.0.1", 40000)), CONNECTION_OPEN, 1, 2,
		    "10.0.0.2:80");
}

/* Two containers may have the same address: then nobody knows which of them it is. */
static void one_of_several_namespaces_is_not_guessed(void **state)
{
	struct channel_list *list = new_list();
	struct end third = tcp(3, "10.0.0.2", 80, "10.0.0.1", 40000);

	(void)state;
	third.network = ABROAD + 1;
	add(list, tcp(1, "10.0.0.1", 40000, "10.0.0.2", 80));
	add(list, abroad(tcp(2, "10.0.0.2", 80, "10.0.0.1", 40000)));
	add(list, third);
	finish(list);
	assert_int_equal(list->connection_cnt, 0);
	assert_int_equal(list->elsewhere, 3);
	channel_list__free(list);
}

static void other_machines_are_counted(void **state)
{
	struct channel_list *list = new_list();

	(void)state;
	add(list, tcp(1, "10.0.0.1", 40000, "93.184.216.34", 443));
	add(list, tcp(2, "10.0.0.1", 22, "10.9.9.9", 50000));
	add(list, udp(3, "10.0.0.1", 40000, "8.8.8.8", 53));
	add(list, tcp_listener(4, "0.0.0.0", 443));
	add(list, udp(5, "0.0.0.0", 53, "0.0.0.0", 0));
	assert_no_connection(list);
	assert_int_equal(list->elsewhere, 3);
	assert_int_equal(list->service_cnt, 2);
	channel_list__free(list);
}

static void a_tcp_client_that_waits_is_connected_to_the_listener(void **state)
{
	struct channel_list *list = new_list();

	(void)state;
	add(list, tcp(1, "127.0.0.1", 40000, "127.0.0.1", 80));
	add(list, in_state(tcp(0, "127.0.0.1", 80, "127.0.0.1", 40000), END_UNACCEPTED));
	add(list, tcp_listener(3, "0.0.0.0", 80));
	assert_connection(list, CONNECTION_NOT_ACCEPTED, 1, 3, "127.0.0.1:80");
	assert_int_equal(list->connection[0].others, 0);
	channel_list__free(list);

	/* Its queue is full: there is no end yet. */
	list = new_list();
	add(list, in_state(tcp(1, "127.0.0.1", 40000, "127.0.0.1", 80), END_CONNECTING));
	add(list, tcp_listener(3, "127.0.0.1", 80));
	assert_connection(list, CONNECTION_NOT_ACCEPTED, 1, 3, "127.0.0.1:80");
	channel_list__free(list);
}

static void one_of_several_listeners_on_a_port_is_not_guessed(void **state)
{
	struct channel_list *list = new_list();

	(void)state;
	add(list, tcp(1, "127.0.0.1", 40000, "127.0.0.1", 80));
	add(list, in_state(tcp(0, "127.0.0.1", 80, "127.0.0.1", 40000), END_UNACCEPTED));
	for (int i = 0; i < 3; i++)
		add(list, tcp_listener(3 + i, "0.0.0.0", 80));
	finish(list);
	assert_int_equal(list->connection_cnt, 1);
	assert_int_equal(list->connection[0].others, 2);
	channel_list__free(list);
}

static void a_tcp_end_that_its_owner_has_closed_is_gone(void **state)
{
	struct channel_list *list = new_list();

	(void)state;
	assert_pair(half_closed(tcp(1, "127.0.0.1", 40000, "127.0.0.1", 80)),
		    half_closed(tcp(0, "127.0.0.1", 80, "127.0.0.1", 40000)), CONNECTION_PEER_GONE,
		    1, 0, "127.0.0.1:80");
	assert_pair(half_closed(tcp(0, "127.0.0.1", 40000, "127.0.0.1", 80)),
		    half_closed(tcp(1, "127.0.0.1", 80, "127.0.0.1", 40000)), CONNECTION_PEER_GONE,
		    0, 1, "127.0.0.1:80");

	/* The other one is in TIME_WAIT, of which nothing is told. */
	add(list, half_closed(tcp(1, "127.0.0.1", 80, "127.0.0.1", 40000)));
	add(list, tcp_listener(3, "0.0.0.0", 80));
	assert_connection(list, CONNECTION_PEER_GONE, 0, 1, "127.0.0.1:80");
	channel_list__free(list);

	list = new_list();
	add(list, half_closed(tcp(0, "127.0.0.1", 80, "127.0.0.1", 40000)));
	add(list, half_closed(tcp(0, "127.0.0.1", 40000, "127.0.0.1", 80)));
	assert_no_connection(list);
	channel_list__free(list);
}

static void a_socket_may_be_connected_to_itself(void **state)
{
	struct channel_list *list = new_list();

	(void)state;
	add(list, tcp(1, "127.0.0.1", 4000, "127.0.0.1", 4000));
	assert_connection(list, CONNECTION_OPEN, 1, 1, "127.0.0.1:4000");
	channel_list__free(list);

	list = new_list();
	add(list, datagram(unix_peer(1, "/run/self", 1)));
	assert_connection(list, CONNECTION_OPEN, 1, 1, "/run/self");
	channel_list__free(list);
}

static void a_datagram_goes_to_whoever_fits_best(void **state)
{
	struct channel_list *list = new_list();

	(void)state;
	add(list, udp(1, "127.0.0.1", 40000, "127.0.0.1", 53));
	add(list, udp(2, "::", 53, "::", 0));
	add(list, udp(3, "0.0.0.0", 53, "0.0.0.0", 0));
	add(list, udp(4, "127.0.0.1", 53, "0.0.0.0", 0));
	add(list, udp(5, "127.0.0.2", 53, "0.0.0.0", 0));
	add(list, abroad(udp(6, "127.0.0.1", 53, "0.0.0.0", 0)));
	add(list, tcp_listener(7, "127.0.0.1", 53));
	assert_connection(list, CONNECTION_OPEN, 1, 4, "127.0.0.1:53");
	assert_int_equal(list->connection[0].others, 0);
	channel_list__free(list);
}

static void a_datagram_to_nobody_has_no_peer(void **state)
{
	struct channel_list *list = new_list();

	(void)state;
	add(list, udp(1, "127.0.0.1", 40000, "127.0.0.1", 53));
	add(list, udp(2, "127.0.0.2", 53, "0.0.0.0", 0));
	assert_connection(list, CONNECTION_PEER_GONE, 1, 0, "127.0.0.1:53");
	channel_list__free(list);
}

static void what_does_not_fit_is_counted(void **state)
{
	struct channel_list *list = new_list();

	(void)state;
	for (uint64_t i = 1; i <= LIST_ENDS_MAX; i++)
		add(list, unix_peer(i, NULL, i ^ 1));
	assert_int_equal(list->refused, 0);
	add(list, unix_peer(LIST_ENDS_MAX + 1, NULL, 1));
	assert_int_equal(list->refused, 1);
	assert_int_equal(list->end_cnt, LIST_ENDS_MAX);
	channel_list__free(list);
}

static const struct owner server = {812, "redis-server"};
static const struct owner worker = {813, "redis-worker"};

static void add_socket(struct owners *owners, const struct owner *owner, uint64_t inode)
{
	struct object socket = {.kind = OBJECT_SOCKET, .inode = inode};

	owners__begin(owners, owner);
	assert_int_equal(owners__add(owners, &socket, 1u << SIDE_READ, NULL), 0);
	/* The same again, as after dup(). */
	assert_int_equal(owners__add(owners, &socket, 1u << SIDE_READ, NULL), 0);
}

static void several_owners_are_the_first_and_how_many(void **state)
{
	struct owners *owners = owners__new(NULL);

	(void)state;
	add_socket(owners, &server, 5);
	add_socket(owners, &worker, 5);
	assert_int_equal(owners_of(owners, 5)->cnt, 2);
	assert_int_equal(owners_of(owners, 5)->first.pid, 812);
	assert_string_equal(owners_of(owners, 5)->first.comm, "redis-server");
	assert_null(owners_of(owners, 6));
	owners__free(owners);
}

static void the_owner_that_was_asked_for_comes_first(void **state)
{
	static const struct owner_filter filters[] = {
		{.pid = 813}, {.comm = "*-worker"}, {.pid = 813, .comm = "redis-*"}};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(filters); i++) {
		struct owners *owners = owners__new(&filters[i]);

		add_socket(owners, &server, 5);
		assert_false(owners_of(owners, 5)->wanted);
		assert_false(owners_met_filter(owners));
		add_socket(owners, &worker, 5);
		assert_true(owners_met_filter(owners));
		assert_true(owners_of(owners, 5)->wanted);
		assert_int_equal(owners_of(owners, 5)->first.pid, 813);
		assert_int_equal(owners_of(owners, 5)->cnt, 2);
		owners__free(owners);
	}
}

static void a_filter_wants_one_process_that_has_all_of_it(void **state)
{
	static const struct owner_filter filter = {.pid = 812, .comm = "*-worker"};
	struct owners *owners = owners__new(&filter);

	(void)state;
	add_socket(owners, &server, 5);
	add_socket(owners, &worker, 5);
	assert_false(owners_of(owners, 5)->wanted);
	owners__free(owners);
}

static void owners_without_room_are_counted(void **state)
{
	struct owners *owners = owners__new(NULL);
	struct object socket = {.kind = OBJECT_SOCKET};

	(void)state;
	owners__begin(owners, &server);
	for (socket.inode = 0; socket.inode <= OWNERS_MAX; socket.inode++)
		assert_int_equal(owners__add(owners, &socket, 1, NULL), 0);
	assert_int_equal(owners_refused(owners), 1);
	owners__free(owners);
}

static void add_held(struct owners *owners, const struct owner *owner, enum object_kind kind,
		     unsigned int sides, const char *name)
{
	struct object object = {.kind = kind, .dev = kind, .inode = 40};

	owners__begin(owners, owner);
	assert_int_equal(owners__add(owners, &object, sides, name), 0);
}

static void a_pipe_goes_from_who_writes_to_who_reads(void **state)
{
	struct owners *owners = owners__new(NULL);
	struct channel_list *list = new_list();

	(void)state;
	add_held(owners, &server, OBJECT_PIPE, 1u << SIDE_WRITE, NULL);
	add_held(owners, &worker, OBJECT_PIPE, 1u << SIDE_READ, NULL);
	assert_int_equal(pipes_add(owners, true, list), 0);
	assert_connection(list, CONNECTION_OPEN, 40, 40, "");
	assert_int_equal(list->connection[0].from->holding.first.pid, 812);
	assert_int_equal(list->connection[0].to->holding.first.pid, 813);
	channel_list__free(list);
	owners__free(owners);
}

/* Of a pipe that nobody seems to read, the reader is gone only if everybody was seen. */
static void a_side_that_nobody_holds_may_be_hidden(void **state)
{
	struct owners *owners = owners__new(NULL);

	(void)state;
	add_held(owners, &server, OBJECT_PIPE, 1u << SIDE_WRITE, NULL);
	for (int complete = 0; complete < 2; complete++) {
		struct channel_list *list = new_list();

		assert_int_equal(pipes_add(owners, complete, list), 0);
		assert_connection(list, complete ? CONNECTION_PEER_GONE : CONNECTION_OPEN, 40,
				  complete ? 0 : 40, "");
		channel_list__free(list);
	}
	owners__free(owners);
}

static void fifos_and_queues_are_told_apart_by_their_device(void **state)
{
	struct owners *owners = owners__new(NULL);
	struct channel_list *list = new_list();

	(void)state;
	add_held(owners, &server, OBJECT_FIFO, 3, "/run/fifo");
	add_held(owners, &server, OBJECT_MQUEUE, 1u << SIDE_READ, "/queue");
	add_held(owners, &server, OBJECT_PIPE, 0, NULL); /* O_PATH */
	assert_int_equal(pipes_add(owners, true, list), 0);
	finish(list);
	assert_int_equal(list->connection_cnt, 2);
	assert_int_equal(list->connection[0].transport, TRANSPORT_FIFO);
	assert_string_equal(list->connection[0].to->name, "/run/fifo");
	assert_int_equal(list->connection[1].transport, TRANSPORT_MQUEUE);
	/* A queue waits for whoever will write. */
	assert_int_equal(list->connection[1].state, CONNECTION_OPEN);
	channel_list__free(list);
	owners__free(owners);
}

static struct end named(enum transport_id transport, const char *name, size_t length)
{
	struct end end = unix_end(5, NULL);

	end.transport = transport;
	end.name = (char *)name;
	end.name_len = length;
	end.holding = (struct holding){.first = server, .cnt = 1};
	return end;
}

static void assert_attached(struct end end, const char *name, const char *option, const char *value)
{
	struct attach_words words;
	char text[END_NAME_LEN];

	end_name(&end, text);
	assert_string_equal(text, name);
	service_attach(&end, NETWORK, &words);
	if (!option) {
		assert_null(words.option);
		return;
	}
	assert_string_equal(words.option, option);
	assert_string_equal(words.value, value);
}

#define NAMED(name) named(TRANSPORT_UDS_STREAM, name, sizeof(name) - 1)

static void names_are_what_attach_takes(void **state)
{
	struct end foreign = abroad(NAMED("/run/x")), nobody = NAMED("\0a\0b");
	struct end port = tcp_listener(3, "::", 6379);

	(void)state;
	assert_attached(NAMED("/run/x"), "/run/x", "--unix", "/run/x");
	assert_attached(NAMED("a path"), "a path", "--unix", "a path");
	assert_attached(NAMED("\0abstract"), "@abstract", "--unix", "@abstract");
	assert_attached(NAMED("\0a\0b"), "@a@b", "-p", "812");
	assert_attached(NAMED("\0"), "@", "-p", "812");
	assert_attached(NAMED("@like one"), "./@like one", "-p", "812");
	assert_attached(NAMED("no\xff utf8"), "no\xff utf8", "-p", "812");
	assert_attached(foreign, "/run/x", "-p", "812");
	nobody.holding.cnt = 0;
	assert_attached(nobody, "@a@b", NULL, NULL);
	assert_attached(port, "[::]:6379", "--port", "6379");
	port.holding = (struct holding){.first = server, .cnt = 1};
	assert_attached(abroad(port), "[::]:6379", "-p", "812");
}

static void assert_quoted(const char *word, const char *quoted)
{
	char text[128];

	quote_word(word, text, sizeof(text));
	assert_string_equal(text, quoted);
}

static void words_survive_a_shell(void **state)
{
	char tight[8];

	(void)state;
	assert_quoted("/run/x.sock", "/run/x.sock");
	assert_quoted("", "''");
	assert_quoted("a b", "'a b'");
	assert_quoted("$(x)\\", "'$(x)\\'");
	assert_quoted("it's", "'it'\\''s'");
	assert_quoted("it's\n\\", "$'it\\'s\\012\\\\'");
	assert_quoted("\xc3\xbc", "$'\\303\\274'");
	quote_word("a very long name", tight, sizeof(tight));
	assert_string_equal(tight, "'a ver'");
}

/* A page with everything that may stand on it. */
static struct channel_list *sample(void)
{
	struct channel_list *list = new_list();
	struct end listener = unix_listener(3, "/run/redis \x1b[31m.sock");
	struct end client = unix_peer(9, NULL, 5), accepted = unix_peer(5, "/run/redis.sock", 9);
	struct end port = tcp_listener(10, "127.0.0.1", 6379);

	listener.holding = (struct holding){.first = server, .cnt = 3};
	listener.waiting = 2;
	client.holding = (struct holding){.first = {977, "\x1b[0mcli"}, .cnt = 1};
	accepted.holding = (struct holding){.first = server, .cnt = 2, .wanted = true};
	port.holding = listener.holding;
	add(list, listener);
	add(list, client);
	add(list, accepted);
	add(list, port);
	add(list, half_closed(tcp(11, "127.0.0.1", 40412, "127.0.0.1", 6379)));
	add(list, tcp(12, "10.0.0.1", 40412, "93.184.216.34", 443));
	add(list, datagram(unix_end(13, NULL)));
	finish(list);
	return list;
}

static char *show(int (*how)(const struct list_view *), const struct channel_list *list,
		  int columns)
{
	struct list_view view = {.list = list, .columns = columns, .hidden = 7};
	char *text;
	size_t size;

	view.out = open_memstream(&text, &size);
	assert_non_null(view.out);
	assert_int_equal(how(&view), 0);
	fclose(view.out);
	return text;
}

static void the_page_has_a_line_for_each(void **state)
{
	struct channel_list *list = sample();
	char *text = show(list_text, list, 0);

	(void)state;
	assert_has(text, "services     held by              attach with\n"
			 "uds-stream   redis-server 812 +2  "
			 "--unix $'/run/redis \\033[31m.sock' (2 waiting)\n"
			 "tcp          redis-server 812 +2  --port 6379 127.0.0.1:6379\n");
	assert_has(text, "connections  from            to                   by\n"
			 "uds-stream   \\033[0mcli 977  redis-server 812 +1  /run/redis.sock\n");
	assert_has(text, "tcp          ?               -                    "
			 "127.0.0.1:6379 (peer gone) from port 40412\n");
	assert_has(text, "2 services, 2 connections; not shown: 1 socket connected to other");
	assert_has(text, "1 socket without a name or a peer.");
	assert_has_not(text, "names are cut");
	assert_has_not(text, "\x1b");
	free(text);
	channel_list__free(list);
}

static void a_page_for_a_terminal_is_as_wide(void **state)
{
	struct channel_list *list = new_list();
	char path[108] = "/run/", *text;
	struct end listener, client, accepted;

	(void)state;
	memset(path + 5, 'x', sizeof(path) - 6);
	listener = unix_listener(3, path);
	client = unix_peer(9, NULL, 5);
	accepted = unix_peer(5, path, 9);
	client.holding = (struct holding){.first = {4194303, "fifteen-letters"}, .cnt = 12345};
	listener.holding = accepted.holding = client.holding;
	listener.waiting = 4096;
	add(list, listener);
	add(list, half_closed(client));
	add(list, accepted);
	add(list, abroad(tcp(1, "::1", 40000, "::1", 65535)));
	finish(list);
	for (int columns = 80; columns <= 240; columns += 40) {
		text = show(list_text, list, columns);
		assert_width(text, columns);
		assert_has(text, "(4096 waiting)");
		assert_has(text, " (half closed)");
		if (columns < 160)
			assert_has(text, "names are cut");
		free(text);
	}
	channel_list__free(list);
}

static json_t *json_of(const struct channel_list *list)
{
	char *text = show(list_json, list, 0);
	json_t *object = json_loads(text, 0, NULL);

	assert_non_null(object);
	free(text);
	return object;
}

static const char *string_at(json_t *object, const char *key)
{
	return json_string_value(json_object_get(object, key));
}

static json_int_t integer_at(json_t *object, const char *key)
{
	assert_true(json_is_integer(json_object_get(object, key)));
	return json_integer_value(json_object_get(object, key));
}

static void json_has_all_of_it(void **state)
{
	struct channel_list *list = sample();
	json_t *object = json_of(list), *item, *end;

	(void)state;
	assert_string_equal(string_at(object, "schema"), "ipctrace.list/1");
	assert_int_equal(integer_at(object, "network"), NETWORK);
	assert_int_equal(integer_at(object, "elsewhere"), 1);
	assert_int_equal(integer_at(object, "idle"), 1);
	assert_int_equal(integer_at(json_object_get(object, "missing"), "processes"), 7);
	item = json_array_get(json_object_get(object, "services"), 0);
	assert_string_equal(string_at(item, "transport"), "uds-stream");
	assert_string_equal(string_at(item, "name"), "/run/redis \x1b[31m.sock");
	assert_int_equal(integer_at(item, "waiting"), 2);
	assert_int_equal(integer_at(item, "owners"), 3);
	item = json_array_get(json_object_get(object, "connections"), 0);
	assert_string_equal(string_at(item, "state"), "open");
	end = json_object_get(item, "to");
	assert_int_equal(integer_at(end, "inode"), 5);
	assert_int_equal(integer_at(json_object_get(end, "owner"), "pid"), 812);
	item = json_array_get(json_object_get(object, "connections"), 1);
	assert_true(json_is_null(json_object_get(item, "to")));
	assert_true(json_is_null(json_object_get(json_object_get(item, "from"), "owner")));
	assert_true(json_is_null(json_object_get(item, "attach")));
	json_decref(object);
	channel_list__free(list);
}

static void nothing_is_json_too(void **state)
{
	struct channel_list *list = new_list();
	json_t *object;
	char *text;

	(void)state;
	finish(list);
	object = json_of(list);
	assert_int_equal(json_array_size(json_object_get(object, "services")), 0);
	assert_true(json_is_array(json_object_get(object, "connections")));
	json_decref(object);
	text = show(list_text, list, 80);
	assert_has(text, "0 services, 0 connections");
	free(text);
	channel_list__free(list);
}

static void a_filter_keeps_what_one_of_both_ends_is_wanted_for(void **state)
{
	struct channel_list *list = sample();

	(void)state;
	channel_list__filter(list, 0, true);
	assert_int_equal(list->service_cnt, 0);
	assert_int_equal(list->connection_cnt, 1);
	assert_int_equal(list->connection[0].to->inode, 5);
	assert_int_equal(list->elsewhere + list->idle, 0);
	channel_list__free(list);

	list = sample();
	channel_list__filter(list, 1u << TRANSPORT_TCP, false);
	assert_int_equal(list->service_cnt, 1);
	assert_int_equal(list->connection_cnt, 1);
	assert_int_equal(list->connection[0].transport, TRANSPORT_TCP);
	assert_int_equal(list->elsewhere, 1);
	assert_int_equal(list->idle, 0);
	channel_list__free(list);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_client_is_connected_to_the_end_that_has_the_name),
		cmocka_unit_test(a_pair_without_names_begins_with_the_older_socket),
		cmocka_unit_test(a_shut_down_direction_is_half_closed),
		cmocka_unit_test(whose_peer_has_closed_is_alone),
		cmocka_unit_test(a_peer_that_the_kernel_did_not_tell_of_is_there_by_its_inode),
		cmocka_unit_test(who_waits_is_connected_to_the_listener),
		cmocka_unit_test(who_was_accepted_meanwhile_does_not_wait),
		cmocka_unit_test(a_socket_that_is_told_twice_is_one),
		cmocka_unit_test(many_send_to_a_datagram_socket),
		cmocka_unit_test(what_nobody_can_find_is_idle),
		cmocka_unit_test(tcp_ends_meet_by_their_addresses),
		cmocka_unit_test(a_listener_makes_the_server_whatever_its_port),
		cmocka_unit_test(loopbacks_of_two_namespaces_are_not_mixed),
		cmocka_unit_test(a_connection_may_join_two_namespaces),
		cmocka_unit_test(one_of_several_namespaces_is_not_guessed),
		cmocka_unit_test(other_machines_are_counted),
		cmocka_unit_test(a_tcp_client_that_waits_is_connected_to_the_listener),
		cmocka_unit_test(one_of_several_listeners_on_a_port_is_not_guessed),
		cmocka_unit_test(a_tcp_end_that_its_owner_has_closed_is_gone),
		cmocka_unit_test(a_socket_may_be_connected_to_itself),
		cmocka_unit_test(a_datagram_goes_to_whoever_fits_best),
		cmocka_unit_test(a_datagram_to_nobody_has_no_peer),
		cmocka_unit_test(what_does_not_fit_is_counted),
		cmocka_unit_test(several_owners_are_the_first_and_how_many),
		cmocka_unit_test(the_owner_that_was_asked_for_comes_first),
		cmocka_unit_test(a_filter_wants_one_process_that_has_all_of_it),
		cmocka_unit_test(owners_without_room_are_counted),
		cmocka_unit_test(a_pipe_goes_from_who_writes_to_who_reads),
		cmocka_unit_test(a_side_that_nobody_holds_may_be_hidden),
		cmocka_unit_test(fifos_and_queues_are_told_apart_by_their_device),
		cmocka_unit_test(names_are_what_attach_takes),
		cmocka_unit_test(words_survive_a_shell),
		cmocka_unit_test(the_page_has_a_line_for_each),
		cmocka_unit_test(a_page_for_a_terminal_is_as_wide),
		cmocka_unit_test(json_has_all_of_it),
		cmocka_unit_test(nothing_is_json_too),
		cmocka_unit_test(a_filter_keeps_what_one_of_both_ends_is_wanted_for),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
