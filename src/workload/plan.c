/* SPDX-License-Identifier: BSD-2-Clause */
/* What a checked spec answers about itself. */
#include "workload/plan.h"

#include <string.h>

const char *plan_handler_argument(const struct plan *plan)
{
	const char *equals = strchr(plan->spec.handler, '=');

	return equals ? equals + 1 : NULL;
}
