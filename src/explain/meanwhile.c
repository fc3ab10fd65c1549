/* SPDX-License-Identifier: BSD-2-Clause */
/* Keeps sums, and the thread that slept in most units. */
#include "explain/meanwhile.h"

static void vote_other(struct meanwhile *meanwhile, const struct blame *other)
{
	bool is_same = meanwhile->other.tid == other->tid;

	if (!meanwhile->votes && !is_same) {
		meanwhile->other = *other;
		is_same = true;
	}
	meanwhile->votes = is_same ? meanwhile->votes + 1 : meanwhile->votes - 1;
}

void meanwhile_add(struct meanwhile *meanwhile, const struct unit *unit)
{
	const struct unit_turn *turn = &unit->turn;

	meanwhile->units++;
	if (!turn->waited_ns)
		return;
	meanwhile->waiting++;
	meanwhile->before += turn->before;
	meanwhile->accepted += turn->accepted;
	meanwhile->accepting += turn->accepted > 0;
	meanwhile->others += turn->others;
	meanwhile->waited_ns += turn->waited_ns;
	meanwhile->other_ns += turn->other_ns;
	if (turn->other.tid)
		vote_other(meanwhile, &turn->other);
}

struct explain_meanwhile meanwhile_finish(const struct meanwhile *meanwhile)
{
	struct explain_meanwhile mean = {0};

	if (!meanwhile->waiting)
		return mean;
	mean.waited_ns = (double)((long double)meanwhile->waited_ns / meanwhile->units);
	mean.before = (double)meanwhile->before / (double)meanwhile->units;
	mean.others = (double)meanwhile->others / (double)meanwhile->waiting;
	mean.other_share = (double)((long double)meanwhile->other_ns / meanwhile->waited_ns);
	mean.other = meanwhile->other;
	if (2 * meanwhile->accepting >= meanwhile->waiting)
		mean.accepted = (double)meanwhile->accepted / (double)meanwhile->accepting;
	return mean;
}
