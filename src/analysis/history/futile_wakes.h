/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Keeps the wakes of threads that were in vain (level deep): by the thread that was woken, and by
 * the thread that woke it. Keeps when threads connected, too, as that wakes threads.
 */
#pragma once

#include "bpf/deep.h"
#include "container/event_log.h"
#include "model/vain.h"

#include <stdbool.h>

struct futile_wakes {
	struct event_log by_woken;
	struct event_log by_waker;
	struct event_log connects; /* by thread */
};

void futile_wakes_init(struct futile_wakes *wakes);
void futile_wakes_clean(struct futile_wakes *wakes);

/* 0 or -ENOMEM. */
int futile_wakes_add(struct futile_wakes *wakes, const struct record_futile *record);

/* Thread `tid` was in connect() in this time. 0 or -ENOMEM. */
int futile_wakes_connect(struct futile_wakes *wakes, uint32_t tid, uint64_t enter_ns,
			 uint64_t exit_ns);

/*
 * Whether thread `tid` was awake in vain at that instant. False: it was not, or whether it was is
 * not known yet.
 */
bool futile_wakes_at(struct futile_wakes *wakes, uint32_t tid, uint64_t at_ns);

/*
 * Takes the wakes in vain by thread `waker` in [from_ns, to_ns], and, if `connects`, those of its
 * last connect() before: none is taken twice. Units of one thread come in the order of time.
 */
struct unit_vain futile_wakes_take(struct futile_wakes *wakes, uint32_t waker, uint64_t from_ns,
				   uint64_t to_ns, bool connects);

/*
 * The same for a thread that serves a call in [from_ns, to_ns]. What its messages have taken is
 * part of it, too.
 */
struct unit_vain futile_wakes_take_served(struct futile_wakes *wakes, uint32_t waker,
					  uint64_t from_ns, uint64_t to_ns);

/* How many events are kept. */
static inline size_t futile_wakes_cnt(const struct futile_wakes *wakes)
{
	return wakes->by_woken.cnt + wakes->by_waker.cnt + wakes->connects.cnt;
}

/* Forgets those that ended before `horizon_ns`, or some time before, if units may need them. */
void futile_wakes_trim(struct futile_wakes *wakes, uint64_t horizon_ns);
