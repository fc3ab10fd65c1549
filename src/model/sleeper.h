/* SPDX-License-Identifier: BSD-2-Clause */
/* Defines what is known of a thread that slept when tracing ended. */
#pragma once

#include "bpf/record_asleep.h"
#include "model/end_summary.h"

#include <stdbool.h>
#include <stdint.h>

/*
 * Attach: a thread of a target or a peer. Threads that wait for data are only listed if no message
 * was seen, and others only if a listed thread waits for their process.
 */
struct sleeper_summary {
	struct end_summary thread; /* `comm`: of its process */
	uint32_t flags;            /* enum asleep_flag */
	uint32_t number;           /* of the system call that it sleeps in */
	uint32_t transport;        /* of the channel; 0: not known */
	uint64_t ns;               /* for so long; 0: not known, or see ASLEEP_ALL_TIME */
	struct end_summary other;  /* the process at the other end; pid 0: not known */
};
