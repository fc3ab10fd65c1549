/* SPDX-License-Identifier: BSD-2-Clause */
/* Holds the history of threads and CPUs. Decides how far back in time the history reaches. */
#include "analysis/history/history.h"

#include <errno.h>

/*
 * The record of a send comes when its wait for room is over. What the receiver did meanwhile is
 * kept, if a thread has waited for room lately.
 */
#define ROOM_KEPT_NS 1000000000ULL
#define ROOM_SEEN_NS 10000000000ULL

struct call {
	uint64_t enter_ns;
	uint64_t exit_ns;
	uint32_t channel;
};

int history_init(struct history *history)
{
	history->timelines = timelines__new();
	event_log_init(&history->calls, sizeof(struct call));
	history->calls.owner_max = RECEIVE_CALLS_MAX;
	history->calls.end_at = offsetof(struct call, exit_ns);
	history->cpus = cpu_slices__new();
	history->deep = deep_events__new();
	history->kept_ns = HISTORY_MAX_NS;
	return history->timelines && history->cpus && history->deep ? 0 : -ENOMEM;
}

void history_clean(struct history *history)
{
	timelines__free(history->timelines);
	event_log_clean(&history->calls);
	cpu_slices__free(history->cpus);
	deep_events__free(history->deep);
}

int history_add_call(struct history *history, const struct record_receive *receive)
{
	const struct call call = {.enter_ns = receive->enter_ns,
				  .exit_ns = receive->exit_ns,
				  .channel = receive->channel};

	return event_log_add(&history->calls, receive->head.tid, &call);
}

bool history_call_at(struct history *history, uint32_t tid, uint64_t at_ns, uint32_t *channel)
{
	struct events entered = event_log_until(&history->calls, tid, at_ns);
	const struct call *last;

	if (!entered.cnt)
		return false;
	last = (const struct call *)entered.event + entered.cnt - 1;
	if (last->exit_ns <= at_ns)
		return false;
	*channel = last->channel;
	return true;
}

size_t history_cnt(const struct history *history)
{
	return timelines__cnt(history->timelines) + history->calls.cnt +
	       cpu_slices__cnt(history->cpus) + deep_events__cnt(history->deep);
}

/* A message that never becomes complete cannot keep the history for longer than `kept_ns`. */
void history_trim(struct history *history, uint64_t before_ns, uint64_t horizon_ns)
{
	uint64_t room_ns = timelines__room_ns(history->timelines), oldest_ns = 0;
	size_t cnt;

	if (horizon_ns > before_ns)
		horizon_ns = before_ns;
	if (before_ns != UINT64_MAX && before_ns > history->kept_ns)
		oldest_ns = before_ns - history->kept_ns;
	if (room_ns && room_ns + ROOM_SEEN_NS > before_ns && horizon_ns > before_ns - ROOM_KEPT_NS)
		horizon_ns = before_ns - ROOM_KEPT_NS;
	if (horizon_ns < oldest_ns)
		horizon_ns = oldest_ns;
	timelines__trim(history->timelines, horizon_ns, oldest_ns);
	event_log_trim(&history->calls, horizon_ns);
	cpu_slices__trim(history->cpus, horizon_ns);
	deep_events__trim(history->deep, horizon_ns);
	cnt = history_cnt(history);
	if (cnt > HISTORY_MAX && history->kept_ns / 2 >= HISTORY_MIN_NS)
		history->kept_ns /= 2;
	else if (cnt < HISTORY_MAX / 4 && history->kept_ns * 2 <= HISTORY_MAX_NS)
		history->kept_ns *= 2;
}
