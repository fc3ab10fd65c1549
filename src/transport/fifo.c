/* SPDX-License-Identifier: BSD-2-Clause */
/* Implements the transport "fifo". The server makes two named pipes for each client. */
#include "transport/fd_end.h"
#include "transport/common.h"
#include "util/clock.h"
#include "util/shared_memory.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

/* Memory that all ends share. */
struct medium {
	struct medium_spec spec;
	size_t memory; /* bytes of this memory */
	int directory; /* destroy() works in this open directory only, wherever its path leads to by
			  then */
	_Atomic uint32_t admitted[]; /* by client; not 0: the server has opened both FIFOs */
};

enum direction { DIRECTION_UP, DIRECTION_DOWN, NR_DIRECTIONS };

static const char *const direction_names[] = {
	[DIRECTION_UP] = "to-server",
	[DIRECTION_DOWN] = "to-client",
};

#define FIFO_NAME_LEN 32

static void fifo_name(char name[FIFO_NAME_LEN], uint32_t client, enum direction direction)
{
	snprintf(name, FIFO_NAME_LEN, "%s-%u", direction_names[direction], client);
}

/*
 * Opens without waiting for the other side; -ENXIO: it has no reader yet. A descriptor or -errno.
 */
static int fifo_open(const struct medium *medium, uint32_t client, enum direction direction,
		     int flags)
{
	char name[FIFO_NAME_LEN];
	int fd;

	fifo_name(name, client, direction);
	fd = openat(medium->directory, name, flags | O_NONBLOCK | O_NOFOLLOW | O_CLOEXEC);
	return fd < 0 ? -errno : fd;
}

/* Removes the names of all FIFOs, or makes them. 0 or -errno of the first that cannot be made. */
static int names_set(const struct medium *medium, bool exist)
{
	char name[FIFO_NAME_LEN];

	for (uint32_t client = 1; client <= medium->spec.clients; client++) {
		for (enum direction direction = 0; direction < NR_DIRECTIONS; direction++) {
			fifo_name(name, client, direction);
			if (!exist)
				unlinkat(medium->directory, name, 0);
			else if (mkfifoat(medium->directory, name, 0600))
				return -errno;
		}
	}
	return 0;
}

static int names_make(struct end *server)
{
	return names_set(server->medium, true);
}

static struct medium *fifo_create(const struct medium_spec *spec)
{
	size_t memory =
		sizeof(struct medium) + ((size_t)spec->clients + 1) * sizeof(_Atomic uint32_t);
	struct medium *medium = shared_memory_map(memory);

	if (!medium)
		return NULL;
	medium->spec = *spec;
	medium->memory = memory;
	medium->directory = note_directory_open(spec->directory);
	if (medium->directory >= 0)
		return medium;
	errno = -medium->directory;
	munmap(medium, memory);
	return NULL;
}

static void fifo_destroy(struct medium *medium)
{
	if (!medium)
		return;
	names_set(medium, false);
	close(medium->directory);
	munmap(medium, medium->memory);
}

/*
 * Opening a FIFO for writing needs a reader, and a FIFO without a writer reads as ended. The client
 * first opens the FIFO to the server for reading and writing, until the server reads from it.
 */
static int client_open(struct end *end)
{
	struct medium *medium = end->medium;
	uint32_t client = end->member;
	int both = fifo_open(medium, client, DIRECTION_UP, O_RDWR);
	int down, up;

	if (both < 0)
		return both;
	down = fifo_open(medium, client, DIRECTION_DOWN, O_RDONLY);
	if (down < 0) {
		close(both);
		return down;
	}
	up = rendezvous_await(&medium->admitted[client], RENDEZVOUS_JOIN_MS)
		     ? fifo_open(medium, client, DIRECTION_UP, O_WRONLY)
		     : -ETIMEDOUT;
	close(both);
	if (up >= 0)
		return fd_end_add_pipes(end, LINK_SERVER, down, up);
	close(down);
	return up;
}

static struct end *fifo_end_open(struct medium *medium, uint32_t member)
{
	return fd_end_new(medium, &medium->spec, member, FD_END_PIPES,
			  member == LINK_SERVER ? names_make : client_open);
}

/* Opens the FIFO to a client, which has opened the other FIFO before. A descriptor or -errno. */
static int down_await(const struct medium *medium, uint32_t client)
{
	int64_t until_ms = clock_now_ms() + TRANSPORT_WAIT_MS;

	while (clock_now_ms() < until_ms) {
		int down = fifo_open(medium, client, DIRECTION_DOWN, O_WRONLY);

		if (down != -ENXIO)
			return down;
		rendezvous_nap();
	}
	return -ETIMEDOUT;
}

static int fifo_admit(struct end *server, uint32_t client)
{
	struct medium *medium = server->medium;
	int down = down_await(medium, client);
	int up, err;

	if (down < 0)
		return down;
	up = fifo_open(medium, client, DIRECTION_UP, O_RDONLY);
	if (up < 0) {
		close(down);
		return up;
	}
	err = fd_end_add_pipes(server, client, up, down);
	if (!err)
		atomic_store(&medium->admitted[client], 1);
	return err;
}

/* The clients have opened their FIFOs. The server's end is the last that needs the names. */
static void fifo_close(struct end *end)
{
	if (end->member == LINK_SERVER)
		names_set(end->medium, false);
	fd_end_close(end);
}

const struct transport_ops fifo_transport = {
	.name = "fifo",
	.summary = "named pipes, two for each client",
	.id = TRANSPORT_FIFO,
	.is_stream = true,
	.size_max = byte_stream_pipe_most,
	.create = fifo_create,
	.open = fifo_end_open,
	.admit = fifo_admit,
	.send = fd_end_send_stream,
	.receive = fd_end_receive,
	.close = fifo_close,
	.destroy = fifo_destroy,
};
