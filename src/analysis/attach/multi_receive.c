/* SPDX-License-Identifier: BSD-2-Clause */
#include "analysis/attach/multi_receive.h"

#include "analysis/container/array.h"
#include "analysis/work.h"

#include <errno.h>
#include <stdlib.h>

/* A thread is in one call at a time. */
struct call_key {
	uint64_t tid;
	uint64_t enter_ns;
};

/*
 * For every receive of an attach: quicker than what suits any key, and calls that follow one
 * another are neighbours.
 */
#define HASH_FUNCTION(key, length, hash)                                                           \
	((hash) = (((const struct call_key *)(key))->enter_ns >> 10) +                             \
		  ((const struct call_key *)(key))->tid * 0x9e3779b1u)

/* Calls with the same hash are compared one by one. */
#define HASH_KEYCMP(a, b, length) (work_spend(1), memcmp(a, b, length))
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
	uint64_t change_cnt;
	uint64_t before; /* number of the one before it with the same hash */
};

struct multi_receive {
	struct unreturned *call; /* hash by call, oldest first */
	size_t cnt;              /* receives of calls that have not returned */

	/*
	 * Calls that have returned are numbered from 1: number n is returned[n % room]. Every
	 * receive makes one, and hardly one is ever asked for: so what is forgotten stays in the
	 * buckets, where its number shows it.
	 */
	struct returned *returned;
	uint64_t *bucket; /* the youngest with this hash; as many as there is room for */
	size_t room;      /* a power of two, or 0 */
	uint64_t begin, end;
};

struct multi_receive *multi_receive__new(void)
{
	struct multi_receive *returns = calloc(1, sizeof(*returns));

	if (returns)
		returns->begin = returns->end = 1;
	return returns;
}

static void forget(struct multi_receive *returns, struct unreturned *call)
{
	returns->cnt -= call->cnt;
	HASH_DEL(returns->call, call);
	free(call->receive);
	free(call);
}

void multi_receive__free(struct multi_receive *returns)
{
	struct unreturned *call, *next;

	if (!returns)
		return;
	HASH_ITER (hh, returns->call, call, next)
		forget(returns, call);
	free(returns->returned);
	free(returns->bucket);
	free(returns);
}

static struct call_key call_of(const struct record_receive *receive)
{
	return (struct call_key){.tid = receive->head.tid, .enter_ns = receive->enter_ns};
}

static struct unreturned *find(const struct multi_receive *returns,
			       const struct record_receive *receive)
{
	struct call_key key = call_of(receive);
	struct unreturned *call;

	HASH_FIND(hh, returns->call, &key, sizeof(key), call);
	return call;
}

static struct unreturned *make(struct multi_receive *returns, const struct record_receive *receive)
{
	struct unreturned *call = calloc(1, sizeof(*call));

	if (!call)
		return NULL;
	call->call = call_of(receive);
	HASH_ADD(hh, returns->call, call, sizeof(call->call), call);
	return call;
}

static int let_wait(struct multi_receive *returns, const struct record_receive *receive)
{
	struct unreturned *call;

	if (returns->cnt >= MULTI_RECEIVE_MAX)
		forget(returns, returns->call);
	call = find(returns, receive);
	if (!call)
		call = make(returns, receive);
	if (!call || array_grow(&call->receive, call->cnt, &call->room, sizeof(*call->receive)))
		return -ENOMEM;
	call->receive[call->cnt++] = *receive;
	returns->cnt++;
	return 0;
}

static struct returned *numbered(const struct multi_receive *returns, uint64_t number)
{
	return &returns->returned[number & (returns->room - 1)];
}

static uint64_t *bucket_of(const struct multi_receive *returns, const struct call_key *key)
{
	unsigned int hash;

	HASH_FUNCTION(key, sizeof(*key), hash);
	return &returns->bucket[hash & (returns->room - 1)];
}

static const struct returned *find_returned(const struct multi_receive *returns,
					    const struct record_receive *receive)
{
	struct call_key key = call_of(receive);
	uint64_t number = returns->room ? *bucket_of(returns, &key) : 0;

	for (; number >= returns->begin && work_spend(1);
	     number = numbered(returns, number)->before) {
		const struct returned *call = numbered(returns, number);

		if (call->call.tid == key.tid && call->call.enter_ns == key.enter_ns)
			return call;
	}
	return NULL;
}

static void append(struct multi_receive *returns, struct returned call)
{
	uint64_t *bucket = bucket_of(returns, &call.call);

	call.before = *bucket;
	*bucket = returns->end;
	*numbered(returns, returns->end++) = call;
}

/* All are numbered anew. */
static int grow(struct multi_receive *returns)
{
	struct multi_receive more = *returns;

	more.room = returns->room ? 2 * returns->room : 1024;
	more.begin = more.end = 1;
	more.returned = malloc(more.room * sizeof(*more.returned));
	more.bucket = calloc(more.room, sizeof(*more.bucket));
	if (!more.returned || !more.bucket) {
		free(more.returned);
		free(more.bucket);
		return -ENOMEM;
	}
	for (; returns->begin < returns->end; returns->begin++)
		append(&more, *numbered(returns, returns->begin));
	free(returns->returned);
	free(returns->bucket);
	*returns = more;
	return 0;
}

static int remember(struct multi_receive *returns, const struct record_receive *receive,
		    size_t change_cnt)
{
	size_t cnt = returns->end - returns->begin;

	if (cnt >= MULTI_RECEIVE_MAX)
		returns->begin++;
	else if (cnt == returns->room && grow(returns))
		return -ENOMEM;
	append(returns, (struct returned){.call = call_of(receive),
					  .exit_ns = receive->exit_ns,
					  .first = receive->first,
					  .change_cnt = change_cnt});
	return 0;
}

/* Of these all has come. */
void multi_receive__settle(struct multi_receive *returns, uint64_t before_ns)
{
	while (returns->begin < returns->end &&
	       numbered(returns, returns->begin)->exit_ns < before_ns)
		returns->begin++;
}

/* One that was told of before the return. */
static int take_early(struct multi_receive *returns, const struct record_receive *receive,
		      multi_receive_put_fn *put, void *ctx)
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
int multi_receive__take(struct multi_receive *returns, const struct record_receive *receive,
			size_t change_cnt, multi_receive_put_fn *put, void *ctx)
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
