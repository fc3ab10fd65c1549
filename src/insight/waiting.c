/* SPDX-License-Identifier: BSD-2-Clause */
/* Follows threads that slept when tracing ended from each to the one it waits for. */
#include "insight/waiting.h"

#include "insight/metrics.h"

/* Shorter waits are no trouble, even where no message takes so long. */
#define WAITING_MIN_NS 200000000ULL

uint64_t sleeper_ns(const struct summary *summary, const struct sleeper_summary *sleeper)
{
	return sleeper->flags & ASLEEP_ALL_TIME ? traced_ns(summary) : sleeper->ns;
}

/* Other threads of a process may send, while one waits for what the other process sends. */
static bool waits_alike(const struct sleeper_summary *a, const struct sleeper_summary *b)
{
	const unsigned int both = a->flags & b->flags;

	return both & ASLEEP_FOR_ROOM || (both & ASLEEP_FOR_DATA && both & ASLEEP_ALONE);
}

/*
 * The thread for which `sleeper` waits, in the process at the other end: one that waits for the
 * process `first` in turn, or else the only one that is known to sleep. NULL: it is not known.
 */
static const struct sleeper_summary *next_of(const struct summary *summary,
					     const struct sleeper_summary *sleeper, uint32_t first)
{
	const struct sleeper_summary *only = NULL;
	uint32_t cnt = 0;

	if (!sleeper->other.pid || sleeper->other.pid == sleeper->thread.pid)
		return NULL;
	for (uint32_t i = 0; i < summary->sleeper_cnt; i++) {
		const struct sleeper_summary *next = &summary->sleeper[i];

		if (next->thread.pid != sleeper->other.pid)
			continue;
		if (next->other.pid == first && waits_alike(next, sleeper))
			return next;
		only = next;
		cnt++;
	}
	return cnt == 1 ? only : NULL;
}

static struct waiting_chain chain_from(const struct summary *summary,
				       const struct sleeper_summary *sleeper)
{
	struct waiting_chain chain = {.link = {sleeper}, .cnt = 1};
	uint32_t first = sleeper->thread.pid;

	while (!chain.is_circle && chain.cnt < WAITING_LINKS_MAX) {
		sleeper = next_of(summary, sleeper, first);
		if (!sleeper)
			break;
		chain.link[chain.cnt++] = sleeper;
		chain.is_circle =
			sleeper->other.pid == first && waits_alike(sleeper, chain.link[0]);
	}
	/* The other one need not sleep in its send: it has what the first one does not receive. */
	if (!chain.is_circle && chain.link[0]->flags & ASLEEP_UNREAD) {
		chain.is_circle = true;
		chain.cnt = 1;
	}
	return chain;
}

/* Whether one chain says more than another one. */
static bool says_more(const struct waiting_chain *chain, const struct waiting_chain *than)
{
	if (!than->cnt)
		return true;
	if (chain->is_circle != than->is_circle)
		return chain->is_circle;
	if (chain->cnt != than->cnt)
		return chain->cnt > than->cnt;
	return (chain->link[0]->flags & ~than->link[0]->flags) & ASLEEP_FOR_ROOM;
}

/* The best chain of a thread that has all of these flags and waits for `least_ns` or more. */
static struct waiting_chain best_chain(const struct summary *summary, uint32_t flags,
				       uint64_t least_ns)
{
	struct waiting_chain best = {0};

	for (uint32_t i = 0; i < summary->sleeper_cnt; i++) {
		const struct sleeper_summary *sleeper = &summary->sleeper[i];
		struct waiting_chain chain;

		if ((sleeper->flags & flags) != flags || sleeper_ns(summary, sleeper) < least_ns)
			continue;
		/* Without the other end, a wait says nothing. */
		if (!sleeper->other.pid && !(sleeper->flags & ASLEEP_STOPPED))
			continue;
		chain = chain_from(summary, sleeper);
		if (says_more(&chain, &best))
			best = chain;
	}
	return best;
}

struct waiting_chain waiting_in_silence(const struct summary *summary)
{
	const struct waiting_chain chain = best_chain(summary, ASLEEP_IN_TARGET, 0);

	return chain.cnt ? chain : best_chain(summary, 0, 0);
}

struct waiting_chain waiting_at_end(const struct summary *summary)
{
	uint64_t usual_ns = summary->latency.max;

	return best_chain(summary, ASLEEP_FOR_ROOM,
			  usual_ns > WAITING_MIN_NS ? usual_ns : WAITING_MIN_NS);
}
