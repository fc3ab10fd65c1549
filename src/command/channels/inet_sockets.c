/* SPDX-License-Identifier: BSD-2-Clause */
/* Adds the TCP and UDP sockets of one network namespace to the list of channels. */
#include "command/channels/sock_diag.h"
#include "command/channels/sources.h"

#include <arpa/inet.h>
#include <linux/inet_diag.h>
#include <linux/sock_diag.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <string.h>

/* A TCP socket in TIME_WAIT has no owner any more. */
#define TCP_STATES                                                                                 \
	(1u << TCP_ESTABLISHED | 1u << TCP_SYN_SENT | 1u << TCP_FIN_WAIT1 | 1u << TCP_FIN_WAIT2 |  \
	 1u << TCP_CLOSE_WAIT | 1u << TCP_LAST_ACK | 1u << TCP_LISTEN | 1u << TCP_CLOSING)

/* A UDP socket is connected or not. */
#define UDP_STATES (1u << TCP_ESTABLISHED | 1u << TCP_CLOSE)

struct reading {
	uint64_t network;
	struct channel_list *list;
	int protocol;
	enum wanted_sockets wanted;
};

static struct address inet_sockets_address_of(int family, const __be32 ip[4], __be16 port)
{
	struct address address = {.port = ntohs(port)};

	if (family == AF_INET6) {
		memcpy(address.ip, ip, sizeof(address.ip));
		return address;
	}
	memset(address.ip + 10, 0xff, 2);
	memcpy(address.ip + 12, ip, 4);
	return address;
}

/* An IPv6 socket can use IPv4. */
static enum transport_id inet_sockets_transport_of(const struct end *end, int protocol)
{
	if (address_is_v4(&end->inet.local))
		return protocol == IPPROTO_UDP ? TRANSPORT_UDP : TRANSPORT_TCP;
	return protocol == IPPROTO_UDP ? TRANSPORT_UDP6 : TRANSPORT_TCP6;
}

/* A socket without an inode is not accepted yet, or closed by its owner; the state shows which. */
static void set_state(struct end *end, int state)
{
	switch (state) {
	case TCP_LISTEN:
		end->state = END_LISTENING;
		break;
	case TCP_CLOSE:
		end->state = END_UNCONNECTED;
		break;
	case TCP_SYN_SENT:
		end->state = END_CONNECTING;
		break;
	case TCP_ESTABLISHED:
	case TCP_CLOSE_WAIT:
		end->state = end->inode ? END_CONNECTED : END_UNACCEPTED;
		end->half_closed = state == TCP_CLOSE_WAIT;
		break;
	default:
		end->state = END_CONNECTED;
		end->half_closed = true;
		break;
	}
}

static int inet_sockets_take_socket(void *ctx, const void *payload, size_t size)
{
	const struct reading *reading = ctx;
	const struct inet_diag_msg *socket = payload;
	const struct inet_diag_sockid *id = &socket->id;
	struct end end = {.network = reading->network};

	if (size < sizeof(*socket))
		return 0;
	end.inode = socket->idiag_inode;
	end.inet.local =
		inet_sockets_address_of(socket->idiag_family, id->idiag_src, id->idiag_sport);
	end.inet.remote =
		inet_sockets_address_of(socket->idiag_family, id->idiag_dst, id->idiag_dport);
	end.transport = inet_sockets_transport_of(&end, reading->protocol);
	set_state(&end, socket->idiag_state);
	if (end.state == END_LISTENING)
		end.waiting = socket->idiag_rqueue;
	return channel_list__add(reading->list, &end);
}

static uint32_t states_of(const struct reading *reading)
{
	bool is_udp = reading->protocol == IPPROTO_UDP;

	if (reading->wanted == SOCKETS_ALL)
		return is_udp ? UDP_STATES : TCP_STATES;
	return is_udp ? 1u << TCP_CLOSE : 1u << TCP_LISTEN;
}

static int inet_sockets_add_sockets(int diag, int family, struct reading *reading)
{
	struct inet_diag_req_v2 request = {
		.sdiag_family = family,
		.sdiag_protocol = reading->protocol,
		.idiag_states = states_of(reading),
	};

	return sock_diag_dump(diag, &request, sizeof(request), inet_sockets_take_socket, reading);
}

int inet_sockets_add(int diag, uint64_t network, enum wanted_sockets wanted,
		     struct channel_list *list)
{
	static const int protocols[] = {IPPROTO_TCP, IPPROTO_UDP};
	struct reading reading = {.network = network, .list = list, .wanted = wanted};
	int err = 0;

	for (size_t i = 0; !err && i < 2; i++) {
		reading.protocol = protocols[i];
		err = inet_sockets_add_sockets(diag, AF_INET, &reading);
		if (!err)
			err = inet_sockets_add_sockets(diag, AF_INET6, &reading);
	}
	return err;
}
