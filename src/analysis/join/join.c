/* SPDX-License-Identifier: BSD-2-Clause */
/* Keeps each message until the caller accepts it, and offers them by the time of the receive. */
#include "analysis/join/join.h"

#include "analysis/join/pending.h"
#include "analysis/join/stream.h"
#include "container/step_limit.h"

#include <errno.h>
#include <stdlib.h>

/* Room for so many messages is never given back. */
#define ROOM_KEPT 4096

struct join {
	struct pending pending;
	struct streams *streams;

	/*
	 * Not for streams. These save a walk over all messages at each watermark: many thousands
	 * gather when watermarks stand still.
	 */
	uint64_t complete_ns; /* messages with both ends were received at or after this */
	uint64_t since_ns;    /* messages with a send began at or after this; */
	bool since_is_old;    /* it may be too early: the message is gone */
	size_t unsent_cnt;    /* messages without a send. None of these counts those let go */

	join_part_fn *on_part; /* NULL: parts are not asked for */
	void *part_ctx;        /* of that */

	/* Working space of join__settle(). */
	struct ready *ready;
	const struct ready **order;
	size_t room;
};

struct join *join__new(void)
{
	struct join *join = calloc(1, sizeof(struct join));

	if (!join)
		return NULL;
	join->complete_ns = join->since_ns = UINT64_MAX;
	join->streams = streams__new();
	if (join->streams)
		return join;
	free(join);
	return NULL;
}

void join__free(struct join *join)
{
	if (!join)
		return;
	pending_free(&join->pending);
	streams__free(join->streams);
	free(join->ready);
	free(join->order);
	free(join);
}

static bool join_is_full(const struct join *join)
{
	return join->pending.cnt + join->streams->open >= JOIN_PENDING_MAX;
}

/* Since when the message needs the history. A datagram that was dropped has no queued_ns. */
static uint64_t since_ns_of(const struct record_send *send)
{
	return send->send_ns && send->send_ns < send->queued_ns ? send->send_ns : send->queued_ns;
}

static void note_since(struct join *join, const struct pending_message *message)
{
	uint64_t since_ns = since_ns_of(&message->send);

	if (message->has_send && !message->is_let_go && since_ns && since_ns < join->since_ns)
		join->since_ns = since_ns;
}

/* No history is kept for this message any more. */
static void let_go(struct join *join, struct pending_message *message)
{
	if (message->is_let_go)
		return;
	join->unsent_cnt -= !message->has_send;
	join->since_is_old |= message->has_send && since_ns_of(&message->send) == join->since_ns;
	message->is_let_go = true;
}

/* Its other end has come after all: the history that is left is kept again. */
static void keep_again(struct join *join, struct pending_message *message)
{
	if (!message->is_let_go)
		return;
	message->is_let_go = false;
	join->unsent_cnt += !message->has_send;
	note_since(join, message);
}

/* Without a position it is a message of its own. */
static int find_or_add_pending(struct join *join, uint32_t channel, uint64_t position,
			       struct pending_message **message)
{
	*message =
		position == POSITION_NONE ? NULL : pending_find(&join->pending, channel, position);
	if (*message) {
		keep_again(join, *message);
		return 0;
	}
	if (join_is_full(join))
		return -ENOSPC;
	*message = pending_add(&join->pending, channel, position);
	if (!*message)
		return -ENOMEM;
	join->unsent_cnt++;
	return 0;
}

static void close_message(struct join *join, struct pending_message *message)
{
	let_go(join, message);
	pending_close(&join->pending, message);
}

static void note_complete(struct join *join, const struct pending_message *message)
{
	if (message->has_send && message->has_receive &&
	    message->receive.exit_ns < join->complete_ns)
		join->complete_ns = message->receive.exit_ns;
}

int join__send(struct join *join, const struct record_send *send)
{
	struct pending_message *message;
	int err;

	if (send->channel & CHANNEL_STREAM)
		return join_is_full(join) ? -ENOSPC : streams__send(join->streams, send);
	err = find_or_add_pending(join, send->channel, send->position, &message);

	if (err)
		return err;
	/* A second record of a send may have another instant. */
	join->since_is_old |= message->has_send;
	join->unsent_cnt -= !message->has_send;
	message->has_send = true;
	message->send = *send;
	note_since(join, message);
	note_complete(join, message);
	return 0;
}

int join__receive(struct join *join, const struct record_receive *receive, size_t change_cnt)
{
	struct pending_message *message;
	int err;

	if (receive->channel & CHANNEL_STREAM)
		return join->streams->received >= JOIN_PENDING_MAX
			       ? -ENOSPC
			       : streams__receive(join->streams, receive, change_cnt);
	err = find_or_add_pending(join, receive->channel, receive->position, &message);

	if (err)
		return err;
	message->has_receive = true;
	message->receive = *receive;
	message->change_cnt = change_cnt;
	note_complete(join, message);
	return 0;
}

int join__arrival(struct join *join, const struct record_arrival *arrival)
{
	if (!(arrival->channel & CHANNEL_STREAM))
		return 0;
	return join->streams->received >= JOIN_PENDING_MAX
		       ? -ENOSPC
		       : streams__arrival(join->streams, arrival);
}

int join__retransmit(struct join *join, const struct record_retransmit *record)
{
	return record->channel & CHANNEL_STREAM ? streams__retransmit(join->streams, record) : 0;
}

static void mark_message(struct join *join, uint32_t channel, uint64_t position)
{
	struct pending_message *message = pending_find(&join->pending, channel, position);

	if (message)
		message->is_ambiguous = true;
}

void join__mark_send(struct join *join, uint32_t channel, uint64_t position)
{
	if (channel & CHANNEL_STREAM)
		streams__mark_send(join->streams, channel, position);
	else
		mark_message(join, channel, position);
}

void join__mark_receive(struct join *join, uint32_t channel, uint64_t position)
{
	if (channel & CHANNEL_STREAM)
		streams__mark_receive(join->streams, channel, position);
	else
		mark_message(join, channel, position);
}

uint32_t join__drop(struct join *join, uint32_t channel, uint64_t position)
{
	struct pending_message *message = pending_find(&join->pending, channel, position);

	if (!message || !message->has_send || message->has_receive)
		return 0;
	join->since_is_old = true;
	message->send.queued_ns = 0;
	return message->send.head.tid;
}

static struct pending_message *find_complete(const struct join *join, uint32_t channel,
					     uint64_t position)
{
	struct pending_message *message = pending_find(&join->pending, channel, position);

	return message && message->has_send && message->has_receive ? message : NULL;
}

const struct record_send *join__send_of(const struct join *join, uint32_t channel,
					uint64_t position)
{
	const struct pending_message *message = find_complete(join, channel, position);

	return message ? &message->send : NULL;
}

bool join__take_back(struct join *join, uint32_t channel, uint64_t position,
		     struct record_receive *receive, size_t *change_cnt)
{
	struct pending_message *message = find_complete(join, channel, position);

	if (!message)
		return false;
	*receive = message->receive;
	*change_cnt = message->change_cnt;
	message->has_receive = false;
	return true;
}

/* All pending messages, in the order of their records; `message` may be closed in between. Ends
 * early when the analysis has no steps left. */
#define EACH_PENDING(join, message)                                                                \
	for ((message) = pending_from(&(join)->pending, 0);                                        \
	     (message) && step_limit_spend(STEPS_OF_MESSAGE);                                      \
	     (message) = pending_after(&(join)->pending, message))

int join__each_pending_send(const struct join *join, join_send_fn *fn, void *ctx)
{
	const struct pending_message *message;

	EACH_PENDING (join, message) {
		int err = message->has_send && !message->has_receive ? fn(ctx, &message->send) : 0;

		if (err)
			return err;
	}
	return 0;
}

static struct joined joined_of(const struct pending_message *message)
{
	struct joined joined = {
		.has_send = message->has_send,
		.has_receive = message->has_receive,
		.seq = message->send.position,
		.receives = message->has_receive,
		.is_ambiguous = message->is_ambiguous,
	};

	if (message->has_send)
		joined.send = message->send;
	if (message->has_receive) {
		joined.receive = message->receive;
		joined.change_cnt = message->change_cnt;
	}
	return joined;
}

static int compare_ready(const struct ready *x, const struct ready *y)
{
	if (x->exit_ns != y->exit_ns)
		return x->exit_ns > y->exit_ns ? 1 : -1;
	if (x->channel != y->channel)
		return x->channel > y->channel ? 1 : -1;
	return (x->position > y->position) - (x->position < y->position);
}

static int compare_order(const void *a, const void *b)
{
	return compare_ready(*(const struct ready *const *)a, *(const struct ready *const *)b);
}

/* Messages that are refused now are offered again. */
static size_t messages_ready(struct join *join, uint64_t before_ns, struct ready *ready)
{
	struct pending_message *message;
	size_t cnt = 0;

	if (join->complete_ns >= before_ns)
		return 0;
	join->complete_ns = UINT64_MAX;
	EACH_PENDING (join, message) {
		if (!message->has_send || !message->has_receive)
			continue;
		if (message->receive.exit_ns >= before_ns) {
			note_complete(join, message);
			continue;
		}
		ready[cnt++] = (struct ready){.exit_ns = message->receive.exit_ns,
					      .channel = message->receive.channel,
					      .position = message->send.position,
					      .owner = message};
	}
	return cnt;
}

/* After very many messages, most of their room is given back. */
static int join_reserve(struct join *join, size_t cnt)
{
	bool is_far_more = join->room > ROOM_KEPT && join->room / 8 > cnt;

	if (cnt <= join->room && !is_far_more)
		return 0;
	free(join->ready);
	free(join->order);
	join->room = 0;
	join->ready = malloc(cnt * sizeof(*join->ready));
	join->order = malloc(cnt * sizeof(*join->order));
	if (!join->ready || !join->order)
		return -ENOMEM;
	join->room = cnt;
	return 0;
}

/* Mostly they are in order already. */
static void sort_ready(struct join *join, size_t cnt)
{
	bool sorted = true;

	for (size_t i = 0; i < cnt; i++) {
		join->order[i] = &join->ready[i];
		sorted = sorted && (!i || compare_ready(&join->ready[i - 1], &join->ready[i]) <= 0);
	}
	if (!sorted && step_limit_spend_sort(cnt))
		qsort(join->order, cnt, sizeof(*join->order), compare_order);
}

static void offer(struct join *join, const struct ready *ready, join_take_fn *take, void *ctx)
{
	struct joined joined = ready->received ? streams_joined(ready) : joined_of(ready->owner);

	if (ready->is_part) {
		join->on_part(join->part_ctx, &joined);
	} else if (take(ctx, &joined)) {
		if (ready->received)
			streams__close(ready->owner);
		else
			close_message(join, ready->owner);
	} else if (!ready->received) {
		note_complete(join, ready->owner);
	}
}

int join__settle(struct join *join, uint64_t before_ns, join_take_fn *take, void *ctx)
{
	size_t open = join->pending.cnt + join->streams->open, cnt;

	if (!open)
		return 0;
	if (join_reserve(join, open + (join->on_part ? join->streams->received : 0)))
		return -ENOMEM;
	cnt = messages_ready(join, before_ns, join->ready);
	cnt += streams__ready(join->streams, before_ns, join->on_part, join->ready + cnt);
	sort_ready(join, cnt);
	for (size_t i = 0; i < cnt && step_limit_spend(STEPS_OF_MESSAGE); i++)
		offer(join, join->order[i], take, ctx);
	pending_close_ranks(&join->pending);
	streams__sweep(join->streams);
	return 0;
}

void join__on_part(struct join *join, join_part_fn *fn, void *ctx)
{
	join->on_part = fn;
	join->part_ctx = ctx;
}

void join__on_forgotten(struct join *join, join_take_fn *take, void *ctx)
{
	join->streams->on_forgotten = take;
	join->streams->ctx = ctx;
}

/* Whether the only end of this message is older than `before_ns`. */
static bool is_overdue(const struct pending_message *message, uint64_t before_ns)
{
	const struct record_send *send = &message->send;

	if (message->has_send && message->has_receive)
		return false;
	if (!message->has_send)
		return message->receive.exit_ns < before_ns;
	return (send->send_ns ? send->send_ns : send->queued_ns) < before_ns;
}

void join__expire(struct join *join, uint64_t before_ns, join_take_fn *take, void *ctx)
{
	struct pending_message *message;

	EACH_PENDING (join, message) {
		struct joined joined = joined_of(message);

		if (is_overdue(message, before_ns) && take(ctx, &joined))
			close_message(join, message);
	}
	streams__expire(join->streams, before_ns, take, ctx);
}

void join__let_go(struct join *join, uint64_t before_ns, join_needless_fn *fn, void *ctx)
{
	struct pending_message *message;

	EACH_PENDING (join, message) {
		struct joined joined = joined_of(message);

		if (!message->is_let_go && is_overdue(message, before_ns) && fn(ctx, &joined))
			let_go(join, message);
	}
	streams__let_go(join->streams, before_ns, fn, ctx);
}

void join__leftover(struct join *join, join_take_fn *take, void *ctx)
{
	struct pending_message *message;

	EACH_PENDING (join, message) {
		struct joined joined = joined_of(message);

		if (take(ctx, &joined))
			close_message(join, message);
	}
	streams__leftover(join->streams, take, ctx);
}

uint64_t join__gaps(const struct join *join, uint32_t channel)
{
	return streams__gaps(join->streams, channel);
}

uint64_t join__horizon(struct join *join)
{
	uint64_t horizon_ns = streams__horizon(join->streams);
	const struct pending_message *message;

	if (join->unsent_cnt)
		return 0;
	if (join->since_is_old) {
		join->since_is_old = false;
		join->since_ns = UINT64_MAX;
		EACH_PENDING (join, message)
			note_since(join, message);
	}
	return join->since_ns < horizon_ns ? join->since_ns : horizon_ns;
}
