/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Unix datagram sockets: every endpoint is one socket bound to a path, which sends and receives. As
 * in the GRAME paper it is not connected: each send names the receiver's path, and the kernel looks
 * it up anew.
 */
#include "transport/transport.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

/* What unix_dgram_sendmsg() keeps back from the send buffer for itself. */
#define SEND_BUFFER_RESERVED 32

/* Fits into the smallest send buffer that a kernel can be configured to (SOCK_MIN_SNDBUF). */
#define SIZE_ALWAYS_POSSIBLE 4096

struct endpoint {
	int fd;
	struct sockaddr_un address;
};

struct peer {
	struct sockaddr_un address;
};

static int address_set(struct sockaddr_un *address, const char *directory, const char *name)
{
	int length;

	*address = (struct sockaddr_un){.sun_family = AF_UNIX};
	length = snprintf(address->sun_path, sizeof(address->sun_path), "%s/%s", directory, name);
	return (size_t)length < sizeof(address->sun_path) ? 0 : -ENAMETOOLONG;
}

/*
 * One message may be as long as a new socket's send buffer (net.core.wmem_default). More than that
 * would need one contiguous piece of memory that the kernel may not have at the moment of sending.
 */
static size_t uds_size_max(void)
{
	int buffer = 0;
	socklen_t length = sizeof(buffer);
	int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);

	if (fd < 0)
		return SIZE_ALWAYS_POSSIBLE;
	if (getsockopt(fd, SOL_SOCKET, SO_SNDBUF, &buffer, &length))
		buffer = 0;
	close(fd);
	return buffer > SIZE_ALWAYS_POSSIBLE ? (size_t)buffer - SEND_BUFFER_RESERVED
					     : SIZE_ALWAYS_POSSIBLE;
}

/*
 * Datagrams stay charged to the sender until they are received. A round to many clients that have
 * not run yet must fit as a whole, so ask for as much as there is: the kernel cuts it to wmem_max.
 */
static int send_buffer_raise(int fd)
{
	int most = INT_MAX;

	return setsockopt(fd, SOL_SOCKET, SO_SNDBUF, &most, sizeof(most)) ? -errno : 0;
}

static int endpoint_bind(struct endpoint *endpoint)
{
	int err;

	endpoint->fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	if (endpoint->fd < 0)
		return -errno;
	err = send_buffer_raise(endpoint->fd);
	if (!err && bind(endpoint->fd, (const struct sockaddr *)&endpoint->address,
			 sizeof(endpoint->address)))
		err = -errno;
	if (err)
		close(endpoint->fd);
	return err;
}

static struct endpoint *uds_open(const char *directory, const char *name)
{
	struct endpoint *endpoint = malloc(sizeof(*endpoint));
	int err;

	if (!endpoint)
		return NULL;
	err = address_set(&endpoint->address, directory, name);
	if (!err)
		err = endpoint_bind(endpoint);
	if (err) {
		free(endpoint);
		errno = -err;
		return NULL;
	}
	return endpoint;
}

static struct peer *uds_find(struct endpoint *from, const char *directory, const char *name)
{
	struct peer *peer = malloc(sizeof(*peer));
	int err;

	(void)from;
	if (!peer)
		return NULL;
	err = address_set(&peer->address, directory, name);
	if (err) {
		free(peer);
		errno = -err;
		return NULL;
	}
	return peer;
}

static ssize_t uds_send(struct endpoint *from, const struct peer *to, const void *data, size_t size)
{
	ssize_t sent = sendto(from->fd, data, size, MSG_DONTWAIT | MSG_NOSIGNAL,
			      (const struct sockaddr *)&to->address, sizeof(to->address));

	return sent < 0 ? -errno : sent;
}

static ssize_t uds_receive(struct endpoint *at, void *data, size_t size)
{
	ssize_t received = recv(at->fd, data, size, 0);

	return received < 0 ? -errno : received;
}

static void uds_forget(struct peer *peer)
{
	free(peer);
}

static void uds_close(struct endpoint *endpoint)
{
	unlink(endpoint->address.sun_path);
	close(endpoint->fd);
	free(endpoint);
}

const struct transport_ops uds_transport = {
	.name = "uds",
	.summary = "unix datagram sockets, bound to paths",
	.size_max = uds_size_max,
	.open = uds_open,
	.find = uds_find,
	.send = uds_send,
	.receive = uds_receive,
	.forget = uds_forget,
	.close = uds_close,
};
