/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What threads and CPUs did, as long as messages that are still open may need it: the time lines of
 * threads, their receive calls, and what ran on the CPUs.
 */
#ifndef IPCTRACE_ANALYSIS_HISTORY_HISTORY_H
#define IPCTRACE_ANALYSIS_HISTORY_HISTORY_H

#include "analysis/history/cpu_slices.h"
#include "analysis/history/receive_calls.h"
#include "analysis/history/timeline.h"

/* How long it is kept at most; half of that, and so on, while there is too much of it. */
#define HISTORY_MAX_NS 60000000000ULL
#define HISTORY_MIN_NS 200000000ULL

/* Changes, calls and slices together, which are some 100 MB. */
#define HISTORY_MAX (1u << 22)

/* Its parts may be used; they are owned. */
struct history {
	struct timelines *timelines;
	struct receive_calls *calls;
	struct cpu_slices *cpus;
	uint64_t kept_ns; /* how long it is kept at present */
};

int history_init(struct history *history); /* 0 or -ENOMEM: history_clean() it all the same */
void history_clean(struct history *history);

/*
 * All that happened before `before_ns` is known. Forgets what nothing from `horizon_ns` on needs,
 * and what is too old; UINT64_MAX: nothing more comes.
 */
void history_trim(struct history *history, uint64_t before_ns, uint64_t horizon_ns);

#endif
