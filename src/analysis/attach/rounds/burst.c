/* SPDX-License-Identifier: BSD-2-Clause */
/* Keeps bursts, their messages, and what becomes of them. */
#include "analysis/attach/rounds/burst.h"

#include "container/step_limit.h"
#include "container/time_search.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <utlist.h>

void ordered_events_clean(struct ordered_events *events)
{
	deque_free(&events->deque, &events->event, sizeof(*events->event));
}

static int order_of(uint64_t a, uint64_t b)
{
	return (a > b) - (a < b);
}

/* Messages of one call have its start in common, and are sent one after the other. */
static int ordered_events_compare(const void *a, const void *b)
{
	const struct ordered_event *x = a, *y = b;
	int order = order_of(x->at_ns, y->at_ns);

	if (!order)
		order = order_of(x->end_ns, y->end_ns);
	return order ? order : order_of(x->position, y->position);
}

int ordered_events_add(struct ordered_events *events, const struct ordered_event *event)
{
	size_t cnt = events->deque.cnt;

	if (cnt == ORDERED_EVENTS_MAX)
		return -ENOSPC;
	if (deque_reserve(&events->deque, &events->event, 1, sizeof(*event)))
		return -ENOMEM;
	events->is_mixed |= cnt && ordered_events_compare(&events->event[cnt - 1], event) > 0;
	events->event[cnt] = *event;
	events->deque.cnt++;
	return 0;
}

const struct ordered_event *ordered_events_before(struct ordered_events *events, uint64_t before_ns,
						  size_t *cnt)
{
	struct time_array times;

	if (events->is_mixed && step_limit_spend_sort(events->deque.cnt))
		qsort(events->event, events->deque.cnt, sizeof(*events->event),
		      ordered_events_compare);
	events->is_mixed = false;
	times = TIME_SEARCH(events->event, events->deque.cnt, at_ns);
	*cnt = before_ns ? time_search_count(times, before_ns - 1, events->deque.cnt) : 0;
	return events->event;
}

void ordered_events_drop(struct ordered_events *events, size_t cnt)
{
	deque_drop(&events->deque, &events->event, cnt, sizeof(*events->event));
	/* A reader that had no CPU for long leaves more than will ever come again, mostly. */
	deque_fit(&events->deque, &events->event, sizeof(*events->event));
}

struct round_fate *round_fate_new(void)
{
	struct round_fate *fate = calloc(1, sizeof(*fate));

	if (fate)
		fate->refs = 1;
	return fate;
}

struct round_fate *round_fate_get(struct round_fate *fate)
{
	fate->refs++;
	return fate;
}

void round_fate_put(struct round_fate *fate)
{
	if (fate && !--fate->refs)
		free(fate);
}

static void forget_member(struct burst_pool *pool, struct burst_member *member)
{
	HASH_DEL(pool->member, member);
	member->next = pool->spare_member;
	pool->spare_member = member;
}

struct burst *burst_new(struct burst_pool *pool)
{
	struct burst *burst = pool->spare;

	if (burst) {
		pool->spare = burst->next;
		memset(burst, 0, sizeof(*burst));
	} else {
		burst = calloc(1, sizeof(*burst));
		if (!burst)
			return NULL;
	}
	DL_APPEND(pool->open, burst);
	pool->open_cnt++;
	return burst;
}

void burst_refuse(struct burst *burst)
{
	burst->no_round = true;
	if (burst->fate)
		burst->fate->is_decided = true;
}

void burst_free(struct burst_pool *pool, struct burst *burst)
{
	struct burst_member *member, *next;

	LL_FOREACH_SAFE (burst->open, member, next) {
		forget_member(pool, member);
	}
	for (uint32_t i = 0; i < burst->arrival_cnt; i++)
		free(burst->arrival[i].segment);
	free(burst->arrival);
	if (burst->fate)
		burst->fate->is_decided = true;
	round_fate_put(burst->fate);
	DL_DELETE(pool->open, burst);
	pool->open_cnt--;
	pool->sent_cnt -= burst->sent_cnt;
	burst->next = pool->spare;
	pool->spare = burst;
}

void burst_pool_clean(struct burst_pool *pool)
{
	struct burst_member *member;
	struct burst *burst;

	while (pool->open)
		burst_free(pool, pool->open);
	while ((member = pool->spare_member)) {
		pool->spare_member = member->next;
		free(member);
	}
	while ((burst = pool->spare)) {
		pool->spare = burst->next;
		free(burst);
	}
}

int burst_add_member(struct burst_pool *pool, struct burst *burst, const struct ordered_event *send)
{
	struct burst_member *member = pool->spare_member;

	if (member)
		pool->spare_member = member->next;
	else
		member = calloc(1, sizeof(*member));
	if (!member)
		return -ENOMEM;
	member->is_early = false;
	member->id = (struct message_id){.channel = send->channel, .position = send->position};
	member->burst = burst;
	LL_PREPEND(burst->open, member);
	HASH_ADD(hh, pool->member, id, sizeof(member->id), member);
	burst->sent_cnt++;
	pool->sent_cnt++;
	return 0;
}

struct burst *burst_remove_member(struct burst_pool *pool, const struct message *message,
				  bool *is_early)
{
	struct message_id id = {.channel = message->channel, .position = message->position};
	struct burst_member *member;

	HASH_FIND(hh, pool->member, &id, sizeof(id), member);
	if (!member)
		return NULL;
	*is_early = member->is_early;
	LL_DELETE(member->burst->open, member);
	forget_member(pool, member);
	return member->burst;
}

/* The first segment is that before its send. */
int burst_add_arrival(struct burst *burst, const struct message *message)
{
	struct burst_arrival *more =
		realloc(burst->arrival, (burst->arrival_cnt + 1) * sizeof(*more));
	struct burst_arrival *arrival;

	if (!more)
		return -ENOMEM;
	burst->arrival = more;
	arrival = &more[burst->arrival_cnt];
	*arrival = (struct burst_arrival){
		.channel = message->channel,
		.receiver = message->receiver,
		.peak = peak_of(message),
		.send_ns = message->send_ns,
		.recv_ns = message->recv_ns,
		.segment = malloc((message->segment_cnt + 1) * sizeof(*arrival->segment)),
		.segment_cnt = message->segment_cnt + 1,
	};
	if (!arrival->segment)
		return -ENOMEM;
	burst->arrival_cnt++;
	memcpy(arrival->segment + 1, message->segment,
	       message->segment_cnt * sizeof(*arrival->segment));
	return 0;
}

void burst_drop_arrival(struct burst *burst, uint32_t channel)
{
	for (uint32_t i = 0; i < burst->arrival_cnt; i++) {
		if (burst->arrival[i].channel != channel)
			continue;
		free(burst->arrival[i].segment);
		memmove(&burst->arrival[i], &burst->arrival[i + 1],
			(--burst->arrival_cnt - i) * sizeof(*burst->arrival));
		return;
	}
}

/* Whether `other` is what the same thread received after `one`. */
static bool is_followed_by(const struct burst_arrival *one, const struct burst_arrival *other)
{
	if (one == other || one->receiver.tid != other->receiver.tid)
		return false;
	if (one->recv_ns != other->recv_ns)
		return one->recv_ns < other->recv_ns;
	return one->send_ns != other->send_ns ? one->send_ns < other->send_ns : one < other;
}

void burst_join_receivers(struct burst *burst)
{
	for (uint32_t i = 0; i < burst->arrival_cnt; i++) {
		struct burst_arrival *arrival = &burst->arrival[i];

		for (uint32_t k = 0; k < burst->arrival_cnt && !arrival->is_early; k++)
			arrival->is_early = is_followed_by(arrival, &burst->arrival[k]);
		burst->channel_cnt -= arrival->is_early;
	}
}

/*
 * Its latency counts from the burst's start, so the time before its send, in which the burst sent
 * its earlier messages, is a part, too, which may be the largest one.
 */
static void burst_count_from(struct burst_arrival *arrival, uint64_t start_ns)
{
	uint64_t dispatch_ns = arrival->send_ns - start_ns;
	struct peak *peak = &arrival->peak;

	arrival->segment[0] = (struct segment){
		.from_ns = start_ns, .to_ns = arrival->send_ns, .component = COMPONENT_DISPATCH};
	peak->latency_ns = arrival->recv_ns - start_ns;
	if (dispatch_ns <= peak->component_ns)
		return;
	peak->component = COMPONENT_DISPATCH;
	peak->component_ns = dispatch_ns;
	peak->blame = (struct blame){0};
}

/*
 * Where the begins of sends are not traced, a burst starts when its first message is queued. That
 * may be stamped after the receiver has returned, see message_builder.c: then it was before.
 */
void burst_count_from_start(struct burst *burst)
{
	for (uint32_t i = 0; i < burst->arrival_cnt; i++) {
		if (burst->arrival[i].send_ns < burst->start_ns)
			burst->start_ns = burst->arrival[i].send_ns;
	}
	for (uint32_t i = 0; i < burst->arrival_cnt; i++)
		burst_count_from(&burst->arrival[i], burst->start_ns);
}
