/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Finds out what kept a thread from starting a round in time: it ran other code, waited for a CPU,
 * or slept.
 */
#pragma once

#include "analysis/history/timeline.h"
#include "analysis/statistics/service_blame.h"

struct late_start {
	bool is_known;
	enum component component; /* COMPONENT_BUSY, _RUNQUEUE or _BLOCKED: the longest */
	struct blame blame;       /* the largest share, if it is the run queue; ns 0: none */
};

/*
 *	previous start            due              start
 *	      |--------- period ---|---- looked at ---|
 *
 * What thread `tid` did between the two instants. `blame` may be NULL.
 */
struct late_start late_start_of(const struct timeline *line, uint32_t tid, uint64_t due_ns,
				uint64_t start_ns, struct service_blame *blame);
