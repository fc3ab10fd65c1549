/* SPDX-License-Identifier: BSD-2-Clause */
/* Keeps the stacks of each thread by the end of the time for which they hold. */
#include "analysis/history/stack_times.h"

#include "container/event_log.h"
#include "container/step_limit.h"

#include <stdlib.h>

/* What can be kept for the least time, whatever there is. */
#define KEPT_MIN_NS 100000000ULL

struct stack_time {
	uint64_t to_ns;
	uint64_t from_ns;
	uint32_t stack;
	uint16_t cpu;
	uint8_t kind;
};

struct stack_times {
	struct event_log log; /* struct stack_time, by thread */
	uint64_t kept_ns;
};

struct stack_times *stack_times__new(void)
{
	struct stack_times *times = malloc(sizeof(*times));

	if (!times)
		return NULL;
	event_log_init(&times->log, sizeof(struct stack_time));
	times->kept_ns = STACK_TIMES_MAX_NS;
	return times;
}

void stack_times__free(struct stack_times *times)
{
	if (times)
		event_log_clean(&times->log);
	free(times);
}

int stack_times__add(struct stack_times *times, const struct record_stack *record)
{
	const struct stack_time time = {
		.to_ns = record->to_ns,
		.from_ns = record->from_ns,
		.stack = record->stack,
		.cpu = record->head.cpu,
		.kind = record->kind,
	};

	if (record->kind >= NR_STACK_KINDS || record->from_ns > record->to_ns || !record->stack)
		return 0;
	return event_log_add(&times->log, record->head.tid, &time);
}

/* How much of the time of the query it covers. */
static uint64_t overlap_ns(const struct stack_time *time, const struct stack_query *query)
{
	uint64_t from_ns = time->from_ns > query->from_ns ? time->from_ns : query->from_ns;
	uint64_t to_ns = time->to_ns < query->to_ns ? time->to_ns : query->to_ns;

	return from_ns < to_ns ? to_ns - from_ns : 0;
}

static bool is_asked_for(const struct stack_time *time, const struct stack_query *query)
{
	if (query->is_asleep)
		return time->kind == STACK_BLOCKED;
	return time->kind != STACK_BLOCKED && (!query->has_cpu || time->cpu == query->cpu);
}

static bool stack_times_is_better(const struct stack_time *time, const struct stack_time *best,
				  const struct stack_query *query)
{
	/* A tick is an instant. */
	if (time->kind == STACK_RAN)
		return time->to_ns <= query->to_ns && (!best || best->kind != STACK_RAN);
	if (best && best->kind == STACK_RAN)
		return false;
	return overlap_ns(time, query) > (best ? overlap_ns(best, query) : 0);
}

bool stack_times__find(struct stack_times *times, const struct stack_query *query,
		       struct stack_answer *answer)
{
	struct events events =
		event_log_within(&times->log, query->tid, query->from_ns, UINT64_MAX);
	const struct stack_time *time = events.event, *best = NULL;

	for (size_t i = 0; i < events.cnt && step_limit_spend(1); i++) {
		if (is_asked_for(&time[i], query) && stack_times_is_better(&time[i], best, query))
			best = &time[i];
		/* Times of one thread do not overlap, but for ticks, which lie within others. */
		if (time[i].to_ns >= query->to_ns && time[i].kind != STACK_RAN)
			break;
	}
	if (!best)
		return false;
	*answer = (struct stack_answer){best->stack, best->kind};
	return true;
}

size_t stack_times__cnt(const struct stack_times *times)
{
	return times->log.cnt;
}

void stack_times__trim(struct stack_times *times, uint64_t before_ns)
{
	if (times->log.cnt > STACK_TIMES_MAX && times->kept_ns / 2 >= KEPT_MIN_NS)
		times->kept_ns /= 2;
	else if (times->log.cnt < STACK_TIMES_MAX / 4 && times->kept_ns < STACK_TIMES_MAX_NS)
		times->kept_ns *= 2;
	if (times->log.cnt && before_ns != UINT64_MAX && before_ns > times->kept_ns)
		event_log_trim(&times->log, before_ns - times->kept_ns);
}
