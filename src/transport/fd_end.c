/* SPDX-License-Identifier: BSD-2-Clause */
/* Implements ends (which threads use to send and receive) over pipes and connected sockets. */
#include "transport/fd_end.h"
#include "transport/limits.h"

#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/socket.h>
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

struct end *fd_end_new(struct medium *medium, const struct medium_spec *spec, uint32_t member,
		       enum fds_kind kind, int (*connect)(struct end *end))
{
	struct end *end = calloc(1, sizeof(*end));
	int err;

	if (!end)
		return NULL;
	end->medium = medium;
	end->size = spec->size;
	end->oneway = spec->oneway;
	end->listening = -1;
	end->member = member;
	end->slots = member == LINK_SERVER ? spec->clients + 1 : 1;
	end->out = calloc(end->slots, sizeof(*end->out));
	for (uint32_t peer = 0; end->out && peer < end->slots; peer++)
		end->out[peer].fd = -1;
	end->in = end->out ? fds__new(spec, member, kind) : NULL;
	if (kind == FDS_PIPES)
		pipe_signal_disarm();
	err = end->in ? 0 : -ENOMEM;
	if (!err && connect)
		err = connect(end);
	if (!err)
		return end;
	fd_end_close(end);
	errno = -err;
	return NULL;
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
	int err = fds__add(end->in, peer, in);

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
	return fds__add(end->in, peer, fd);
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
		sent = send(fds__fd(end->in, to), data, size, flags);
	while (sent < 0 && errno == EINTR);
	return sent < 0 ? -errno : 0;
}

ssize_t fd_end_receive(struct end *end, void *data, size_t size, uint32_t *from)
{
	return fds__receive(end->in, data, size, from);
}

void fd_end_close(struct end *end)
{
	for (uint32_t peer = 0; end->out && peer < end->slots; peer++)
		if (end->out[peer].is_pipe && end->out[peer].fd >= 0)
			close(end->out[peer].fd);
	fds__free(end->in);
	if (end->listening >= 0)
		close(end->listening);
	free(end->out);
	free(end);
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
