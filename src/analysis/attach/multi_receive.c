/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A thread and the start of a call identify the call. Calls that have returned are remembered, as
 * the last record of a call may arrive first.
 */
#include "analysis/attach/multi_receive.h"

#include "container/array.h"
#include "container/step_limit.h"

#include <errno.h>
#include <stdlib.h>

/* A thread is in one call at a time. */
struct call_key {
	uint64_t tid;
	uint64_t enter_ns;
};

/*
 * Every receive of an attach is hashed: this is quicker than a general hash, and makes neighbours
 * of calls that follow one another.
 */
#define HASH_FUNCTION(key, length, hash)                                                           \
	((hash) = (((const struct call_key *)(key))->enter_ns >> 10) +                             \
		  ((const struct call_key *)(key))->tid * 0x9e3779b1u)

/* Calls with the same hash are compared one by one. */
#define HASH_KEYCMP(a, b, length) (step_limit_spend(1), memcmp(a, b, length))
#include "container/hash_table.h"

struct unreturned {
	struct call_key call;
	struct record_receive *receive;
	size_t cnt, room;
	UT_hash_handle hh;
};

struct returned {
	struct call_key call;
	uint64_t exit_ns;
	uint64_t first; /* these two: the state changes up to the return */
	uint64_t change_cnt;
	uint64_t before; /* number of the previous call with the same hash */
};

struct multi_receive {
	struct unreturned *unreturned; /* hash by call, oldest first */
	size_t cnt;                    /* receives of these */

	/*
	 * Calls that have returned are numbered from 1: number n is returned[n % room]. Every
	 * receive makes one and hardly one is ever needed, so forgotten ones stay in the buckets:
	 * their numbers are below `begin`.
	 */
	struct returned *returned;
	uint64_t *bucket; /* the youngest with this hash; as many as there is room for */
	size_t room;      /* a power of two, or 0 */
	uint64_t begin, end;
};

struct multi_receive *multi_receive__new(void)
{
	struct multi_receive *calls = calloc(1, sizeof(*calls));

	if (calls)
		calls->begin = calls->end = 1;
	return calls;
}

static void multi_receive_forget(struct multi_receive *calls, struct unreturned *call)
{
	calls->cnt -= call->cnt;
	HASH_DEL(calls->unreturned, call);
	free(call->receive);
	free(call);
}

void multi_receive__free(struct multi_receive *calls)
{
	if (!calls)
		return;
	while (calls->unreturned)
		multi_receive_forget(calls, calls->unreturned);
	free(calls->returned);
	free(calls->bucket);
	free(calls);
}

static struct call_key call_of(const struct record_receive *receive)
{
	return (struct call_key){.tid = receive->head.tid, .enter_ns = receive->enter_ns};
}

static struct unreturned *multi_receive_find(const struct multi_receive *calls,
					     const struct record_receive *receive)
{
	struct call_key key = call_of(receive);
	struct unreturned *call;

	HASH_FIND(hh, calls->unreturned, &key, sizeof(key), call);
	return call;
}

static int multi_receive_hold(struct multi_receive *calls, const struct record_receive *receive)
{
	struct unreturned *call;

	if (calls->cnt >= MULTI_RECEIVE_MAX)
		multi_receive_forget(calls, calls->unreturned);
	call = multi_receive_find(calls, receive);
	if (!call) {
		HASH_ADD_NEW(calls->unreturned, call, call_of(receive), call);
		if (!call)
			return -ENOMEM;
	}
	if (array_grow(&call->receive, call->cnt, &call->room, sizeof(*call->receive)))
		return -ENOMEM;
	call->receive[call->cnt++] = *receive;
	calls->cnt++;
	return 0;
}

static struct returned *numbered(const struct multi_receive *calls, uint64_t number)
{
	return &calls->returned[number & (calls->room - 1)];
}

static uint64_t *multi_receive_bucket_of(const struct multi_receive *calls,
					 const struct call_key *key)
{
	unsigned int hash;

	HASH_FUNCTION(key, sizeof(*key), hash);
	return &calls->bucket[hash & (calls->room - 1)];
}

static const struct returned *find_returned(const struct multi_receive *calls,
					    const struct record_receive *receive)
{
	struct call_key key = call_of(receive);
	uint64_t number = calls->room ? *multi_receive_bucket_of(calls, &key) : 0;

	for (; number >= calls->begin && step_limit_spend(1);
	     number = numbered(calls, number)->before) {
		const struct returned *call = numbered(calls, number);

		if (call->call.tid == key.tid && call->call.enter_ns == key.enter_ns)
			return call;
	}
	return NULL;
}

static void multi_receive_append(struct multi_receive *calls, struct returned call)
{
	uint64_t *bucket = multi_receive_bucket_of(calls, &call.call);

	call.before = *bucket;
	*bucket = calls->end;
	*numbered(calls, calls->end++) = call;
}

/* Doubles the room; all calls get new numbers. */
static int multi_receive_grow(struct multi_receive *calls)
{
	struct multi_receive more = *calls;

	more.room = calls->room ? 2 * calls->room : 1024;
	more.begin = more.end = 1;
	more.returned = malloc(more.room * sizeof(*more.returned));
	more.bucket = calloc(more.room, sizeof(*more.bucket));
	if (!more.returned || !more.bucket) {
		free(more.returned);
		free(more.bucket);
		return -ENOMEM;
	}
	for (; calls->begin < calls->end; calls->begin++)
		multi_receive_append(&more, *numbered(calls, calls->begin));
	free(calls->returned);
	free(calls->bucket);
	*calls = more;
	return 0;
}

static int multi_receive_remember(struct multi_receive *calls, const struct record_receive *receive,
				  size_t change_cnt)
{
	size_t cnt = calls->end - calls->begin;

	if (cnt >= MULTI_RECEIVE_MAX)
		calls->begin++;
	else if (cnt == calls->room && multi_receive_grow(calls))
		return -ENOMEM;
	multi_receive_append(calls, (struct returned){.call = call_of(receive),
						      .exit_ns = receive->exit_ns,
						      .first = receive->first,
						      .change_cnt = change_cnt});
	return 0;
}

void multi_receive__settle(struct multi_receive *calls, uint64_t before_ns)
{
	while (calls->begin < calls->end && numbered(calls, calls->begin)->exit_ns < before_ns)
		calls->begin++;
}

/* The record of a receive before the last one of its call. */
static int put_early(struct multi_receive *calls, const struct record_receive *receive,
		     multi_receive_put_fn *put, void *ctx)
{
	const struct returned *call = find_returned(calls, receive);
	struct record_receive early = *receive;

	if (!call)
		return multi_receive_hold(calls, receive);
	early.exit_ns = call->exit_ns;
	early.first = call->first;
	return put(ctx, &early, call->change_cnt);
}

/* Waiting receives get the state changes of the last one, which reach up to the return. */
int multi_receive__take(struct multi_receive *calls, const struct record_receive *receive,
			size_t change_cnt, multi_receive_put_fn *put, void *ctx)
{
	struct unreturned *call;
	int err, put_err;

	if (!receive->exit_ns)
		return put_early(calls, receive, put, ctx);
	err = multi_receive_remember(calls, receive, change_cnt);
	call = multi_receive_find(calls, receive);
	for (size_t i = 0; call && i < call->cnt; i++) {
		call->receive[i].exit_ns = receive->exit_ns;
		call->receive[i].first = receive->first;
		put_err = put(ctx, &call->receive[i], change_cnt);
		err = err ? err : put_err;
	}
	if (call)
		multi_receive_forget(calls, call);
	put_err = put(ctx, receive, change_cnt);
	return err ? err : put_err;
}
