/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Defines the states of a thread: asleep, runnable, running, and others. A change is an event that
 * moves a thread to another state, for example a wakeup.
 */
#pragma once

#include "analysis/history/timeline.h"

#include <stdbool.h>

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
