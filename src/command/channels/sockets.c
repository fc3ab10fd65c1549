/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Adds the unix, TCP and UDP sockets of one network namespace to the list of channels. The kernel
 * is asked for them over netlink (sock_diag(7)).
 */
#include "command/channels/sources.h"

#include <arpa/inet.h>
#include <errno.h>
#include <linux/inet_diag.h>
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <linux/sock_diag.h>
#include <linux/unix_diag.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdbool.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/uio.h>

#define BUFFER_SIZE (64 * 1024)

/* The sockets of one kind, while they are read. */
struct reading {
	uint64_t network;
	struct channel_list *list;
	enum wanted_sockets wanted;
	int protocol; /* of inet sockets */

	/* Adds one socket: the family's message, followed by its attributes. 0 or -errno. */
	int (*add)(struct reading *reading, const void *payload, size_t size);
	bool done;
};

static int sock_diag_send_request(int diag, const void *request, size_t size)
{
	struct sockaddr_nl kernel = {.nl_family = AF_NETLINK};
	struct nlmsghdr head = {
		.nlmsg_len = NLMSG_LENGTH(size),
		.nlmsg_type = SOCK_DIAG_BY_FAMILY,
		.nlmsg_flags = NLM_F_REQUEST | NLM_F_DUMP,
	};
	struct iovec part[] = {{&head, sizeof(head)}, {(void *)request, size}};
	struct msghdr message = {
		.msg_name = &kernel,
		.msg_namelen = sizeof(kernel),
		.msg_iov = part,
		.msg_iovlen = 2,
	};

	return sendmsg(diag, &message, 0) < 0 ? -errno : 0;
}

/* The message that ends a dump has an int as well: 0 or -errno. */
static int error_of(const struct nlmsghdr *head)
{
	return head->nlmsg_len < NLMSG_LENGTH(sizeof(int)) ? -EPROTO
							   : *(const int *)NLMSG_DATA(head);
}

static int sock_diag_take(struct reading *reading, const struct nlmsghdr *head)
{
	switch (head->nlmsg_type) {
	case NLMSG_ERROR:
	case NLMSG_DONE:
		reading->done = true;
		return error_of(head);
	case SOCK_DIAG_BY_FAMILY:
		return reading->add(reading, NLMSG_DATA(head), NLMSG_PAYLOAD(head, 0));
	default:
		return 0;
	}
}

static int take_all(struct reading *reading, const struct nlmsghdr *head, ssize_t size)
{
	int err = 0;

	for (; !err && !reading->done && NLMSG_OK(head, size); head = NLMSG_NEXT(head, size))
		err = sock_diag_take(reading, head);
	return err;
}

/* 0, what `add` returned, or -errno of the kernel: -ENOENT if it cannot list such sockets. */
static int sock_diag_dump(int diag, const void *request, size_t size, struct reading *reading)
{
	static _Alignas(struct nlmsghdr) char buffer[BUFFER_SIZE];
	int err = sock_diag_send_request(diag, request, size);

	reading->done = false;
	while (!err && !reading->done) {
		ssize_t length = recv(diag, buffer, sizeof(buffer), 0);

		if (length > 0)
			err = take_all(reading, (const struct nlmsghdr *)buffer, length);
		else if (!length || errno != EINTR)
			err = length ? -errno : -EPROTO;
	}
	return err;
}

static bool unix_sockets_transport_of(int type, enum transport_id *transport)
{
	switch (type) {
	case SOCK_DGRAM:
		*transport = TRANSPORT_UDS;
		return true;
	case SOCK_STREAM:
		*transport = TRANSPORT_UDS_STREAM;
		return true;
	case SOCK_SEQPACKET:
		*transport = TRANSPORT_UDS_SEQPACKET;
		return true;
	default:
		return false;
	}
}

/* Unix sockets use the numbers of TCP states. */
static enum end_state unix_sockets_state_of(int state)
{
	switch (state) {
	case TCP_LISTEN:
		return END_LISTENING;
	case TCP_ESTABLISHED:
		return END_CONNECTED;
	default:
		return END_UNCONNECTED;
	}
}

static uint32_t number_in(const struct rtattr *attribute)
{
	uint32_t number = 0;

	if (RTA_PAYLOAD(attribute) >= sizeof(number))
		memcpy(&number, RTA_DATA(attribute), sizeof(number));
	return number;
}

static void unix_sockets_take_file(struct end *end, const struct rtattr *attribute)
{
	struct unix_diag_vfs file;

	if (RTA_PAYLOAD(attribute) < sizeof(file))
		return;
	memcpy(&file, RTA_DATA(attribute), sizeof(file));
	end->has_file = true;
	end->file_device = file.udiag_vfs_dev;
	end->file_inode = file.udiag_vfs_ino;
}

static void take_attribute(struct end *end, const struct rtattr *attribute)
{
	size_t length = RTA_PAYLOAD(attribute);

	switch (attribute->rta_type) {
	case UNIX_DIAG_NAME:
		/* A path comes with its NUL. An abstract name begins with a byte 0. */
		end->name = RTA_DATA(attribute);
		end->name_len = length && end->name[0] ? strnlen(end->name, length) : length;
		break;
	case UNIX_DIAG_PEER:
		end->has_peer = true;
		end->peer = number_in(attribute);
		break;
	case UNIX_DIAG_VFS:
		unix_sockets_take_file(end, attribute);
		break;
	case UNIX_DIAG_RQLEN:
		if (end->state == END_LISTENING)
			end->waiting = number_in(attribute);
		break;
	case UNIX_DIAG_SHUTDOWN:
		end->half_closed = length && *(uint8_t *)RTA_DATA(attribute);
		break;
	default:
		break;
	}
}

/* Adds the inodes of the clients in a listener's queue. */
static int take_waiting(struct channel_list *list, uint64_t listener,
			const struct rtattr *attribute)
{
	const uint32_t *client = RTA_DATA(attribute);
	int err = 0;

	for (size_t i = 0; !err && i < RTA_PAYLOAD(attribute) / sizeof(*client); i++)
		err = channel_list__add_waiting(list, listener, client[i]);
	return err;
}

static int unix_sockets_take_socket(struct reading *reading, const void *payload, size_t size)
{
	const struct unix_diag_msg *socket = payload;
	struct end end = {.network = reading->network};
	int err = 0;

	if (size < sizeof(*socket) ||
	    !unix_sockets_transport_of(socket->udiag_type, &end.transport))
		return 0;
	end.state = unix_sockets_state_of(socket->udiag_state);
	end.inode = socket->udiag_ino;
	size -= sizeof(*socket);
	for (const struct rtattr *attribute = (const void *)(socket + 1);
	     !err && RTA_OK(attribute, size); attribute = RTA_NEXT(attribute, size)) {
		if (attribute->rta_type == UNIX_DIAG_ICONS)
			err = take_waiting(reading->list, end.inode, attribute);
		else
			take_attribute(&end, attribute);
	}
	return err ?: channel_list__add(reading->list, &end);
}

int unix_sockets_add(int diag, uint64_t network, enum wanted_sockets wanted,
		     struct channel_list *list)
{
	struct reading reading = {
		.network = network, .list = list, .add = unix_sockets_take_socket};
	struct unix_diag_req request = {
		.sdiag_family = AF_UNIX,
		.udiag_states = wanted == SOCKETS_ALL ? ~0u : 1u << TCP_LISTEN | 1u << TCP_CLOSE,
		.udiag_show = UDIAG_SHOW_NAME | UDIAG_SHOW_VFS | UDIAG_SHOW_PEER |
			      UDIAG_SHOW_ICONS | UDIAG_SHOW_RQLEN,
	};

	return sock_diag_dump(diag, &request, sizeof(request), &reading);
}

/* A TCP socket in TIME_WAIT has no owner any more. */
#define TCP_STATES                                                                                 \
	(1u << TCP_ESTABLISHED | 1u << TCP_SYN_SENT | 1u << TCP_FIN_WAIT1 | 1u << TCP_FIN_WAIT2 |  \
	 1u << TCP_CLOSE_WAIT | 1u << TCP_LAST_ACK | 1u << TCP_LISTEN | 1u << TCP_CLOSING)

/* A UDP socket is connected or not. */
#define UDP_STATES (1u << TCP_ESTABLISHED | 1u << TCP_CLOSE)

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

static int inet_sockets_take_socket(struct reading *reading, const void *payload, size_t size)
{
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

	return sock_diag_dump(diag, &request, sizeof(request), reading);
}

int inet_sockets_add(int diag, uint64_t network, enum wanted_sockets wanted,
		     struct channel_list *list)
{
	static const int protocols[] = {IPPROTO_TCP, IPPROTO_UDP};
	struct reading reading = {.network = network,
				  .list = list,
				  .wanted = wanted,
				  .add = inet_sockets_take_socket};
	int err = 0;

	for (size_t i = 0; !err && i < 2; i++) {
		reading.protocol = protocols[i];
		err = inet_sockets_add_sockets(diag, AF_INET, &reading);
		if (!err)
			err = inet_sockets_add_sockets(diag, AF_INET6, &reading);
	}
	return err;
}
