/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Names what causes the largest components, or the largest parts of the service: processes at the
 * ends, and what had the CPU.
 */
#include "report/metrics.h"
#include "report/text/culprits.h"
#include "report/text/first_screen/answers.h"
#include "report/text/first_screen/ends.h"
#include "report/text/sections.h"

#define MATTERS  0.1  /* share of the latency, or of the round trip */
#define IS_NAMED 0.01 /* of a second process */

/* The components that a process causes. The others are the kernel's own work for the message. */
static const enum component caused[] = {COMPONENT_DISPATCH, COMPONENT_SEND_PATH, COMPONENT_RUNQUEUE,
					COMPONENT_BUSY, COMPONENT_BLOCKED};

#define CAUSED_CNT (sizeof(caused) / sizeof(caused[0]))

/* A send call can wait for room, which the receiver has to make. */
static void add_room(struct paragraph *paragraph, const struct summary *summary)
{
	char receiver[END_WORDS_LEN];

	if (summary->info.mode == MODE_RUN)
		return;
	message_end_name(summary, COMPONENT_SEND_PATH, END_OF_RECEIVER, receiver);
	paragraph_add(paragraph, " (an unknown part of it waits for %s to make room)", receiver);
}

static void add_ends(struct paragraph *paragraph, const struct summary *summary,
		     enum component component)
{
	bool is_sender = component == COMPONENT_DISPATCH || component == COMPONENT_SEND_PATH;
	enum end end = is_sender ? END_OF_SENDER : END_OF_RECEIVER;
	double share = share_of_latency(summary, stat_mean(&summary->component[component]));
	double first, second, others;
	char words[END_WORDS_LEN];

	first = message_end_name(summary, component, end, words);
	paragraph_add(paragraph, "%s %s", words, PERCENT(share * first));
	if (component == COMPONENT_SEND_PATH)
		add_room(paragraph, summary);
	second = message_second_end(summary, component, end, words);
	if (share * second >= IS_NAMED)
		paragraph_add(paragraph, ", %s %s", words, PERCENT(share * second));
	else
		second = 0;
	others = share * (1 - first - second);
	if (others >= IS_NAMED)
		paragraph_add(paragraph, ", others %s", PERCENT(others));
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

/* Of a service whose states are known. `all_ns` has the same unit as the times of the states. */
static void add_service_state(struct paragraph *paragraph, const struct summary *summary,
			      enum service_state state, double all_ns)
{
	const struct calls_summary *calls = &summary->calls;
	const char *separator = paragraph->length ? "; " : "";
	double share = (double)calls->state_ns[state] / all_ns;
	char server[END_WORDS_LEN];

	if (share < MATTERS)
		return;
	service_words(summary, server);
	if (state == SERVICE_RUNQUEUE) {
		paragraph_add(paragraph, "%sservice waiting for a CPU: ", separator);
		culprits_add(paragraph, summary, blame_of_services(summary), all_ns);
		return;
	}
	paragraph_add(paragraph, "%sservice %s: %s %s", separator,
		      state == SERVICE_ON_CPU ? "on CPU" : "asleep", server, PERCENT(share));
	if (state == SERVICE_BLOCKED)
		blocked_calls_words(paragraph, ", in ", &calls->blocked, &summary->info);
}

/* The largest state first. */
static void service_culprits(struct paragraph *paragraph, const struct summary *summary)
{
	const struct calls_summary *calls = &summary->calls;
	double service_ns = stat_mean(&calls->service), all_ns = 0;
	enum service_state order[NR_SERVICE_STATES] = {SERVICE_ON_CPU, SERVICE_RUNQUEUE,
						       SERVICE_BLOCKED};

	for (int i = 0; i < NR_SERVICE_STATES; i++) {
		all_ns += (double)calls->state_ns[i];
		for (int k = i; k && calls->state_ns[order[k]] > calls->state_ns[order[k - 1]];
		     k--) {
			enum service_state state = order[k];

			order[k] = order[k - 1];
			order[k - 1] = state;
		}
	}
	if (service_ns > 0)
		all_ns *= stat_mean(&calls->round_trip) / service_ns;
	for (int i = 0; all_ns > 0 && i < NR_SERVICE_STATES; i++)
		add_service_state(paragraph, summary, order[i], all_ns);
}

void culprits_words(struct paragraph *paragraph, const struct summary *summary)
{
	double ns = (double)summary->latency.max;
	int i = -1;

	if (!summary->info.traced || !summary->latency.count)
		return;
	if (service_leads(summary) && service_is_known(&summary->calls)) {
		service_culprits(paragraph, summary);
		return;
	}
	while (next_largest(summary, &ns, &i) && share_of_latency(summary, ns) >= MATTERS) {
		paragraph_add(paragraph, "%s%s: ", paragraph->length ? "; " : "",
			      component_titles[caused[i]]);
		if (caused[i] == COMPONENT_RUNQUEUE)
			culprits_add(paragraph, summary, blame_of_messages(summary),
				     (double)summary->latency.sum);
		else
			add_ends(paragraph, summary, caused[i]);
	}
	if (!paragraph->length)
		paragraph_add(paragraph, "no process: the time is the kernel's own work for the "
					 "messages");
}
