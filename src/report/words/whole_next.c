/* SPDX-License-Identifier: BSD-2-Clause */
/* Says what to try about the largest part of the time of a mean unit. */
#include "report/words/verdict_parts.h"
#include "report/words/whole_words.h"

#include "insight/metrics.h"
#include "report/words/culprits.h"
#include "report/words/explain/remedies.h"
#include "report/words/explain/sleep_calls.h"
#include "report/words/summary_words.h"

#include <stdlib.h>

#define NESTED_MATTERS  0.5  /* of the service */
#define CULPRIT_MATTERS 0.25 /* of the wait */
#define SLEEP_MATTERS   0.5  /* of the sleep */

/* What had the CPU for most of the wait. */
static void next_add_wait(struct paragraph *line, const struct whole *whole,
			  const struct whole_part *part)
{
	const struct blame_list list = {whole->blame, whole->blame_cnt};
	enum remedy remedy;
	struct culprit *culprit;
	uint32_t cnt;

	culprit = culprits_of(whole->summary, list, &cnt);
	remedy = cnt ? remedy_of_class(culprit->class) : NR_REMEDIES;
	if (remedy == NR_REMEDIES || !culprit_has_name(culprit) ||
	    whole_share(whole, culprit->ns) < CULPRIT_MATTERS * part->ns / whole->all_ns)
		paragraph_add(line, "leave a CPU free for these programs");
	else if (remedy != REMEDY_NEIGHBOUR)
		paragraph_add(line, "%s", remedies[remedy].helps);
	else if (culprit->class == BLAME_TASK && blame_relations[culprit->relation].is_traced)
		paragraph_add(line,
			      "let %s and the threads that wait for it run on different CPUs "
			      "(taskset)",
			      culprit->by->comm);
	else if (culprit->class != BLAME_TASK)
		paragraph_add(line,
			      "put sender and receiver on different CPUs (taskset), or free one");
	else
		culprit_move_words(line, culprit->by, culprit->pid ?: culprit->tid);
	free(culprit);
}

/* By the call that has most of the sleep; NULL: it does not say what the thread waits for. */
static const char *next_of_sleep(const struct whole *whole, const struct blocked_calls *blocked)
{
	const struct run_info *info = &whole->summary->info;
	const struct blocked_call *most = &blocked->entry[0];

	if (info->mode != MODE_ATTACH || !blocked->cnt ||
	    (double)most->ns < SLEEP_MATTERS * (double)blocked_calls_ns(blocked))
		return NULL;
	if (most->call == CALL_STOPPED)
		return remedies[REMEDY_STOPPED].helps;
	switch (sleep_call_of(info->host.arch, most->call)) {
	case SLEEP_LOCK:
		return "run again with --explain: it names the thread that holds the lock";
	case SLEEP_PAUSE:
		return remedies[REMEDY_TIMER].helps;
	case SLEEP_DISK:
		return remedies[REMEDY_DISK].helps;
	default:
		return NULL;
	}
}

const char *component_next(enum component component)
{
	switch (component) {
	case COMPONENT_RUNQUEUE:
		return NULL;
	case COMPONENT_DISPATCH:
		return remedies[REMEDY_DISPATCH].helps;
	case COMPONENT_ROOM:
		return remedies[REMEDY_ROOM].helps;
	case COMPONENT_BUSY:
		return remedies[REMEDY_BUSY].helps;
	case COMPONENT_WAKEUP:
		return remedies[REMEDY_IDLE].helps;
	case COMPONENT_BLOCKED:
		return "run again with --explain: it names what the receiver waits for";
	default:
		return remedies[REMEDY_KERNEL].helps;
	}
}

static void next_add_component(struct paragraph *line, const struct whole *whole,
			       const struct whole_part *part)
{
	if (part->which == COMPONENT_RUNQUEUE)
		next_add_wait(line, whole, part);
	else if (part->which == COMPONENT_BUSY && is_of_responses(whole, part))
		paragraph_add(line, "the client is busy when its answer comes: let it receive "
				    "sooner, or give it more threads");
	else if (part->which == COMPONENT_BLOCKED && next_of_sleep(whole, &whole->summary->blocked))
		paragraph_add(line, "%s", next_of_sleep(whole, &whole->summary->blocked));
	else
		paragraph_add(line, "%s", component_next(part->which));
}

static void next_add_state(struct paragraph *line, const struct whole *whole,
			   enum service_state state)
{
	const struct calls_summary *calls = &whole->summary->calls;
	const struct service_summary *service = busiest_service(calls);

	if (state == SERVICE_ON_CPU)
		paragraph_add(line, "%s", remedies[REMEDY_WORK].helps);
	else if (service &&
		 (double)service->nested_ns >= NESTED_MATTERS * (double)service->service.sum)
		paragraph_add(line, "%s", remedies[REMEDY_BACKEND].helps);
	else if (next_of_sleep(whole, &calls->blocked))
		paragraph_add(line, "%s", next_of_sleep(whole, &calls->blocked));
	else
		paragraph_add(line, "run again with --explain: it names what the server waits for");
}

/* What was lost may be what is slow. */
static void next_add_complete(struct paragraph *line, const struct summary *summary)
{
	if (!integrity_lost(&summary->integrity))
		paragraph_add(line, "see *complete* below for what is missing, and trace again");
	else
		paragraph_add(line, "trace again%s leave ipctrace a CPU",
			      summary->info.level == LEVEL_LIGHT ? ", and"
								 : " with --level light, or");
}

void whole_next_words(struct paragraph *line, const struct whole *whole)
{
	const struct whole_part *part = whole_largest(whole);

	if (!part) {
		unseen_next_words(line, whole->summary);
		return;
	}
	if (lacks_messages(&whole->summary->integrity))
		next_add_complete(line, whole->summary);
	else if (part->kind == WHOLE_COMPONENT)
		next_add_component(line, whole, part);
	else if (part->kind == WHOLE_STATE)
		next_add_state(line, whole, part->which);
	else if (part->kind == WHOLE_STEP)
		paragraph_add(line, "%s", remedies[REMEDY_OPENING].helps);
	if (line->length)
		paragraph_add(line, ".");
}
