/* SPDX-License-Identifier: BSD-2-Clause */
/* Says how much of an explanation is known, and what the recording does not show. */
#include "insight/metrics.h"
#include "report/text/explain/parts.h"
#include "report/words/explain/cause_words.h"

static void add_part(struct paragraph *line, uint64_t cnt, const char *what)
{
	if (cnt)
		paragraph_add(line, "; %llu %s", (unsigned long long)cnt, what);
}

/* What of the difference has no known cause. */
static double unknown_share(const struct explanation *explanation)
{
	double ns = 0;

	for (uint32_t i = 0; i < explanation->row_cnt; i++) {
		const struct explain_row *row = &explanation->row[i];
		bool is_unknown = row->cost == COST_UNKNOWN || row->role == CAUSE_UNKNOWN ||
				  (row->role == CAUSE_RAN && row->by.class == BLAME_UNKNOWN);

		if (!row->is_component && !row->depth && is_unknown)
			ns += row->slow_ns - row->base_ns;
	}
	return explanation->difference_ns > 0 ? ns / explanation->difference_ns : 0;
}

void explain_known_words(struct paragraph *line, const struct explanation *explanation)
{
	double unknown = unknown_share(explanation), own = explanation->own_share;

	if (explanation->outcome != EXPLAIN_DONE)
		return;
	paragraph_add(line, "the causes of %s of the difference",
		      PERCENT(1 - (unknown > 0 ? unknown : 0)));
	paragraph_add(line, "; waiting for ipctrace itself is %s of the difference%s",
		      PERCENT(own > 0 ? own : 0),
		      own >= DISTURBING_SHARE ? ": leave a CPU free for it" : "");
	add_part(line, explanation->not_cut, "could not be cut in full");
	add_part(line, explanation->ambiguous, "are ambiguous and left out");
	if (explanation->info.condition[0])
		paragraph_add(line, "; only the time around messages with %s is recorded",
			      explanation->info.condition);
}

/* Components whose time is part of another one. */
static void add_components(struct paragraph *line, const struct run_info *info)
{
	for (int i = 0; i < NR_COMPONENTS; i++) {
		const char *missing = component_missing(info, i);

		if (missing)
			paragraph_add(line, "%s%s: %s", line->length ? "; " : "",
				      components[i].title, missing);
	}
}

void explain_missing_words(struct paragraph *line, const struct explanation *explanation)
{
	const struct run_info *info = &explanation->info;

	add_components(line, info);
	if (info->level != LEVEL_DEEP)
		paragraph_add(line,
			      "%s--level deep also records what wakes a thread, interrupts in "
			      "every component, CPUs that leave idle, and throttled groups",
			      line->length ? "; " : "");
}
