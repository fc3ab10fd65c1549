/* SPDX-License-Identifier: BSD-2-Clause */
/* What a thread is doing between two changes of its time line. */
#ifndef IPCTRACE_ANALYSIS_HISTORY_THREAD_STATE_H
#define IPCTRACE_ANALYSIS_HISTORY_THREAD_STATE_H

#include "analysis/history/timeline.h"

#include <stdbool.h>

enum thread_state {
	STATE_ASLEEP,
	STATE_POLLING,
	STATE_WOKEN, /* asleep, but not for long: the wake-up is under way */
	STATE_RUNNABLE,
	STATE_SWITCHING,
	STATE_RUNNING,
	STATE_UNKNOWN
};

/* `shows_switch`: the kernel tells where a switch ends; if not, it ends where it begins. */
enum thread_state state_after(const struct change *change, bool shows_switch);

/* Asleep, in whatever way. */
bool state_is_asleep(enum thread_state state);

/* It runs, but nobody told when it became runnable. */
bool state_unseen_wakeup(enum thread_state state, uint16_t kind);

/* Whether a change of this kind can end that state; if not, a change between them is missing. */
bool state_can_end(enum thread_state state, uint16_t kind);

#endif
