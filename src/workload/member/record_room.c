/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Computes how many exchanges a member may begin until it looks at the journals and at the ring
 * again, and lets it pause if there is none.
 *
 *	ring buffer:	|-- members write here --|------------ reserve -------------|
 *			0                      a RING_PART                      its size
 *
 * Members that look at the same time divide the room between them. The reserve is for what they
 * were granted before, for exchanges under way, and for the records of other threads.
 */
#include "workload/member/links.h"

#include "util/clock.h"
#include "util/shared_memory.h"

#include <errno.h>

#define RING_PART 4

/* A member looks at least so often, for a driver that is overdue. */
#define ALLOWANCE_MOST 64

/* Each of these counters has one writer, this member. */
static void count_pause(struct slot *slot, uint64_t ns)
{
	uint64_t pauses = atomic_load_explicit(&slot->pauses, memory_order_relaxed);
	uint64_t paused_ns = atomic_load_explicit(&slot->paused_ns, memory_order_relaxed);

	atomic_store_explicit(&slot->pauses, pauses + 1, memory_order_relaxed);
	atomic_store_explicit(&slot->paused_ns, paused_ns + ns, memory_order_relaxed);
}

/* Rounds, or exchanges of each client, whose records the kernel can write. */
static uint64_t ring_allowance(const struct plan *plan)
{
	uint64_t part = plan->ring.size / RING_PART, used, room;

	if (!plan->ring.size)
		return UINT64_MAX;
	used = ring_gauge_used(&plan->ring);
	if (used >= part)
		return 0;
	room = (part - used) / (plan->ring_bytes * plan->spec.clients);
	/* With so many clients that none has a share, the reserve is theirs. */
	return room ? room : 1;
}

/* A driver that has no CPU reads nothing, whatever room there is. */
static bool driver_is_overdue(const struct shared *shared)
{
	uint64_t due_ns = atomic_load_explicit(&shared->drain_due_ns, memory_order_relaxed);

	return due_ns && clock_now_ns() > due_ns;
}

/* ---- the journals ---- */

/* Exchanges, messages or rounds whose records find room in the journals. */
typedef uint64_t journals_fn(const struct links *links, const struct link *link);

static uint64_t least_room(uint64_t least, const struct journal *journal)
{
	uint64_t room = journal_room(journal);

	return room < least ? room : least;
}

/*
 * The server may still be writing a record of the exchange before, so one entry is kept free. The
 * receiver of a flood records nothing about messages that the kernel carries.
 */
static uint64_t exchanges_in_journals(const struct links *links, const struct link *link)
{
	const struct plan *plan = links->worker->plan;
	const struct slot *slot = &links->worker->shared->slots[link->client];
	uint64_t room;

	if (plan->pattern->oneway && !plan->transport->notes_handover)
		return UINT64_MAX;
	room = journal_room(link->journal);
	if (slot->serving.capacity)
		room = least_room(room, &slot->serving);
	room /= plan->notes;
	return room ? room - 1 : 0;
}

static uint64_t messages_in_journals(const struct links *links)
{
	uint64_t least = UINT64_MAX;

	for (uint32_t i = 0; i < links->links_cnt; i++)
		least = least_room(least, links->link[i].journal);
	return least / links->worker->plan->notes;
}

/* The clients may still be writing records of the rounds before, so half of the room is kept. */
static uint64_t rounds_in_journals(const struct links *links, const struct link *none)
{
	const struct shared *shared = links->worker->shared;
	uint64_t least = UINT64_MAX;

	(void)none;
	for (uint32_t i = 0; i <= shared->clients; i++) {
		least = least_room(least, &shared->slots[i].journal);
		if (i && shared->slots[i].serving.capacity)
			least = least_room(least, &shared->slots[i].serving);
	}
	return least / 2 / links->worker->plan->notes;
}

/* ---- pauses ---- */

static uint64_t allowance_now(const struct links *links, uint64_t in_journals)
{
	uint64_t in_ring = ring_allowance(links->worker->plan);
	uint64_t allowance = in_ring < in_journals ? in_ring : in_journals;

	if (driver_is_overdue(links->worker->shared))
		return 0;
	return allowance < ALLOWANCE_MOST ? allowance : ALLOWANCE_MOST;
}

/* An allowance of at least 1; or 0: this member is to end. Adds a pause to `*paused_ns`. */
static uint64_t allowance_await(const struct links *links, const struct link *link,
				journals_fn *in_journals, uint64_t *paused_ns)
{
	const struct worker *worker = links->worker;
	struct shared *shared = worker->shared;
	uint64_t since_ns = 0, allowance;

	for (;;) {
		uint32_t drained = atomic_load(&shared->drained);

		allowance = allowance_now(links, in_journals(links, link));
		if (allowance || worker_is_over(worker))
			break;
		if (!since_ns) {
			since_ns = clock_now_ns();
			shared_pause_begin(shared, worker->number);
		}
		futex_wait(&shared->drained, drained, SHARED_CHECK_NS);
	}
	if (since_ns) {
		shared_pause_end(shared, worker->number);
		since_ns = clock_now_ns() - since_ns;
		count_pause(worker_slot(worker), since_ns);
		*paused_ns += since_ns;
	}
	return allowance;
}

int record_room_await(struct links *links, struct link *link, uint64_t *paused_ns)
{
	if (!link->allowance)
		link->allowance = allowance_await(links, link, exchanges_in_journals, paused_ns);
	if (!link->allowance)
		return -EINTR;
	link->allowance--;
	return 0;
}

int record_room_await_round(struct links *links, uint64_t *paused_ns)
{
	if (!links->allowance)
		links->allowance = allowance_await(links, NULL, rounds_in_journals, paused_ns);
	if (!links->allowance)
		return -EINTR;
	links->allowance--;
	return 0;
}

void record_room_await_any(struct links *links)
{
	struct shared *shared = links->worker->shared;

	while (!links->allowance) {
		uint32_t drained = atomic_load(&shared->drained);

		links->allowance = messages_in_journals(links);
		if (!links->allowance)
			futex_wait(&shared->drained, drained, SHARED_CHECK_NS);
	}
	links->allowance--;
}
