/* SPDX-License-Identifier: BSD-2-Clause */
/* Decides by the kind of a cause which thread's stack explains it. */
#include "analysis/causes/unit_stacks.h"

#include <errno.h>

void unit_stacks_clean(struct unit_stacks *stacks)
{
	stack_times__free(stacks->times);
}

static int unit_stacks_add_name(struct stack_names **names, const struct record *record)
{
	if (!*names)
		*names = stack_names__new();
	if (!*names)
		return -ENOMEM;
	if (record->type == RECORD_FRAMES)
		return stack_names__frames(*names, (const void *)record);
	if (record->type == RECORD_SYMBOL)
		return stack_names__symbol(*names, (const void *)record);
	stack_names__stacks(*names, (const void *)record);
	return 0;
}

int unit_stacks_add(struct unit_stacks *stacks, const struct record *record)
{
	switch (record->type) {
	case RECORD_STACK:
		if (!stacks->times)
			stacks->times = stack_times__new();
		return stacks->times ? stack_times__add(stacks->times, (const void *)record)
				     : -ENOMEM;
	case RECORD_FRAMES:
	case RECORD_SYMBOL:
	case RECORD_STACKS:
		return unit_stacks_add_name(stacks->names, record);
	default:
		return 0;
	}
}

void unit_stacks_trim(struct unit_stacks *stacks, uint64_t before_ns)
{
	if (stacks->times)
		stack_times__trim(stacks->times, before_ns);
}

/*
 * A cause may be in several pieces: of a sleep and of own time only the first ones are looked at.
 */
static struct stack_query own_query(const struct cause *cause)
{
	return (struct stack_query){
		.tid = cause->tid,
		.is_asleep = cause->cost == COMPONENT_BLOCKED || cause->cost == COMPONENT_ROOM,
		.from_ns = cause->from_ns,
		.to_ns = cause->from_ns + cause->by.ns,
	};
}

/* The culprit may be in the way again and again, until the end of the unit. */
static struct stack_query culprit_query(const struct cause *cause, uint64_t to_ns)
{
	return (struct stack_query){
		.tid = cause->by.tid,
		.has_cpu = cause->by.cpu < BLAME_CPU_SEVERAL,
		.cpu = cause->by.cpu,
		.from_ns = cause->from_ns,
		.to_ns = to_ns,
	};
}

/* Sets the stack of a cause, if one is known. */
static void set_stack(struct stack_times *times, struct cause *cause, uint64_t to_ns)
{
	bool waits_for_thread = cause->cost == COMPONENT_RUNQUEUE && cause->role == CAUSE_RAN &&
				cause->by.kind == SLICE_TASK;
	/* The thread itself slept or worked. */
	bool is_own = !components[cause->cost].in_switch && cause->cost != COST_STOPPED &&
		      cause->cost != COST_UNKNOWN && cause->tid && cause->role != CAUSE_INSIDE;
	struct stack_answer answer;
	struct stack_query query;

	if (waits_for_thread)
		query = culprit_query(cause, to_ns);
	else if (is_own)
		query = own_query(cause);
	else
		return;
	if (!stack_times__find(times, &query, &answer))
		return;
	cause->stack = answer.stack;
	cause->stack_kind = answer.kind;
}

int unit_stacks_put(void *ctx, const struct unit *unit)
{
	struct unit_stacks *stacks = ctx;
	struct cause *cause = (struct cause *)unit->cause; /* the analysis has made it */

	for (uint32_t i = 0; stacks->times && i < unit->cause_cnt; i++)
		set_stack(stacks->times, &cause[i], unit->to_ns);
	return stacks->on_unit ? stacks->on_unit(stacks->ctx, unit) : 0;
}
