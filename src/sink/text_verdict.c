/* SPDX-License-Identifier: BSD-2-Clause */
#include "sink/text_verdict.h"
#include "sink/derived.h"
#include "sink/words.h"

/* What competes for the verdict; the context switch counts as one. */
enum part {
	PART_DISPATCH,
	PART_SEND_PATH,
	PART_SWITCH,
	PART_BUSY,
	PART_BLOCKED,
	PART_RECEIVE,
	NR_PARTS
};

static double component_ns(const struct summary *summary, enum component component)
{
	return stat_mean(&summary->component[component]);
}

static enum part largest_part(const struct summary *summary, double *ns)
{
	const double part_ns[NR_PARTS] = {
		[PART_DISPATCH] = component_ns(summary, COMPONENT_DISPATCH),
		[PART_SEND_PATH] = component_ns(summary, COMPONENT_SEND_PATH),
		[PART_SWITCH] = context_switch_ns(summary),
		[PART_BUSY] = component_ns(summary, COMPONENT_BUSY),
		[PART_BLOCKED] = component_ns(summary, COMPONENT_BLOCKED),
		[PART_RECEIVE] = component_ns(summary, COMPONENT_RECEIVE) +
				 component_ns(summary, COMPONENT_RETURN),
	};
	enum part largest = PART_DISPATCH;

	for (enum part i = 0; i < NR_PARTS; i++) {
		if (part_ns[i] > part_ns[largest])
			largest = i;
	}
	*ns = part_ns[largest];
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

static void add_culprit(const struct summary *summary, struct paragraph *verdict)
{
	const struct blame_summary *blame = &summary->blame[0];
	double runqueue_ns = (double)summary->component[COMPONENT_RUNQUEUE].sum;
	char title[NAME_LEN];

	if (!summary->blame_cnt || runqueue_ns <= 0)
		return;
	blame_title(&blame->who, title);
	switch (blame->who.class) {
	case BLAME_SERVER:
		paragraph_add(verdict, ", while the server itself kept the CPU");
		break;
	case BLAME_CLIENT:
		paragraph_add(verdict, ", first of all behind another client, %s", title);
		break;
	case BLAME_IDLE:
		paragraph_add(verdict, ", while the CPU was leaving idle");
		break;
	case BLAME_UNKNOWN:
		paragraph_add(verdict, "; who ran meanwhile was not recorded");
		return;
	default:
		paragraph_add(verdict, ", first of all behind %s", title);
	}
	paragraph_add(verdict, " (%s of that wait)", PERCENT((double)blame->who.ns / runqueue_ns));
}

static void add_context_switch(const struct summary *summary, struct paragraph *verdict)
{
	double wakeup_ns = component_ns(summary, COMPONENT_WAKEUP);
	double runqueue_ns = component_ns(summary, COMPONENT_RUNQUEUE);
	double switch_ns = component_ns(summary, COMPONENT_SWITCH);

	paragraph_add(verdict, "the context switch, above all ");
	if (runqueue_ns >= wakeup_ns && runqueue_ns >= switch_ns) {
		paragraph_add(verdict, "the wait for a CPU");
		add_culprit(summary, verdict);
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
			      "dispatch: the server's way from its clock reading to the send");
}

static void add_part(const struct summary *summary, enum part part, struct paragraph *verdict)
{
	switch (part) {
	case PART_DISPATCH:
		add_dispatch(summary, verdict);
		break;
	case PART_SEND_PATH:
		paragraph_add(verdict, "the kernel's send path");
		break;
	case PART_SWITCH:
		add_context_switch(summary, verdict);
		break;
	case PART_BUSY:
		paragraph_add(verdict, "the receiver being busy with something else");
		break;
	case PART_BLOCKED:
		paragraph_add(verdict, "the receiver waiting for something else");
		break;
	default:
		if (component_ns(summary, COMPONENT_RETURN) >
		    component_ns(summary, COMPONENT_RECEIVE)) {
			paragraph_add(verdict, "the way from the receive call back into the "
					       "application");
			break;
		}
		paragraph_add(verdict, "the receive call%s",
			      summary->info.shows_switch ? ""
							 : ", the switch to the receiver included");
	}
}

void text_verdict(const struct summary *summary, struct paragraph *verdict)
{
	const struct integrity *integrity = &summary->integrity;
	enum part part;
	double share;
	double ns;

	if (!summary->latency.count && !integrity->sent) {
		paragraph_add(verdict, "No message was seen, so there is nothing to explain.");
		return;
	}
	if (!summary->latency.count) {
		paragraph_add(verdict,
			      "Of %llu message%s none was matched, so nothing is explained.",
			      (unsigned long long)integrity->sent, plural(integrity->sent));
		return;
	}
	if (!summary->info.traced) {
		paragraph_add(verdict,
			      "Untraced: these latencies are the clients' own clock readings; "
			      "what they are made of was not measured.");
		return;
	}
	part = largest_part(summary, &ns);
	share = share_of_latency(summary, ns);
	paragraph_add(verdict, "%s of a message's latency (%s) is ", share_words(share),
		      PERCENT(share));
	add_part(summary, part, verdict);
	paragraph_add(verdict, ".");
}
