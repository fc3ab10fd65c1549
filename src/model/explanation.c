/* SPDX-License-Identifier: BSD-2-Clause */
/* Frees what an explanation owns, and has the names of attributes. */
#include "model/explanation.h"

#include <stdlib.h>

const char *const attribute_names[NR_ATTRIBUTES] = {
	[ATTRIBUTE_CPU] = "cpu",
	[ATTRIBUTE_PATH] = "path",
	[ATTRIBUTE_CHANNEL] = "channel",
	[ATTRIBUTE_CLIENT] = "client",
	[ATTRIBUTE_PEER] = "peer",
	[ATTRIBUTE_TRANSPORT] = "transport",
	[ATTRIBUTE_SIZE] = "size",
	[ATTRIBUTE_PLACE] = "place",
	[ATTRIBUTE_WAKER] = "waker",
	[ATTRIBUTE_SINCE] = "since",
	[ATTRIBUTE_MIGRATION] = "migration",
};

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
