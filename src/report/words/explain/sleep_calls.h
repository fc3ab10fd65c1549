/* SPDX-License-Identifier: BSD-2-Clause */
/* Says what a thread waits for in a system call in which it sleeps, as far as the call says it. */
#pragma once

#include <stdint.h>

enum sleep_call {
	SLEEP_UNKNOWN, /* no call, or one of another kind */
	SLEEP_LOCK,
	SLEEP_PAUSE, /* the thread's own */
	SLEEP_DISK,
	SLEEP_RECEIVE,
	NR_SLEEP_CALLS
};

/* `call`: a system call of the architecture (struct host), or CALL_ (model/blocked_calls.h). */
enum sleep_call sleep_call_of(const char *arch, uint16_t call);
