/* SPDX-License-Identifier: BSD-2-Clause */
/* Frees what an explanation owns. */
#include "model/explanation.h"

#include <stdlib.h>

void explanation_clean(struct explanation *explanation)
{
	free(explanation->row);
	free(explanation->attribute);
	free(explanation->episode);
	free((struct cause *)explanation->typical.unit.cause);
	free(explanation->typical.moment);
	*explanation = (struct explanation){0};
}
