/* SPDX-License-Identifier: BSD-2-Clause */
/* Prints the last paragraph of the text report, which names the largest part of the latency. */
#include "report/labels.h"
#include "report/metrics.h"
#include "report/text/sections.h"

static double component_ns(const struct summary *summary, enum component component)
{
	return stat_mean(&summary->component[component]);
}

/* COMPONENT_SWITCH stands for the whole context switch, which counts as one. */
static enum component largest_part(const struct summary *summary, double *ns)
{
	enum component largest = COMPONENT_DISPATCH;

	*ns = component_ns(summary, largest);
	for (enum component i = COMPONENT_SEND_PATH; i < NR_COMPONENTS; i++) {
		double part_ns = i == COMPONENT_SWITCH ? context_switch_ns(summary)
						       : component_ns(summary, i);

		if (i == COMPONENT_WAKEUP || i == COMPONENT_RUNQUEUE || part_ns <= *ns)
			continue;
		largest = i;
		*ns = part_ns;
	}
	return largest;
}

static const char *share_words(double share)
{
	if (share >= 0.9)
		return "Nearly all";
	if (share >= 0.55)
		return "Most";
	if (share >= 0.45)
		return "About half";
	return "The largest part";
}

/* The class with the most run queue time, and this time. */
static enum blame_class largest_class(const struct summary *summary, uint64_t *ns)
{
	uint64_t class_ns[NR_BLAME_CLASSES] = {0};
	enum blame_class largest = 0;

	for (uint32_t i = 0; i < summary->blame_cnt; i++)
		class_ns[summary->blame[i].total.class] += summary->blame[i].total.ns;
	for (int i = 1; i < NR_BLAME_CLASSES; i++) {
		if (class_ns[i] > class_ns[largest])
			largest = i;
	}
	*ns = class_ns[largest];
	return largest;
}

/* The largest blame of a class, if it has more than half of the time of the class. */
static const struct blame *main_blame(const struct summary *summary, enum blame_class class,
				      uint64_t class_ns)
{
	uint32_t i = 0;

	/* Sorted by time, and at least one entry has this class. */
	while (summary->blame[i].total.class != class)
		i++;
	return summary->blame[i].total.ns > class_ns / 2 ? &summary->blame[i].total : NULL;
}

static const char *sender_words(enum mode mode)
{
	return mode == MODE_ATTACH ? ", while the sender itself kept the CPU"
				   : ", while the server itself kept the CPU";
}

static void add_blame(const struct summary *summary, struct paragraph *verdict)
{
	const char *const words[NR_BLAME_CLASSES] = {
		[BLAME_SERVER] = sender_words(summary->info.mode),
		[BLAME_CLIENT] = ", first of all behind other clients",
		[BLAME_TASK] = ", first of all behind other tasks",
		[BLAME_KTHREAD] = ", first of all behind kernel threads",
		[BLAME_IRQ] = ", first of all behind interrupts",
		[BLAME_SOFTIRQ] = ", first of all behind softirqs",
		[BLAME_IDLE] = ", while the CPU was leaving idle",
		[BLAME_THROTTLED] = ", held back by bandwidth control",
		[BLAME_UNKNOWN] = "; who ran meanwhile is mostly unknown",
	};
	double runqueue_ns = (double)summary->component[COMPONENT_RUNQUEUE].sum;
	const struct blame *blame;
	enum blame_class class;
	char title[NAME_LEN];
	uint64_t ns;

	if (!summary->blame_cnt || runqueue_ns <= 0)
		return;
	class = largest_class(summary, &ns);
	paragraph_add(verdict, "%s (%s of that wait", words[class],
		      PERCENT((double)ns / runqueue_ns));
	blame = main_blame(summary, class, ns);
	if (blame && class != BLAME_SERVER && class != BLAME_IDLE && class != BLAME_THROTTLED &&
	    class != BLAME_UNKNOWN) {
		blame_title(blame, title);
		paragraph_add(verdict, "; %s alone %s", title,
			      PERCENT((double)blame->ns / runqueue_ns));
	}
	paragraph_add(verdict, ")");
}

static void add_context_switch(const struct summary *summary, struct paragraph *verdict)
{
	double wakeup_ns = component_ns(summary, COMPONENT_WAKEUP);
	double runqueue_ns = component_ns(summary, COMPONENT_RUNQUEUE);
	double switch_ns = component_ns(summary, COMPONENT_SWITCH);

	paragraph_add(verdict, "the context switch, above all ");
	if (runqueue_ns >= wakeup_ns && runqueue_ns >= switch_ns) {
		paragraph_add(verdict, "the wait for a CPU");
		add_blame(summary, verdict);
	} else if (wakeup_ns >= switch_ns) {
		paragraph_add(verdict, "the wake-up until the receiver is runnable");
	} else {
		paragraph_add(verdict, "the scheduler's own switch to the receiver");
	}
}

static void add_dispatch(const struct summary *summary, struct paragraph *verdict)
{
	if (summary->client_cnt > 1)
		paragraph_add(verdict,
			      "dispatch: it passes before the server's loop comes to this client");
	else
		paragraph_add(verdict,
			      "dispatch: the server's way from its clock reading to the send%s",
			      summary->info.level == LEVEL_LIGHT ? ", and the send itself" : "");
}

static void add_receive(const struct run_info *info, struct paragraph *verdict)
{
	if (info->level == LEVEL_LIGHT)
		paragraph_add(verdict, "what the receiver ran itself, in its receive call or "
				       "before it");
	else
		paragraph_add(verdict, "the receive call");
	if (!info->shows_switch)
		paragraph_add(verdict, ", the switch to the receiver included");
}

static void add_part(const struct summary *summary, enum component part, struct paragraph *verdict)
{
	static const char *const words[NR_COMPONENTS] = {
		[COMPONENT_SEND_PATH] = "the kernel's send path",
		[COMPONENT_BUSY] = "the receiver being busy with something else",
		[COMPONENT_BLOCKED] = "the receiver waiting for something else",
		[COMPONENT_RETURN] = "the way from the receive call back into the application",
	};

	if (words[part])
		paragraph_add(verdict, "%s", words[part]);
	else if (part == COMPONENT_DISPATCH)
		add_dispatch(summary, verdict);
	else if (part == COMPONENT_SWITCH)
		add_context_switch(summary, verdict);
	else
		add_receive(&summary->info, verdict);
}

static void add_untraced(const struct summary *summary, struct paragraph *verdict)
{
	if (summary->latency.count)
		paragraph_add(verdict,
			      "Untraced: these latencies are the clients' own clock readings; "
			      "what they are made of was not measured.");
	else
		paragraph_add(verdict,
			      "Untraced: how much came through was measured, and no latency.");
}

/* False: there is no latency to explain, and the sentence says so. */
static bool add_nothing(const struct summary *summary, struct paragraph *verdict)
{
	const struct integrity *integrity = &summary->integrity;

	if (summary->latency.count || (integrity->matched && !summary->info.traced))
		return true;
	if (!integrity->sent)
		paragraph_add(verdict, "No message was seen, so there is nothing to explain.");
	else
		paragraph_add(verdict,
			      "Of %llu message%s none was matched, so nothing is explained.",
			      (unsigned long long)integrity->sent, plural(integrity->sent));
	return false;
}

static void add_calls(const struct calls_summary *calls, struct paragraph *verdict)
{
	double all_ns = stat_mean(&calls->round_trip);

	if (!calls->count || all_ns <= 0)
		return;
	paragraph_add(verdict,
		      " Of a round trip, the request is %s, the service %s, the response %s.",
		      PERCENT(stat_mean(&calls->request) / all_ns),
		      PERCENT(stat_mean(&calls->service) / all_ns),
		      PERCENT(stat_mean(&calls->response) / all_ns));
}

static void add_largest_part(const struct summary *summary, struct paragraph *verdict)
{
	double ns;
	enum component part = largest_part(summary, &ns);
	double share = share_of_latency(summary, ns);

	paragraph_add(verdict, "%s of a message's latency (%s) is ", share_words(share),
		      PERCENT(share));
	add_part(summary, part, verdict);
	paragraph_add(verdict, ".");
}

static void add_verdict(const struct summary *summary, struct paragraph *verdict)
{
	if (!add_nothing(summary, verdict))
		return;
	if (summary->info.traced)
		add_largest_part(summary, verdict);
	else
		add_untraced(summary, verdict);
	add_calls(&summary->calls, verdict);
}

void text_verdict(const struct text *text, const struct summary *summary)
{
	struct paragraph verdict = {0};

	add_verdict(summary, &verdict);
	text_newline(text);
	paragraph_print(text, INK_PLAIN, "", &verdict);
}
