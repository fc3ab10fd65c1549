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
	const struct shared *shared = links->worker->shared;
	uint64_t in_ring = ring_allowance(links->worker->plan);
	uint64_t allowance = in_ring < in_journals ? in_ring : in_journals;
	uint64_t due_ns = atomic_load_explicit(&shared->drain_due_ns, memory_order_relaxed);

	/* A driver that has no CPU reads nothing, whatever room there is. */
	if (due_ns && clock_now_ns() > due_ns)
		return 0;
	return allowance < ALLOWANCE_MOST ? allowance : ALLOWANCE_MOST;
}

/* The member has paused since then. Each of its counters has one writer, this member. */
static void pause_count(const struct worker *worker, uint64_t since_ns, uint64_t *paused_ns)
{
	struct slot *slot = worker_slot(worker);
	uint64_t pauses = atomic_load_explicit(&slot->pauses, memory_order_relaxed);
	uint64_t before_ns = atomic_load_explicit(&slot->paused_ns, memory_order_relaxed);
	uint64_t ns;

	shared_pause_end(worker->shared, worker->number);
	ns = clock_now_ns() - since_ns;
	atomic_store_explicit(&slot->pauses, pauses + 1, memory_order_relaxed);
	atomic_store_explicit(&slot->paused_ns, before_ns + ns, memory_order_relaxed);
	*paused_ns += ns;
}

/* Uses up one of `*allowance`, and awaits another one first if there is none. */
static int allowance_take(const struct links *links, const struct link *link,
			  journals_fn *in_journals, uint64_t *allowance, uint64_t *paused_ns)
{
	const struct worker *worker = links->worker;
	struct shared *shared = worker->shared;
	uint64_t since_ns = 0;

	while (!*allowance) {
		uint32_t drained = atomic_load(&shared->drained);

		*allowance = allowance_now(links, in_journals(links, link));
		if (*allowance || worker_is_over(worker))
			break;
		if (!since_ns) {
			since_ns = clock_now_ns();
			shared_pause_begin(shared, worker->number);
		}
		futex_wait(&shared->drained, drained, SHARED_CHECK_NS);
	}
	if (since_ns)
		pause_count(worker, since_ns, paused_ns);
	if (!*allowance)
		return -EINTR;
	--*allowance;
	return 0;
}

int record_room_await(struct links *links, struct link *link, uint64_t *paused_ns)
{
	return allowance_take(links, link, exchanges_in_journals, &link->allowance, paused_ns);
}

int record_room_await_round(struct links *links, uint64_t *paused_ns)
{
	return allowance_take(links, NULL, rounds_in_journals, &links->allowance, paused_ns);
}

void record_room_await_any(struct links *links)
{
	struct shared *shared = links->worker->shared;

	while (!links->allowance) {
		uint32_t drained = atomic_load(&shared->drained);
		uint64_t least = UINT64_MAX;

		for (uint32_t i = 0; i < links->links_cnt; i++)
			least = least_room(least, links->link[i].journal);
		links->allowance = least / links->worker->plan->notes;
		if (!links->allowance)
			futex_wait(&shared->drained, drained, SHARED_CHECK_NS);
	}
	links->allowance--;
}
