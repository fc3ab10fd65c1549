/* SPDX-License-Identifier: BSD-2-Clause */
/* Frees what an explanation owns, and has the names of attributes and of kinds of units. */
#include "model/explanation.h"

#include <stdlib.h>

const char *const unit_kind_names[NR_UNIT_KINDS] = {
	[UNIT_MESSAGE] = "message",
	[UNIT_CALL] = "call",
	[UNIT_ROUND] = "round",
};

#define ATTRIBUTE_ROW(id, name, before, after) {name, {before, after}},
const struct attribute_info attribute_infos[NR_ATTRIBUTES] = {ATTRIBUTES(ATTRIBUTE_ROW)};

void explanation_clean(struct explanation *explanation)
{
	free(explanation->row);
	free(explanation->attribute);
	free(explanation->episode);
	free(explanation->stack);
	free(explanation->stacks_of_row);
	stack_names__free(explanation->stack_names);
	free((struct cause *)explanation->typical.unit.cause);
	free(explanation->typical.moment);
	*explanation = (struct explanation){0};
}
