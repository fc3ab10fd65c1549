/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Frees what an explanation owns, shows its rows, and has the names of attributes and of kinds of
 * units.
 */
#include "model/explanation.h"

#include <stdlib.h>

const char *const unit_kind_names[NR_UNIT_KINDS] = {
	[UNIT_MESSAGE] = "message",
	[UNIT_CALL] = "call",
	[UNIT_ROUND] = "round",
	[UNIT_CONNECTION] = "connection",
};

#define ATTRIBUTE_ROW(id, name, before, after) {name, {before, after}},
const struct attribute_info attribute_infos[NR_ATTRIBUTES] = {ATTRIBUTES(ATTRIBUTE_ROW)};

struct explain_view explanation_view(const struct explanation *explanation,
				     enum explain_weight weight)
{
	switch (weight) {
	case WEIGHT_USUAL:
		return (struct explain_view){explanation->usual, explanation->usual_cnt, weight,
					     explain_mean_ns(&explanation->base)};
	case WEIGHT_OUTLIERS:
		return (struct explain_view){explanation->outlier, explanation->outlier_cnt, weight,
					     explain_mean_ns(&explanation->outliers)};
	default:
		return (struct explain_view){explanation->row, explanation->row_cnt, weight,
					     explanation->difference_ns};
	}
}

void explanation_clean(struct explanation *explanation)
{
	free(explanation->row);
	free(explanation->usual);
	free(explanation->outlier);
	free(explanation->attribute);
	free(explanation->episode);
	free(explanation->stack);
	free(explanation->stacks_of_row);
	stack_names__free(explanation->stack_names);
	free((struct cause *)explanation->typical.unit.cause);
	free(explanation->typical.moment);
	*explanation = (struct explanation){0};
}
