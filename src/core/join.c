/* SPDX-License-Identifier: BSD-2-Clause */
#include "core/join.h"

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
};

struct join *join__new(void)
{
	return calloc(1, sizeof(struct join));
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
	free(join);
}

static int open_message(struct join *join, uint32_t channel, uint64_t position,
			struct open_message **message)
{
	struct message_id id = {.position = position, .channel = channel};

	HASH_FIND(hh, join->open, &id, sizeof(id), *message);
	if (*message)
		return 0;
	if (HASH_COUNT(join->open) >= JOIN_OPEN_MAX)
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
	int err = open_message(join, send->channel, send->position, &message);

	if (err)
		return err;
	message->joined.has_send = true;
	message->joined.send = *send;
	return 0;
}

int join__receive(struct join *join, const struct record_receive *receive, size_t change_cnt)
{
	struct open_message *message;
	int err = open_message(join, receive->channel, receive->position, &message);

	if (err)
		return err;
	message->joined.has_receive = true;
	message->joined.receive = *receive;
	message->joined.change_cnt = change_cnt;
	return 0;
}

static int compare_messages(const void *a, const void *b)
{
	const struct joined *x = &(*(struct open_message *const *)a)->joined;
	const struct joined *y = &(*(struct open_message *const *)b)->joined;

	if (x->receive.exit_ns != y->receive.exit_ns)
		return x->receive.exit_ns > y->receive.exit_ns ? 1 : -1;
	if (x->receive.channel != y->receive.channel)
		return x->receive.channel > y->receive.channel ? 1 : -1;
	return (x->receive.position > y->receive.position) -
	       (x->receive.position < y->receive.position);
}

int join__settle(struct join *join, uint64_t before_ns, join_take_fn *take, void *ctx)
{
	struct open_message **ready, *message, *next;
	size_t cnt = 0;

	if (!join->open)
		return 0;
	ready = malloc(HASH_COUNT(join->open) * sizeof(*ready));
	if (!ready)
		return -ENOMEM;
	HASH_ITER (hh, join->open, message, next) {
		if (message->joined.has_send && message->joined.has_receive &&
		    message->joined.receive.exit_ns < before_ns)
			ready[cnt++] = message;
	}
	qsort(ready, cnt, sizeof(*ready), compare_messages);
	for (size_t i = 0; i < cnt; i++) {
		if (take(ctx, &ready[i]->joined))
			close_message(join, ready[i]);
	}
	free(ready);
	return 0;
}

void join__leftover(struct join *join, join_take_fn *take, void *ctx)
{
	struct open_message *message, *next;

	HASH_ITER (hh, join->open, message, next) {
		if (take(ctx, &message->joined))
			close_message(join, message);
	}
}

uint64_t join__horizon(const struct join *join)
{
	uint64_t horizon_ns = UINT64_MAX;
	struct open_message *message, *next;

	HASH_ITER (hh, join->open, message, next) {
		if (!message->joined.has_send)
			return 0;
		if (message->joined.send.queued_ns < horizon_ns)
			horizon_ns = message->joined.send.queued_ns;
	}
	return horizon_ns;
}
