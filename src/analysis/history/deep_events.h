/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Holds what only level deep records: what ended the sleeps of threads, which of them were the
 * threads' own timeouts, when CPUs left their idle state for a thread, how much time the host of a
 * virtual machine took from them, whose quota held threads back, and what threads did in the
 * kernel. Records may be added in any order.
 */
#pragma once

#include "analysis/history/acceptors.h"
#include "analysis/history/disks.h"
#include "analysis/history/futile_wakes.h"
#include "bpf/deep.h"
#include "bpf/record.h"
#include "model/failed_call.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * What woke a thread:
 *
 *	kind           what did it
 *	SLICE_TASK     thread `tid` by itself, or in softirq `number`, which it raised: a send over
 *	               a loopback device does that
 *	SLICE_IRQ      interrupt `number`, in whose way thread `tid` was
 *	SLICE_SOFTIRQ  softirq `number`, the same
 */
struct waker {
	enum slice_kind kind;
	bool from_interrupt; /* IRQ and SOFTIRQ: `tid` has nothing to do with it */
	bool is_unsure;      /* TASK: it may have been an interrupt that the kernel does not show;
			      * SOFTIRQ: it may have been raised by `tid` */
	bool of_frozen;      /* the thread was frozen, or held by a debugger, and waited for */
	bool of_traced;      /* nothing else */
	uint32_t tid;        /* 0: the CPU was idle */
	uint32_t cpu;        /* where both were */
	uint32_t number;     /* by `kind`, or of a softirq that it raised; or WAKER_NUMBER_NONE */
	uint64_t at_ns;      /* the wakeup began */
};

/*
 * A sleep that nothing ended before the thread's own timeout:
 *
 *	set       falls asleep           may expire          has to         woken
 *	 |------------|======================|=====================|==========|---> time
 *	  <------------ asked_ns -----------> <---- slack_ns ----->
 */
struct timeout {
	uint64_t asked_ns; /* 0: not known */
	uint64_t soft_ns;  /* it may expire from this instant on; 0: not known */
	uint64_t slack_ns;
	bool in_futex;             /* the thread waited for another one */
	bool for_data;             /* it waited for data, in a call that polls or receives */
	struct failed_call failed; /* before it slept for a time */
};

/*
 *	  idle  |  leaving idle  |  awake: handles the interrupt, wakes the thread, switches to it
 *	--------|----------------|-------------------------------|---> time
 *	    wakeup begins      left                            switch
 */
struct idle_exit {
	uint64_t left_ns;   /* the first event that shows the CPU awake */
	uint64_t idle_ns;   /* it went idle then */
	uint64_t switch_ns; /* it switched to thread `tid` */
	uint32_t tid;       /* which may be another one than the traced thread that waits */
};

/* In a stretch of time on one CPU. */
struct steal {
	uint64_t certain_ns;  /* between switches that are both in the stretch */
	uint64_t possible_ns; /* more: it may lie in the stretch, or before or after it */
};

/* A time in which a thread was in one system call, between others and its own code. */
struct call_span {
	uint64_t from_ns;
	uint64_t to_ns;
	uint32_t number; /* of the system call, if it is one; of a reclaim: enum reclaim_flag */
	bool polls;      /* the call waits for any of several files */
};

/* Page faults of a thread. */
struct fault_count {
	uint32_t minor; /* the kernel had the page, or made it */
	uint32_t major; /* it was read from a disk */
};

/* A time in which a thread waited for a lock of the kernel, on its CPU or asleep. */
struct lock_span {
	uint64_t from_ns;
	uint64_t to_ns;
	enum kernel_lock kind;
	uint32_t number;                  /* of the system call, or CALL_OUTSIDE */
	char function[LOCK_FUNCTION_LEN]; /* of the kernel, which waited; "": not known */
};

/* A CPU that was idle while a thread waited for another one. */
struct spare_cpu {
	uint32_t cpu;
	bool is_allowed; /* the thread may use it */
};

struct deep_events;

struct deep_events *deep_events__new(void); /* NULL: out of memory */
void deep_events__free(struct deep_events *events);

/* A record of level deep that is of a thread or a CPU (RECORD_WAKER ...). 0 or -ENOMEM. */
int deep_events__add(struct deep_events *events, const struct record *record);

/*
 * What ended the sleep of thread `woken` that its change to CHANGE_WAKE or CHANGE_THROTTLE at
 * `wake_ns` ended. False: not recorded, or lost.
 */
bool deep_events__waker(struct deep_events *events, uint32_t woken, uint64_t wake_ns,
			struct waker *waker);

/*
 * Whether the sleep of the thread that its change at `wake_ns` ended lasted until the thread's own
 * timeout. False: it did not, or the record was lost.
 */
bool deep_events__timeout(struct deep_events *events, uint32_t tid, uint64_t wake_ns,
			  struct timeout *timeout);

/*
 * Whether a CPU was idle at the end of the wait for another one in which the thread was at `at_ns`.
 * False: none is known to have been.
 */
bool deep_events__spare(struct deep_events *events, uint32_t tid, uint64_t at_ns,
			struct spare_cpu *spare);

/*
 * The last time that the CPU left idle in [from_ns, to_ns], for a thread that waits in this time to
 * run there. False: it was awake all the time, or the record was lost.
 */
bool deep_events__idle_exit(struct deep_events *events, uint32_t cpu, uint64_t from_ns,
			    uint64_t to_ns, struct idle_exit *exit);

/*
 * What was taken from the CPU in [from_ns, to_ns], while a traced thread ran there or waited for
 * it. None is also what a kernel says that does not know. A record says how much of the time
 * between two switches of the CPU that was, not when.
 */
struct steal deep_events__steal(struct deep_events *events, uint32_t cpu, uint64_t from_ns,
				uint64_t to_ns);

/*
 * The part in [from_ns, to_ns] of the first system call there in which the thread was for long.
 * False: none was recorded.
 */
bool deep_events__call(struct deep_events *events, uint32_t tid, uint64_t from_ns, uint64_t to_ns,
		       struct call_span *span);

/* Stretches of many short system calls, see short_calls.h; owned by `events`. */
struct event_log *deep_events__shorts(struct deep_events *events);

/*
 * The part in [from_ns, to_ns] of the first wait for a lock of the kernel there. False: none was
 * recorded.
 */
bool deep_events__lock(struct deep_events *events, uint32_t tid, uint64_t from_ns, uint64_t to_ns,
		       struct lock_span *span);

/* What is known of a sleep in a send call: see struct record_own_room. */
enum own_room { OWN_ROOM_NOTHING, OWN_ROOM_IS_FULL, OWN_ROOM_IS_UNREAD };

/* Looks at the last one that began in [from_ns, to_ns]. */
enum own_room deep_events__own_room(struct deep_events *events, uint32_t tid, uint64_t from_ns,
				    uint64_t to_ns);

/* What threads accept and wait for; owned by `events`. */
struct acceptors *deep_events__acceptors(struct deep_events *events);

/*
 * The thread's page faults that were counted from an instant in [from_ns, to_ns) on, up to the next
 * end of a call, or the next sleep.
 */
struct fault_count deep_events__faults(struct deep_events *events, uint32_t tid, uint64_t from_ns,
				       uint64_t to_ns);

/*
 * The part in [from_ns, to_ns] of the first time there in which the thread freed memory because it
 * needed some. False: none was recorded.
 */
bool deep_events__reclaim(struct deep_events *events, uint32_t tid, uint64_t from_ns,
			  uint64_t to_ns, struct call_span *span);

/* Whether the kernel held the thread back in the sleep that began then, see struct record_dirty. */
bool deep_events__held_back(struct deep_events *events, uint32_t tid, uint64_t began_ns);

/* The waits for disks; owned by `events`. */
struct disk_log *deep_events__disks(struct deep_events *events);

/* The wakes of threads that found nothing; owned by `events`. */
struct futile_wakes *deep_events__futile(struct deep_events *events);

/* How many events are kept. */
size_t deep_events__cnt(const struct deep_events *events);

/* Forgets the events before `horizon_ns`. */
void deep_events__trim(struct deep_events *events, uint64_t horizon_ns);

/*
 * The path of the group with the quota that has held the thread back, as it was last read; borrowed
 * until the next record. Of a long path it is the end. NULL: not known. `deep` may be NULL.
 */
const char *deep_events__group(struct deep_events *deep, uint32_t tid);

/* The last component of a path: "web.service". "/" if that is all of it. */
const char *group_name(const char *path);
