/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Implements the transport "eventfd". Messages lie in rings of shared memory, and each receiver
 * sleeps on its own eventfd. A sender adds 1 to the receiver's eventfd for each message. A
 * receiver reads its eventfd only when its rings are empty, so a single read may stand for many
 * messages.
 */
#include "transport/limits.h"
#include "transport/rings.h"

#include <errno.h>
#include <poll.h>
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
	struct epoll_event event = {.events = EPOLLIN};
	int err;

	if (end->medium->reader != READER_EPOLL)
		return 0;
	end->epoll_fd = epoll_create1(EPOLL_CLOEXEC);
	if (end->epoll_fd < 0)
		return -errno;
	if (!epoll_ctl(end->epoll_fd, EPOLL_CTL_ADD, end->medium->fds[end->seat], &event))
		return 0;
	err = -errno;
	close(end->epoll_fd);
	return err;
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

static int eventfd_watch(const struct end *end)
{
	struct pollfd pollfd = {.fd = end->medium->fds[end->seat], .events = POLLIN};
	struct epoll_event event;

	if (end->medium->reader == READER_POLL)
		return poll(&pollfd, 1, -1) < 0 ? -errno : 0;
	return epoll_wait(end->epoll_fd, &event, 1, -1) < 0 ? -errno : 0;
}

static int eventfd_wait(struct end *end)
{
	uint64_t rung;
	int err = 0;

	if (end->medium->reader != READER_BLOCK)
		err = eventfd_watch(end);
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
