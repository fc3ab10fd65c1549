/* SPDX-License-Identifier: BSD-2-Clause */
/* Defines why the kernel has dropped datagrams, and what that came to. */
#pragma once

#include "bpf/record_drop.h"

#include <stdint.h>

struct drop_reason_info {
	const char *name; /* in JSON */
	const char *says; /* completes "dropped by the kernel: "; NULL: why is not known */
};

/* By enum drop_reason. */
extern const struct drop_reason_info drop_reasons[NR_DROP_REASONS];

/* Attach: the datagrams of `dropped` of struct integrity. Those of no record are in no reason. */
struct drops_summary {
	uint64_t reason[NR_DROP_REASONS]; /* by enum drop_reason */
	uint32_t channel;                 /* that with the most drops for one reason: */
	uint32_t channel_reason;          /* enum drop_reason */
	uint64_t channel_cnt;             /* for this reason; 0: none is known */
	uint64_t buffer_bytes; /* DROP_BUFFER_FULL: the size of the buffer there; 0: not known */

	/* Level deep: sleeps of threads that wait for data until their own timeout, */
	uint64_t timeouts; /* after a datagram of theirs was dropped, and before any receive */
	uint64_t timeout_least_ns; /* what they asked for */
	uint64_t timeout_most_ns;
	uint32_t timeout_tid; /* the last of these threads */
};
