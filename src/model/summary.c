/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Fills in struct peak from a message, and frees summaries. A peak is a message with an unusually
 * large latency.
 */
#include "model/summary.h"

#include "model/members/members.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static enum component summary_largest_component(const uint64_t component_ns[NR_COMPONENTS])
{
	enum component largest = 0;

	for (int i = 1; i < NR_COMPONENTS; i++) {
		if (component_ns[i] > component_ns[largest])
			largest = i;
	}
	return largest;
}

struct peak peak_of(const struct message *message)
{
	struct peak peak = {
		.latency_ns = message->latency_ns,
		.client = message->client,
		.component = summary_largest_component(message->component_ns),
	};

	peak.component_ns = message->component_ns[peak.component];
	if (peak.component == COMPONENT_RUNQUEUE && message->blame_cnt)
		peak.blame = message->blame[0];
	return peak;
}

static int compare_pid(const void *pid, const void *script)
{
	uint32_t x = *(const uint32_t *)pid, y = ((const struct script_summary *)script)->pid;

	return (x > y) - (x < y);
}

const char *summary_script(const struct summary *summary, uint32_t pid)
{
	const struct script_summary *found = NULL;

	if (summary->script_cnt)
		found = bsearch(&pid, summary->script, summary->script_cnt,
				sizeof(*summary->script), compare_pid);
	return found ? found->text : NULL;
}

struct end_summary channel_process(const struct channel_summary *channel, bool is_sender)
{
	const char *name = is_sender ? channel->sender_process : channel->receiver_process;
	struct end_summary process = is_sender ? channel->sender : channel->receiver;

	process.tid = 0;
	if (name[0])
		memcpy(process.comm, name, sizeof(process.comm));
	return process;
}

void summary_clean(struct summary *summary)
{
	members_clean(&summary_members, summary);
}

void service_callee_add(struct service_summary *service, const char *name, uint64_t calls,
			uint64_t ns)
{
	struct callee_summary *callee = service->callee;
	uint32_t i = 0;

	while (i < service->callee_cnt && strcmp(callee[i].name, name))
		i++;
	if (i == SERVICE_CALLEES_MAX)
		return;
	if (i == service->callee_cnt) {
		service->callee_cnt++;
		snprintf(callee[i].name, sizeof(callee[i].name), "%s", name);
	}
	callee[i].calls += calls;
	callee[i].ns += ns;
}

static int largest_callee_first(const void *a, const void *b)
{
	const struct callee_summary *x = a, *y = b;

	return x->ns == y->ns ? strcmp(x->name, y->name) : x->ns < y->ns ? 1 : -1;
}

void service_callees_sort(struct service_summary *service)
{
	qsort(service->callee, service->callee_cnt, sizeof(*service->callee), largest_callee_first);
}
