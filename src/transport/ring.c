/* SPDX-License-Identifier: BSD-2-Clause */
/* Implements a ring of messages in shared memory, with one writer and one reader. */
#include "transport/ring.h"
#include "util/clock.h"
#include "util/futex.h"

#include <errno.h>
#include <string.h>

#define PUT_FINISHED (1ULL << 63)

struct slot {
	uint64_t send_ns;
	uint64_t queued_ns;
	uint32_t size;
	char data[];
};

/* Each slot begins on a cache line, so that writing one does not disturb reading the one before. */
static size_t slot_bytes(size_t size)
{
	size_t bytes = offsetof(struct slot, data) + size;

	return (bytes + CACHE_LINE - 1) / CACHE_LINE * CACHE_LINE;
}

size_t ring_bytes(size_t size, uint32_t slots)
{
	return sizeof(struct ring) + slots * slot_bytes(size);
}

void ring_init(struct ring *ring, size_t size, uint32_t slots)
{
	ring->slots_cnt = slots;
	ring->slot_size = (uint32_t)slot_bytes(size);
	ring->message_max = (uint32_t)size;
}

static struct slot *slot_at(struct ring *ring, uint64_t position)
{
	size_t index = position & (ring->slots_cnt - 1);

	return (struct slot *)(ring->slots + index * ring->slot_size);
}

static bool has_room(struct ring *ring, uint64_t put)
{
	if (put - ring->consumed_seen < ring->slots_cnt)
		return true;
	ring->consumed_seen = atomic_load_explicit(&ring->consumed, memory_order_acquire);
	return put - ring->consumed_seen < ring->slots_cnt;
}

int ring_put(struct ring *ring, const void *data, size_t size, uint64_t send_ns,
	     struct handover *handover)
{
	uint64_t put = atomic_load_explicit(&ring->put, memory_order_relaxed);
	struct slot *slot = slot_at(ring, put);

	if (size > ring->message_max)
		return -EMSGSIZE;
	if (atomic_load_explicit(&ring->left, memory_order_relaxed))
		return -EPIPE;
	if (!has_room(ring, put))
		return -EAGAIN;
	memcpy(slot->data, data, size);
	slot->size = (uint32_t)size;
	slot->send_ns = send_ns;
	/* Read before the message becomes visible: no reader can see it earlier. */
	slot->queued_ns = clock_now_ns();
	*handover = (struct handover){
		.send_ns = send_ns,
		.queued_ns = slot->queued_ns,
		.position = put,
	};
	atomic_store_explicit(&ring->put, put + 1, memory_order_release);
	return 0;
}

/*
 * The writer announces that it wants room and then checks for room. The reader makes room and then
 * checks for the announcement. With a full barrier between the two steps on both sides, at least
 * one of them sees the other: the writer does not sleep, or the reader wakes it. A wakeup before
 * the sleep changes the word, and the kernel then does not let the writer sleep.
 */
static bool may_sleep_for_room(struct ring *ring)
{
	uint64_t put = atomic_load_explicit(&ring->put, memory_order_relaxed);

	atomic_store_explicit(&ring->room_wanted, 1, memory_order_relaxed);
	atomic_thread_fence(memory_order_seq_cst);
	return !has_room(ring, put) && !atomic_load(&ring->left);
}

static void room_announce(struct ring *ring)
{
	if (atomic_exchange(&ring->room_wanted, 0))
		futex_wake(&ring->room_wanted);
}

/*
 * Wakes the writer only when half of the ring is free, or reader and writer would take turns for
 * each message. A slow reader delays nothing: the writer checks again after its timeout.
 */
static void room_offer(struct ring *ring, uint64_t consumed)
{
	uint64_t put = atomic_load_explicit(&ring->put, memory_order_relaxed) & ~PUT_FINISHED;

	atomic_thread_fence(memory_order_seq_cst);
	if (atomic_load_explicit(&ring->room_wanted, memory_order_relaxed) &&
	    put - consumed <= ring->slots_cnt / 2)
		room_announce(ring);
}

void ring_await_room(struct ring *ring, uint64_t timeout_ns)
{
	uint64_t until_ns = clock_now_ns() + timeout_ns;
	uint64_t now_ns;

	while (may_sleep_for_room(ring) && (now_ns = clock_now_ns()) < until_ns)
		futex_wait(&ring->room_wanted, 1, until_ns - now_ns);
	atomic_store_explicit(&ring->room_wanted, 0, memory_order_relaxed);
}

void ring_finish(struct ring *ring)
{
	atomic_fetch_or_explicit(&ring->put, PUT_FINISHED, memory_order_release);
}

enum ring_state ring_look(const struct ring *ring)
{
	uint64_t put = atomic_load_explicit(&ring->put, memory_order_acquire);
	uint64_t consumed = atomic_load_explicit(&ring->consumed, memory_order_relaxed);

	if ((put & ~PUT_FINISHED) != consumed)
		return RING_READY;
	return put & PUT_FINISHED ? RING_FINISHED : RING_EMPTY;
}

size_t ring_get(struct ring *ring, void *data, size_t size, struct handover *handover)
{
	uint64_t consumed = atomic_load_explicit(&ring->consumed, memory_order_relaxed);
	const struct slot *slot = slot_at(ring, consumed);

	if (size > slot->size)
		size = slot->size;
	memcpy(data, slot->data, size);
	*handover = (struct handover){
		.send_ns = slot->send_ns,
		.queued_ns = slot->queued_ns,
		.exit_ns = clock_now_ns(),
		.position = consumed,
	};
	atomic_store_explicit(&ring->consumed, consumed + 1, memory_order_release);
	room_offer(ring, consumed + 1);
	return size;
}

void ring_leave(struct ring *ring)
{
	atomic_store(&ring->left, 1);
	room_announce(ring);
}
