/* SPDX-License-Identifier: BSD-2-Clause */
/* Reads the handler's argument from a plan. */
#include "workload/plan.h"

#include <string.h>

const char *plan_handler_argument(const struct plan *plan)
{
	const char *equals = strchr(plan->spec.handler, '=');

	return equals ? equals + 1 : NULL;
}
