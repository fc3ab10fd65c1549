/* SPDX-License-Identifier: BSD-2-Clause */
#include "core/returns.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* A thread is in one call at a time. */
struct call_key {
	uint64_t tid;
	uint64_t enter_ns;
};

/* For every receive of an attach: quicker than what suits any key. */
#define HASH_FUNCTION(key, length, hash)                                                           \
	((hash) = ((((const struct call_key *)(key))->enter_ns ^                                   \
		    ((const struct call_key *)(key))->tid << 40) *                                 \
		   0x9e3779b97f4a7c15u) >>                                                         \
		  32)
#include <uthash.h>

struct unreturned {
	struct call_key call;
	struct record_receive *receive;
	size_t cnt, room;
	UT_hash_handle hh;
};

struct returned {
	struct call_key call;
	uint64_t exit_ns;
	uint64_t first; /* these two as of its last receive: all changes before the return */
	size_t change_cnt;
	struct returned *next_spare;
	UT_hash_handle hh;
};

struct returns {
	struct unreturned *call;   /* hash by call, oldest first */
	struct returned *returned; /* hash by call, oldest first */
	struct returned *spare;    /* forgotten ones, to be used again */
	size_t cnt;                /* receives of calls that have not returned */
};

struct returns *returns__new(void)
{
	return calloc(1, sizeof(struct returns));
}

static void forget(struct returns *returns, struct unreturned *call)
{
	returns->cnt -= call->cnt;
	HASH_DEL(returns->call, call);
	free(call->receive);
	free(call);
}

static void forget_returned(struct returns *returns, struct returned *call)
{
	HASH_DEL(returns->returned, call);
	call->next_spare = returns->spare;
	returns->spare = call;
}

static struct returned *new_returned(struct returns *returns)
{
	struct returned *call = returns->spare;

	if (call)
		returns->spare = call->next_spare;
	return call ? call : malloc(sizeof(*call));
}

void returns__free(struct returns *returns)
{
	struct returned *returned, *next_returned;
	struct unreturned *call, *next;

	if (!returns)
		return;
	HASH_ITER (hh, returns->call, call, next)
		forget(returns, call);
	HASH_ITER (hh, returns->returned, returned, next_returned)
		forget_returned(returns, returned);
	while ((returned = returns->spare)) {
		returns->spare = returned->next_spare;
		free(returned);
	}
	free(returns);
}

static struct call_key call_of(const struct record_receive *receive)
{
	return (struct call_key){.tid = receive->head.tid, .enter_ns = receive->enter_ns};
}

static struct unreturned *find(const struct returns *returns, const struct record_receive *receive)
{
	struct call_key key = call_of(receive);
	struct unreturned *call;

	HASH_FIND(hh, returns->call, &key, sizeof(key), call);
	return call;
}

static struct unreturned *make(struct returns *returns, const struct record_receive *receive)
{
	struct unreturned *call = calloc(1, sizeof(*call));

	if (!call)
		return NULL;
	call->call = call_of(receive);
	HASH_ADD(hh, returns->call, call, sizeof(call->call), call);
	return call;
}

static int let_wait(struct returns *returns, const struct record_receive *receive)
{
	struct unreturned *call;
	struct record_receive *more;
	size_t room;

	if (returns->cnt >= RETURNS_MAX)
		forget(returns, returns->call);
	call = find(returns, receive);
	if (!call)
		call = make(returns, receive);
	if (!call)
		return -ENOMEM;
	if (call->cnt == call->room) {
		room = call->room ? 2 * call->room : 8;
		more = realloc(call->receive, room * sizeof(*more));
		if (!more)
			return -ENOMEM;
		call->receive = more;
		call->room = room;
	}
	call->receive[call->cnt++] = *receive;
	returns->cnt++;
	return 0;
}

static struct returned *find_returned(const struct returns *returns,
				      const struct record_receive *receive)
{
	struct call_key key = call_of(receive);
	struct returned *call;

	HASH_FIND(hh, returns->returned, &key, sizeof(key), call);
	return call;
}

static int remember(struct returns *returns, const struct record_receive *receive,
		    size_t change_cnt)
{
	struct returned *call;

	if (HASH_COUNT(returns->returned) >= RETURNS_MAX)
		forget_returned(returns, returns->returned);
	call = new_returned(returns);
	if (!call)
		return -ENOMEM;
	call->call = call_of(receive);
	call->exit_ns = receive->exit_ns;
	call->first = receive->first;
	call->change_cnt = change_cnt;
	HASH_ADD(hh, returns->returned, call, sizeof(call->call), call);
	return 0;
}

/* Of these all has come. */
void returns__settle(struct returns *returns, uint64_t before_ns)
{
	while (returns->returned && returns->returned->exit_ns < before_ns)
		forget_returned(returns, returns->returned);
}

/* One that was told of before the return. */
static int take_early(struct returns *returns, const struct record_receive *receive,
		      returns_put_fn *put, void *ctx)
{
	const struct returned *call = find_returned(returns, receive);
	struct record_receive early = *receive;

	if (!call)
		return let_wait(returns, receive);
	early.exit_ns = call->exit_ns;
	early.first = call->first;
	return put(ctx, &early, call->change_cnt);
}

/* They know of as many changes as the last one does: all before the return. */
int returns__take(struct returns *returns, const struct record_receive *receive, size_t change_cnt,
		  returns_put_fn *put, void *ctx)
{
	struct unreturned *call;
	int err, put_err;

	if (!receive->exit_ns)
		return take_early(returns, receive, put, ctx);
	err = remember(returns, receive, change_cnt);
	call = find(returns, receive);
	for (size_t i = 0; call && i < call->cnt; i++) {
		call->receive[i].exit_ns = receive->exit_ns;
		call->receive[i].first = receive->first;
		put_err = put(ctx, &call->receive[i], change_cnt);
		err = err ? err : put_err;
	}
	if (call)
		forget(returns, call);
	put_err = put(ctx, receive, change_cnt);
	return err ? err : put_err;
}
