/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Cuts the service of a call by what the serving thread did: it ran, waited for a CPU, or slept.
 * Lists its waits for a CPU.
 */
#pragma once

#include "analysis/history/timeline.h"
#include "model/summary.h"

#define SERVICE_WAITS_MAX 256 /* further waits are not listed */

/* A wait of the serving thread for a CPU. */
struct service_wait {
	uint64_t from_ns;
	uint64_t to_ns;
	uint16_t cpu;  /* or SEGMENT_CPU_ */
	bool is_moved; /* it began with a migration */
};

/* What a thread did for a call. */
struct service {
	uint64_t state_ns[NR_SERVICE_STATES];
	struct blocked_calls blocked; /* adds up to SERVICE_BLOCKED */
	uint32_t wait_cnt;
	struct service_wait wait[SERVICE_WAITS_MAX]; /* in order of time */
};

/*
 * Cuts what a thread did in [from_ns, to_ns) by state. It runs at both ends, where its syscalls
 * return and begin. With `may_end_off_cpu`, another thread may queue the answer, and the server may
 * be off its CPU at the end. False: the time line has a gap there, or contradicts this.
 */
bool service_cut(const struct timeline *line, uint64_t from_ns, uint64_t to_ns,
		 bool may_end_off_cpu, struct service *service);

/* Adds one call whose service is known. */
void service_add(const struct service *service, struct calls_summary *summary);
