/* SPDX-License-Identifier: BSD-2-Clause */
/* Reads a ring buffer of BPF programs up to where it was written when the reading began. */
#include "tracer/bpf_ring.h"

#include <bpf/libbpf.h>
#include <errno.h>
#include <sys/mman.h>
#include <unistd.h>

size_t bpf_ring_bytes(size_t wanted)
{
	size_t bytes = sysconf(_SC_PAGESIZE);

	while (bytes < wanted)
		bytes *= 2;
	return bytes;
}

/* What is written meanwhile waits for the next drain. This one might not end otherwise. */
static int put_sample(void *ctx, void *data, size_t size)
{
	struct bpf_ring *ring = ctx;
	bool is_last = *ring->read >= ring->until;

	ring->put_error = ring->put(ring->ctx, data, size);
	return !ring->put_error && is_last ? -ECANCELED : ring->put_error;
}

/* libbpf maps them as well, but offers no access. */
static int map_positions(struct bpf_ring *ring, int map)
{
	long size = sysconf(_SC_PAGESIZE);

	ring->read = mmap(NULL, size, PROT_READ, MAP_SHARED, map, 0);
	ring->written = mmap(NULL, size, PROT_READ, MAP_SHARED, map, size);
	return ring->read == MAP_FAILED || ring->written == MAP_FAILED ? -errno : 0;
}

static void unmap_positions(struct bpf_ring *ring)
{
	long size = sysconf(_SC_PAGESIZE);

	if (ring->read && ring->read != MAP_FAILED)
		munmap((void *)ring->read, size);
	if (ring->written && ring->written != MAP_FAILED)
		munmap((void *)ring->written, size);
}

int bpf_ring_open(struct bpf_ring *ring, int map)
{
	ring->buffer = ring_buffer__new(map, put_sample, ring, NULL);
	return ring->buffer ? map_positions(ring, map) : -errno;
}

void bpf_ring_close(struct bpf_ring *ring)
{
	ring_buffer__free(ring->buffer);
	unmap_positions(ring);
	*ring = (struct bpf_ring){0};
}

int bpf_ring_drain(struct bpf_ring *ring, bpf_ring_put_fn *put, void *ctx)
{
	int err;

	ring->put = put;
	ring->ctx = ctx;
	ring->put_error = 0;
	ring->until = __atomic_load_n(ring->written, __ATOMIC_ACQUIRE);
	err = ring_buffer__consume(ring->buffer);
	if (err == -ECANCELED && !ring->put_error)
		err = 0;
	return err < 0 ? err : 0;
}

bool bpf_ring_is_held_up(const struct bpf_ring *ring)
{
	return __atomic_load_n(ring->read, __ATOMIC_ACQUIRE) < ring->until;
}
