/* SPDX-License-Identifier: BSD-2-Clause */
#include "core/join.h"

#include "core/stream.h"

#include <errno.h>
#include <stdlib.h>
#include <uthash.h>

struct message_id {
	uint64_t position;
	uint64_t channel;
};

struct open_message {
	struct message_id id;
	struct joined joined;
	UT_hash_handle hh;
};

struct join {
	struct open_message *open; /* hash by id */
	struct streams *streams;
};

struct join *join__new(void)
{
	struct join *join = calloc(1, sizeof(struct join));

	if (!join)
		return NULL;
	join->streams = streams__new();
	if (join->streams)
		return join;
	free(join);
	return NULL;
}

static void close_message(struct join *join, struct open_message *message)
{
	HASH_DEL(join->open, message);
	free(message);
}

void join__free(struct join *join)
{
	struct open_message *message, *next;

	if (!join)
		return;
	HASH_ITER (hh, join->open, message, next)
		close_message(join, message);
	streams__free(join->streams);
	free(join);
}

static bool is_full(const struct join *join)
{
	return HASH_COUNT(join->open) + streams__open(join->streams) >= JOIN_OPEN_MAX;
}

static int open_message(struct join *join, uint32_t channel, uint64_t position,
			struct open_message **message)
{
	struct message_id id = {.position = position, .channel = channel};

	HASH_FIND(hh, join->open, &id, sizeof(id), *message);
	if (*message)
		return 0;
	if (is_full(join))
		return -ENOSPC;
	*message = calloc(1, sizeof(**message));
	if (!*message)
		return -ENOMEM;
	(*message)->id = id;
	HASH_ADD(hh, join->open, id, sizeof((*message)->id), *message);
	return 0;
}

int join__send(struct join *join, const struct record_send *send)
{
	struct open_message *message;
	int err;

	if (send->channel & CHANNEL_STREAM)
		return is_full(join) ? -ENOSPC : streams__send(join->streams, send);
	err = open_message(join, send->channel, send->position, &message);

	if (err)
		return err;
	message->joined.has_send = true;
	message->joined.send = *send;
	message->joined.seq = send->position;
	return 0;
}

int join__receive(struct join *join, const struct record_receive *receive, size_t change_cnt)
{
	struct open_message *message;
	int err;

	if (receive->channel & CHANNEL_STREAM)
		return streams__receive(join->streams, receive, change_cnt);
	err = open_message(join, receive->channel, receive->position, &message);

	if (err)
		return err;
	message->joined.has_receive = true;
	message->joined.receive = *receive;
	message->joined.change_cnt = change_cnt;
	message->joined.seq = receive->position;
	message->joined.receives = 1;
	return 0;
}

int join__arrival(struct join *join, const struct record_arrival *arrival)
{
	return arrival->channel & CHANNEL_STREAM ? streams__arrival(join->streams, arrival) : 0;
}

static void doubt_message(struct join *join, uint32_t channel, uint64_t position)
{
	struct message_id id = {.position = position, .channel = channel};
	struct open_message *message;

	HASH_FIND(hh, join->open, &id, sizeof(id), message);
	if (message)
		message->joined.is_ambiguous = true;
}

void join__doubt_send(struct join *join, uint32_t channel, uint64_t position)
{
	if (channel & CHANNEL_STREAM)
		streams__doubt_send(join->streams, channel, position);
	else
		doubt_message(join, channel, position);
}

void join__doubt_receive(struct join *join, uint32_t channel, uint64_t position)
{
	if (channel & CHANNEL_STREAM)
		streams__doubt_receive(join->streams, channel, position);
	else
		doubt_message(join, channel, position);
}

void join__doubt_channel(struct join *join, uint32_t channel)
{
	struct open_message *message, *next;

	if (channel & CHANNEL_STREAM) {
		streams__doubt_channel(join->streams, channel);
		return;
	}
	HASH_ITER (hh, join->open, message, next)
		message->joined.is_ambiguous |= message->id.channel == channel;
}

int join__each_open_send(const struct join *join, join_send_fn *fn, void *ctx)
{
	struct open_message *message, *next;
	int err = 0;

	HASH_ITER (hh, join->open, message, next) {
		if (!err && message->joined.has_send && !message->joined.has_receive)
			err = fn(ctx, &message->joined.send);
	}
	return err;
}

static int compare_ready(const void *a, const void *b)
{
	const struct joined *x = &((const struct ready *)a)->joined;
	const struct joined *y = &((const struct ready *)b)->joined;

	if (x->receive.exit_ns != y->receive.exit_ns)
		return x->receive.exit_ns > y->receive.exit_ns ? 1 : -1;
	if (x->receive.channel != y->receive.channel)
		return x->receive.channel > y->receive.channel ? 1 : -1;
	return (x->send.position > y->send.position) - (x->send.position < y->send.position);
}

static size_t messages_ready(const struct join *join, uint64_t before_ns, struct ready *ready)
{
	struct open_message *message, *next;
	size_t cnt = 0;

	HASH_ITER (hh, join->open, message, next) {
		if (message->joined.has_send && message->joined.has_receive &&
		    message->joined.receive.exit_ns < before_ns)
			ready[cnt++] = (struct ready){.joined = message->joined, .owner = message};
	}
	return cnt;
}

int join__settle(struct join *join, uint64_t before_ns, join_take_fn *take, void *ctx)
{
	size_t open = HASH_COUNT(join->open) + streams__open(join->streams), cnt, messages;
	struct ready *ready;

	if (!open)
		return 0;
	ready = malloc(open * sizeof(*ready));
	if (!ready)
		return -ENOMEM;
	messages = messages_ready(join, before_ns, ready);
	cnt = messages + streams__ready(join->streams, before_ns, ready + messages);
	for (size_t i = messages; i < cnt; i++)
		ready[i].in_stream = true;
	qsort(ready, cnt, sizeof(*ready), compare_ready);
	for (size_t i = 0; i < cnt; i++) {
		if (!take(ctx, &ready[i].joined))
			continue;
		if (ready[i].in_stream)
			streams__close(ready[i].owner);
		else
			close_message(join, ready[i].owner);
	}
	free(ready);
	streams__sweep(join->streams);
	return 0;
}

static uint64_t end_ns(const struct joined *joined)
{
	return joined->has_send ? joined->send.send_ns : joined->receive.exit_ns;
}

void join__expire(struct join *join, uint64_t before_ns, join_take_fn *take, void *ctx)
{
	struct open_message *message, *next;

	HASH_ITER (hh, join->open, message, next) {
		if (end_ns(&message->joined) < before_ns && take(ctx, &message->joined))
			close_message(join, message);
	}
	streams__expire(join->streams, before_ns, take, ctx);
}

void join__leftover(struct join *join, join_take_fn *take, void *ctx)
{
	struct open_message *message, *next;

	HASH_ITER (hh, join->open, message, next) {
		if (take(ctx, &message->joined))
			close_message(join, message);
	}
	streams__leftover(join->streams, take, ctx);
}

uint64_t join__horizon(const struct join *join)
{
	uint64_t horizon_ns = streams__horizon(join->streams);
	struct open_message *message, *next;

	HASH_ITER (hh, join->open, message, next) {
		if (!message->joined.has_send)
			return 0;
		/* What was dropped was never queued. */
		if (message->joined.send.queued_ns && message->joined.send.queued_ns < horizon_ns)
			horizon_ns = message->joined.send.queued_ns;
	}
	return horizon_ns;
}
