/* SPDX-License-Identifier: BSD-2-Clause */
/* Describes the structs that several others have: threads, blame, system calls, sums. */
#include "model/members/members.h"
#include "model/summary.h"

static bool is_mean(void *of)
{
	const struct component_sum *sum = of;
	uint64_t all_ns = 0;

	for (int i = 0; i < NR_COMPONENTS; i++)
		all_ns += sum->ns[i];
	return sum->count || !all_ns;
}

static const struct member component_sum_rows[] = {
	{NUMBER, AT(component_sum, count)},
	{NUMBER, AT(component_sum, ns), .by_component = true},
	{CHECK, .holds = is_mean},
};
MEMBERS(component_sum);

static const struct member end_summary_rows[] = {
	{NUMBER, AT(end_summary, pid), "pid", "its process", "not known", IF_SET},
	{NUMBER, AT(end_summary, tid), "tid", "the thread that was at this end last", "not known",
	 IF_SET},
	{TEXT, AT(end_summary, comm), "comm", "its name", "not known"},
};
MEMBERS(end_summary);

static const struct member blame_rows[] = {
	{WORD, AT(blame, class), "class", "what it is; server: the sender of the message",
	 NAMES_OF(blame_classes, NR_BLAME_CLASSES)},
	{NUMBER, AT(blame, kind)},
	{NUMBER, AT(blame, tid), "tid", "the thread, or the number of the interrupt; 0: no thread",
	 .after = "comm"},
	{NS, AT(blame, ns), "ns", "for how long it had the CPU", .after = "tid"},
	{NUMBER, AT(blame, policy)},
	{NUMBER, AT(blame, priority)},
	{TEXT, AT(blame, comm), "comm", "its name", "it has none, or it is not known"},
};
MEMBERS(blame, "What ran while a receiver waited for a CPU.");

static const struct member blame_top_rows[] = {
	{LIST, AT(blame_top, entry), EACH_OF(blame_top, entry, blame_members),
	 CNT_AT(blame_top, cnt)},
};
MEMBERS(blame_top);

static const struct member blocked_call_rows[] = {
	{NUMBER, AT(blocked_call, call)},
	{NS, AT(blocked_call, ns), "ns", "for how long"},
	{NUMBER, AT(blocked_call, cnt)},
};
static MEMBERS(blocked_call);

static const struct member blocked_calls_rows[] = {
	{LIST, AT(blocked_calls, entry), EACH_OF(blocked_calls, entry, blocked_call_members),
	 CNT_AT(blocked_calls, cnt)},
};
MEMBERS(blocked_calls);
