/* SPDX-License-Identifier: BSD-2-Clause */
/* Keeps a ring of the last receives of each thread. */
#include "analysis/attach/last_receives.h"

#include "analysis/container/lru_table.h"

#include <errno.h>

struct one_receive {
	struct connection_ends ends;
	uint64_t recv_ns;
};

struct receiver {
	uint32_t id; /* tid */
	uint32_t used;
	uint32_t cnt; /* of all its receives */
	struct one_receive ring[LAST_RECEIVES];
	UT_hash_handle hh;
};

struct last_receives {
	LRU_TABLE(struct receiver);
};

struct last_receives *last_receives__new(void)
{
	return calloc(1, sizeof(struct last_receives));
}

static void forget(struct last_receives *last, struct receiver *receiver)
{
	LRU_DELETE(last, receiver);
	free(receiver);
}

void last_receives__free(struct last_receives *last)
{
	while (last && last->first)
		forget(last, last->first);
	free(last);
}

int last_receives__add(struct last_receives *last, uint32_t tid, const struct connection_ends *ends,
		       uint64_t recv_ns)
{
	struct receiver *receiver;

	LRU_FIND_OR_ADD(last, tid, receiver, LRU_THREADS_MAX, forget);
	if (!receiver)
		return -ENOMEM;
	receiver->ring[receiver->cnt++ % LAST_RECEIVES] =
		(struct one_receive){.ends = *ends, .recv_ns = recv_ns};
	return 0;
}

bool last_receives__others(struct last_receives *last, uint32_t tid,
			   const struct connection_ends *ends, uint64_t from_ns, uint64_t to_ns)
{
	struct receiver *receiver;

	LRU_FIND(last, tid, receiver);
	if (!receiver)
		return false;
	for (uint32_t i = 1; i <= LAST_RECEIVES && i <= receiver->cnt; i++) {
		const struct one_receive *one =
			&receiver->ring[(receiver->cnt - i) % LAST_RECEIVES];

		if (one->recv_ns <= from_ns)
			return false;
		if (one->recv_ns < to_ns &&
		    (one->ends.low != ends->low || one->ends.high != ends->high))
			return true;
	}
	return receiver->cnt > LAST_RECEIVES;
}
