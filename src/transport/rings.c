/* SPDX-License-Identifier: BSD-2-Clause */
/* Implements the functions that the transports shm, eventfd and signal share. */
#include "transport/rings.h"

#include "transport/common.h"
#include "util/clock.h"
#include "util/shared_memory.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/*
 * Room for hundreds of messages while a receiver has no CPU, and for more in one direction (flood).
 */
#define SLOTS_MIN    2
#define SLOTS_WANTED 256
#define SLOTS_ONEWAY 65536

/*
 * Limits of one ring, and of all rings of a medium. SLOTS_MIN may exceed these up to
 * RINGS_BYTES_MAX.
 */
#define RING_BYTES_WANTED  (4ULL << 20)
#define RINGS_BYTES_WANTED (64ULL << 20)
#define RINGS_BYTES_MAX    (1ULL << 30)

#define MESSAGE_MAX        ((size_t)1 << 20)

/* ---- one ring ---- */

/*
 * Messages in shared memory, with one writing thread and one reading thread. The writer waits for
 * room in ring_await_room(). No function waits for messages, because each transport has its own way
 * to wake a receiver.
 */
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

/* A multiple of CACHE_LINE. `slots` is a power of two, `size` the largest message. */
static size_t ring_bytes(size_t size, uint32_t slots)
{
	return sizeof(struct ring) + slots * slot_bytes(size);
}

static void ring_init(struct ring *ring, size_t size, uint32_t slots)
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

static bool rings_has_room(struct ring *ring, uint64_t put)
{
	if (put - ring->consumed_seen < ring->slots_cnt)
		return true;
	ring->consumed_seen = atomic_load_explicit(&ring->consumed, memory_order_acquire);
	return put - ring->consumed_seen < ring->slots_cnt;
}

/*
 * Writer: 0, -EAGAIN (full), -EPIPE (the reader has left) or -EMSGSIZE. Sets send_ns, queued_ns and
 * position of `handover`, and the other fields to 0.
 */
static int ring_put(struct ring *ring, const void *data, size_t size, uint64_t send_ns,
		    struct handover *handover)
{
	uint64_t put = atomic_load_explicit(&ring->put, memory_order_relaxed);
	struct slot *slot = slot_at(ring, put);

	if (size > ring->message_max)
		return -EMSGSIZE;
	if (atomic_load_explicit(&ring->left, memory_order_relaxed))
		return -EPIPE;
	if (!rings_has_room(ring, put))
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
	return !rings_has_room(ring, put) && !atomic_load(&ring->left);
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

/*
 * Writer: sleeps until a good part of the ring is free, the reader has left, or `timeout_ns` is
 * over. There may be room after a timeout as well.
 */
static void ring_await_room(struct ring *ring, uint64_t timeout_ns)
{
	uint64_t until_ns = clock_now_ns() + timeout_ns;
	uint64_t now_ns;

	while (may_sleep_for_room(ring) && (now_ns = clock_now_ns()) < until_ns)
		futex_wait(&ring->room_wanted, 1, until_ns - now_ns);
	atomic_store_explicit(&ring->room_wanted, 0, memory_order_relaxed);
}

static enum ring_state ring_look(const struct ring *ring)
{
	uint64_t put = atomic_load_explicit(&ring->put, memory_order_acquire);
	uint64_t consumed = atomic_load_explicit(&ring->consumed, memory_order_relaxed);

	if ((put & ~PUT_FINISHED) != consumed)
		return RING_READY;
	return put & PUT_FINISHED ? RING_FINISHED : RING_EMPTY;
}

/*
 * Reader, when the ring is RING_READY: copies at most `size` bytes of the message and returns their
 * number. Sets all fields of `handover`, enter_ns to 0.
 */
static size_t ring_get(struct ring *ring, void *data, size_t size, struct handover *handover)
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

/* ---- a medium and its ends ---- */

size_t rings_size_max(void)
{
	return MESSAGE_MAX;
}

static struct ring *ring_at(const struct medium *medium, uint32_t client, bool to_server)
{
	size_t index = (client - 1) * 2 + to_server;

	return (struct ring *)(medium->shared + medium->rings_at + index * medium->ring_size);
}

static uint32_t slots_choose(const struct medium_spec *spec)
{
	uint64_t most = RINGS_BYTES_WANTED / (2 * spec->clients);
	uint32_t wanted = spec->oneway ? SLOTS_ONEWAY : SLOTS_WANTED;
	uint32_t slots = SLOTS_MIN;

	if (most > RING_BYTES_WANTED)
		most = RING_BYTES_WANTED;
	while (slots < wanted && ring_bytes(spec->size, slots * 2) <= most)
		slots *= 2;
	return slots;
}

static int shared_map(struct medium *medium, const struct medium_spec *spec)
{
	uint32_t slots = slots_choose(spec);

	medium->rings_at = (spec->clients + 1) * sizeof(struct seat);
	medium->ring_size = ring_bytes(spec->size, slots);
	if (medium->ring_size * 2 * spec->clients > RINGS_BYTES_MAX)
		return -ENOMEM;
	medium->shared_size = medium->rings_at + medium->ring_size * 2 * spec->clients;
	medium->shared = shared_memory_map(medium->shared_size);
	if (!medium->shared)
		return -errno;
	for (uint32_t client = 1; client <= spec->clients; client++) {
		ring_init(ring_at(medium, client, false), spec->size, slots);
		ring_init(ring_at(medium, client, true), spec->size, slots);
	}
	return 0;
}

struct medium *rings_create(const struct medium_spec *spec)
{
	struct medium *medium = calloc(1, sizeof(*medium));
	int err;

	if (!medium)
		return NULL;
	medium->bell = spec->ops->bell;
	medium->clients = spec->clients;
	medium->reader = spec->reader;
	err = shared_map(medium, spec);
	if (!err && medium->bell->hang)
		err = medium->bell->hang(medium);
	if (!err)
		return medium;
	rings_destroy(medium);
	errno = -err;
	return NULL;
}

void rings_destroy(struct medium *medium)
{
	if (!medium)
		return;
	if (medium->bell->take_down)
		medium->bell->take_down(medium);
	if (medium->shared)
		munmap(medium->shared, medium->shared_size);
	free(medium);
}

/* A page fault in the middle of a run would be measured. Kernels before 5.14 cannot avoid it. */
static void memory_touch(const struct end *end)
{
#ifdef MADV_POPULATE_WRITE
	const struct medium *medium = end->medium;
	size_t from = 0, to = medium->shared_size;

	if (end->seat != LINK_SERVER) {
		from = medium->rings_at + (end->seat - 1) * 2 * medium->ring_size;
		to = from + 2 * medium->ring_size;
		from -= from % (size_t)sysconf(_SC_PAGESIZE);
	}
	madvise(medium->shared + from, to - from, MADV_POPULATE_WRITE);
#endif
}

struct end *rings_open(struct medium *medium, uint32_t seat)
{
	struct end *end = calloc(1, sizeof(*end));
	int err;

	if (!end)
		return NULL;
	*end = (struct end){.medium = medium, .seat = seat, .epoll_fd = -1};
	end->closed_reported = calloc(medium->clients + 1, sizeof(*end->closed_reported));
	err = end->closed_reported ? 0 : -ENOMEM;
	if (!err && medium->bell->listen)
		err = medium->bell->listen(end);
	if (err) {
		free(end->closed_reported);
		free(end);
		errno = -err;
		return NULL;
	}
	memory_touch(end);
	medium_seat(medium, seat)->pid = getpid();
	atomic_store(&medium_seat(medium, seat)->tid, gettid());
	return end;
}

/* The ring of messages from this end to `to`. */
static struct ring *ring_out(const struct end *end, uint32_t to)
{
	return ring_at(end->medium, to == LINK_SERVER ? end->seat : to, to == LINK_SERVER);
}

/* The ring of messages from `from` to this end. */
static struct ring *ring_in(const struct end *end, uint32_t from)
{
	return ring_at(end->medium, from == LINK_SERVER ? end->seat : from, from != LINK_SERVER);
}

int rings_send(struct end *end, uint32_t to, const void *data, size_t size, bool wait)
{
	uint64_t send_ns = clock_now_ns();
	struct ring *ring = ring_out(end, to);
	int err = ring_put(ring, data, size, send_ns, &end->handover);

	if (err == -EAGAIN && wait) {
		ring_await_room(ring, TRANSPORT_WAIT_NS);
		err = ring_put(ring, data, size, send_ns, &end->handover);
	}
	return err ? err : end->medium->bell->ring(end, to);
}

/* Whether receive() would return something from `from`. */
static bool has_news(const struct end *end, uint32_t from)
{
	enum ring_state state = ring_look(ring_in(end, from));

	return state == RING_READY || (state == RING_FINISHED && !end->closed_reported[from]);
}

/* The next peer with a message or a close, in turn after the last one; -1: none. */
static int64_t news_find(const struct end *end)
{
	if (end->seat != LINK_SERVER)
		return has_news(end, LINK_SERVER) ? LINK_SERVER : -1;
	for (uint32_t client = end->last + 1; client <= end->medium->clients; client++)
		if (has_news(end, client))
			return client;
	for (uint32_t client = 1; client <= end->last; client++)
		if (has_news(end, client))
			return client;
	return -1;
}

bool rings_ready(const struct end *end)
{
	return news_find(end) >= 0;
}

static ssize_t message_or_close_get(struct end *end, uint32_t from, void *data, size_t size,
				    uint64_t enter_ns)
{
	struct ring *ring = ring_in(end, from);

	end->last = from;
	if (ring_look(ring) != RING_READY) {
		end->closed_reported[from] = true;
		end->closed_cnt++;
		return 0;
	}
	size = ring_get(ring, data, size, &end->handover);
	end->handover.enter_ns = enter_ns;
	return (ssize_t)size;
}

ssize_t rings_receive(struct end *end, void *data, size_t size, uint32_t *from)
{
	const struct bell *bell = end->medium->bell;
	uint32_t peers = end->seat == LINK_SERVER ? end->medium->clients : 1;
	uint64_t enter_ns = clock_now_ns();
	int64_t sender = news_find(end);

	if (sender >= 0 && bell->skip)
		bell->skip(end);
	while (sender < 0) {
		int err = end->closed_cnt == peers ? -ECONNRESET : bell->wait(end);

		if (err)
			return err;
		sender = news_find(end);
	}
	*from = (uint32_t)sender;
	return message_or_close_get(end, *from, data, size, enter_ns);
}

const struct handover *rings_last_handover(const struct end *end)
{
	return &end->handover;
}

static void link_close(struct end *end, uint32_t peer)
{
	const struct bell *bell = end->medium->bell;
	struct ring *in = ring_in(end, peer);

	/* No message follows, and none is received any more. */
	atomic_fetch_or_explicit(&ring_out(end, peer)->put, PUT_FINISHED, memory_order_release);
	atomic_store(&in->left, 1);
	room_announce(in);
	if (!atomic_load(&medium_seat(end->medium, peer)->tid))
		return;
	if (bell->ring_last)
		bell->ring_last(end, peer);
	else
		bell->ring(end, peer);
}

void rings_close(struct end *end)
{
	if (end->seat != LINK_SERVER)
		link_close(end, LINK_SERVER);
	else
		for (uint32_t client = 1; client <= end->medium->clients; client++)
			link_close(end, client);
	if (end->medium->bell->rest)
		end->medium->bell->rest(end);
	free(end->closed_reported);
	free(end);
}
