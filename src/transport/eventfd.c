/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Implements the transport "eventfd". Messages lie in rings of shared memory, and each receiver
 * sleeps on its own eventfd. A sender adds 1 to the receiver's eventfd for each message. A
 * receiver reads its eventfd only when its rings are empty, so a single read may stand for many
 * messages.
 */
#include "transport/common.h"
#include "transport/rings.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <unistd.h>

static int eventfd_hang(struct medium *medium)
{
	medium->fds = malloc((medium->clients + 1) * sizeof(*medium->fds));
	if (!medium->fds)
		return -ENOMEM;
	limit_descriptors(medium->clients + 1);
	for (uint32_t seat = 0; seat <= medium->clients; seat++)
		medium->fds[seat] = -1;
	for (uint32_t seat = 0; seat <= medium->clients; seat++) {
		medium->fds[seat] = eventfd(0, EFD_CLOEXEC);
		if (medium->fds[seat] < 0)
			return -errno;
	}
	return 0;
}

static void eventfd_take_down(struct medium *medium)
{
	for (uint32_t seat = 0; medium->fds && seat <= medium->clients; seat++)
		if (medium->fds[seat] >= 0)
			close(medium->fds[seat]);
	free(medium->fds);
}

static int eventfd_listen(struct end *end)
{
	int epoll;

	if (end->medium->reader != READER_EPOLL)
		return 0;
	epoll = epoll_of(end->medium->fds[end->seat], EPOLLIN);
	if (epoll < 0)
		return epoll;
	end->epoll_fd = epoll;
	return 0;
}

static void eventfd_rest(struct end *end)
{
	if (end->epoll_fd >= 0)
		close(end->epoll_fd);
}

static int eventfd_ring(struct end *end, uint32_t seat)
{
	uint64_t one = 1;

	return write(end->medium->fds[seat], &one, sizeof(one)) < 0 ? -errno : 0;
}

static int eventfd_wait(struct end *end)
{
	uint64_t rung;
	int err = 0;

	if (end->medium->reader != READER_BLOCK)
		err = readable_await(end->epoll_fd, end->medium->fds[end->seat]);
	if (!err && read(end->medium->fds[end->seat], &rung, sizeof(rung)) < 0)
		err = -errno;
	return err;
}

static const struct bell eventfd_bell = {
	.hang = eventfd_hang,
	.take_down = eventfd_take_down,
	.listen = eventfd_listen,
	.rest = eventfd_rest,
	.ring = eventfd_ring,
	.wait = eventfd_wait,
};

const struct transport_ops eventfd_transport = {
	.name = "eventfd",
	.summary = "shared memory; a receiver sleeps on an eventfd",
	.id = TRANSPORT_EVENTFD,
	.bell = &eventfd_bell,
	RINGS_HOOKS,
};
