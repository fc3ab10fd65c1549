/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Implements the transports "tcp" and "tcp6" over loopback. The server listens, and each client
 * makes one connection to the server.
 */
#include "transport/fd_end.h"
#include "transport/inet.h"
#include "transport/common.h"

#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <unistd.h>

static size_t tcp_size_max(void)
{
	return fd_end_stream_size_max(AF_INET);
}

/* Sends every message at once (TCP_NODELAY). */
static int delay_not(int fd)
{
	const int on = 1;

	return setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on)) ? -errno : 0;
}

/* A listening socket, or -errno. Stores its port in `port`. */
static int listen_anywhere(int family, int backlog, _Atomic uint32_t *port)
{
	int fd = inet_bound(family, SOCK_STREAM);

	/* Accepted connections inherit this option. */
	if (fd >= 0)
		fd = fd_or_error(fd, delay_not(fd));
	if (fd >= 0)
		fd = fd_or_error(fd, listen(fd, backlog) ? -errno : 0);
	if (fd >= 0)
		atomic_store(port, inet_port(fd, false));
	return fd;
}

/* A connected socket, or -errno. */
static int tcp_connect_to(int family, uint32_t port)
{
	int fd = socket(family, SOCK_STREAM | SOCK_CLOEXEC, 0);

	if (fd < 0)
		return -errno;
	return fd_or_error(fd, delay_not(fd) ?: inet_connect(fd, family, port));
}

static int tcp_listen(struct medium *medium, int backlog)
{
	return listen_anywhere(medium->family, backlog, &medium->listener_port);
}

static int tcp_connect(struct medium *medium)
{
	return tcp_connect_to(medium->family, atomic_load(&medium->listener_port));
}

static int tcp_server_listen(struct end *end)
{
	struct medium *medium = end->medium;

	end->listening =
		listen_anywhere(medium->family, (int)medium->spec.clients, &medium->server_port);
	return end->listening < 0 ? end->listening : 0;
}

static int tcp_client_connect(struct end *end)
{
	struct medium *medium = end->medium;
	int fd = tcp_connect_to(medium->family, atomic_load(&medium->server_port));

	if (fd < 0)
		return fd;
	/* A connection from another port is not this client's. */
	atomic_store(&medium->links[end->member].client_port, inet_port(fd, false));
	return fd_end_add_socket(end, LINK_SERVER, fd);
}

static struct end *tcp_open(struct medium *medium, uint32_t member)
{
	return fd_end_new(medium, &medium->spec, member, FD_END_SOCKETS,
			  member == LINK_SERVER ? tcp_server_listen : tcp_client_connect);
}

static int tcp_admit(struct end *server, uint32_t client)
{
	const _Atomic uint32_t *port = &server->medium->links[client].client_port;
	int fd = fd_end_accept(server);

	if (fd < 0)
		return fd;
	if (inet_port(fd, true) != rendezvous_await(port, TRANSPORT_WAIT_MS))
		return fd_or_error(fd, -ETIMEDOUT);
	return fd_end_add_socket(server, client, fd);
}

#define TCP_HOOKS                                                                                  \
	.is_stream = true, .size_max = tcp_size_max, .create = inet_create, .open = tcp_open,      \
	.admit = tcp_admit, .send = fd_end_send_stream, .receive = fd_end_receive,                 \
	.listen = tcp_listen, .connect = tcp_connect, .close = fd_end_close,                       \
	.destroy = inet_destroy

const struct transport_ops tcp_transport = {
	.name = "tcp",
	.summary = "TCP over loopback with IPv4",
	.id = TRANSPORT_TCP,
	.variant = AF_INET,
	TCP_HOOKS,
};

const struct transport_ops tcp6_transport = {
	.name = "tcp6",
	.summary = "TCP over loopback with IPv6",
	.id = TRANSPORT_TCP6,
	.variant = AF_INET6,
	.refuse = inet6_refuse,
	TCP_HOOKS,
};
