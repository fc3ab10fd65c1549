/* SPDX-License-Identifier: BSD-2-Clause */
/* Turns the segments and the blame of a message into causes. */
#include "analysis/causes/message_causes.h"

#include "analysis/container/step_limit.h"
#include "model/blocked_calls.h"

void message_causes_waits(struct cause_list *list, const struct blames *blames, uint32_t tid)
{
	for (uint32_t i = 0; i < blames->cnt && step_limit_spend(1); i++) {
		const struct blame *blame = &blames->blame[i];
		struct cause cause = {
			.cost = COST_RUNQUEUE,
			.role = blame->class == BLAME_UNKNOWN ? CAUSE_UNKNOWN : CAUSE_RAN,
			.call = CALL_UNKNOWN,
			.tid = tid,
			.from_ns = blames->began_ns[i],
			.by = *blame,
		};

		cause_list_add(list, &cause);
	}
}

/* A part of a component without a culprit. */
static struct cause own_time(enum cost cost, uint32_t tid, uint64_t from_ns, uint64_t to_ns)
{
	return (struct cause){
		.cost = cost,
		.role = CAUSE_ITSELF,
		.call = CALL_UNKNOWN,
		.tid = tid,
		.from_ns = from_ns,
		.by = {.class = BLAME_UNKNOWN, .cpu = BLAME_CPU_UNKNOWN, .ns = to_ns - from_ns},
	};
}

static void add_segment(struct cause_list *list, const struct message *message,
			const struct segment *segment)
{
	bool is_sender = segment->component <= COMPONENT_ROOM;
	struct cause cause = own_time(segment->component,
				      is_sender ? message->sender.tid : message->receiver.tid,
				      segment->from_ns, segment->to_ns);

	if (segment->component == COMPONENT_BLOCKED) {
		cause.role = CAUSE_UNKNOWN;
		cause.call = segment->cpu;
	}
	cause_list_add(list, &cause);
}

void message_causes_segments(struct cause_list *list, const struct message *message)
{
	for (uint32_t i = 0; i < message->segment_cnt && step_limit_spend(STEPS_OF_CHANGE); i++) {
		if (message->segment[i].component != COMPONENT_RUNQUEUE)
			add_segment(list, message, &message->segment[i]);
	}
	cause_list_sort(list);
}
