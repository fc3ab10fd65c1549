/* SPDX-License-Identifier: BSD-2-Clause */
/* Numbers the two sets of units that are held against each other, and counts episodes. */
#pragma once

#include <stdint.h>

enum explain_side { SIDE_SLOW, SIDE_BASE, NR_EXPLAIN_SIDES };

/* In how many episodes something is found; these come one after the other. */
struct episode_count {
	uint64_t cnt;
	uint64_t last;
};

static inline void episode_count_add(struct episode_count *count, uint64_t episode)
{
	count->cnt += !count->cnt || count->last != episode;
	count->last = episode;
}
