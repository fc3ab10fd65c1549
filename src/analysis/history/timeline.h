/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Holds a time line for each thread: the changes of the thread's state, sorted by time. RECEIVE
 * and CHANGES records contain the changes. Changes may be added in any order. Keeps only the
 * LRU_THREADS_MAX most recently used threads.
 */
#pragma once

#include "bpf/record.h"

#include <stdbool.h>
#include <stddef.h>

struct change {
	uint64_t at_ns;
	uint64_t index : 46; /* counts the thread's changes: a jump means that some were lost, a 0
			      * that a new thread has the id */
	uint64_t cpu : CHANGE_CPU_BITS; /* or a syscall: see CHANGE_SLEEP_IN */
	uint64_t kind : 4;              /* enum change_kind */
};

/* The time line of one thread; borrowed until the next call on its timelines. */
struct timeline {
	const struct change *change;
	size_t cnt;
	uint64_t open_ns;   /* changes from here on can still be missing; 0: none are */
	uint64_t known_ns;  /* no change before is missing that has not been emitted yet */
	uint64_t kept_from; /* index of the first change, if those before it were dropped as not
			     * needed, and none is missing; 0: not so */
	size_t *near;       /* the last result of a search, a guess for the next one; NULL: none */
};

/* Kept per thread. Older changes are dropped, which shows as a jump of the index. */
#define TIMELINE_CHANGES_MAX (1u << 21)

struct timelines; /* of all threads */

struct timelines *timelines__new(void); /* NULL: out of memory */
void timelines__free(struct timelines *lines);

/*
 * Adds `cnt` packed changes. The first one has index `first`; none is younger than `base_ns`. 0 or
 * -ENOMEM.
 */
int timelines__add(struct timelines *lines, uint32_t tid, const uint64_t *change, size_t cnt,
		   uint64_t first, uint64_t base_ns);

/* The thread's send has been recorded: what it did in it need not be kept for it any more. */
void timelines__sent(struct timelines *lines, uint32_t tid);

/* All that the thread did before this instant has been recorded. */
void timelines__known(struct timelines *lines, uint32_t tid, uint64_t at_ns);

/* When a thread last fell asleep waiting for room, see CHANGE_ROOM; 0: none did. */
uint64_t timelines__room_ns(const struct timelines *lines);

/* All changes from before this instant are here; UINT64_MAX: all changes. */
void timelines__complete(struct timelines *lines, uint64_t before_ns);

/* Empty for an unknown thread. */
struct timeline timelines__of(struct timelines *lines, uint32_t tid);

/* How many changes are at or before `at_ns`. */
size_t timeline_find(const struct timeline *line, uint64_t at_ns);

/* The same, if the caller knows that the result is near the change with that index. */
size_t timeline_find_near(const struct timeline *line, uint64_t at_ns, uint64_t index);

/* When the last sleep that began in [from_ns, until_ns] ended; `from_ns` if there was none. */
uint64_t timeline_awake_ns(const struct timeline *line, uint64_t from_ns, uint64_t until_ns);

/* Whether the thread fell asleep in (from_ns, until_ns]. */
bool timeline_slept(const struct timeline *line, uint64_t from_ns, uint64_t until_ns);

/* The same for sleeps that were no waits for room in a send call (CHANGE_ROOM). */
bool timeline_waited(const struct timeline *line, uint64_t from_ns, uint64_t until_ns);

/* Whether no change is missing before change `i`. The first change of a thread has index 0. */
static inline bool timeline_follows(const struct timeline *line, size_t i)
{
	uint64_t index = line->change[i].index;

	return !index || (i && line->change[i - 1].index + 1 == index);
}

/*
 * Whether no wait for room since the thread's last recorded send is missing before change `i`: the
 * changes from the first such wait on are kept until the send has been recorded.
 */
static inline bool timeline_has_room_before(const struct timeline *line, size_t i)
{
	return timeline_follows(line, i) || (!i && line->change[0].index == line->kept_from);
}

/*
 * Calls `fn` for each thread with changes that may not have been shown yet. `*shown_ns` is the
 * thread's own: 0 at first, then what `fn` has set. Call it before each timelines__trim(). 0, or
 * what `fn` returned.
 */
typedef int timeline_fn(void *ctx, uint32_t tid, const struct timeline *line, uint64_t *shown_ns);
int timelines__each(struct timelines *lines, timeline_fn *fn, void *ctx);

/* How many changes of all threads are kept. */
size_t timelines__cnt(const struct timelines *lines);

/*
 * Forgets old changes. The last one at or before `horizon_ns` stays: its state holds there. A
 * thread that has waited for room since its last send loses only changes before `oldest_ns`.
 */
void timelines__trim(struct timelines *lines, uint64_t horizon_ns, uint64_t oldest_ns);

/* Unpacks a change; `base_ns` is at or after it, by less than 2^46 ns. */
struct change change_unpack(uint64_t packed, uint64_t index, uint64_t base_ns);

/* Whether the change says on which CPU the thread runs, or waits. */
bool change_has_cpu(const struct change *change);

/* The syscall that this change put the thread to sleep in; CALL_UNKNOWN if it is not recorded. */
uint16_t change_syscall(const struct change *change);

enum thread_state {
	STATE_ASLEEP,
	STATE_POLLING,
	STATE_WOKEN, /* asleep, and its wakeup has begun */
	STATE_RUNNABLE,
	STATE_SWITCHING,
	STATE_RUNNING,
	STATE_UNKNOWN
};

/* `shows_switch`: the kernel shows where a switch ends; if not, it counts as ending at once. */
enum thread_state state_after(const struct change *change, bool shows_switch);

/* Asleep in any of the three ways. */
bool state_is_asleep(enum thread_state state);

/* A change of this kind makes a sleeping thread run: its wakeup was not recorded. */
bool state_unseen_wakeup(enum thread_state state, uint16_t kind);

/* Whether a change of this kind can end that state; if not, a change between them was lost. */
bool state_can_end(enum thread_state state, uint16_t kind);
