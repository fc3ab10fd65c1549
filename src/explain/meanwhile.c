/* SPDX-License-Identifier: BSD-2-Clause */
/* Keeps sums, and the thread that slept in most units, by what it shares with the receiver. */
#include "explain/meanwhile.h"

static void vote_other(struct meanwhile_others *others, const struct blame *other)
{
	bool is_same = others->other.tid == other->tid;

	if (!others->votes && !is_same) {
		others->other = *other;
		is_same = true;
	}
	others->votes = is_same ? others->votes + 1 : others->votes - 1;
}

void meanwhile_add(struct meanwhile *meanwhile, const struct unit *unit)
{
	const struct unit_turn *turn = &unit->turn;
	struct meanwhile_others *others = &meanwhile->others[turn->share];

	meanwhile->units++;
	if (!turn->waited_ns)
		return;
	meanwhile->waiting++;
	meanwhile->before += turn->before;
	meanwhile->accepted += turn->accepted;
	meanwhile->accepting += turn->accepted > 0;
	meanwhile->waited_ns += turn->waited_ns;
	others->cnt += turn->others;
	others->ns += turn->other_ns;
	if (turn->other.tid)
		vote_other(others, &turn->other);
}

/* The kind of threads that slept longest is named. */
static enum turn_share longest_share(const struct meanwhile *meanwhile)
{
	enum turn_share share = 0;

	for (int i = 1; i < NR_SHARES; i++) {
		if (meanwhile->others[i].ns > meanwhile->others[share].ns)
			share = i;
	}
	return share;
}

struct explain_meanwhile meanwhile_finish(const struct meanwhile *meanwhile)
{
	enum turn_share share = longest_share(meanwhile);
	const struct meanwhile_others *others = &meanwhile->others[share];
	struct explain_meanwhile mean = {.share = share};

	if (!meanwhile->waiting)
		return mean;
	mean.waited_ns = (double)((long double)meanwhile->waited_ns / meanwhile->units);
	mean.before = (double)meanwhile->before / (double)meanwhile->units;
	mean.others = (double)others->cnt / (double)meanwhile->waiting;
	mean.other_share = (double)((long double)others->ns / meanwhile->waited_ns);
	mean.other = others->other;
	if (2 * meanwhile->accepting >= meanwhile->waiting)
		mean.accepted = (double)meanwhile->accepted / (double)meanwhile->accepting;
	return mean;
}
