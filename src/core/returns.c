/* SPDX-License-Identifier: BSD-2-Clause */
#include "core/returns.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <uthash.h>

/* A thread is in one call at a time. */
struct call_key {
	uint64_t tid;
	uint64_t enter_ns;
};

struct unreturned {
	struct call_key call;
	struct record_receive *receive;
	size_t cnt, room;
	UT_hash_handle hh;
};

struct returns {
	struct unreturned *call; /* hash by call, oldest first */
	size_t cnt;              /* of all receives */
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

void returns__free(struct returns *returns)
{
	struct unreturned *call, *next;

	if (!returns)
		return;
	HASH_ITER (hh, returns->call, call, next)
		forget(returns, call);
	free(returns);
}

static struct unreturned *find(const struct returns *returns, const struct record_receive *receive)
{
	struct call_key key = {.tid = receive->head.tid, .enter_ns = receive->enter_ns};
	struct unreturned *call;

	HASH_FIND(hh, returns->call, &key, sizeof(key), call);
	return call;
}

static struct unreturned *make(struct returns *returns, const struct record_receive *receive)
{
	struct unreturned *call = calloc(1, sizeof(*call));

	if (!call)
		return NULL;
	call->call = (struct call_key){.tid = receive->head.tid, .enter_ns = receive->enter_ns};
	HASH_ADD(hh, returns->call, call, sizeof(call->call), call);
	return call;
}

static int let_wait(struct returns *returns, const struct record_receive *receive)
{
	struct unreturned *call = find(returns, receive);
	struct record_receive *more;
	size_t room;

	if (!call && returns->cnt >= RETURNS_MAX)
		forget(returns, returns->call);
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

/* They know of as many changes as the last one does: all before the return. */
int returns__take(struct returns *returns, const struct record_receive *receive, size_t change_cnt,
		  returns_put_fn *put, void *ctx)
{
	struct unreturned *call;
	int err = 0;

	if (!receive->exit_ns)
		return let_wait(returns, receive);
	call = find(returns, receive);
	for (size_t i = 0; call && i < call->cnt && !err; i++) {
		call->receive[i].exit_ns = receive->exit_ns;
		call->receive[i].first = receive->first;
		err = put(ctx, &call->receive[i], change_cnt);
	}
	if (call)
		forget(returns, call);
	return err ? err : put(ctx, receive, change_cnt);
}
