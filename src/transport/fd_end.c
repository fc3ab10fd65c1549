/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Implements ends (which threads use to send and receive) over pipes, connected sockets and queues.
 * They wait in a read, in poll or in epoll.
 */
#include "transport/fd_end.h"
#include "transport/common.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <mqueue.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <unistd.h>

/* Room for a client that gets no CPU for a while. A larger buffer only uses more cache. */
#define BUFFER_MIN      (1 << 20)
#define BUFFER_MESSAGES 4

/* A pipe uses its pages in turn: a large one costs a cache miss for every message. */
#define PIPE_MIN (1 << 17)

static void on_pipe_signal(int signal)
{
	(void)signal;
}

/* A handler instead of SIG_IGN, which programs started by this process would inherit. */
static void pipe_signal_disarm(void)
{
	struct sigaction action = {.sa_handler = on_pipe_signal, .sa_flags = SA_RESTART};
	struct sigaction present;

	if (!sigaction(SIGPIPE, NULL, &present) && present.sa_handler == SIG_DFL)
		sigaction(SIGPIPE, &action, NULL);
}

/* 0 or -errno. After a failure fd_end_close() frees what was allocated. */
static int end_alloc(struct end *end)
{
	end->in = calloc(end->slots, sizeof(*end->in));
	end->polls = calloc(end->slots, sizeof(*end->polls));
	end->events = calloc(end->slots, sizeof(*end->events));
	end->ready = calloc(end->slots, sizeof(*end->ready));
	end->out = calloc(end->slots, sizeof(*end->out));
	if (!end->in || !end->polls || !end->events || !end->ready || !end->out) {
		end->slots = 0;
		return -ENOMEM;
	}
	for (uint32_t peer = 0; peer < end->slots; peer++)
		end->in[peer] = end->polls[peer].fd = end->out[peer].fd = -1;
	if (end->reader != READER_EPOLL)
		return 0;
	end->epoll = epoll_create1(EPOLL_CLOEXEC);
	return end->epoll < 0 ? -errno : 0;
}

struct end *fd_end_new(struct medium *medium, const struct medium_spec *spec, uint32_t member,
		       enum fd_end_kind kind, int (*connect)(struct end *end))
{
	bool is_alone = member != LINK_SERVER || spec->clients == 1;
	struct end *end = malloc(sizeof(*end));
	int err;

	if (!end)
		return NULL;
	*end = (struct end){
		.medium = medium,
		.kind = kind,
		.size = spec->size,
		.oneway = spec->oneway,
		.listening = -1,
		.member = member,
		.slots = member == LINK_SERVER ? spec->clients + 1 : 1,
		.reader = spec->reader == READER_BLOCK && !is_alone ? READER_EPOLL : spec->reader,
		.epoll = -1,
	};
	/* One process may have the ends of all clients, with two descriptors each. */
	limit_descriptors(2 * (uint64_t)spec->clients);
	if (kind == FD_END_PIPES)
		pipe_signal_disarm();
	err = end_alloc(end);
	if (!err && connect)
		err = connect(end);
	if (!err)
		return end;
	fd_end_close(end);
	errno = -err;
	return NULL;
}

/*
 * A socket gets MSG_DONTWAIT with each call. A pipe has no such flag. A queue has a message after
 * poll or epoll, because it has one reader.
 */
static int blocking_set(const struct end *end, int fd)
{
	int flags;

	if (end->kind != FD_END_PIPES)
		return 0;
	flags = fcntl(fd, F_GETFL);
	if (flags < 0)
		return -errno;
	flags &= ~O_NONBLOCK;
	if (end->reader != READER_BLOCK)
		flags |= O_NONBLOCK;
	return fcntl(fd, F_SETFL, flags) ? -errno : 0;
}

int fd_end_add_queue(struct end *end, uint32_t peer, int queue)
{
	struct epoll_event event = {.events = EPOLLIN, .data.u32 = peer};

	end->in[peer] = queue;
	end->open++;
	end->polls[peer] = (struct pollfd){.fd = queue, .events = POLLIN};
	if (end->reader != READER_EPOLL)
		return 0;
	return epoll_ctl(end->epoll, EPOLL_CTL_ADD, queue, &event) ? -errno : 0;
}

/* Takes ownership of `fd`, also on failure. */
static int descriptor_add(struct end *end, uint32_t peer, int fd)
{
	int err = blocking_set(end, fd);

	if (!err)
		return fd_end_add_queue(end, peer, fd);
	close(fd);
	return err;
}

static size_t room_wanted(const struct end *end)
{
	size_t most = INT_MAX;

	if (end->size > most / BUFFER_MESSAGES)
		return most;
	return end->size * BUFFER_MESSAGES;
}

int fd_end_add_pipes(struct end *end, uint32_t peer, int in, int out)
{
	size_t wanted = room_wanted(end);
	int err = descriptor_add(end, peer, in);

	if (err) {
		close(out);
		return err;
	}
	if (end->oneway && wanted < PIPE_MIN)
		wanted = PIPE_MIN;
	return byte_stream_of_pipe(&end->out[peer], out, wanted);
}

/* TCP buffers grow by themselves, but not once their size is set. */
static int buffer_raise(int fd, size_t wanted)
{
	int size = (int)(wanted > BUFFER_MIN ? wanted : BUFFER_MIN);
	int present = 0;
	socklen_t length = sizeof(present);

	if (getsockopt(fd, SOL_SOCKET, SO_SNDBUF, &present, &length))
		return -errno;
	if (present >= size)
		return 0;
	return setsockopt(fd, SOL_SOCKET, SO_SNDBUF, &size, sizeof(size)) ? -errno : 0;
}

int fd_end_add_socket(struct end *end, uint32_t peer, int fd)
{
	struct timeval limit = {.tv_sec = TRANSPORT_WAIT_MS / 1000};
	int err = buffer_raise(fd, room_wanted(end));

	if (!err && setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof(limit)))
		err = -errno;
	if (err) {
		close(fd);
		return err;
	}
	byte_stream_of_socket(&end->out[peer], fd);
	return descriptor_add(end, peer, fd);
}

int fd_end_accept(struct end *end)
{
	struct pollfd poller = {.fd = end->listening, .events = POLLIN};
	int ready = poll(&poller, 1, TRANSPORT_WAIT_MS);
	int fd;

	if (ready <= 0)
		return ready ? -errno : -ETIMEDOUT;
	fd = accept4(end->listening, NULL, NULL, SOCK_CLOEXEC);
	return fd < 0 ? -errno : fd;
}

int fd_end_send_stream(struct end *end, uint32_t to, const void *data, size_t size, bool wait)
{
	return byte_stream_send(&end->out[to], data, size, wait);
}

int fd_end_send_datagram(struct end *end, uint32_t to, const void *data, size_t size, bool wait)
{
	int flags = MSG_NOSIGNAL | (wait ? 0 : MSG_DONTWAIT);
	ssize_t sent;

	do
		sent = send(end->in[to], data, size, flags);
	while (sent < 0 && errno == EINTR);
	return sent < 0 ? -errno : 0;
}

/* Keeps the descriptor open: the other direction may still work. */
static void link_end(struct end *end, uint32_t peer)
{
	end->polls[peer].fd = -1;
	end->open--;
	if (end->reader == READER_EPOLL)
		epoll_ctl(end->epoll, EPOLL_CTL_DEL, end->in[peer], NULL);
}

bool fd_end_has_ended(const struct end *end, uint32_t peer)
{
	return end->polls[peer].fd < 0;
}

static bool is_broken(int error)
{
	return error == ECONNRESET || error == ECONNREFUSED || error == EPIPE || error == ETIMEDOUT;
}

/* Bytes, 0 at the end of this link, -EAGAIN without data, or another -errno. */
static ssize_t link_read(struct end *end, uint32_t peer, void *data, size_t size, uint32_t *from)
{
	int fd = end->in[peer];
	ssize_t received;

	/* read() of libc is a cancellation point, which costs 1 %. */
	if (end->kind == FD_END_PIPES)
		received = syscall(SYS_read, fd, data, size);
	else if (end->kind == FD_END_QUEUES)
		received = mq_receive(fd, data, size, NULL);
	else
		received = recv(fd, data, size, end->reader == READER_BLOCK ? 0 : MSG_DONTWAIT);
	if (received < 0 && is_broken(errno))
		received = 0;
	if (received < 0)
		return -errno;
	if (!received)
		link_end(end, peer);
	*from = peer;
	return received;
}

static int ready_poll(struct end *end)
{
	if (poll(end->polls, end->slots, -1) < 0)
		return -errno;
	for (uint32_t peer = 0; peer < end->slots; peer++)
		if (end->polls[peer].fd >= 0 && end->polls[peer].revents)
			end->ready[end->ready_cnt++] = peer;
	return 0;
}

static int ready_epoll(struct end *end)
{
	int count = epoll_wait(end->epoll, end->events, (int)end->slots, -1);

	if (count < 0)
		return -errno;
	for (int i = 0; i < count; i++)
		end->ready[end->ready_cnt++] = end->events[i].data.u32;
	return 0;
}

/* Reads once from every peer that is ready before it asks again, so that each gets a turn. */
static ssize_t ready_read(struct end *end, void *data, size_t size, uint32_t *from)
{
	while (end->ready_next < end->ready_cnt) {
		uint32_t peer = end->ready[end->ready_next++];
		ssize_t received = link_read(end, peer, data, size, from);

		if (received != -EAGAIN)
			return received;
	}
	return -EAGAIN;
}

ssize_t fd_end_receive(struct end *end, void *data, size_t size, uint32_t *from)
{
	for (;;) {
		ssize_t received;
		int err;

		if (!end->open)
			return -ECONNRESET;
		if (end->reader == READER_BLOCK)
			return link_read(end, end->slots - 1, data, size, from); /* the only peer */
		received = ready_read(end, data, size, from);
		if (received != -EAGAIN)
			return received;
		end->ready_cnt = end->ready_next = 0;
		err = end->reader == READER_POLL ? ready_poll(end) : ready_epoll(end);
		if (err)
			return err;
	}
}

/* Keeps errno. */
void fd_end_close(struct end *end)
{
	int saved = errno;

	for (uint32_t peer = 0; peer < end->slots; peer++) {
		if (end->out[peer].is_pipe && end->out[peer].fd >= 0)
			close(end->out[peer].fd);
		if (end->kind != FD_END_QUEUES && end->in[peer] >= 0)
			close(end->in[peer]);
	}
	if (end->epoll >= 0)
		close(end->epoll);
	if (end->listening >= 0)
		close(end->listening);
	free(end->out);
	free(end->ready);
	free(end->events);
	free(end->polls);
	free(end->in);
	free(end);
	errno = saved;
}

size_t fd_end_buffer_most(int family, int type)
{
	int fd = socket(family, type | SOCK_CLOEXEC, 0);
	int most = INT_MAX, buffer = 0;
	socklen_t length = sizeof(buffer);

	if (fd < 0)
		return 0;
	if (setsockopt(fd, SOL_SOCKET, SO_SNDBUF, &most, sizeof(most)) ||
	    getsockopt(fd, SOL_SOCKET, SO_SNDBUF, &buffer, &length))
		buffer = 0;
	close(fd);
	return buffer > 0 ? (size_t)buffer : 0;
}

/* The kernel's bookkeeping is counted too; it takes less than the message itself. */
size_t fd_end_stream_size_max(int family)
{
	size_t most = fd_end_buffer_most(family, SOCK_STREAM) / 2;

	return most > FD_END_SIZE_MIN ? most : FD_END_SIZE_MIN;
}
