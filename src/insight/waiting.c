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

/* Other threads of a process may send or receive, while one waits. */
static bool waits_alike(const struct sleeper_summary *a, const struct sleeper_summary *b)
{
	const unsigned int both = a->flags & b->flags;

	return both & ASLEEP_ALONE && both & (ASLEEP_FOR_ROOM | ASLEEP_FOR_DATA);
}

/* The thread for which `sleeper` waits, if its process has no other; NULL: it is not known. */
static const struct sleeper_summary *next_of(const struct summary *summary,
					     const struct sleeper_summary *sleeper, uint32_t flags)
{
	if (!sleeper->other.pid || sleeper->other.pid == sleeper->thread.pid)
		return NULL;
	for (uint32_t i = 0; i < summary->sleeper_cnt; i++) {
		const struct sleeper_summary *next = &summary->sleeper[i];

		if (next->thread.pid == sleeper->other.pid && (next->flags & flags) == flags &&
		    next->flags & (ASLEEP_ALONE | ASLEEP_STOPPED))
			return next;
	}
	return NULL;
}

/* `flags`: that all of its threads have. */
static struct waiting_chain chain_from(const struct summary *summary,
				       const struct sleeper_summary *first, uint32_t flags)
{
	struct waiting_chain chain = {.link = {first}, .cnt = 1};
	const struct sleeper_summary *last = first, *next;
	bool are_alike = true;

	while (!chain.is_circle && chain.cnt < WAITING_LINKS_MAX) {
		next = next_of(summary, last, flags);
		if (!next)
			break;
		are_alike = are_alike && waits_alike(last, next);
		chain.link[chain.cnt++] = last = next;
		chain.is_circle = are_alike && next->other.pid == first->thread.pid;
	}
	/* What the other one does is not known. It has no room for what this one keeps. */
	if (chain.cnt == 1 && first->flags & ASLEEP_UNREAD)
		chain.is_circle = true;
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

/*
 * The best chain that begins with a thread that has `flags` and waits for `least_ns` or more.
 * `all_flags`: that all of its threads have.
 */
static struct waiting_chain best_chain(const struct summary *summary, uint32_t flags,
				       uint32_t all_flags, uint64_t least_ns)
{
	struct waiting_chain best = {0};

	flags |= all_flags;
	for (uint32_t i = 0; i < summary->sleeper_cnt; i++) {
		const struct sleeper_summary *sleeper = &summary->sleeper[i];
		struct waiting_chain chain;

		if ((sleeper->flags & flags) != flags || sleeper_ns(summary, sleeper) < least_ns)
			continue;
		/* Without the other end, a wait says nothing. */
		if (!sleeper->other.pid && !(sleeper->flags & ASLEEP_STOPPED))
			continue;
		chain = chain_from(summary, sleeper, all_flags);
		if (says_more(&chain, &best))
			best = chain;
	}
	return best;
}

/* The records of threads are not of one instant: only what did not change is one state. */
struct waiting_chain waiting_in_silence(const struct summary *summary)
{
	const struct waiting_chain chain =
		best_chain(summary, ASLEEP_IN_TARGET, ASLEEP_ALL_TIME, 0);

	return chain.cnt ? chain : best_chain(summary, 0, ASLEEP_ALL_TIME, 0);
}

struct waiting_chain waiting_at_end(const struct summary *summary)
{
	uint64_t usual_ns = summary->latency.max;

	return best_chain(summary, ASLEEP_FOR_ROOM, 0,
			  usual_ns > WAITING_MIN_NS ? usual_ns : WAITING_MIN_NS);
}
