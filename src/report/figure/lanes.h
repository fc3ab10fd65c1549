/* SPDX-License-Identifier: BSD-2-Clause */
/* Declares what one unit shows in lanes: what its threads did, and what ran on which CPU. */
#pragma once

#include "model/explanation.h"
#include "model/picture.h"
#include "report/figure.h"

#define LANE_CPUS_MAX 4
#define LANE_MADE_MAX 64

struct lanes {
	const struct unit *unit;
	const struct moment *moment; /* in the order of time */
	uint32_t moment_cnt;
	struct moment made[LANE_MADE_MAX]; /* of its causes, if no moments are known */
	uint64_t from_ns;                  /* shown: a little before the unit until after it */
	uint64_t to_ns;
	uint32_t cpu[LANE_CPUS_MAX]; /* those with most time, in ascending order */
	uint32_t cpu_cnt;
	uint32_t cpus_more;
};

/* Parts of a moment that are shown. False: none is. */
bool lanes_clip(const struct lanes *lanes, const struct moment *moment, uint64_t *from_ns,
		uint64_t *to_ns);

/* Whether it is the time of a CPU: a thread of the unit ran there, or another one instead. */
bool lanes_has_cpu(const struct lanes *lanes, const struct moment *moment);

/* False: the unit is not known. `lanes` is not to be copied. */
bool lanes_of(const struct illustration *illustration, uint32_t choice, struct lanes *lanes);
