/* SPDX-License-Identifier: BSD-2-Clause */
/* Declares a ring buffer of BPF programs, which user space reads part by part. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct ring_buffer;

/* Receives what one program has written at once; valid during the call. 0 or -errno. */
typedef int bpf_ring_put_fn(void *ctx, void *data, size_t size);

struct bpf_ring {
	struct ring_buffer *buffer; /* NULL: not open */

	/*
	 * The positions, in bytes since the beginning: read by this process, and written by
	 * programs.
	 */
	const unsigned long *read;
	const unsigned long *written;

	/* Valid during bpf_ring_drain(). */
	unsigned long until; /* a value of `read` */
	bpf_ring_put_fn *put;
	void *ctx;
	int put_error;
};

/* The kernel needs a power of two, and whole pages. */
size_t bpf_ring_bytes(size_t wanted);

/* `map`: its file descriptor, which stays the caller's. 0 or -errno. The ring stays where it is. */
int bpf_ring_open(struct bpf_ring *ring, int map);
void bpf_ring_close(struct bpf_ring *ring);

/* Passes on what is there when the call begins. 0, -errno, or what `put` returned. */
int bpf_ring_drain(struct bpf_ring *ring, bpf_ring_put_fn *put, void *ctx);

/* Whether the last drain stopped at what is half written. */
bool bpf_ring_is_held_up(const struct bpf_ring *ring);
