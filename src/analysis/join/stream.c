/* SPDX-License-Identifier: BSD-2-Clause */
/* Keeps the sends, receives and arrivals of a stream until the caller closes its messages. */
#include "analysis/join/stream.h"

#include "container/array.h"
#include "container/lru_table.h"
#include "container/time_search.h"
#include "analysis/join/stream_state.h"
#include "container/step_limit.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <utlist.h>

/* Both end early when the analysis has no steps left. In the second, `s` may leave the list. */
#define EACH_BUSY(streams, s)                                                                      \
	for ((s) = (streams)->busy; (s) && step_limit_spend(STEPS_OF_STREAM); (s) = (s)->next_busy)
#define EACH_BUSY_SAFE(streams, s, next)                                                           \
	for ((s) = (streams)->busy;                                                                \
	     (s) && ((next) = (s)->next_busy, step_limit_spend(STEPS_OF_STREAM)); (s) = (next))

struct streams *streams__new(void)
{
	return calloc(1, sizeof(struct streams));
}

/* Each watermark visits the busy streams only: most of many thousands of channels are quiet. */
static void make_busy(struct streams *streams, struct stream *stream)
{
	if (!stream->prev_busy)
		DL_APPEND2(streams->busy, stream, prev_busy, next_busy);
}

static void make_quiet(struct streams *streams, struct stream *stream)
{
	if (!stream->prev_busy)
		return;
	DL_DELETE2(streams->busy, stream, prev_busy, next_busy);
	stream->prev_busy = stream->next_busy = NULL;
}

static void stream_forget(struct streams *streams, struct stream *stream)
{
	make_quiet(streams, stream);
	streams->open -= stream->sent_cnt;
	streams->received -= stream->received_cnt + stream->arrival_cnt;
	free(stream->sent);
	free(stream->received);
	free(stream->arrival);
	free(stream->again);
	LRU_DROP(streams, stream);
}

static void stream_leftover(struct stream *stream, join_take_fn *take, void *ctx);

void streams__free(struct streams *streams)
{
	while (streams && streams->first)
		stream_forget(streams, streams->first);
	free(streams);
}

static void stream_make_room(struct streams *streams, struct stream *oldest)
{
	if (streams->on_forgotten)
		stream_leftover(oldest, streams->on_forgotten, streams->ctx);
	stream_forget(streams, oldest);
}

static struct stream *stream_find(const struct streams *streams, uint32_t id)
{
	return LRU_GET(streams, id);
}

static struct stream *stream_of(struct streams *streams, uint32_t id)
{
	struct stream *stream;

	LRU_FIND_OR_ADD(streams, id, stream, LRU_CHANNELS_MAX, stream_make_room);
	return stream;
}

int streams__send(struct streams *streams, const struct record_send *send)
{
	struct stream *stream = stream_of(streams, send->channel);
	size_t at;

	if (!stream ||
	    array_grow(&stream->sent, stream->sent_cnt, &stream->sent_room, sizeof(*stream->sent)))
		return -ENOMEM;
	for (at = stream->sent_cnt++; at && stream->sent[at - 1].send.position > send->position;
	     at--)
		stream->sent[at] = stream->sent[at - 1];
	step_limit_spend(stream->sent_cnt - at);
	stream->sent[at] = (struct sent){.send = *send,
					 .full_ns = send_full_ns(send),
					 .returned_ns = send_returned_ns(send)};
	streams->open++;
	make_busy(streams, stream);
	return 0;
}

int streams__receive(struct streams *streams, const struct record_receive *receive,
		     size_t change_cnt)
{
	struct stream *stream = stream_of(streams, receive->channel);
	size_t at;

	if (!stream || array_grow(&stream->received, stream->received_cnt, &stream->received_room,
				  sizeof(*stream->received)))
		return -ENOMEM;
	for (at = stream->received_cnt++;
	     at && stream->received[at - 1].receive.position > receive->position; at--)
		stream->received[at] = stream->received[at - 1];
	step_limit_spend(stream->received_cnt - at);
	stream->received[at] = (struct received){.receive = *receive, .change_cnt = change_cnt};
	streams->received++;
	make_busy(streams, stream);
	return 0;
}

int streams__arrival(struct streams *streams, const struct record_arrival *arrival)
{
	struct stream *stream = stream_of(streams, arrival->channel);
	size_t at;

	if (!stream || array_grow(&stream->arrival, stream->arrival_cnt, &stream->arrival_room,
				  sizeof(*stream->arrival)))
		return -ENOMEM;
	for (at = stream->arrival_cnt++; at && stream->arrival[at - 1].end > arrival->end; at--)
		stream->arrival[at] = stream->arrival[at - 1];
	step_limit_spend(stream->arrival_cnt - at);
	stream->arrival[at] = *arrival;
	streams->received++;
	make_busy(streams, stream);
	return 0;
}

int streams__retransmit(struct streams *streams, const struct record_retransmit *record)
{
	struct stream *stream = stream_of(streams, record->channel);

	if (stream && !stream->again)
		stream->again = calloc(1, sizeof(*stream->again));
	if (!stream || !stream->again)
		return -ENOMEM;
	stream->again->last[stream->again->cnt++ % RETRANSMITS_KEPT] = *record;
	return 0;
}

void streams__mark_send(struct streams *streams, uint32_t channel, uint64_t position)
{
	struct stream *stream = stream_find(streams, channel);
	size_t i;

	if (!stream)
		return;
	i = time_search_count(TIME_SEARCH(stream->sent, stream->sent_cnt, send.position), position,
			      stream->sent_cnt);
	for (; i && stream->sent[i - 1].send.position == position &&
	       step_limit_spend(STEPS_OF_AMBIGUOUS);
	     i--)
		stream->sent[i - 1].is_ambiguous = true;
}

void streams__mark_receive(struct streams *streams, uint32_t channel, uint64_t position)
{
	struct stream *stream = stream_find(streams, channel);
	size_t i;

	if (!stream)
		return;
	i = time_search_count(TIME_SEARCH(stream->received, stream->received_cnt, receive.position),
			      position, stream->received_cnt);
	for (; i && stream->received[i - 1].receive.position == position &&
	       step_limit_spend(STEPS_OF_AMBIGUOUS);
	     i--)
		stream->received[i - 1].is_ambiguous = true;
}

struct joined streams_joined(const struct ready *ready)
{
	const struct sent *sent = ready->owner;
	struct joined joined = {
		.has_send = true,
		.send = sent->send,
		.full_ns = sent->full_ns,
		.returned_ns = sent->returned_ns,
		.again_ns = ready->again_ns,
		.seq = sent->is_numbered ? sent->seq : SEQ_UNKNOWN,
		.receives = ready->receives,
		.is_ambiguous = ready->is_ambiguous,
	};

	joined.send.queued_ns = ready->queued_ns;
	if (!ready->received)
		return joined;
	joined.has_receive = true;
	joined.receive = ready->received->receive;
	joined.change_cnt = ready->received->change_cnt;
	return joined;
}

size_t streams__ready(struct streams *streams, uint64_t before_ns, bool has_parts,
		      struct ready *ready)
{
	struct stream *s;
	size_t cnt = 0;

	EACH_BUSY (streams, s)
		cnt += stream_ready(s, before_ns, has_parts, ready + cnt);
	return cnt;
}

void streams__close(void *owner)
{
	((struct sent *)owner)->is_closed = true;
}

static void stream_drop_first(void *array, size_t *cnt, size_t drop, size_t size)
{
	if (!drop)
		return;
	*cnt -= drop;
	memmove(array, (char *)array + drop * size, *cnt * size);
}

/* A quiet stream keeps no arrays. */
static void stream_release(struct streams *streams, struct stream *stream)
{
	if (stream->sent_cnt || stream->received_cnt || stream->arrival_cnt)
		return;
	make_quiet(streams, stream);
	free(stream->sent);
	free(stream->received);
	free(stream->arrival);
	stream->sent = NULL;
	stream->received = NULL;
	stream->arrival = NULL;
	stream->sent_room = stream->received_room = stream->arrival_room = 0;
}

/* Receives and arrivals stay until every byte of them belongs to a closed message. */
static void stream_sweep(struct streams *streams, struct stream *stream)
{
	size_t sent = 0, received = 0, arrival = 0;
	uint64_t position;

	while (sent < stream->sent_cnt && stream->sent[sent].is_closed)
		sent++;
	if (!sent)
		return;
	position = send_end(&stream->sent[sent - 1].send);
	while (received < stream->received_cnt &&
	       receive_end(&stream->received[received].receive) <= position)
		received++;
	while (arrival < stream->arrival_cnt && stream->arrival[arrival].end <= position)
		arrival++;
	step_limit_spend(stream->sent_cnt + stream->received_cnt + stream->arrival_cnt);
	streams->open -= sent;
	streams->received -= received + arrival;
	stream_drop_first(stream->sent, &stream->sent_cnt, sent, sizeof(*stream->sent));
	stream_drop_first(stream->received, &stream->received_cnt, received,
			  sizeof(*stream->received));
	stream_drop_first(stream->arrival, &stream->arrival_cnt, arrival, sizeof(*stream->arrival));
	stream_release(streams, stream);
}

void streams__sweep(struct streams *streams)
{
	struct stream *s, *next;

	EACH_BUSY_SAFE (streams, s, next)
		stream_sweep(streams, s);
}

/* Known sends, compared with receives in the order of positions. */
struct sent_before {
	size_t cnt;   /* sends that begin before the receive */
	uint64_t end; /* the largest end of these sends */
};

/*
 * Whether a known send has a part of these bytes. `before` is zero-initialised for the first
 * receive; positions of receives do not decrease.
 */
static bool was_sent(const struct stream *stream, const struct record_receive *receive,
		     struct sent_before *before)
{
	if (stream->has_begun && receive->position < stream->next)
		return true;
	for (; before->cnt < stream->sent_cnt && step_limit_spend(1); before->cnt++) {
		const struct record_send *send = &stream->sent[before->cnt].send;

		if (send->position >= receive->position)
			break;
		if (send_end(send) > before->end)
			before->end = send_end(send);
	}
	return before->end > receive->position ||
	       (before->cnt < stream->sent_cnt &&
		stream->sent[before->cnt].send.position < receive_end(receive));
}

static void offer_received(const struct stream *stream, const struct received *received,
			   struct sent_before *before, join_take_fn *take, void *ctx)
{
	const struct joined joined = {
		.has_receive = true, .receive = received->receive, .seq = SEQ_UNKNOWN};

	if (!was_sent(stream, &received->receive, before))
		take(ctx, &joined);
}

static void stream_leftover(struct stream *stream, join_take_fn *take, void *ctx)
{
	struct sent_before before = {0};

	for (size_t i = 0; i < stream->sent_cnt && step_limit_spend(1); i++) {
		struct sent *sent = &stream->sent[i];
		struct ready one = {.owner = sent, .queued_ns = sent->send.queued_ns};
		struct joined joined;
		size_t first = 0;

		if (sent->is_closed)
			continue;
		stream_number(stream, sent, UINT64_MAX);
		stream_find_receive(stream, &first, sent, UINT64_MAX, &one);
		joined = streams_joined(&one);
		sent->is_closed = take(ctx, &joined);
	}
	for (size_t i = 0; i < stream->received_cnt; i++)
		offer_received(stream, &stream->received[i], &before, take, ctx);
}

static void stream_expire(struct streams *streams, struct stream *stream, uint64_t before_ns,
			  join_take_fn *take, void *ctx)
{
	struct sent_before before = {0};
	size_t received = 0;

	for (size_t i = 0; i < stream->sent_cnt && stream->sent[i].send.send_ns < before_ns &&
			   step_limit_spend(1);
	     i++) {
		struct sent *sent = &stream->sent[i];
		struct joined joined = {.has_send = true, .send = sent->send, .seq = SEQ_UNKNOWN};

		stream_number(stream, sent, before_ns);
		if (!sent->is_closed)
			sent->is_closed = take(ctx, &joined);
	}
	if (stream->sent_cnt)
		return;
	for (; received < stream->received_cnt &&
	       stream->received[received].receive.exit_ns < before_ns;
	     received++)
		offer_received(stream, &stream->received[received], &before, take, ctx);
	streams->received -= received;
	stream_drop_first(stream->received, &stream->received_cnt, received,
			  sizeof(*stream->received));
	stream_release(streams, stream);
}

void streams__expire(struct streams *streams, uint64_t before_ns, join_take_fn *take, void *ctx)
{
	struct stream *s, *next;

	EACH_BUSY_SAFE (streams, s, next)
		stream_expire(streams, s, before_ns, take, ctx);
	streams__sweep(streams);
}

/* Whether the oldest end is older than `before_ns` and no history is needed for it. */
static bool stream_is_needless(const struct stream *stream, uint64_t before_ns,
			       join_needless_fn *fn, void *ctx)
{
	struct joined oldest = {.seq = SEQ_UNKNOWN};
	uint64_t at_ns;

	if (stream->sent_cnt) {
		oldest.has_send = true;
		oldest.send = stream->sent[0].send;
		at_ns = oldest.send.send_ns;
	} else if (stream->received_cnt) {
		oldest.has_receive = true;
		oldest.receive = stream->received[0].receive;
		at_ns = oldest.receive.exit_ns;
	} else {
		return false;
	}
	return at_ns < before_ns && fn(ctx, &oldest);
}

/* The record of a send comes after the arrivals of its bytes: when the call is over. */
static void drop_arrivals(struct streams *streams, struct stream *stream, uint64_t before_ns)
{
	size_t cnt = 0;

	while (!stream->sent_cnt && cnt < stream->arrival_cnt &&
	       stream->arrival[cnt].at_ns < before_ns)
		cnt++;
	step_limit_spend(cnt);
	streams->received -= cnt;
	stream_drop_first(stream->arrival, &stream->arrival_cnt, cnt, sizeof(*stream->arrival));
	stream_release(streams, stream);
}

void streams__let_go(struct streams *streams, uint64_t before_ns, join_needless_fn *fn, void *ctx)
{
	struct stream *s, *next;

	EACH_BUSY_SAFE (streams, s, next) {
		s->let_go_ns = stream_is_needless(s, before_ns, fn, ctx) ? before_ns : 0;
		drop_arrivals(streams, s, before_ns);
	}
}

void streams__leftover(struct streams *streams, join_take_fn *take, void *ctx)
{
	struct stream *s;

	EACH_BUSY (streams, s)
		stream_leftover(s, take, ctx);
}

uint64_t streams__gaps(const struct streams *streams, uint32_t channel)
{
	const struct stream *stream = stream_find(streams, channel);

	return stream ? stream->gap_cnt : 0;
}

/* Sends in the order of positions are in the order of time, too. */
static uint64_t stream_horizon_of(const struct stream *stream)
{
	uint64_t horizon_ns = stream->sent_cnt       ? stream->sent[0].send.send_ns
			      : stream->received_cnt ? 0
						     : UINT64_MAX;

	return horizon_ns > stream->let_go_ns ? horizon_ns : stream->let_go_ns;
}

uint64_t streams__horizon(const struct streams *streams)
{
	uint64_t horizon_ns = UINT64_MAX;
	const struct stream *s;

	EACH_BUSY (streams, s) {
		if (stream_horizon_of(s) < horizon_ns)
			horizon_ns = stream_horizon_of(s);
	}
	return horizon_ns;
}
