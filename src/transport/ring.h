/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Keeps messages in a ring in shared memory, with one writing thread and one reading thread. The
 * writer waits for room in ring_await_room(). No function waits for messages, because each
 * transport has its own way to wake a receiver.
 */
#pragma once

#include "transport/transport.h"

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

#define CACHE_LINE 64

struct ring {
	/* Words of the writer. */
	_Alignas(CACHE_LINE) _Atomic uint64_t
		put;                  /* messages so far; upper bit: no message follows */
	_Atomic uint32_t room_wanted; /* futex: 1 while the writer sleeps or is about to */
	uint64_t consumed_seen;       /* `consumed` when the writer last needed it */

	/* Words of the reader. */
	_Alignas(CACHE_LINE) _Atomic uint64_t consumed; /* messages so far */

	/* Hardly ever written, so that reading these is cheap for both. */
	_Alignas(CACHE_LINE) _Atomic uint32_t left; /* 1: the reader receives no more messages */
	uint32_t slots_cnt;                         /* a power of two */
	uint32_t slot_size;                         /* bytes */
	uint32_t message_max;                       /* bytes */

	_Alignas(CACHE_LINE) char slots[];
};

enum ring_state {
	RING_EMPTY,
	RING_READY,    /* there is a message */
	RING_FINISHED, /* there is no message and none will follow */
};

/*
 * Bytes of a ring, a multiple of CACHE_LINE. `slots` is a power of two, `size` the largest message.
 */
size_t ring_bytes(size_t size, uint32_t slots);

/* `ring` is ring_bytes() of zeros. */
void ring_init(struct ring *ring, size_t size, uint32_t slots);

/*
 * Writer: 0, -EAGAIN (full), -EPIPE (the reader has left) or -EMSGSIZE. Sets send_ns, queued_ns and
 * position of `handover`, and the other fields to 0.
 */
int ring_put(struct ring *ring, const void *data, size_t size, uint64_t send_ns,
	     struct handover *handover);

/*
 * Writer: sleeps until a good part of the ring is free, the reader has left, or `timeout_ns` is
 * over. There may be room after a timeout as well.
 */
void ring_await_room(struct ring *ring, uint64_t timeout_ns);

/* Writer: announces that no message follows. */
void ring_finish(struct ring *ring);

/* Reader: what the ring has. */
enum ring_state ring_look(const struct ring *ring);

/*
 * Reader, when the ring is RING_READY: copies at most `size` bytes of the message and returns their
 * number. Sets all fields of `handover`, enter_ns to 0.
 */
size_t ring_get(struct ring *ring, void *data, size_t size, struct handover *handover);

/* Reader: receives no more messages. Wakes a sleeping writer. */
void ring_leave(struct ring *ring);
