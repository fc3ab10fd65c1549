/* SPDX-License-Identifier: BSD-2-Clause */
/* Keeps an event for each number of a stretch, and finds those of the first stretch in a time. */
#include "analysis/history/short_calls.h"

/* A thread that only tries again has less code between two calls, and less of it than this. */
#define RETRY_CODE_NS 5000
#define RETRY_PART    8 /* the calls have at least 1 / this of the stretch */

/* An interrupt makes the time of a single call as long as that of many. */
#define AGAIN_LEAST 8

struct short_call {
	uint64_t to_ns; /* the stretch; */
	uint64_t from_ns;
	uint64_t ns; /* in calls of this number */
	uint32_t number;
	uint32_t error;
	uint32_t cnt;
};

void short_calls_init(struct event_log *stretches)
{
	event_log_init(stretches, sizeof(struct short_call));
}

int short_calls_add(struct event_log *stretches, const struct record_calls *record)
{
	return event_log_add(stretches, record->head.tid,
			     &(struct short_call){
				     .to_ns = record->to_ns,
				     .from_ns = record->from_ns,
				     .ns = record->ns,
				     .number = record->number,
				     .error = record->head.flags,
				     .cnt = record->cnt,
			     });
}

/* Their time in the part. */
static uint64_t in_part(const struct short_call *call, const struct short_calls_part *part)
{
	uint64_t part_ns = part->to_ns - part->from_ns, whole_ns = call->to_ns - call->from_ns;

	return (unsigned __int128)call->ns * part_ns / whole_ns;
}

static void short_calls_append(struct short_calls_part *part, const struct short_call *call)
{
	uint64_t left_ns = part->to_ns - part->from_ns, ns = in_part(call, part);

	for (uint32_t i = 0; i < part->cnt; i++)
		left_ns -= part->call[i].ns;
	part->call[part->cnt].number = call->number;
	part->call[part->cnt].error = call->error;
	part->call[part->cnt].is_again = call->cnt >= AGAIN_LEAST;
	part->call[part->cnt++].ns = ns < left_ns ? ns : left_ns;
}

static bool only_tries_again(const struct short_call *call)
{
	uint64_t whole_ns = call->to_ns - call->from_ns;

	return call->error && call->ns <= whole_ns && call->ns >= whole_ns / RETRY_PART &&
	       whole_ns - call->ns <= (uint64_t)call->cnt * RETRY_CODE_NS;
}

bool short_calls_first(struct event_log *stretches, uint32_t tid, uint64_t from_ns, uint64_t to_ns,
		       struct short_calls_part *part)
{
	struct events events = event_log_within(stretches, tid, from_ns, UINT64_MAX);
	const struct short_call *call = events.event;

	if (!events.cnt || call->from_ns >= to_ns || call->from_ns >= call->to_ns)
		return false;
	*part = (struct short_calls_part){
		.from_ns = call->from_ns > from_ns ? call->from_ns : from_ns,
		.to_ns = call->to_ns < to_ns ? call->to_ns : to_ns,
	};
	for (size_t i = 0; i < events.cnt && part->cnt < SHORT_CALL_NUMBERS &&
			   call[i].from_ns == call->from_ns && call[i].to_ns == call->to_ns;
	     i++)
		short_calls_append(part, &call[i]);
	part->only_fails = part->cnt == 1 && part->call[0].is_again && only_tries_again(call);
	return part->from_ns < part->to_ns;
}
