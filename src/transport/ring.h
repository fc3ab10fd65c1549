/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A ring of messages in memory that a writer and a reader share: one thread each. Nobody sleeps for
 * a message here: that is what transports differ in. A writer can sleep for room.
 */
#ifndef IPCTRACE_TRANSPORT_RING_H
#define IPCTRACE_TRANSPORT_RING_H

#include "transport/transport.h"

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

#define CACHE_LINE 64

struct ring {
	/* The writer's. */
	_Alignas(CACHE_LINE) _Atomic uint64_t put; /* messages so far; upper bit: no more to come */
	_Atomic uint32_t room_wanted; /* futex: 1 while the writer sleeps or is about to */
	uint64_t taken_seen;          /* `taken`, as it was when the writer last had to know */

	/* The reader's. */
	_Alignas(CACHE_LINE) _Atomic uint64_t taken; /* messages so far */

	/* Hardly ever written, so it costs neither of them anything to look. */
	_Alignas(CACHE_LINE) _Atomic uint32_t left; /* 1: the reader takes no more */
	uint32_t slots_cnt;                         /* a power of two */
	uint32_t slot_size;                         /* bytes */
	uint32_t message_max;                       /* bytes */

	_Alignas(CACHE_LINE) char slots[];
};

enum ring_state {
	RING_EMPTY,
	RING_READY,    /* there is a message */
	RING_FINISHED, /* there is none, nor will there be one */
};

/* Of a whole ring: a multiple of CACHE_LINE. `slots` messages, a power of two, of `size` bytes. */
size_t ring_bytes(size_t size, uint32_t slots);

/* `ring` is ring_bytes() of zeros. */
void ring_init(struct ring *ring, size_t size, uint32_t slots);

/*
 * The writer. 0, -EAGAIN (full), -EPIPE (the reader has left) or -EMSGSIZE. Fills in send_ns,
 * queued_ns and position of `handover`, and sets the rest to 0.
 */
int ring_put(struct ring *ring, const void *data, size_t size, uint64_t send_ns,
	     struct handover *handover);

/*
 * The writer. Sleeps until a good part of the ring is free, or the reader has left, or for
 * `timeout_ns`: then there may be room all the same.
 */
void ring_await_room(struct ring *ring, uint64_t timeout_ns);

/* The writer: there will be no more messages. */
void ring_finish(struct ring *ring);

/* The reader. */
enum ring_state ring_look(const struct ring *ring);

/*
 * The reader, when the ring is RING_READY: at most `size` bytes of the message. Returns how many,
 * and fills in all of `handover` but enter_ns, which is set to 0.
 */
size_t ring_get(struct ring *ring, void *data, size_t size, struct handover *handover);

/* The reader: it takes no more messages. Wakes a writer that sleeps. */
void ring_leave(struct ring *ring);

#endif
