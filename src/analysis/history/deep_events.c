/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Keeps the wakeups and timeouts of each thread by the instant at which its sleep ended, the times
 * at which each CPU left idle, and the stolen times of each CPU by their ends. These do not
 * overlap.
 */
#include "analysis/history/deep_events.h"

#include "analysis/history/short_calls.h"
#include "container/event_log.h"
#include "container/lru_table.h"
#include "container/step_limit.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct wakeup {
	uint64_t wake_ns;
	uint64_t at_ns;
	uint32_t tid; /* of the waker's context */
	uint32_t number;
	uint16_t cpu;
	uint8_t flags;
};

struct expiry {
	uint64_t wake_ns;
	struct timeout timeout;
};

struct stolen {
	uint64_t to_ns;
	uint64_t from_ns;
	uint64_t stolen_ns;
};

struct long_call {
	uint64_t exit_ns;
	uint64_t enter_ns;
	uint32_t number;
	bool polls;
};

struct faults {
	uint64_t from_ns;
	struct fault_count cnt;
};

struct spare {
	uint64_t to_ns; /* the wait; */
	uint64_t from_ns;
	struct spare_cpu cpu;
};

/* A sleep in a send call, as the thread's own buffer is full. */
struct full_room {
	uint64_t at_ns;
	enum own_room what;
};

/* A sleep in which the kernel holds the thread back, as too many pages are dirty. */
struct held_back {
	uint64_t at_ns;
};

struct lock_wait {
	uint64_t to_ns;
	uint64_t from_ns;
	uint32_t kind;
	uint32_t number;
	char function[LOCK_FUNCTION_LEN];
};

/* The control group of a thread that bandwidth control has held back. */
struct member {
	uint32_t id; /* tid */
	uint32_t used;
	char path[GROUP_LEN];
	UT_hash_handle hh;
};

struct deep_events {
	LRU_TABLE(struct member);
	struct event_log wakeups;    /* struct wakeup, by thread */
	struct event_log timeouts;   /* struct expiry, by thread */
	struct event_log idle_exits; /* struct idle_exit, by CPU */
	struct event_log steals;     /* struct stolen, by CPU */
	struct event_log spares;     /* struct spare, by thread */
	struct event_log calls;      /* struct long_call, by thread */
	struct event_log shorts;     /* see short_calls.h */
	struct event_log dirty;      /* struct held_back, by thread */
	struct event_log own_rooms;  /* struct full_room, by thread */
	struct event_log locks;      /* struct lock_wait, by thread */
	struct event_log faults;     /* struct faults, by thread */
	struct event_log reclaims;   /* struct long_call, by thread */
	struct futile_wakes futile;
	struct acceptors acceptors;
	struct disk_log disks;
};

struct deep_events *deep_events__new(void)
{
	struct deep_events *deep = calloc(1, sizeof(*deep));

	if (!deep)
		return NULL;
	event_log_init(&deep->wakeups, sizeof(struct wakeup));
	event_log_init(&deep->timeouts, sizeof(struct expiry));
	event_log_init(&deep->idle_exits, sizeof(struct idle_exit));
	event_log_init(&deep->steals, sizeof(struct stolen));
	event_log_init(&deep->spares, sizeof(struct spare));
	event_log_init(&deep->calls, sizeof(struct long_call));
	short_calls_init(&deep->shorts);
	event_log_init(&deep->dirty, sizeof(struct held_back));
	event_log_init(&deep->own_rooms, sizeof(struct full_room));
	event_log_init(&deep->locks, sizeof(struct lock_wait));
	event_log_init(&deep->faults, sizeof(struct faults));
	event_log_init(&deep->reclaims, sizeof(struct long_call));
	disk_log_init(&deep->disks);
	futile_wakes_init(&deep->futile);
	acceptors_init(&deep->acceptors);
	return deep;
}

void deep_events__free(struct deep_events *deep)
{
	if (!deep)
		return;
	event_log_clean(&deep->wakeups);
	event_log_clean(&deep->timeouts);
	event_log_clean(&deep->idle_exits);
	event_log_clean(&deep->steals);
	event_log_clean(&deep->spares);
	event_log_clean(&deep->calls);
	event_log_clean(&deep->shorts);
	event_log_clean(&deep->dirty);
	event_log_clean(&deep->own_rooms);
	event_log_clean(&deep->locks);
	event_log_clean(&deep->faults);
	event_log_clean(&deep->reclaims);
	disk_log_clean(&deep->disks);
	futile_wakes_clean(&deep->futile);
	acceptors_clean(&deep->acceptors);
	while (deep->first)
		LRU_DROP(deep, deep->first);
	free(deep);
}

static int add_group(struct deep_events *deep, const struct record_group *record)
{
	uint32_t tid = record->head.tid;
	struct member *member;

	LRU_FIND_OR_ADD(deep, tid, member, LRU_THREADS_MAX, LRU_DROP);
	if (!member)
		return -ENOMEM;
	snprintf(member->path, sizeof(member->path), "%.*s", GROUP_LEN - 1, record->text);
	return 0;
}

/* Nothing: none has, or the record is an older one. */
static struct failed_call failed_call_of(const struct record_timeout *record)
{
	const struct record_timeout_failed *more = (const void *)record;

	if (record->head.words < RECORD_WORDS(*more))
		return (struct failed_call){0};
	return (struct failed_call){.number = more->number, .error = more->error};
}

static int add_timeout(struct deep_events *deep, const struct record_timeout *record)
{
	const struct expiry expiry = {
		.wake_ns = record->wake_ns,
		.timeout =
			{
				.asked_ns = record->asked_ns,
				.soft_ns = record->head.flags & TIMEOUT_IN_TICKS
						   ? 0
						   : record->started_ns + record->asked_ns,
				.slack_ns = record->slack_ns,
				.in_futex = record->head.flags & TIMEOUT_IN_FUTEX,
				.for_data = record->head.flags & TIMEOUT_FOR_DATA,
				.failed = failed_call_of(record),
			},
	};

	return event_log_add(&deep->timeouts, record->head.tid, &expiry);
}

static int add_spare(struct deep_events *deep, const struct record_spare *record)
{
	return event_log_add(&deep->spares, record->head.tid,
			     &(struct spare){
				     .to_ns = record->to_ns,
				     .from_ns = record->from_ns,
				     .cpu = {.cpu = record->cpu, .is_allowed = record->is_allowed},
			     });
}

static int deep_events_add_lock(struct deep_events *deep, const struct record_kernel_lock *record)
{
	const struct record_kernel_lock_function *known = (const void *)record;
	struct lock_wait wait = {
		.to_ns = record->to_ns,
		.from_ns = record->from_ns,
		.kind = record->kind,
		.number = record->number,
	};

	if (record->head.words >= RECORD_WORDS(*known))
		snprintf(wait.function, sizeof(wait.function), "%.*s", LOCK_FUNCTION_LEN - 1,
			 known->function);
	return event_log_add(&deep->locks, record->head.tid, &wait);
}

static int deep_events_add_own_room(struct deep_events *deep, const struct record_own_room *record)
{
	return event_log_add(&deep->own_rooms, record->head.tid,
			     &(struct full_room){
				     .at_ns = record->at_ns,
				     .what = record->head.flags & OWN_ROOM_UNREAD
						     ? OWN_ROOM_IS_UNREAD
						     : OWN_ROOM_IS_FULL,
			     });
}

static int deep_events_add_faults(struct deep_events *deep, const struct record_faults *record)
{
	return event_log_add(&deep->faults, record->head.tid,
			     &(struct faults){
				     .from_ns = record->from_ns,
				     .cnt = {.minor = record->minor, .major = record->major},
			     });
}

static int add_reclaim(struct deep_events *deep, const struct record_reclaim *record)
{
	return event_log_add(&deep->reclaims, record->head.tid,
			     &(struct long_call){
				     .exit_ns = record->to_ns,
				     .enter_ns = record->from_ns,
				     .number = record->head.flags,
			     });
}

static int add_held_back(struct deep_events *deep, const struct record_dirty *record)
{
	return event_log_add(&deep->dirty, record->head.tid,
			     &(struct held_back){.at_ns = record->at_ns});
}

static int deep_events_add_call(struct deep_events *deep, const struct record_call *call)
{
	return event_log_add(&deep->calls, call->head.tid,
			     &(struct long_call){
				     .exit_ns = call->exit_ns,
				     .enter_ns = call->enter_ns,
				     .number = call->number,
				     .polls = call->head.flags & CALL_IN_POLL,
			     });
}

static int deep_events_add_waker(struct deep_events *deep, const struct record_waker *waker)
{
	const struct wakeup wakeup = {
		.wake_ns = waker->wake_ns,
		.at_ns = waker->at_ns,
		.tid = waker->head.tid,
		.cpu = waker->head.cpu,
		.number = waker->number,
		.flags = waker->head.flags,
	};

	return event_log_add(&deep->wakeups, waker->woken, &wakeup);
}

int deep_events__add(struct deep_events *deep, const struct record *record)
{
	const struct record_idle *idle = (const void *)record;
	const struct record_stolen *stolen = (const void *)record;

	switch (record->type) {
	case RECORD_GROUP:
		return add_group(deep, (const void *)record);
	case RECORD_RECLAIM:
		return add_reclaim(deep, (const void *)record);
	case RECORD_DISK:
		return disk_log_add(&deep->disks, (const void *)record);
	case RECORD_FAULTS:
		return deep_events_add_faults(deep, (const void *)record);
	case RECORD_SPARE:
		return add_spare(deep, (const void *)record);
	case RECORD_WAKER:
		return deep_events_add_waker(deep, (const void *)record);
	case RECORD_TIMEOUT:
		return add_timeout(deep, (const void *)record);
	case RECORD_CALL:
		return deep_events_add_call(deep, (const void *)record);
	case RECORD_CALLS:
		return short_calls_add(&deep->shorts, (const void *)record);
	case RECORD_KERNEL_LOCK:
		return deep_events_add_lock(deep, (const void *)record);
	case RECORD_DIRTY:
		return add_held_back(deep, (const void *)record);
	case RECORD_OWN_ROOM:
		return deep_events_add_own_room(deep, (const void *)record);
	case RECORD_FUTILE:
		return futile_wakes_add(&deep->futile, (const void *)record);
	case RECORD_WATCH:
		return acceptors_watch(&deep->acceptors, (const void *)record);
	case RECORD_SHARED:
		return acceptors_share(&deep->acceptors, (const void *)record);
	case RECORD_IDLE:
		return event_log_add(&deep->idle_exits, record->cpu,
				     &(struct idle_exit){
					     .left_ns = idle->left_ns,
					     .idle_ns = idle->idle_ns,
					     .switch_ns = idle->switch_ns,
					     .tid = record->tid,
				     });
	default:
		return event_log_add(&deep->steals, record->cpu,
				     &(struct stolen){
					     .to_ns = stolen->to_ns,
					     .from_ns = stolen->from_ns,
					     .stolen_ns = stolen->stolen_ns,
				     });
	}
}

bool deep_events__waker(struct deep_events *deep, uint32_t woken, uint64_t wake_ns,
			struct waker *waker)
{
	struct events events = event_log_until(&deep->wakeups, woken, wake_ns);
	const struct wakeup *wakeup;

	if (!events.cnt)
		return false;
	wakeup = (const struct wakeup *)events.event + events.cnt - 1;
	if (wakeup->wake_ns != wake_ns)
		return false;
	*waker = (struct waker){
		.kind = wakeup->flags & WAKER_IRQ       ? SLICE_IRQ
			: wakeup->flags & WAKER_SOFTIRQ ? SLICE_SOFTIRQ
							: SLICE_TASK,
		.from_interrupt = wakeup->flags & (WAKER_IRQ | WAKER_SOFTIRQ),
		.is_unsure = wakeup->flags & WAKER_UNSURE,
		.of_frozen = wakeup->flags & WAKER_OF_FROZEN,
		.of_traced = wakeup->flags & WAKER_OF_TRACED,
		.tid = wakeup->tid,
		.cpu = wakeup->cpu,
		.number = wakeup->number,
		.at_ns = wakeup->at_ns,
	};
	return true;
}

bool deep_events__timeout(struct deep_events *deep, uint32_t tid, uint64_t wake_ns,
			  struct timeout *timeout)
{
	struct events events = event_log_until(&deep->timeouts, tid, wake_ns);
	const struct expiry *last;

	if (!events.cnt)
		return false;
	last = (const struct expiry *)events.event + events.cnt - 1;
	if (last->wake_ns != wake_ns)
		return false;
	*timeout = last->timeout;
	return true;
}

bool deep_events__spare(struct deep_events *deep, uint32_t tid, uint64_t at_ns,
			struct spare_cpu *spare)
{
	struct events events = event_log_within(&deep->spares, tid, at_ns, UINT64_MAX);
	const struct spare *wait = events.event;

	if (!events.cnt || wait->from_ns > at_ns || wait->to_ns <= at_ns)
		return false;
	*spare = wait->cpu;
	return true;
}

bool deep_events__idle_exit(struct deep_events *deep, uint32_t cpu, uint64_t from_ns,
			    uint64_t to_ns, struct idle_exit *exit)
{
	struct events events = event_log_until(&deep->idle_exits, cpu, to_ns);
	const struct idle_exit *last;

	if (!events.cnt)
		return false;
	last = (const struct idle_exit *)events.event + events.cnt - 1;
	if (last->left_ns < from_ns)
		return false;
	*exit = *last;
	return true;
}

static uint64_t deep_events_smaller(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

/*
 *	      from                              to
 *	|---- possible ----|-- certain --|-- possible --|
 *
 * No more can have been taken in the stretch than its part of a record is long, and no less than
 * what does not fit into the rest of the record.
 */
static void deep_events_add_part(struct steal *steal, const struct stolen *stolen, uint64_t from_ns,
				 uint64_t to_ns)
{
	uint64_t begin_ns = stolen->from_ns > from_ns ? stolen->from_ns : from_ns;
	uint64_t common_ns = deep_events_smaller(stolen->to_ns, to_ns) - begin_ns;
	uint64_t rest_ns = stolen->to_ns - stolen->from_ns - common_ns;
	uint64_t most_ns = deep_events_smaller(stolen->stolen_ns, common_ns);
	uint64_t least_ns = stolen->stolen_ns > rest_ns ? stolen->stolen_ns - rest_ns : 0;

	least_ns = deep_events_smaller(least_ns, most_ns);
	steal->certain_ns += least_ns;
	steal->possible_ns += most_ns - least_ns;
}

struct steal deep_events__steal(struct deep_events *deep, uint32_t cpu, uint64_t from_ns,
				uint64_t to_ns)
{
	struct events events = event_log_within(&deep->steals, cpu, from_ns, UINT64_MAX);
	const struct stolen *stolen = events.event;
	struct steal steal = {0};

	for (size_t i = 0; i < events.cnt && stolen[i].from_ns < to_ns && step_limit_spend(1);
	     i++) {
		if (stolen[i].from_ns < stolen[i].to_ns)
			deep_events_add_part(&steal, &stolen[i], from_ns, to_ns);
	}
	return steal;
}

struct event_log *deep_events__shorts(struct deep_events *deep)
{
	return &deep->shorts;
}

/* The part in [from_ns, to_ns] of the thread's first span in the log. False: there is none. */
static bool span_within(struct event_log *log, uint32_t tid, uint64_t from_ns, uint64_t to_ns,
			struct call_span *span)
{
	struct events events = event_log_within(log, tid, from_ns, UINT64_MAX);
	const struct long_call *call = events.event;

	if (!events.cnt || call->enter_ns >= to_ns)
		return false;
	*span = (struct call_span){
		.from_ns = call->enter_ns > from_ns ? call->enter_ns : from_ns,
		.to_ns = call->exit_ns < to_ns ? call->exit_ns : to_ns,
		.number = call->number,
		.polls = call->polls,
	};
	return span->from_ns < span->to_ns;
}

bool deep_events__lock(struct deep_events *deep, uint32_t tid, uint64_t from_ns, uint64_t to_ns,
		       struct lock_span *span)
{
	struct events events = event_log_within(&deep->locks, tid, from_ns, UINT64_MAX);
	const struct lock_wait *wait = events.event;

	if (!events.cnt || wait->from_ns >= to_ns)
		return false;
	*span = (struct lock_span){
		.from_ns = wait->from_ns > from_ns ? wait->from_ns : from_ns,
		.to_ns = wait->to_ns < to_ns ? wait->to_ns : to_ns,
		.kind = wait->kind < NR_KERNEL_LOCKS ? wait->kind : KERNEL_LOCK_SPIN,
		.number = wait->number,
	};
	memcpy(span->function, wait->function, sizeof(span->function));
	return span->from_ns < span->to_ns;
}

enum own_room deep_events__own_room(struct deep_events *deep, uint32_t tid, uint64_t from_ns,
				    uint64_t to_ns)
{
	struct events events = event_log_until(&deep->own_rooms, tid, to_ns);
	const struct full_room *last;

	if (!events.cnt)
		return OWN_ROOM_NOTHING;
	last = (const struct full_room *)events.event + events.cnt - 1;
	return last->at_ns >= from_ns ? last->what : OWN_ROOM_NOTHING;
}

bool deep_events__held_back(struct deep_events *deep, uint32_t tid, uint64_t began_ns)
{
	struct events events = event_log_until(&deep->dirty, tid, began_ns);
	const struct held_back *last;

	if (!events.cnt)
		return false;
	last = (const struct held_back *)events.event + events.cnt - 1;
	return last->at_ns == began_ns;
}

bool deep_events__call(struct deep_events *deep, uint32_t tid, uint64_t from_ns, uint64_t to_ns,
		       struct call_span *span)
{
	return span_within(&deep->calls, tid, from_ns, to_ns, span);
}

bool deep_events__reclaim(struct deep_events *deep, uint32_t tid, uint64_t from_ns, uint64_t to_ns,
			  struct call_span *span)
{
	return span_within(&deep->reclaims, tid, from_ns, to_ns, span);
}

struct disk_log *deep_events__disks(struct deep_events *deep)
{
	return &deep->disks;
}

struct fault_count deep_events__faults(struct deep_events *deep, uint32_t tid, uint64_t from_ns,
				       uint64_t to_ns)
{
	struct events events = event_log_within(&deep->faults, tid, from_ns - !!from_ns, to_ns - 1);
	const struct faults *faults = events.event;
	struct fault_count sum = {0};

	for (size_t i = 0; i < events.cnt && step_limit_spend(1); i++) {
		sum.minor += faults[i].cnt.minor;
		sum.major += faults[i].cnt.major;
	}
	return sum;
}

struct futile_wakes *deep_events__futile(struct deep_events *deep)
{
	return &deep->futile;
}

struct acceptors *deep_events__acceptors(struct deep_events *deep)
{
	return &deep->acceptors;
}

size_t deep_events__cnt(const struct deep_events *deep)
{
	return deep->wakeups.cnt + deep->timeouts.cnt + deep->idle_exits.cnt + deep->steals.cnt +
	       deep->calls.cnt + deep->shorts.cnt + deep->faults.cnt + deep->spares.cnt +
	       deep->reclaims.cnt + deep->dirty.cnt + deep->own_rooms.cnt + deep->locks.cnt +
	       disk_log_cnt(&deep->disks) + futile_wakes_cnt(&deep->futile) +
	       acceptors_cnt(&deep->acceptors);
}

void deep_events__trim(struct deep_events *deep, uint64_t horizon_ns)
{
	event_log_trim(&deep->wakeups, horizon_ns);
	event_log_trim(&deep->timeouts, horizon_ns);
	event_log_trim(&deep->idle_exits, horizon_ns);
	event_log_trim(&deep->steals, horizon_ns);
	event_log_trim(&deep->spares, horizon_ns);
	event_log_trim(&deep->calls, horizon_ns);
	event_log_trim(&deep->shorts, horizon_ns);
	event_log_trim(&deep->dirty, horizon_ns);
	event_log_trim(&deep->own_rooms, horizon_ns);
	event_log_trim(&deep->locks, horizon_ns);
	event_log_trim(&deep->faults, horizon_ns);
	event_log_trim(&deep->reclaims, horizon_ns);
	disk_log_trim(&deep->disks, horizon_ns);
	futile_wakes_trim(&deep->futile, horizon_ns);
	acceptors_trim(&deep->acceptors, horizon_ns);
}

const char *deep_events__group(struct deep_events *deep, uint32_t tid)
{
	struct member *member = NULL;

	if (deep)
		LRU_FIND(deep, tid, member);
	if (!member)
		return NULL;
	LRU_USE(deep, member);
	return member->path;
}

const char *group_name(const char *path)
{
	const char *last = strrchr(path, '/');

	return last && last[1] ? last + 1 : path;
}
