/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Implements the transport "uds" with unix datagram sockets. The server and each client bind their
 * own socket to a path. As in the GRAME paper, the sockets are not connected. Each send names the
 * receiver's path, which the kernel then resolves.
 */
#include "transport/common.h"
#include "transport/transport.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

/* Fits into the smallest send buffer that can be configured (SOCK_MIN_SNDBUF). */
#define SIZE_ALWAYS_POSSIBLE 4096

struct medium {
	enum reader reader;
	uint32_t clients;
	size_t prefix;                /* length of a client's path before its number */
	struct sockaddr_un address[]; /* the server's, then the clients' */
};

struct end {
	struct medium *medium;
	uint32_t number;
	int fd;
	int epoll; /* -1: none */
};

/*
 * A message may be as long as the send buffer of a new socket (net.core.wmem_default). A longer one
 * would need more contiguous memory than the kernel may have when it is sent.
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
	return buffer > SIZE_ALWAYS_POSSIBLE ? (size_t)buffer - UNIX_SEND_BUFFER_RESERVED
					     : SIZE_ALWAYS_POSSIBLE;
}

static struct medium *uds_create(const struct medium_spec *spec)
{
	struct medium *medium =
		calloc(1, sizeof(*medium) + (spec->clients + 1) * sizeof(medium->address[0]));
	int err;

	if (!medium)
		return NULL;
	medium->reader = spec->reader;
	medium->clients = spec->clients;
	medium->prefix = strlen(spec->directory) + strlen("/client-");
	err = unix_address_set(&medium->address[LINK_SERVER], "%s/server", spec->directory);
	for (uint32_t i = 1; i <= spec->clients && !err; i++)
		err = unix_address_set(&medium->address[i], "%s/client-%u", spec->directory, i);
	if (err) {
		free(medium);
		errno = -err;
		return NULL;
	}
	return medium;
}

static const struct sockaddr *uds_address_of(const struct medium *medium, uint32_t number)
{
	return (const struct sockaddr *)&medium->address[number];
}

static int end_bind(struct end *end)
{
	struct timeval patience = {.tv_sec = TRANSPORT_WAIT_MS / 1000};
	int most = INT_MAX;

	/*
	 * Datagrams are charged to the sender until they are received. A round to many clients that
	 * have not run yet must fit as a whole. The kernel limits the buffer to wmem_max.
	 */
	if (setsockopt(end->fd, SOL_SOCKET, SO_SNDBUF, &most, sizeof(most)) ||
	    setsockopt(end->fd, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof(patience)) ||
	    bind(end->fd, uds_address_of(end->medium, end->number), sizeof(struct sockaddr_un)))
		return -errno;
	return 0;
}

static void uds_end_free(struct end *end)
{
	if (end->epoll >= 0)
		close(end->epoll);
	if (end->fd >= 0)
		close(end->fd);
	free(end);
}

static struct end *uds_open(struct medium *medium, uint32_t number)
{
	struct end *end = malloc(sizeof(*end));
	int err;

	if (!end)
		return NULL;
	*end = (struct end){.medium = medium, .number = number, .epoll = -1};
	end->fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	err = end->fd < 0 ? -errno : end_bind(end);
	if (!err && medium->reader == READER_EPOLL) {
		end->epoll = epoll_of(end->fd, EPOLLIN);
		err = end->epoll < 0 ? end->epoll : 0;
	}
	if (err) {
		uds_end_free(end);
		errno = -err;
		return NULL;
	}
	return end;
}

static int uds_send(struct end *end, uint32_t to, const void *data, size_t size, bool wait)
{
	int flags = MSG_NOSIGNAL | (wait ? 0 : MSG_DONTWAIT);

	if (sendto(end->fd, data, size, flags, uds_address_of(end->medium, to),
		   sizeof(struct sockaddr_un)) >= 0)
		return 0;
	/* The path of a receiver that has ended may be gone as well. */
	return errno == ENOENT ? -ECONNREFUSED : -errno;
}

static ssize_t end_receive(const struct end *end, void *data, size_t size,
			   struct sockaddr_un *address, int flags)
{
	socklen_t length = address ? sizeof(*address) : 0;
	ssize_t received = recvfrom(end->fd, data, size, flags, (struct sockaddr *)address,
				    address ? &length : NULL);

	return received < 0 ? -errno : received;
}

static ssize_t end_watched_receive(const struct end *end, void *data, size_t size,
				   struct sockaddr_un *address)
{
	ssize_t received = readable_await(end->epoll, end->fd);

	while (!received) {
		received = end_receive(end, data, size, address, MSG_DONTWAIT);
		if (received != -EAGAIN)
			break;
		received = readable_await(end->epoll, end->fd);
	}
	return received;
}

/* The number behind the path's prefix; LINK_SERVER: not a client's path. */
static uint32_t uds_client_of(const struct medium *medium, const struct sockaddr_un *address)
{
	const char *digit = address->sun_path + medium->prefix;
	uint32_t client = 0;

	for (; *digit >= '0' && *digit <= '9' && client <= medium->clients; digit++)
		client = client * 10 + (uint32_t)(*digit - '0');
	return client <= medium->clients ? client : LINK_SERVER;
}

/* Only the server has several peers and asks for the sender's address. */
static ssize_t uds_receive(struct end *end, void *data, size_t size, uint32_t *from)
{
	struct sockaddr_un address = {.sun_family = AF_UNSPEC};
	struct sockaddr_un *sender = end->number == LINK_SERVER ? &address : NULL;
	ssize_t received;

	if (end->medium->reader == READER_BLOCK)
		received = end_receive(end, data, size, sender, 0);
	else
		received = end_watched_receive(end, data, size, sender);
	*from = sender ? uds_client_of(end->medium, sender) : LINK_SERVER;
	return received;
}

static void uds_close(struct end *end)
{
	unlink(end->medium->address[end->number].sun_path);
	uds_end_free(end);
}

static void uds_destroy(struct medium *medium)
{
	free(medium);
}

const struct transport_ops uds_transport = {
	.name = "uds",
	.summary = "unix datagram sockets",
	.id = TRANSPORT_UDS,
	.size_max = uds_size_max,
	.create = uds_create,
	.open = uds_open,
	.send = uds_send,
	.receive = uds_receive,
	.close = uds_close,
	.destroy = uds_destroy,
};
