/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Decides which state a thread has after a change such as a wakeup, and which changes can end a
 * state.
 */
#include "analysis/history/thread_state.h"

enum thread_state state_after(const struct change *change, bool shows_switch)
{
	switch (change->kind) {
	case CHANGE_SLEEP:
	case CHANGE_SLEEP_IN:
	case CHANGE_ROOM:
		return STATE_ASLEEP;
	case CHANGE_POLL:
	case CHANGE_POLL_IN:
		return STATE_POLLING;
	case CHANGE_WOKEN:
		return STATE_WOKEN;
	case CHANGE_PREEMPT:
	case CHANGE_THROTTLE:
	case CHANGE_WAKE:
	case CHANGE_MIGRATE:
		return STATE_RUNNABLE;
	case CHANGE_SWITCH:
		return shows_switch ? STATE_SWITCHING : STATE_RUNNING;
	case CHANGE_RUN:
	case CHANGE_RESUME:
		return STATE_RUNNING;
	default:
		return STATE_UNKNOWN;
	}
}

bool state_is_asleep(enum thread_state state)
{
	return state == STATE_ASLEEP || state == STATE_POLLING || state == STATE_WOKEN;
}

bool state_unseen_wakeup(enum thread_state state, uint16_t kind)
{
	return state_is_asleep(state) && (kind == CHANGE_SWITCH || kind == CHANGE_RESUME);
}

bool state_can_end(enum thread_state state, uint16_t kind)
{
	switch (kind) {
	case CHANGE_SLEEP:
	case CHANGE_SLEEP_IN:
	case CHANGE_POLL:
	case CHANGE_POLL_IN:
	case CHANGE_ROOM:
	case CHANGE_PREEMPT:
		return state == STATE_RUNNING;
	case CHANGE_WOKEN:
	case CHANGE_THROTTLE:
		return state == STATE_RUNNING || state_is_asleep(state);
	case CHANGE_WAKE:
		return state_is_asleep(state);
	case CHANGE_MIGRATE:
		return state == STATE_RUNNABLE;
	case CHANGE_SWITCH:
	case CHANGE_RESUME:
		return state == STATE_RUNNABLE || state_unseen_wakeup(state, kind);
	case CHANGE_RUN:
		return state == STATE_SWITCHING;
	default:
		return false;
	}
}
