/* SPDX-License-Identifier: BSD-2-Clause */
/* Sends whole messages into a pipe or a connected stream socket. */
#include "transport/byte_stream.h"
#include "transport/common.h"
#include "util/clock.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/sock_diag.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

/* The kernel's default for unprivileged users. */
#define PIPE_MAX_USUAL (1 << 20)

size_t byte_stream_pipe_most(void)
{
	long size = limit_read("/proc/sys/fs/pipe-max-size", PIPE_MAX_USUAL);

	return size > PIPE_BUF ? (size_t)size : PIPE_BUF;
}

void byte_stream_of_socket(struct byte_stream *stream, int fd)
{
	*stream = (struct byte_stream){.fd = fd, .page = (size_t)sysconf(_SC_PAGESIZE)};
}

/* The descriptor never blocks: byte_stream_send() decides how long to wait. */
int byte_stream_of_pipe(struct byte_stream *stream, int fd, size_t wanted)
{
	size_t most = byte_stream_pipe_most();
	int flags = fcntl(fd, F_GETFL), capacity = fcntl(fd, F_GETPIPE_SZ);
	int size = (int)(wanted < most ? wanted : most);

	byte_stream_of_socket(stream, fd);
	stream->is_pipe = true;
	if (flags < 0 || fcntl(fd, F_SETFL, flags | O_NONBLOCK))
		return -errno;
	/* As far as possible: users have a limit on the pages of all their pipes. */
	while (capacity > 0 && size > capacity && fcntl(fd, F_SETPIPE_SZ, size) < 0)
		size /= 2;
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

/* What a message uses at most, in units of `free`. */
static size_t cost(const struct byte_stream *stream, size_t size)
{
	/* A socket's buffer also counts the kernel's own bookkeeping. */
	return stream->is_pipe ? pages(stream, size) : 2 * size + stream->page;
}

/*
 * Upper bound of the pages that `unread` bytes use. A message begins on the last page if its odd
 * bytes fit there, else on a new page. With messages of one size that is no more than if each had
 * pages of its own. With several sizes, two neighbouring pages always hold at least a page's worth
 * of bytes.
 */
static size_t pages_taken(const struct byte_stream *stream, size_t unread)
{
	if (stream->mixed)
		return 2 * pages(stream, unread) + 2;
	return (unread + stream->size - 1) / stream->size * pages(stream, stream->size);
}

static size_t left_of(size_t all, size_t used)
{
	return used < all ? all - used : 0;
}

/* Asks the kernel how much room is left and sets `free`. Returns whether nothing is unread. */
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
	uint32_t used;

	if (getsockopt(stream->fd, SOL_SOCKET, SO_MEMINFO, info, &length))
		return true;
	/* Unix sockets use the first counter, TCP uses the second. */
	used = info[SK_MEMINFO_WMEM_ALLOC] > info[SK_MEMINFO_WMEM_QUEUED]
		       ? info[SK_MEMINFO_WMEM_ALLOC]
		       : info[SK_MEMINFO_WMEM_QUEUED];
	stream->free = left_of(info[SK_MEMINFO_SNDBUF], used);
	return !used;
}

/*
 * Asks the kernel only if room may be short. A message larger than the whole capacity fits if
 * nothing is unread.
 */
static bool byte_stream_has_room(struct byte_stream *stream, size_t size)
{
	size_t needed;
	bool empty;

	/* The kernel writes up to PIPE_BUF bytes as a whole or not at all. */
	if (stream->is_pipe && size <= PIPE_BUF)
		return true;
	needed = cost(stream, size);
	if (stream->free >= needed)
		return true;
	empty = stream->is_pipe ? pipe_ask(stream) : socket_ask(stream);
	return empty || stream->free >= needed;
}

/* Sends as many bytes as fit: bytes or -errno. */
static ssize_t part_send(struct byte_stream *stream, const void *data, size_t size)
{
	ssize_t sent;

	/* A direct syscall costs less than write() of libc, see link_read(). */
	do
		sent = stream->is_pipe ? syscall(SYS_write, stream->fd, data, size)
				       : send(stream->fd, data, size, MSG_DONTWAIT | MSG_NOSIGNAL);
	while (sent < 0 && errno == EINTR);
	return sent < 0 ? -errno : sent;
}

/* Bytes, -EAGAIN if the message would not fit as a whole, or another -errno. */
static ssize_t try_send(struct byte_stream *stream, const void *data, size_t size)
{
	ssize_t sent;

	if (!byte_stream_has_room(stream, size))
		return -EAGAIN;
	sent = part_send(stream, data, size);
	if (sent > 0)
		stream->free = left_of(stream->free, cost(stream, size));
	return sent;
}

/* Waits until some bytes fit. 0, -EAGAIN after `limit_ms`, or -errno. */
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

/* poll() reports room for a part of a message, but does not wake again for the whole. */
static ssize_t waiting_send(struct byte_stream *stream, const void *data, size_t size)
{
	int64_t until_ms = clock_now_ms() + TRANSPORT_WAIT_MS;
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

static int rest_send(struct byte_stream *stream, const char *data, size_t size)
{
	int64_t until_ms = clock_now_ms() + TRANSPORT_WAIT_MS;
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
	/* The reader sees the end, and not the next message in place of the missing rest. */
	if (stream->is_pipe)
		close(stream->fd);
	else
		shutdown(stream->fd, SHUT_RDWR);
	stream->fd = -1;
	return sent < 0 && sent != -EAGAIN ? (int)sent : -ETIMEDOUT;
}

/* Distinguishes a closed reader from a full pipe or socket. */
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
