/* SPDX-License-Identifier: BSD-2-Clause */
/* Lists the callees with most time. */
#include "report/words/callees.h"

#include "report/words/labels.h"
#include "insight/metrics.h"

/* Callees with less of the calls' time are not listed. */
#define CALLEE_LEAST  0.01
#define CALLEES_SHOWN 3

/* One with at least this share of the calls' time is the only one that is named. */
#define CALLEE_ALONE 0.9

void callees_words(struct paragraph *line, const struct service_summary *service)
{
	const struct callee_summary *callee = service->callee;
	double all_ns = (double)service->service.sum, nested_ns = (double)service->nested_ns;

	paragraph_add(line, "to %s", callee[0].name);
	if ((double)callee[0].ns >= CALLEE_ALONE * nested_ns)
		return;
	paragraph_add(line, " %s", PERCENT((double)callee[0].ns / all_ns));
	for (uint32_t i = 1; i < service->callee_cnt && i < CALLEES_SHOWN; i++) {
		if ((double)callee[i].ns < CALLEE_LEAST * nested_ns)
			break;
		paragraph_add(line, ", %s %s", callee[i].name,
			      PERCENT((double)callee[i].ns / all_ns));
	}
}
