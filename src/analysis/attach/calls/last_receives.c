/* SPDX-License-Identifier: BSD-2-Clause */
/* Keeps a ring of the last receives of each thread. */
#include "analysis/attach/calls/last_receives.h"

#include "container/lru_table.h"

#include <errno.h>

struct one_receive {
	struct connection_ends ends;
	uint64_t recv_ns;
	bool is_request;
	bool has_sent; /* before the next receive */
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

void last_receives__free(struct last_receives *last)
{
	while (last && last->first)
		LRU_DROP(last, last->first);
	free(last);
}

int last_receives__add(struct last_receives *last, uint32_t tid, const struct connection_ends *ends,
		       uint64_t recv_ns, bool is_request)
{
	struct receiver *receiver;

	LRU_FIND_OR_ADD(last, tid, receiver, LRU_THREADS_MAX, LRU_DROP);
	if (!receiver)
		return -ENOMEM;
	receiver->ring[receiver->cnt++ % LAST_RECEIVES] =
		(struct one_receive){.ends = *ends, .recv_ns = recv_ns, .is_request = is_request};
	return 0;
}

/* The i-th last receive, from 1 on; NULL: not known any more. */
static struct one_receive *nth_last(struct receiver *receiver, uint32_t i)
{
	return i <= LAST_RECEIVES && i <= receiver->cnt
		       ? &receiver->ring[(receiver->cnt - i) % LAST_RECEIVES]
		       : NULL;
}

static bool last_receives_is_of(const struct one_receive *one, const struct connection_ends *ends)
{
	return one->ends.low == ends->low && one->ends.high == ends->high;
}

void last_receives__sent(struct last_receives *last, uint32_t tid, uint64_t send_ns)
{
	struct receiver *receiver = LRU_GET(last, tid);
	struct one_receive *one;

	for (uint32_t i = 1; receiver && (one = nth_last(receiver, i)); i++) {
		if (one->recv_ns > send_ns)
			continue;
		one->has_sent = true;
		break;
	}
}

bool last_receives__others(struct last_receives *last, uint32_t tid,
			   const struct connection_ends *ends, uint64_t from_ns, uint64_t to_ns)
{
	const struct one_receive *one;
	struct receiver *receiver = LRU_GET(last, tid);

	if (!receiver)
		return false;
	for (uint32_t i = 1; (one = nth_last(receiver, i)); i++) {
		if (one->recv_ns <= from_ns)
			return false;
		if (one->recv_ns < to_ns && !last_receives_is_of(one, ends))
			return true;
	}
	return receiver->cnt > LAST_RECEIVES;
}

/*
 *	from                                  to
 *	 |  receive   receive  ...  receive    |
 *	      (has anything been sent?)  the last one
 */
bool last_receives__other_last(struct last_receives *last, uint32_t tid,
			       const struct connection_ends *ends, uint64_t from_ns, uint64_t to_ns,
			       uint64_t *recv_ns, bool *has_sent)
{
	const struct one_receive *one, *found = NULL;
	struct receiver *receiver;

	*has_sent = false;
	LRU_FIND(last, tid, receiver);
	if (!receiver)
		return false;
	for (uint32_t i = 1; (one = nth_last(receiver, i)); i++) {
		if (found)
			*has_sent |= one->has_sent;
		if (one->recv_ns <= from_ns)
			break;
		if (one->recv_ns < to_ns && !found) {
			found = one;
			*recv_ns = one->recv_ns;
		}
	}
	*has_sent |= !one; /* not all are remembered */
	return found && found->is_request && !last_receives_is_of(found, ends);
}
