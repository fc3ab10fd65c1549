/* SPDX-License-Identifier: BSD-2-Clause */
/* Says how long usual and slow units take. */
#include "report/words/whole_words.h"

#include "insight/metrics.h"
#include "report/words/explain/cause_words.h"
#include "report/words/labels.h"

#define FAR_FROM_P99 5 /* times: the slowest one needs a reason of its own */

/* The clients of a run, or of the rounds of an attach, wait for the last one of them. */
static bool speaks_of_rounds(const struct whole *whole)
{
	const struct summary *summary = whole->summary;

	return whole->unit == WHOLE_MESSAGE && summary->rounds.last.count &&
	       summary->client_cnt > 1;
}

static void add_rounds(struct paragraph *line, const struct summary *summary,
		       enum words_extent extent)
{
	const struct rounds_summary *rounds = &summary->rounds;
	const struct stat *last = &rounds->last;

	paragraph_add(line, "half of all rounds %s within %s",
		      extent == WORDS_ALL ? "reach the last client" : "end",
		      SPAN((double)stat_percentile(last, 50)));
	if (last->count >= PERCENTILES_MIN)
		paragraph_add(line, ", 99 %% within %s", SPAN((double)stat_percentile(last, 99)));
	if (last->count >= PERCENTILES_MIN && extent == WORDS_ALL)
		paragraph_add(line, ", the slowest within %s", SPAN((double)last->max));
	if (last->count < PERCENTILES_MIN)
		paragraph_add(line, ", all %lu within %s", last->count, SPAN((double)last->max));
}

void missed_words(struct paragraph *line, const struct summary *summary)
{
	const struct rounds_summary *rounds = &summary->rounds;
	uint64_t late = rounds->missed.late, missed = late + rounds->missed.unfinished;

	if (!missed)
		return;
	paragraph_add(line, "%llu of %llu rounds", (unsigned long long)missed,
		      (unsigned long long)rounds->count);
	if (late && missed > late)
		paragraph_add(line, ": %llu began late, %llu took too long",
			      (unsigned long long)late, (unsigned long long)(missed - late));
	else
		paragraph_add(line, late ? " began late" : " took too long");
	paragraph_add(line, " (a round begins every %.2f ms).", (double)rounds->period_ns / 1e6);
}

void whole_typical_words(struct paragraph *line, const struct whole *whole,
			 enum words_extent extent, const char *hint)
{
	const struct stat *stat = whole->stat;
	const char *units = whole_units(whole);
	bool is_far = false;

	if (!stat->count)
		return;
	if (speaks_of_rounds(whole)) {
		add_rounds(line, whole->summary, extent);
	} else if (stat->count == 1) {
		paragraph_add(line, "there is one, which takes %s", SPAN((double)stat->max));
	} else if (stat->count < PERCENTILES_MIN) {
		paragraph_add(line, "half of %lu %s take at most %s, the slowest one takes %s",
			      stat->count, units, SPAN((double)stat_percentile(stat, 50)),
			      SPAN((double)stat->max));
	} else {
		paragraph_add(line, "half of all %s take at most %s, 99 %% at most %s", units,
			      SPAN((double)stat_percentile(stat, 50)),
			      SPAN((double)stat_percentile(stat, 99)));
		if (extent == WORDS_ALL)
			paragraph_add(line, ", the slowest %s", SPAN((double)stat->max));
		is_far = stat->max >= FAR_FROM_P99 * stat_percentile(stat, 99);
	}
	paragraph_add(line, "%s.", is_far && hint && extent == WORDS_ALL ? hint : "");
}
