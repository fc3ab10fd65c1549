/* SPDX-License-Identifier: BSD-2-Clause */
#include "transport/byte_stream.h"
#include "transport/fds.h"
#include "transport/rendezvous.h"
#include "util/clock.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/sock_diag.h>
#include <poll.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

/* What the kernel allows everybody, unless it is configured otherwise. */
#define PIPE_MAX_USUAL (1 << 20)

size_t byte_stream_pipe_most(void)
{
	FILE *file = fopen("/proc/sys/fs/pipe-max-size", "re");
	unsigned int size = 0;

	if (!file)
		return PIPE_MAX_USUAL;
	if (fscanf(file, "%u", &size) != 1)
		size = PIPE_MAX_USUAL;
	fclose(file);
	return size > PIPE_BUF ? size : PIPE_BUF;
}

/* As much as there is, down to what it has already: users have a limit on all their pipes. */
static void capacity_raise(int fd, size_t wanted)
{
	size_t most = byte_stream_pipe_most();
	int present = fcntl(fd, F_GETPIPE_SZ);
	int size = (int)(wanted < most ? wanted : most);

	while (present > 0 && size > present && fcntl(fd, F_SETPIPE_SZ, size) < 0)
		size /= 2;
}

void byte_stream_of_socket(struct byte_stream *stream, int fd)
{
	*stream = (struct byte_stream){.fd = fd, .page = (size_t)sysconf(_SC_PAGESIZE)};
}

/* It never blocks: how long to wait is up to byte_stream_send(). */
int byte_stream_of_pipe(struct byte_stream *stream, int fd, size_t wanted)
{
	int flags = fcntl(fd, F_GETFL);
	int capacity;

	byte_stream_of_socket(stream, fd);
	stream->is_pipe = true;
	if (flags < 0 || fcntl(fd, F_SETFL, flags | O_NONBLOCK))
		return -errno;
	capacity_raise(fd, wanted);
	capacity = fcntl(fd, F_GETPIPE_SZ);
	if (capacity < 0)
		return -errno;
	stream->capacity = stream->free = (size_t)capacity / stream->page;
	return 0;
}

static size_t pages(const struct byte_stream *stream, size_t bytes)
{
	return (bytes + stream->page - 1) / stream->page;
}

/* What a message takes away at most, in units of `free`. */
static size_t cost(const struct byte_stream *stream, size_t size)
{
	/* A socket's buffer counts the kernel's own bookkeeping too. */
	return stream->is_pipe ? pages(stream, size) : 2 * size + stream->page;
}

/*
 * How many pages may be taken by `unread` bytes. A message begins on the last page if there is
 * room for its odd bytes, else on a new one: with messages of one size no more than if each had
 * pages of its own, and with others two neighbours always hold a page's worth together.
 */
static size_t pages_taken(const struct byte_stream *stream, size_t unread)
{
	if (stream->mixed)
		return 2 * pages(stream, unread) + 2;
	return (unread + stream->size - 1) / stream->size * pages(stream, stream->size);
}

static size_t left_of(size_t all, size_t taken)
{
	return taken < all ? all - taken : 0;
}

/* Both: sets `free`. Whether there is nothing in it at all. */
static bool pipe_ask(struct byte_stream *stream)
{
	int unread = 0;

	if (ioctl(stream->fd, FIONREAD, &unread))
		return false;
	stream->free = left_of(stream->capacity, pages_taken(stream, (size_t)unread));
	return !unread;
}

static bool socket_ask(struct byte_stream *stream)
{
	uint32_t info[SK_MEMINFO_VARS];
	socklen_t length = sizeof(info);
	uint32_t taken;

	if (getsockopt(stream->fd, SOL_SOCKET, SO_MEMINFO, info, &length))
		return true;
	/* Unix sockets charge the one, TCP the other. */
	taken = info[SK_MEMINFO_WMEM_ALLOC] > info[SK_MEMINFO_WMEM_QUEUED]
			? info[SK_MEMINFO_WMEM_ALLOC]
			: info[SK_MEMINFO_WMEM_QUEUED];
	stream->free = left_of(info[SK_MEMINFO_SNDBUF], taken);
	return !taken;
}

/* Asks the kernel only if it may be short. What is larger than all there is goes in when empty. */
static bool has_room(struct byte_stream *stream, size_t size)
{
	size_t needed;
	bool empty;

	/* The kernel takes all of it or nothing. */
	if (stream->is_pipe && size <= PIPE_BUF)
		return true;
	needed = cost(stream, size);
	if (stream->free >= needed)
		return true;
	empty = stream->is_pipe ? pipe_ask(stream) : socket_ask(stream);
	return empty || stream->free >= needed;
}

/* As much as there is room for: bytes or -errno. */
static ssize_t part_send(struct byte_stream *stream, const void *data, size_t size)
{
	ssize_t sent;

	/* libc's write() costs more, see link_read(). */
	do
		sent = stream->is_pipe ? syscall(SYS_write, stream->fd, data, size)
				       : send(stream->fd, data, size, MSG_DONTWAIT | MSG_NOSIGNAL);
	while (sent < 0 && errno == EINTR);
	return sent < 0 ? -errno : sent;
}

/* Bytes, -EAGAIN if it would not fit as a whole, or another -errno. */
static ssize_t try_send(struct byte_stream *stream, const void *data, size_t size)
{
	ssize_t sent;

	if (!has_room(stream, size))
		return -EAGAIN;
	sent = part_send(stream, data, size);
	if (sent > 0)
		stream->free = left_of(stream->free, cost(stream, size));
	return sent;
}

/* Until there is room for something. 0, -EAGAIN: not within `limit_ms`, or -errno. */
static int writable_await(const struct byte_stream *stream, int64_t limit_ms)
{
	struct pollfd poller = {.fd = stream->fd, .events = POLLOUT};
	int ready = poll(&poller, 1, limit_ms > 0 ? (int)limit_ms : 0);

	if (ready < 0)
		return errno == EINTR ? 0 : -errno;
	if (poller.revents & (POLLERR | POLLHUP | POLLNVAL))
		return -EPIPE;
	return ready ? 0 : -EAGAIN;
}

/* Room for a part is told, but not when it has become room for the whole. */
static ssize_t waiting_send(struct byte_stream *stream, const void *data, size_t size)
{
	int64_t until_ms = clock_now_ms() + FDS_WAIT_MS;
	ssize_t sent;
	int err;

	do {
		err = writable_await(stream, until_ms - clock_now_ms());
		if (err)
			return err;
		sent = try_send(stream, data, size);
		if (sent != -EAGAIN)
			return sent;
		rendezvous_nap();
	} while (clock_now_ms() < until_ms);
	return -EAGAIN;
}

/* Whoever reads sees the end, and not the next message in place of the rest of this one. */
static void give_up(struct byte_stream *stream)
{
	if (stream->is_pipe)
		close(stream->fd);
	else
		shutdown(stream->fd, SHUT_RDWR);
	stream->fd = -1;
}

static int rest_send(struct byte_stream *stream, const char *data, size_t size)
{
	int64_t until_ms = clock_now_ms() + FDS_WAIT_MS;
	ssize_t sent = 0;

	while (size && clock_now_ms() < until_ms && (sent >= 0 || sent == -EAGAIN)) {
		sent = writable_await(stream, until_ms - clock_now_ms());
		if (!sent)
			sent = part_send(stream, data, size);
		if (sent > 0) {
			data += sent;
			size -= (size_t)sent;
		}
	}
	if (!size)
		return 0;
	give_up(stream);
	return sent < 0 && sent != -EAGAIN ? (int)sent : -ETIMEDOUT;
}

/* Nobody there is another matter than no room. */
static int gone(const struct byte_stream *stream)
{
	int err = writable_await(stream, 0);

	return err == -EPIPE ? err : -EAGAIN;
}

int byte_stream_send(struct byte_stream *stream, const void *data, size_t size, bool wait)
{
	ssize_t sent;

	if (stream->fd < 0)
		return -EPIPE;
	if (!stream->size)
		stream->size = size;
	stream->mixed = stream->mixed || stream->size != size;
	sent = try_send(stream, data, size);
	if (sent == -EAGAIN)
		sent = wait ? waiting_send(stream, data, size) : gone(stream);
	if (sent < 0)
		return (int)sent;
	if ((size_t)sent == size)
		return 0;
	return rest_send(stream, (const char *)data + sent, size - (size_t)sent);
}
