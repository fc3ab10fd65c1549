/* SPDX-License-Identifier: BSD-2-Clause */
/* Explains a component of messages, with the process and the culprit that cause it. */
#include "report/words/ends.h"
#include "report/words/verdict_parts.h"
#include "report/text/sections.h"

#include <stdlib.h>

const char *share_words(double share)
{
	if (share >= 0.9)
		return "Nearly all";
	if (share >= 0.55)
		return "Most";
	if (share >= 0.45)
		return "About half";
	return "The largest part";
}

static const char *relation_words(const struct culprit *culprit)
{
	static const char *const words[NR_BLAME_RELATIONS] = {
		[RELATION_NONE] = "",
		[RELATION_TARGET] = ", a thread of the target",
		[RELATION_PEER] = ", a thread of a peer",
		[RELATION_OTHER] = "",
	};

	return culprit->class == BLAME_SERVER ? ", the sender" : words[culprit->relation];
}

void blame_words(struct paragraph *verdict, const struct summary *summary, struct blame_list list,
		 double runqueue_ns)
{
	char name[2 * NAME_LEN];
	struct culprit *culprit;
	uint32_t cnt;

	culprit = culprits_of(summary, list, &cnt);
	if (cnt && culprit_has_name(culprit) && runqueue_ns > 0) {
		paragraph_add(verdict, ", %s ",
			      culprit->ns >= runqueue_ns / 2 ? "mostly" : "first of all");
		if (culprit->class == BLAME_IDLE)
			paragraph_add(verdict, "one that is leaving idle");
		else if (culprit->class == BLAME_THROTTLED)
			paragraph_add(verdict,
				      "because its control group has used up its CPU quota");
		else
			paragraph_add(verdict, "behind %s%s", culprit_name(culprit, name),
				      relation_words(culprit));
	}
	free(culprit);
}

static void add_runqueue(const struct summary *summary, const char *receiver,
			 struct paragraph *verdict)
{
	paragraph_add(verdict, "run queue: %s waits for a CPU", receiver);
	blame_words(verdict, summary, blame_of_messages(summary),
		    (double)summary->component[COMPONENT_RUNQUEUE].sum);
}

static void add_dispatch(const struct summary *summary, const char *sender,
			 struct paragraph *verdict)
{
	const char *send = summary->info.level == LEVEL_LIGHT ? ", and the send itself" : "";

	if (summary->client_cnt > 1)
		paragraph_add(verdict,
			      "dispatch: the loop of %s, which sends to one client after "
			      "another",
			      sender);
	else
		paragraph_add(verdict,
			      "dispatch: %s is between its clock reading and the send call%s",
			      sender, send);
}

static void add_receive(const struct summary *summary, const char *receiver,
			struct paragraph *verdict)
{
	if (summary->info.level == LEVEL_LIGHT)
		paragraph_add(verdict, "receive: %s runs, in its receive call or before it",
			      receiver);
	else
		paragraph_add(verdict, "receive: %s is in its receive call", receiver);
	if (!summary->info.shows_switch)
		paragraph_add(verdict, ", the switch to it included");
}

static void add_blocked(const struct summary *summary, const char *receiver,
			struct paragraph *verdict)
{
	paragraph_add(verdict, "blocked: %s %s", receiver,
		      blocked_calls_is_stopped(&summary->blocked) ? "is stopped"
								  : "sleeps for another reason");
	blocked_calls_words(verdict, ", in ", &summary->blocked, &summary->info);
}

void component_words(struct paragraph *verdict, const struct summary *summary, enum component part)
{
	bool is_sender = part == COMPONENT_DISPATCH || part == COMPONENT_SEND_PATH;
	char end[END_WORDS_LEN];

	message_end_words(summary, part, is_sender ? END_OF_SENDER : END_OF_RECEIVER, end);
	switch (part) {
	case COMPONENT_DISPATCH:
		add_dispatch(summary, end, verdict);
		break;
	case COMPONENT_SEND_PATH:
		paragraph_add(
			verdict,
			"send path: from the begin of the send call of %s until the data can be "
			"read",
			end);
		break;
	case COMPONENT_ROOM:
		paragraph_add(verdict, "waiting for room: %s receives too slowly", end);
		room_words(verdict, summary);
		break;
	case COMPONENT_WAKEUP:
		paragraph_add(verdict, "wakeup: %s sleeps until the kernel has woken it up", end);
		break;
	case COMPONENT_RUNQUEUE:
		add_runqueue(summary, end, verdict);
		break;
	case COMPONENT_SWITCH:
		paragraph_add(verdict, "switch: the CPU switches to %s", end);
		break;
	case COMPONENT_BUSY:
		paragraph_add(verdict, "busy: %s runs other code before it receives", end);
		break;
	case COMPONENT_BLOCKED:
		add_blocked(summary, end, verdict);
		break;
	case COMPONENT_RETURN:
		paragraph_add(verdict, "return: %s returns from its receive call to its own code",
			      end);
		break;
	default:
		add_receive(summary, end, verdict);
	}
}
