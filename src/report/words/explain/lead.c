/* SPDX-License-Identifier: BSD-2-Clause */
/* Finds the culprits that make up most of the difference between slow units and others. */
#include "report/words/explain/lead.h"

#include "report/words/explain/cause_words.h"

#include <string.h>

/* Smaller rows are not worth a sentence. */
#define WORTH_A_LOOK   0.01 /* of the difference */
#define MOST           0.5  /* of the row that is followed */

#define CANDIDATES_MAX 64

struct candidate {
	struct lead lead;
	char culprit[CULPRIT_LEN]; /* empty: nothing is to blame but the component itself */
};

static bool is_same(const struct candidate *candidate, const struct explain_row *row,
		    const char *culprit)
{
	const struct explain_row *first = candidate->lead.row;

	if (!culprit[0])
		return !candidate->culprit[0] && first->part == row->part &&
		       first->cost == row->cost && first->role == row->role;
	return first->role == row->role && !strcmp(candidate->culprit, culprit);
}

static struct candidate *find(struct candidate *candidate, uint32_t *cnt,
			      const struct explain_row *row)
{
	char culprit[CULPRIT_LEN] = "";

	if (row_has_culprit(row))
		snprintf(culprit, sizeof(culprit), "%s", row_culprit(row, (char[CULPRIT_LEN]){0}));
	for (uint32_t i = 0; i < *cnt; i++) {
		if (is_same(&candidate[i], row, culprit))
			return &candidate[i];
	}
	if (*cnt == CANDIDATES_MAX)
		return NULL;
	candidate[*cnt] = (struct candidate){.lead = {.row = row}};
	memcpy(candidate[*cnt].culprit, culprit, sizeof(culprit));
	return &candidate[(*cnt)++];
}

static void add(const struct explanation *explanation, struct lead *lead,
		const struct explain_row *row)
{
	lead->has_parts |= lead->row->part != row->part;
	lead->is_mixed |=
		strcmp(row_subject(explanation, lead->row), row_subject(explanation, row)) != 0;
	if (row_more_ns(row) > row_more_ns(lead->row))
		lead->row = row;
	lead->more_ns += row_more_ns(row);
	if (row->slow_units > lead->slow_units)
		lead->slow_units = row->slow_units;
	if (row->base_units > lead->base_units)
		lead->base_units = row->base_units;
	lead->rows++;
}

static uint32_t candidates_of(const struct explanation *explanation,
			      struct candidate candidate[CANDIDATES_MAX])
{
	double least_ns = WORTH_A_LOOK * explanation->difference_ns;
	uint32_t cnt = 0;

	for (uint32_t i = 0; i < explanation->row_cnt; i++) {
		const struct explain_row *row = &explanation->row[i];
		struct candidate *one;

		if (row->is_component || row->depth || row_more_ns(row) < least_ns)
			continue;
		one = find(candidate, &cnt, row);
		if (one)
			add(explanation, &one->lead, row);
	}
	return cnt;
}

/* Puts a lead among the largest so far. */
static uint32_t insert(struct lead lead[LEADS_MAX], uint32_t cnt, const struct lead *one)
{
	uint32_t at = cnt;

	while (at && lead[at - 1].more_ns < one->more_ns)
		at--;
	if (at == LEADS_MAX)
		return cnt;
	if (cnt < LEADS_MAX)
		cnt++;
	memmove(&lead[at + 1], &lead[at], (cnt - 1 - at) * sizeof(*lead));
	lead[at] = *one;
	return cnt;
}

uint32_t leads_of(const struct explanation *explanation, struct lead lead[LEADS_MAX])
{
	struct candidate candidate[CANDIDATES_MAX];
	uint32_t candidates, cnt = 0;

	if (!(explanation->difference_ns > 0))
		return 0;
	candidates = candidates_of(explanation, candidate);
	for (uint32_t i = 0; i < candidates; i++)
		cnt = insert(lead, cnt, &candidate[i].lead);
	return cnt;
}

const struct explain_row *row_followed(const struct explanation *explanation,
				       const struct explain_row *row)
{
	const struct explain_row *end = explanation->row + explanation->row_cnt, *most = NULL;

	for (const struct explain_row *at = row + 1; at < end && at->depth > row->depth; at++) {
		if (at->depth == row->depth + 1 && (!most || row_more_ns(at) > row_more_ns(most)))
			most = at;
	}
	return most && row_more_ns(most) >= MOST * row_more_ns(row) ? most : NULL;
}
