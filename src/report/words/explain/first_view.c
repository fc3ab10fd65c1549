/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Two threads that wait for each other are a fault of the programs, in however few units: that
 * comes first, if these units take far longer than the others.
 */
#include "report/words/explain/first_view.h"

#include "report/words/explain/leads.h"

bool are_far_longer(const struct explain_set *these, const struct explain_set *than)
{
	return these->count && than->count &&
	       explain_mean_ns(these) >= FAR_LONGER * explain_mean_ns(than);
}

/* The first lead is a circle, or a chain that ends in one. */
static bool leads_to_circle(const struct explanation *explanation, enum explain_weight weight)
{
	struct telling telling = telling_of(explanation, weight);
	struct lead lead[LEADS_MAX];
	const struct explain_row *row = leads_of(&telling, lead) ? lead[0].row : NULL;

	for (int i = 0; row && i <= CHAIN_MAX; i++) {
		if (reason_is_circle(row->reason))
			return true;
		row = row_followed(&telling.view, row, NULL);
	}
	return false;
}

enum explain_weight first_view(const struct explanation *explanation)
{
	const struct explain_set *slow = &explanation->slow;
	bool is_usual = explanation->focus == FOCUS_USUAL;
	enum explain_weight first = is_usual ? WEIGHT_USUAL : WEIGHT_MORE;

	if (leads_to_circle(explanation, first))
		return first;
	if (is_usual && are_far_longer(slow, &explanation->base) &&
	    leads_to_circle(explanation, WEIGHT_MORE))
		return WEIGHT_MORE;
	if (are_far_longer(&explanation->outliers, slow) &&
	    leads_to_circle(explanation, WEIGHT_OUTLIERS))
		return WEIGHT_OUTLIERS;
	return first;
}
