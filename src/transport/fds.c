/* SPDX-License-Identifier: BSD-2-Clause */
/* Receives messages from one or several descriptors. Waits in a read, in poll or in epoll. */
#include "transport/fds.h"
#include "transport/limits.h"

#include <errno.h>
#include <fcntl.h>
#include <mqueue.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

struct fds {
	enum fds_kind kind;
	enum reader reader;             /* READER_BLOCK waits in the read itself */
	uint32_t slots;                 /* the largest peer plus one */
	uint32_t open;                  /* links that have not ended */
	int epoll;                      /* -1 unless READER_EPOLL */
	int *fd;                        /* by peer, -1: none */
	struct pollfd *polls;           /* READER_POLL, by peer; .fd -1: none, or ended */
	struct epoll_event *events;     /* READER_EPOLL */
	uint32_t *ready;                /* peers that the last wait reported */
	uint32_t ready_cnt, ready_next; /* ready[] before `ready_next` has been read */
};

static enum reader reader_choose(const struct medium_spec *spec, uint32_t client)
{
	bool alone = client != LINK_SERVER || spec->clients == 1;

	if (spec->reader == READER_BLOCK && !alone)
		return READER_EPOLL;
	return spec->reader;
}

/* 0 or -errno. After a failure fds__free() frees what was allocated. */
static int fds_alloc(struct fds *fds)
{
	fds->fd = calloc(fds->slots, sizeof(*fds->fd));
	fds->polls = calloc(fds->slots, sizeof(*fds->polls));
	fds->events = calloc(fds->slots, sizeof(*fds->events));
	fds->ready = calloc(fds->slots, sizeof(*fds->ready));
	if (!fds->fd || !fds->polls || !fds->events || !fds->ready)
		return -ENOMEM;
	for (uint32_t peer = 0; peer < fds->slots; peer++)
		fds->fd[peer] = fds->polls[peer].fd = -1;
	if (fds->reader != READER_EPOLL)
		return 0;
	fds->epoll = epoll_create1(EPOLL_CLOEXEC);
	return fds->epoll < 0 ? -errno : 0;
}

struct fds *fds__new(const struct medium_spec *spec, uint32_t client, enum fds_kind kind)
{
	struct fds *fds = calloc(1, sizeof(*fds));
	int err;

	if (!fds)
		return NULL;
	/* One process may have the ends of all clients, with two descriptors each. */
	limit_descriptors(2 * (uint64_t)spec->clients);
	fds->kind = kind;
	fds->reader = reader_choose(spec, client);
	fds->slots = client == LINK_SERVER ? spec->clients + 1 : 1;
	fds->epoll = -1;
	err = fds_alloc(fds);
	if (err) {
		fds__free(fds);
		errno = -err;
		return NULL;
	}
	return fds;
}

/*
 * A socket gets MSG_DONTWAIT with each call. A pipe has no such flag. A queue has a message after
 * poll or epoll, because it has one reader.
 */
static int blocking_set(const struct fds *fds, int fd)
{
	int flags;

	if (fds->kind != FDS_PIPES)
		return 0;
	flags = fcntl(fd, F_GETFL);
	if (flags < 0)
		return -errno;
	flags &= ~O_NONBLOCK;
	if (fds->reader != READER_BLOCK)
		flags |= O_NONBLOCK;
	return fcntl(fd, F_SETFL, flags) ? -errno : 0;
}

static int fds_watch(struct fds *fds, uint32_t peer)
{
	struct epoll_event event = {.events = EPOLLIN, .data.u32 = peer};

	fds->polls[peer] = (struct pollfd){.fd = fds->fd[peer], .events = POLLIN};
	if (fds->reader != READER_EPOLL)
		return 0;
	return epoll_ctl(fds->epoll, EPOLL_CTL_ADD, fds->fd[peer], &event) ? -errno : 0;
}

int fds__add(struct fds *fds, uint32_t peer, int fd)
{
	int err = blocking_set(fds, fd);

	if (err) {
		close(fd);
		return err;
	}
	fds->fd[peer] = fd;
	fds->open++;
	return fds_watch(fds, peer);
}

int fds__fd(const struct fds *fds, uint32_t peer)
{
	return peer < fds->slots ? fds->fd[peer] : -1;
}

/* Keeps the descriptor open: the other direction may still work. */
static void link_end(struct fds *fds, uint32_t peer)
{
	fds->polls[peer].fd = -1;
	fds->open--;
	if (fds->reader == READER_EPOLL)
		epoll_ctl(fds->epoll, EPOLL_CTL_DEL, fds->fd[peer], NULL);
}

bool fds__has_ended(const struct fds *fds, uint32_t peer)
{
	return fds->polls[peer].fd < 0;
}

static bool is_broken(int error)
{
	return error == ECONNRESET || error == ECONNREFUSED || error == EPIPE || error == ETIMEDOUT;
}

/* Bytes, 0 at the end of this link, -EAGAIN without data, or another -errno. */
static ssize_t link_read(struct fds *fds, uint32_t peer, void *data, size_t size, uint32_t *from)
{
	int fd = fds->fd[peer];
	ssize_t received;

	/* read() of libc is a cancellation point, which costs 1 %. */
	if (fds->kind == FDS_PIPES)
		received = syscall(SYS_read, fd, data, size);
	else if (fds->kind == FDS_QUEUES)
		received = mq_receive(fd, data, size, NULL);
	else
		received = recv(fd, data, size, fds->reader == READER_BLOCK ? 0 : MSG_DONTWAIT);
	if (received < 0 && is_broken(errno))
		received = 0;
	if (received < 0)
		return -errno;
	if (!received)
		link_end(fds, peer);
	*from = peer;
	return received;
}

static int ready_poll(struct fds *fds)
{
	if (poll(fds->polls, fds->slots, -1) < 0)
		return -errno;
	for (uint32_t peer = 0; peer < fds->slots; peer++)
		if (fds->polls[peer].fd >= 0 && fds->polls[peer].revents)
			fds->ready[fds->ready_cnt++] = peer;
	return 0;
}

static int ready_epoll(struct fds *fds)
{
	int count = epoll_wait(fds->epoll, fds->events, (int)fds->slots, -1);

	if (count < 0)
		return -errno;
	for (int i = 0; i < count; i++)
		fds->ready[fds->ready_cnt++] = fds->events[i].data.u32;
	return 0;
}

static int fds_ready_await(struct fds *fds)
{
	fds->ready_cnt = fds->ready_next = 0;
	return fds->reader == READER_POLL ? ready_poll(fds) : ready_epoll(fds);
}

/* Reads once from every peer that is ready before it asks again, so that each gets a turn. */
static ssize_t ready_read(struct fds *fds, void *data, size_t size, uint32_t *from)
{
	while (fds->ready_next < fds->ready_cnt) {
		uint32_t peer = fds->ready[fds->ready_next++];
		ssize_t received = link_read(fds, peer, data, size, from);

		if (received != -EAGAIN)
			return received;
	}
	return -EAGAIN;
}

/* The peer of an end with one link. */
static uint32_t only_peer(const struct fds *fds)
{
	return fds->slots - 1;
}

ssize_t fds__receive(struct fds *fds, void *data, size_t size, uint32_t *from)
{
	for (;;) {
		ssize_t received;
		int err;

		if (!fds->open)
			return -ECONNRESET;
		if (fds->reader == READER_BLOCK)
			return link_read(fds, only_peer(fds), data, size, from);
		received = ready_read(fds, data, size, from);
		if (received != -EAGAIN)
			return received;
		err = fds_ready_await(fds);
		if (err)
			return err;
	}
}

void fds__free(struct fds *fds)
{
	int saved = errno;

	if (!fds)
		return;
	for (uint32_t peer = 0; fds->fd && peer < fds->slots; peer++)
		if (fds->fd[peer] >= 0 && fds->kind != FDS_QUEUES)
			close(fds->fd[peer]);
	if (fds->epoll >= 0)
		close(fds->epoll);
	free(fds->ready);
	free(fds->events);
	free(fds->polls);
	free(fds->fd);
	free(fds);
	errno = saved;
}
