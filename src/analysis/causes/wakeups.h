/* SPDX-License-Identifier: BSD-2-Clause */
/* Finds out what ended the sleep of a thread. */
#pragma once

#include "analysis/causes/cutter.h"

struct wakeup {
	uint32_t tid; /* the thread that ended the sleep, or the one that ran meanwhile */
	uint64_t at_ns;
	bool from_interrupt;  /* the latter: then these two say which interrupt ended it */
	enum slice_kind kind; /* IRQ or SOFTIRQ */
	uint32_t number;      /* or WAKER_NUMBER_NONE */
};

/*
 * `began` and `ended`: the changes of thread `tid` that began and ended its sleep. False: not
 * known.
 */
bool wakeup_find(struct cutter *cutter, uint32_t tid, const struct change *began,
		 const struct change *ended, struct wakeup *wakeup);

/* What ended the sleep. */
struct blame wakeup_culprit(struct cutter *cutter, const struct wakeup *wakeup);
