/* SPDX-License-Identifier: BSD-2-Clause */
/* Names what causes the largest components: processes at the ends, and what had the CPU. */
#include "report/metrics.h"
#include "report/text/culprits.h"
#include "report/text/first_screen/answers.h"
#include "report/text/first_screen/ends.h"

#include <stdlib.h>

#define CULPRITS_NAMED 3    /* of the run queue */
#define MATTERS        0.1  /* share of the latency: of a component */
#define IS_NAMED       0.01 /* of a culprit; the first one has its name in any case */

/* The components that a process causes. The others are the kernel's own work for the message. */
static const enum component caused[] = {COMPONENT_DISPATCH, COMPONENT_SEND_PATH, COMPONENT_RUNQUEUE,
					COMPONENT_BUSY, COMPONENT_BLOCKED};

#define CAUSED_CNT (sizeof(caused) / sizeof(caused[0]))

static const char *name_of(const struct culprit *culprit, char words[2 * NAME_LEN])
{
	static const char *const names[NR_BLAME_CLASSES] = {
		[BLAME_IDLE] = "a CPU leaving idle",
		[BLAME_THROTTLED] = "the CPU quota of a control group",
		[BLAME_UNKNOWN] = "an unknown task",
	};

	if (culprit->is_ipctrace)
		return "ipctrace itself";
	culprit_words(culprit, words);
	return names[culprit->class] ?: words;
}

static void add_runqueue(struct paragraph *paragraph, const struct summary *summary)
{
	double all_ns = (double)summary->latency.sum, more_ns = 0;
	uint32_t cnt, more = 0;
	struct culprit *culprit;

	culprit = culprits_of(summary, &cnt);
	for (uint32_t i = 0; i < cnt; i++) {
		char words[2 * NAME_LEN];

		if (i && (i >= CULPRITS_NAMED || culprit[i].ns < IS_NAMED * all_ns)) {
			more_ns += culprit[i].ns;
			more++;
			continue;
		}
		paragraph_add(paragraph, "%s%s %s", i ? ", " : "", name_of(&culprit[i], words),
			      PERCENT(culprit[i].ns / all_ns));
	}
	if (more)
		paragraph_add(paragraph, ", %u other%s %s", more, plural(more),
			      PERCENT(more_ns / all_ns));
	free(culprit);
}

static void add_end(struct paragraph *paragraph, const struct summary *summary,
		    enum component component)
{
	bool is_sender = component == COMPONENT_DISPATCH || component == COMPONENT_SEND_PATH;
	double share = share_of_latency(summary, stat_mean(&summary->component[component])), part;
	char words[END_WORDS_LEN];

	part = message_end_name(summary, component, is_sender ? END_OF_SENDER : END_OF_RECEIVER,
				words);
	paragraph_add(paragraph, "%s %s", words, PERCENT(share * part));
	if (share * (1 - part) >= 0.01)
		paragraph_add(paragraph, ", others %s", PERCENT(share * (1 - part)));
}

/* The next component below `limit_ns`, or the one after `last` with the same time. */
static bool next_largest(const struct summary *summary, double *limit_ns, int *last)
{
	double best_ns = -1;
	int best = -1;

	for (int i = 0; i < (int)CAUSED_CNT; i++) {
		double ns = stat_mean(&summary->component[caused[i]]);

		if (ns > *limit_ns || (ns == *limit_ns && i <= *last) || ns <= best_ns)
			continue;
		best_ns = ns;
		best = i;
	}
	*limit_ns = best_ns;
	*last = best;
	return best >= 0;
}

void culprits_words(struct paragraph *paragraph, const struct summary *summary)
{
	double ns = (double)summary->latency.max;
	int i = -1;

	if (!summary->info.traced || !summary->latency.count)
		return;
	while (next_largest(summary, &ns, &i) && share_of_latency(summary, ns) >= MATTERS) {
		paragraph_add(paragraph, "%s%s: ", paragraph->length ? "; " : "",
			      component_titles[caused[i]]);
		if (caused[i] == COMPONENT_RUNQUEUE)
			add_runqueue(paragraph, summary);
		else
			add_end(paragraph, summary, caused[i]);
	}
	if (!paragraph->length)
		paragraph_add(paragraph, "no process: the time is the kernel's own work for the "
					 "messages");
}
