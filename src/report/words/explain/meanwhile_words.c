/* SPDX-License-Identifier: BSD-2-Clause */
/* The numbers are means of all units, so they stand where a sentence speaks of a usual unit. */
#include "report/words/explain/meanwhile_words.h"

#include "report/words/explain/cause_words.h"

/* Fewer calls, or connections, are not worth a number. */
#define FEW_CALLS       0.5
#define SEVERAL_AT_ONCE 1.5

/* Of the wait: what another thread could have taken sooner. */
#define SLEEPS_MUCH 0.25

/* From here on, a number has no decimals. */
#define MANY_CALLS 9.95

const struct explain_meanwhile *meanwhile_of(const struct telling *telling)
{
	return telling->view.weight == WEIGHT_USUAL ? &telling->explanation->usual_meanwhile
						    : &telling->explanation->slow_meanwhile;
}

/* Whether the row is of the time in which the data were there, and the receiver was kept. */
static bool is_kept_back(const struct explain_row *row)
{
	return !row->depth && row->part != PART_SERVICE && row->part != PART_RESPONSE &&
	       (row->cost == COMPONENT_BUSY || row->cost == COMPONENT_BLOCKED);
}

bool meanwhile_has_other(const struct explain_meanwhile *meanwhile, const struct explain_row *row)
{
	return is_kept_back(row) && meanwhile->other.tid && meanwhile->other_share >= SLEEPS_MUCH;
}

static void add_calls_before(struct paragraph *line, const struct explain_meanwhile *meanwhile,
			     const struct explain_row *row)
{
	double before = meanwhile->before;

	bool is_before = row->part == PART_REQUEST || row->part == PART_QUEUE;

	if (!is_before || row->cost != COMPONENT_BUSY || row->role != CAUSE_KEPT ||
	    before < FEW_CALLS)
		return;
	paragraph_add(line, " (%.*f call%s on average%s)", before < MANY_CALLS, before,
		      before < SEVERAL_AT_ONCE ? "" : "s",
		      before < SEVERAL_AT_ONCE ? "" : ", one after another");
}

/* What one thread does, and what several do. */
static const char *const share_words[NR_SHARES][2] = {
	[SHARE_SOCKET] = {"accepts from the same socket", "accept from the same socket"},
	[SHARE_EPOLL] = {"waits in the same epoll", "wait in the same epoll"},
	[SHARE_PORT] = {"has another socket on the same port (SO_REUSEPORT)",
			"have other sockets on the same port (SO_REUSEPORT)"},
};

void meanwhile_add_clause(struct paragraph *line, const struct telling *telling,
			  const struct lead *lead)
{
	const struct explain_meanwhile *meanwhile = meanwhile_of(telling);
	const struct explain_row other = {.by = meanwhile->other};
	bool are_several = meanwhile->others >= SEVERAL_AT_ONCE;
	char name[CULPRIT_LEN];

	add_calls_before(line, meanwhile, lead->row);
	if (!meanwhile_has_other(meanwhile, lead->row))
		return;
	paragraph_add(line, ", while %s", row_culprit(&other, name));
	if (are_several)
		paragraph_add(line, " and %.0f more", meanwhile->others - 1);
	paragraph_add(line, ", which %s, sleep%s for %s of that wait",
		      share_words[meanwhile->share][are_several], are_several ? "" : "s",
		      PERCENT(meanwhile->other_share));
}

void meanwhile_add_accepted(struct paragraph *line, const struct telling *telling,
			    const struct lead *lead)
{
	const struct explain_meanwhile *meanwhile = meanwhile_of(telling);

	if (!meanwhile_has_other(meanwhile, lead->row))
		return;
	if (meanwhile->share == SHARE_PORT)
		paragraph_add(line, " The kernel chooses one of these sockets by a hash of the "
				    "addresses, unless a BPF program does.");
	if (meanwhile->share == SHARE_SOCKET && meanwhile->accepted >= SEVERAL_AT_ONCE)
		paragraph_add(line, " The %s has accepted %.0f connections at once.",
			      lead->row->part == PART_WHOLE ? "receiver" : "server",
			      meanwhile->accepted);
}

enum remedy meanwhile_remedy(const struct explain_meanwhile *meanwhile)
{
	static const enum remedy remedy[NR_SHARES] = {
		[SHARE_SOCKET] = REMEDY_HOARD,
		[SHARE_EPOLL] = REMEDY_EVENTS,
		[SHARE_PORT] = REMEDY_PORT,
	};

	return remedy[meanwhile->share];
}
