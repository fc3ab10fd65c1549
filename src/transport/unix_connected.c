/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Implements the transports "uds-stream" and "uds-seqpacket" over connected unix sockets. The
 * server listens at a path, and each client makes one connection to the server.
 */
#include "transport/fd_end.h"
#include "transport/common.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

/* A longer message would need more contiguous memory than the kernel may have when it is sent. */
#define SEQPACKET_MAX (192 * 1024)

#define SERVER_NAME   "server"   /* socket of links */
#define LISTENER_NAME "listener" /* socket of connections for pattern connect */

struct medium {
	struct medium_spec spec;
	int type;      /* SOCK_STREAM or SOCK_SEQPACKET */
	int directory; /* destroy() works in this open directory only, wherever its path leads to by
			  then */
	struct sockaddr_un server, listener;
};

static size_t stream_size_max(void)
{
	return fd_end_stream_size_max(AF_UNIX);
}

static size_t seqpacket_size_max(void)
{
	size_t most = fd_end_buffer_most(AF_UNIX, SOCK_SEQPACKET);

	if (most < FD_END_SIZE_MIN + UNIX_SEND_BUFFER_RESERVED)
		return FD_END_SIZE_MIN;
	most -= UNIX_SEND_BUFFER_RESERVED;
	return most < SEQPACKET_MAX ? most : SEQPACKET_MAX;
}

static struct medium *unix_create(const struct medium_spec *spec)
{
	struct medium *medium = malloc(sizeof(*medium));
	int err;

	if (!medium)
		return NULL;
	*medium = (struct medium){.spec = *spec, .type = spec->ops->variant};
	err = unix_address_set(&medium->server, "%s/" SERVER_NAME, spec->directory);
	if (!err)
		err = unix_address_set(&medium->listener, "%s/" LISTENER_NAME, spec->directory);
	if (!err) {
		medium->directory = note_directory_open(spec->directory);
		err = medium->directory < 0 ? medium->directory : 0;
	}
	if (!err)
		return medium;
	free(medium);
	errno = -err;
	return NULL;
}

/* A socket that listens at `address`, with backlog 0 one that is connected to it, or -errno. */
static int socket_at(const struct medium *medium, const struct sockaddr_un *address, int backlog)
{
	const struct sockaddr *at = (const struct sockaddr *)address;
	int fd = socket(AF_UNIX, medium->type | SOCK_CLOEXEC, 0);
	int failed;

	if (fd < 0)
		return -errno;
	if (backlog)
		failed = bind(fd, at, sizeof(*address)) || listen(fd, backlog);
	else
		failed = connect(fd, at, sizeof(*address));
	return fd_or_error(fd, failed ? -errno : 0);
}

static int unix_listen(struct medium *medium, int backlog)
{
	return socket_at(medium, &medium->listener, backlog);
}

static int unix_connect(struct medium *medium)
{
	return socket_at(medium, &medium->listener, 0);
}

static int unix_connected_server_listen(struct end *end)
{
	struct medium *medium = end->medium;

	end->listening = socket_at(medium, &medium->server, (int)medium->spec.clients);
	return end->listening < 0 ? end->listening : 0;
}

static int unix_connected_client_connect(struct end *end)
{
	int fd = socket_at(end->medium, &end->medium->server, 0);

	return fd < 0 ? fd : fd_end_add_socket(end, LINK_SERVER, fd);
}

static struct end *unix_open(struct medium *medium, uint32_t member)
{
	return fd_end_new(medium, &medium->spec, member, FD_END_SOCKETS,
			  member == LINK_SERVER ? unix_connected_server_listen
						: unix_connected_client_connect);
}

/* No other user can reach the path and clients join in turn, so the connection is this client's. */
static int unix_admit(struct end *server, uint32_t client)
{
	int fd = fd_end_accept(server);

	return fd < 0 ? fd : fd_end_add_socket(server, client, fd);
}

static void unix_close(struct end *end)
{
	if (end->listening >= 0)
		unlinkat(end->medium->directory, SERVER_NAME, 0);
	fd_end_close(end);
}

static void unix_destroy(struct medium *medium)
{
	if (!medium)
		return;
	unlinkat(medium->directory, SERVER_NAME, 0);
	unlinkat(medium->directory, LISTENER_NAME, 0);
	close(medium->directory);
	free(medium);
}

#define UNIX_HOOKS                                                                                 \
	.create = unix_create, .open = unix_open, .admit = unix_admit, .receive = fd_end_receive,  \
	.listen = unix_listen, .connect = unix_connect, .close = unix_close,                       \
	.destroy = unix_destroy

const struct transport_ops uds_stream_transport = {
	.name = "uds-stream",
	.summary = "unix stream sockets",
	.id = TRANSPORT_UDS_STREAM,
	.variant = SOCK_STREAM,
	.is_stream = true,
	.size_max = stream_size_max,
	.send = fd_end_send_stream,
	UNIX_HOOKS,
};

const struct transport_ops uds_seqpacket_transport = {
	.name = "uds-seqpacket",
	.summary = "unix sequenced-packet sockets",
	.id = TRANSPORT_UDS_SEQPACKET,
	.variant = SOCK_SEQPACKET,
	.size_max = seqpacket_size_max,
	.send = fd_end_send_datagram,
	UNIX_HOOKS,
};
