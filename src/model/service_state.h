/* SPDX-License-Identifier: BSD-2-Clause */
/* Defines what a thread does between two instants, for example while it serves a call. */
#pragma once

enum service_state {
	SERVICE_ON_CPU,
	SERVICE_RUNQUEUE,
	SERVICE_BLOCKED,
	SERVICE_WAKEUP, /* another thread has handed it the work, and it is not runnable yet */
	NR_SERVICE_STATES
};

/* Before version 11 of recordings there were no others. */
#define NR_SERVICE_STATES_10 SERVICE_WAKEUP
