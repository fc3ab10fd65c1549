/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Names what causes the largest components, or the largest parts of the service: processes at the
 * ends, and what had the CPU.
 */
#include "insight/metrics.h"
#include "report/words/culprits.h"
#include "report/words/summary_words.h"
#include "report/words/ends.h"

#include <stdlib.h>

#define MATTERS  0.1  /* share of the latency, or of the round trip */
#define IS_NAMED 0.01 /* of a second process, and of all others */

static void add_ends(struct paragraph *paragraph, const struct summary *summary,
		     enum component component)
{
	enum end end = component_end(component);
	double share = share_of_latency(summary, stat_mean(&summary->component[component]));
	double first, second, others;
	char words[END_WORDS_LEN];

	first = message_end_name(summary, component, end, words);
	paragraph_add(paragraph, "%s %s", words, PERCENT(share * first));
	second = message_second_end(summary, component, end, words);
	if (share * second >= IS_NAMED)
		paragraph_add(paragraph, ", %s %s", words, PERCENT(share * second));
	else
		second = 0;
	others = share * (1 - first - second);
	if (others >= IS_NAMED)
		paragraph_add(paragraph, ", others %s", PERCENT(others));
}

/* A component or a state of the service, with its time. */
struct part {
	int which;
	double ns;
};

static int largest_first(const void *a, const void *b)
{
	const struct part *x = a, *y = b;

	return (x->ns < y->ns) - (x->ns > y->ns) ?: x->which - y->which;
}

/* Why the service waited for a CPU. Recordings before version 8 do not have this. */
static void add_service_waits(struct paragraph *paragraph, const struct summary *summary,
			      double share, double all_ns)
{
	struct blame_list list = blame_of_services(summary);

	paragraph_add(paragraph, "service waiting for a CPU: ");
	if (list.cnt)
		culprits_add(paragraph, summary, list, all_ns);
	else
		paragraph_add(paragraph, "%s, and what ran there is not known", PERCENT(share));
}

/* `all_ns`: the round trips, in the unit of the states. */
static void add_service_state(struct paragraph *paragraph, const struct summary *summary,
			      enum service_state state, double all_ns)
{
	const struct calls_summary *calls = &summary->calls;
	double share = (double)calls->state_ns[state] / all_ns;
	char server[END_WORDS_LEN];

	if (share < MATTERS)
		return;
	if (paragraph->length)
		paragraph_add(paragraph, "; ");
	if (state == SERVICE_RUNQUEUE) {
		add_service_waits(paragraph, summary, share, all_ns);
		return;
	}
	service_words(summary, server);
	paragraph_add(paragraph, "service %s: %s %s", service_states[state].is, server,
		      PERCENT(share));
	if (state == SERVICE_BLOCKED)
		blocked_calls_words(paragraph, ", in ", &calls->blocked, &summary->info);
}

static void service_culprits(struct paragraph *paragraph, const struct summary *summary)
{
	const struct calls_summary *calls = &summary->calls;
	double all_ns = service_states_ns(calls) / service_share(calls);
	struct part part[NR_SERVICE_STATES];

	for (int i = 0; i < NR_SERVICE_STATES; i++)
		part[i] = (struct part){i, (double)calls->state_ns[i]};
	qsort(part, NR_SERVICE_STATES, sizeof(part[0]), largest_first);
	for (int i = 0; i < NR_SERVICE_STATES; i++)
		add_service_state(paragraph, summary, part[i].which, all_ns);
}

static void component_culprits(struct paragraph *paragraph, const struct summary *summary)
{
	struct part part[NR_COMPONENTS];
	size_t cnt = 0;

	for (int i = 0; i < NR_COMPONENTS; i++) {
		if (components[i].blame != BLAMES_NOTHING)
			part[cnt++] = (struct part){i, stat_mean(&summary->component[i])};
	}
	qsort(part, cnt, sizeof(part[0]), largest_first);
	for (size_t i = 0; i < cnt; i++) {
		if (share_of_latency(summary, part[i].ns) < MATTERS)
			return;
		paragraph_add(paragraph, "%s%s: ", paragraph->length ? "; " : "",
			      components[part[i].which].title);
		if (components[part[i].which].blame == BLAMES_WHAT_RAN)
			culprits_add(paragraph, summary, blame_of_messages(summary),
				     (double)summary->latency.sum);
		else
			add_ends(paragraph, summary, part[i].which);
	}
}

void culprits_words(struct paragraph *paragraph, const struct summary *summary)
{
	if (!summary->info.traced || !summary->latency.count)
		return;
	if (explains_service(summary)) {
		service_culprits(paragraph, summary);
		return;
	}
	component_culprits(paragraph, summary);
	if (!paragraph->length)
		paragraph_add(paragraph, "no process: the time is the kernel's own work for the "
					 "messages");
}
