/* SPDX-License-Identifier: BSD-2-Clause */
/* Adds up the rows of each culprit, and sorts them. */
#include "report/words/explain/leads.h"

#include "report/words/explain/cause_words.h"

#include <string.h>

/* Smaller rows are not worth a sentence. */
#define WORTH_A_LOOK   0.01 /* of all time of the view */
#define MOST           0.5  /* of the row that is followed */
#define MUCH           0.25 /* of the usual time: such a wait comes before work; or of a wait */

#define CANDIDATES_MAX 64

/*
 * A page fault that the kernel deals with by itself takes at least so long on present machines, and
 * several times as long on a virtual one. From this part of the time on, faults are worth a word.
 */
#define FAULT_NS      250
#define FAULTS_MATTER 0.05

struct candidate {
	struct lead lead;
	char culprit[CULPRIT_LEN]; /* empty: nothing is to blame but the component itself */
};

struct telling telling_of(const struct explanation *explanation, enum explain_weight weight)
{
	return (struct telling){explanation, explanation_view(explanation, weight)};
}

/* Workers of one program that wait for one another. */
static bool are_like_workers(const struct explain_row *one, const struct explain_row *other)
{
	return one->role == CAUSE_RAN && one->by.kind == SLICE_TASK &&
	       one->by.class == other->by.class && one->by.comm[0] &&
	       one->by.priority == other->by.priority && other->by.kind == SLICE_TASK &&
	       !compare_programs(one->by.comm, other->by.comm);
}

static bool runs_in_call(const struct explain_row *row)
{
	return row->cost == COST_ON_CPU && row->role == CAUSE_ITSELF && row_has_call(row);
}

/* The kernel waits: for a disk, memory, or one of its own threads. */
static bool sleeps_in_call(const struct explain_row *row)
{
	if (row->cost != COMPONENT_BLOCKED || !row_has_call(row))
		return false;
	if (reason_has_disk(row->reason) || reason_is_reclaim(row->reason) ||
	    row->reason == REASON_DIRTY)
		return true;
	return !row->reason && (row->role == CAUSE_UNKNOWN || row->from_interrupt ||
				row->by.class == BLAME_KTHREAD);
}

static bool is_kernels_call(const struct explain_row *row)
{
	return runs_in_call(row) || sleeps_in_call(row);
}

/* One culprit ran instead, whether another CPU was idle at that time or not. */
static bool is_for_cpu(const struct explain_row *row)
{
	return row->role == CAUSE_RAN && (!row->reason || reason_has_cpu(row->reason));
}

static bool leads_is_same(const struct candidate *candidate, const struct explain_row *row,
			  const char *culprit)
{
	const struct explain_row *first = candidate->lead.row;

	if (is_kernels_call(first) && is_kernels_call(row))
		return first->part == row->part && first->call == row->call;
	if (first->reason != row->reason && !(is_for_cpu(first) && is_for_cpu(row)))
		return false;
	if (!culprit[0])
		return !candidate->culprit[0] && first->part == row->part &&
		       first->cost == row->cost && first->role == row->role &&
		       !runs_in_call(first) && !runs_in_call(row);
	return first->role == row->role &&
	       (!strcmp(candidate->culprit, culprit) || are_like_workers(first, row));
}

bool leads_are_alike(const struct lead *one, const struct lead *other)
{
	struct candidate candidate = {.lead = *one};
	char culprit[CULPRIT_LEN] = "";

	if (row_has_culprit(one->row))
		row_culprit(one->row, candidate.culprit);
	if (row_has_culprit(other->row))
		row_culprit(other->row, culprit);
	return leads_is_same(&candidate, other->row, culprit);
}

static struct candidate *leads_find(struct candidate *candidate, uint32_t *cnt,
				    const struct explain_row *row)
{
	char culprit[CULPRIT_LEN] = "";

	if (row_has_culprit(row))
		snprintf(culprit, sizeof(culprit), "%s", row_culprit(row, (char[CULPRIT_LEN]){0}));
	for (uint32_t i = 0; i < *cnt; i++) {
		if (leads_is_same(&candidate[i], row, culprit))
			return &candidate[i];
	}
	if (*cnt == CANDIDATES_MAX)
		return NULL;
	candidate[*cnt] = (struct candidate){.lead = {.row = row}};
	memcpy(candidate[*cnt].culprit, culprit, sizeof(culprit));
	return &candidate[(*cnt)++];
}

static void lead_add_spare(const struct telling *telling, struct lead_spare *spare,
			   const struct explain_row *row)
{
	if (!spare->row || view_ns(&telling->view, row) > view_ns(&telling->view, spare->row))
		spare->row = row;
	spare->ns += view_ns(&telling->view, row);
}

static void leads_add(const struct telling *telling, struct lead *lead,
		      const struct explain_row *row)
{
	const struct explanation *explanation = telling->explanation;

	lead->is_kind |= strcmp(lead->row->by.comm, row->by.comm) != 0;
	lead->has_parts |= lead->row->part != row->part;
	lead->is_mixed |=
		strcmp(row_subject(explanation, lead->row), row_subject(explanation, row)) != 0;
	if (view_ns(&telling->view, row) > view_ns(&telling->view, lead->row))
		lead->row = row;
	lead->ns += view_ns(&telling->view, row);
	if (reason_has_cpu(row->reason))
		lead_add_spare(telling, &lead->spare[row->reason == REASON_SPARE_ALLOWED], row);
	lead->runs |= runs_in_call(row);
	lead->sleeps |= sleeps_in_call(row);
	lead->faults += view_faults(&telling->view, row);
	lead->majors += view_majors(&telling->view, row);
	if (row->slow_units > lead->slow_units)
		lead->slow_units = row->slow_units;
	if (row->base_units > lead->base_units)
		lead->base_units = row->base_units;
	lead->rows++;
}

bool lead_has_faults(const struct lead *lead)
{
	return lead->majors >= 1 || lead->faults * FAULT_NS >= FAULTS_MATTER * lead->ns;
}

/* The faults count while the thread runs: here are those of the part whose sleeps the lead has. */
static double majors_of_part(const struct explain_view *view, uint32_t part)
{
	double majors = 0;

	for (uint32_t i = 0; i < view->cnt; i++) {
		if (!view->row[i].is_component && !view->row[i].depth && view->row[i].part == part)
			majors += view_majors(view, &view->row[i]);
	}
	return majors;
}

/* A CPU that was idle for much of the wait is worth a word, even if it was not for most of it. */
static void prefer_spare(struct lead *lead)
{
	const struct lead_spare *spare = &lead->spare[lead->spare[1].ns > lead->spare[0].ns];

	if (!lead->row->reason && spare->row && spare->ns >= MUCH * lead->ns)
		lead->row = spare->row;
}

static uint32_t candidates_of(const struct telling *telling,
			      struct candidate candidate[CANDIDATES_MAX])
{
	const struct explain_view *view = &telling->view;
	uint32_t cnt = 0;

	for (uint32_t i = 0; i < view->cnt; i++) {
		const struct explain_row *row = &view->row[i];
		struct candidate *one;

		if (row->is_component || row->depth ||
		    view_ns(view, row) < WORTH_A_LOOK * view->all_ns)
			continue;
		one = leads_find(candidate, &cnt, row);
		if (one)
			leads_add(telling, &one->lead, row);
	}
	for (uint32_t i = 0; i < cnt; i++) {
		struct lead *lead = &candidate[i].lead;

		prefer_spare(lead);
		if (lead->row->reason == REASON_DISK_PAGE)
			lead->majors = majors_of_part(view, lead->row->part);
	}
	return cnt;
}

/* Puts a lead among the largest so far. */
static uint32_t leads_insert(struct lead lead[LEADS_MAX], uint32_t cnt, const struct lead *one)
{
	uint32_t at = cnt;

	while (at && lead[at - 1].ns < one->ns)
		at--;
	if (at == LEADS_MAX)
		return cnt;
	if (cnt < LEADS_MAX)
		cnt++;
	memmove(&lead[at + 1], &lead[at], (cnt - 1 - at) * sizeof(*lead));
	lead[at] = *one;
	return cnt;
}

bool lead_is_own_work(const struct lead *lead)
{
	return lead->row->role == CAUSE_ITSELF && !lead->row->reason;
}

static void waits_first(const struct telling *telling, struct lead lead[LEADS_MAX], uint32_t cnt)
{
	struct lead work = lead[0];

	for (uint32_t i = 1; i < cnt && lead_is_own_work(&work); i++) {
		if (lead_is_own_work(&lead[i]) || lead[i].ns < MUCH * telling->view.all_ns)
			continue;
		lead[0] = lead[i];
		memmove(&lead[2], &lead[1], (i - 1) * sizeof(*lead));
		lead[1] = work;
		return;
	}
}

uint32_t leads_of(const struct telling *telling, struct lead lead[LEADS_MAX])
{
	struct candidate candidate[CANDIDATES_MAX];
	uint32_t candidates, cnt = 0;

	if (!(telling->view.all_ns > 0))
		return 0;
	candidates = candidates_of(telling, candidate);
	for (uint32_t i = 0; i < candidates; i++)
		cnt = leads_insert(lead, cnt, &candidate[i].lead);
	if (telling->view.weight == WEIGHT_USUAL)
		waits_first(telling, lead, cnt);
	return cnt;
}

/*
 * The time of all rows of one depth with the cause of this one. `*stands`: the one that stands for
 * all; it does not say that a CPU was idle if it was not in all of this time.
 */
static double ns_of_alike(const struct explain_view *view, const struct explain_row *first,
			  const struct explain_row *at, const struct explain_row **stands)
{
	const struct explain_row *end = view->row + view->cnt;
	const struct lead lead = {.row = at};
	double ns = 0;

	*stands = at;
	for (const struct explain_row *one = first; one < end && one->depth >= at->depth; one++) {
		if (one->depth > at->depth || !leads_are_alike(&lead, &(struct lead){.row = one}))
			continue;
		ns += view_ns(view, one);
		if ((*stands)->reason && !one->reason)
			*stands = one;
	}
	return ns;
}

const struct explain_row *row_followed(const struct explain_view *view,
				       const struct explain_row *row, double *ns)
{
	const struct explain_row *end = view->row + view->cnt, *most = NULL;
	const struct explain_row *stands = NULL;
	double most_ns = 0;

	for (const struct explain_row *at = row + 1; at < end && at->depth > row->depth; at++) {
		double alike_ns =
			at->depth == row->depth + 1 ? ns_of_alike(view, row + 1, at, &stands) : 0;

		if (alike_ns > most_ns) {
			most_ns = alike_ns;
			most = stands;
		}
	}
	if (ns)
		*ns = most_ns;
	return most && most_ns >= MOST * view_ns(view, row) ? most : NULL;
}

const struct explain_row *row_longest(const struct telling *telling)
{
	const struct explain_view *view = &telling->view;
	const struct explain_row *longest = NULL;

	for (uint32_t i = 0; i < view->cnt; i++) {
		const struct explain_row *row = &view->row[i];

		if (row->is_component || row->is_rest || row->depth || row->role == CAUSE_UNKNOWN ||
		    row->by.class == BLAME_IPCTRACE)
			continue;
		if (!longest || row->largest_ns > longest->largest_ns)
			longest = row;
	}
	return longest;
}
