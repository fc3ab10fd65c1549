/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Implements the transports "udp" and "udp6" over loopback. The server and each client communicate
 * over a pair of connected sockets. A message that does not fit into the receiver's buffer is lost
 * without an error.
 */
#include "transport/fd_end.h"
#include "transport/inet.h"
#include "transport/common.h"

#include <errno.h>
#include <limits.h>
#include <unistd.h>

/* With its headers, the largest IPv4 packet and the largest that the loopback interface carries. */
#define UDP_SIZE_MAX  65507
#define UDP6_SIZE_MAX 65488

static size_t udp_size_max(void)
{
	return UDP_SIZE_MAX;
}

static size_t udp6_size_max(void)
{
	return UDP6_SIZE_MAX;
}

/* A socket of this side, or -errno. */
static int socket_open(const struct medium *medium)
{
	int fd = inet_bound(medium->family, SOCK_DGRAM);
	int most = INT_MAX;

	if (fd < 0)
		return fd;
	/* Room for as many messages as possible: those beyond are lost. */
	if (setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &most, sizeof(most)))
		return fd_or_error(fd, -errno);
	return fd;
}

/* Stores the port of `fd`, waits for the port of the other side, and connects to it. */
static int client_meet(const struct medium *medium, struct inet_link *link, int fd)
{
	uint32_t port;

	atomic_store(&link->client_port, inet_port(fd, false));
	port = rendezvous_await(&link->server_port, RENDEZVOUS_JOIN_MS);
	return port ? inet_connect(fd, medium->family, port) : -ETIMEDOUT;
}

static int client_link(struct end *end)
{
	struct medium *medium = end->medium;
	int fd = socket_open(medium);

	if (fd >= 0)
		fd = fd_or_error(fd, client_meet(medium, &medium->links[end->member], fd));
	return fd < 0 ? fd : fd_end_add_socket(end, LINK_SERVER, fd);
}

static struct end *udp_open(struct medium *medium, uint32_t member)
{
	return fd_end_new(medium, &medium->spec, member, FD_END_SOCKETS,
			  member == LINK_SERVER ? NULL : client_link);
}

/* The client's port is stored last: the client may send as soon as it sees it. */
static int udp_admit(struct end *server, uint32_t client)
{
	struct medium *medium = server->medium;
	struct inet_link *link = &medium->links[client];
	uint32_t port = rendezvous_await(&link->client_port, TRANSPORT_WAIT_MS);
	int fd, err;

	if (!port)
		return -ETIMEDOUT;
	fd = socket_open(medium);
	if (fd >= 0)
		fd = fd_or_error(fd, inet_connect(fd, medium->family, port));
	if (fd < 0)
		return fd;
	err = fd_end_add_socket(server, client, fd);
	if (!err)
		atomic_store(&link->server_port, inet_port(fd, false));
	return err;
}

#define UDP_HOOKS                                                                                  \
	.create = inet_create, .open = udp_open, .admit = udp_admit, .send = fd_end_send_datagram, \
	.receive = fd_end_receive, .close = fd_end_close, .destroy = inet_destroy

const struct transport_ops udp_transport = {
	.name = "udp",
	.summary = "UDP over loopback with IPv4",
	.id = TRANSPORT_UDP,
	.variant = AF_INET,
	.size_max = udp_size_max,
	UDP_HOOKS,
};

const struct transport_ops udp6_transport = {
	.name = "udp6",
	.summary = "UDP over loopback with IPv6",
	.id = TRANSPORT_UDP6,
	.variant = AF_INET6,
	.refuse = inet6_refuse,
	.size_max = udp6_size_max,
	UDP_HOOKS,
};
