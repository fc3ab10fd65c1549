/* SPDX-License-Identifier: BSD-2-Clause */
#include "core/join.h"

#include "core/stream.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct message_id {
	uint64_t position;
	uint64_t channel;
};

/* Messages that follow one another lie side by side: what is looked up next is in the cache. */
#define HASH_FUNCTION(key, length, hash)                                                           \
	((hash) = ((const struct message_id *)(key))->position +                                   \
		  ((const struct message_id *)(key))->channel * 0x9e3779b1u)
#include <uthash.h>

struct open_message {
	struct message_id id;
	struct joined joined;
	struct open_message *next_spare;
	UT_hash_handle hh;
};

struct join {
	struct open_message *open; /* hash by id */
	struct open_message
		*spare; /* closed ones, to be used again: the youngest is in the cache */
	struct streams *streams;

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
	join->streams = streams__new();
	if (join->streams)
		return join;
	free(join);
	return NULL;
}

static void close_message(struct join *join, struct open_message *message)
{
	HASH_DEL(join->open, message);
	message->next_spare = join->spare;
	join->spare = message;
}

static struct open_message *new_message(struct join *join)
{
	struct open_message *message = join->spare;

	if (!message)
		return calloc(1, sizeof(*message));
	join->spare = message->next_spare;
	memset(message, 0, sizeof(*message));
	return message;
}

void join__free(struct join *join)
{
	struct open_message *message, *next;

	if (!join)
		return;
	HASH_ITER (hh, join->open, message, next)
		close_message(join, message);
	while ((message = join->spare)) {
		join->spare = message->next_spare;
		free(message);
	}
	streams__free(join->streams);
	free(join->ready);
	free(join->order);
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
	*message = new_message(join);
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
		return streams__taken(join->streams) >= JOIN_OPEN_MAX
			       ? -ENOSPC
			       : streams__receive(join->streams, receive, change_cnt);
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
	if (!(arrival->channel & CHANNEL_STREAM))
		return 0;
	return streams__taken(join->streams) >= JOIN_OPEN_MAX
		       ? -ENOSPC
		       : streams__arrival(join->streams, arrival);
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
	const struct joined *x = &(*(const struct ready *const *)a)->joined;
	const struct joined *y = &(*(const struct ready *const *)b)->joined;

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

static int reserve(struct join *join, size_t cnt)
{
	if (cnt <= join->room)
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

/* Mostly they have come in their order. */
static void sort_ready(struct join *join, size_t cnt)
{
	bool sorted = true;

	for (size_t i = 0; i < cnt; i++) {
		join->order[i] = &join->ready[i];
		sorted = sorted && (!i || compare_ready(&join->order[i - 1], &join->order[i]) <= 0);
	}
	if (!sorted)
		qsort(join->order, cnt, sizeof(*join->order), compare_ready);
}

int join__settle(struct join *join, uint64_t before_ns, join_take_fn *take, void *ctx)
{
	size_t open = HASH_COUNT(join->open) + streams__open(join->streams), cnt, messages;

	if (!open)
		return 0;
	if (reserve(join, open))
		return -ENOMEM;
	messages = messages_ready(join, before_ns, join->ready);
	cnt = messages + streams__ready(join->streams, before_ns, join->ready + messages);
	for (size_t i = messages; i < cnt; i++)
		join->ready[i].in_stream = true;
	sort_ready(join, cnt);
	for (size_t i = 0; i < cnt; i++) {
		if (!take(ctx, &join->order[i]->joined))
			continue;
		if (join->order[i]->in_stream)
			streams__close(join->order[i]->owner);
		else
			close_message(join, join->order[i]->owner);
	}
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
