/* SPDX-License-Identifier: BSD-2-Clause */
#include "support/attached_rounds.h"

#include "support/sample.h"

#include <string.h>

#define MS 1000000ULL

struct summary *attached_rounds(void)
{
	static const struct missed_cause causes[] = {
		{.is_late = true,
		 .is_known = true,
		 .component = COMPONENT_RUNQUEUE,
		 .has_blame = true,
		 .blame = {.class = BLAME_TASK, .tid = 77, .priority = 120, .comm = "hog"},
		 .count = 3},
		{.is_known = true, .component = COMPONENT_DISPATCH, .count = 2},
		{.is_late = true, .count = 1},
	};
	struct summary *summary = sample_summary(3);
	struct rounds_summary *rounds = &summary->rounds;

	summary->info.mode = MODE_ATTACH;
	summary->info.workload = (struct workload_spec){0};
	for (int i = 0; i < 199; i++)
		stat_add(&rounds->distance, 10 * MS);
	rounds->tick_ns = 0;
	rounds->period_ns = 10 * MS;
	rounds->efficiency_pct = 44;
	rounds->missed =
		(struct missed_summary){.late = 4, .skipped = 5, .unfinished = 2, .cause_cnt = 3};
	memcpy(rounds->missed.cause, causes, sizeof(causes));
	return summary;
}
