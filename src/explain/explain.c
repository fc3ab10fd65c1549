/* SPDX-License-Identifier: BSD-2-Clause */
/* Takes the units of both passes, and puts an explanation together. */
#include "explain/explain.h"

#include <errno.h>
#include <stdlib.h>

struct explain {
	struct explain_choice choice;
	uint64_t units;
};

struct explain *explain__new(const struct explain_choice *choice)
{
	struct explain *explain = calloc(1, sizeof(*explain));

	if (explain)
		explain->choice = *choice;
	return explain;
}

void explain__free(struct explain *explain)
{
	free(explain);
}

int explain__rank(struct explain *explain, const struct unit *unit)
{
	explain->units += unit->kind == explain->choice.kind;
	return 0;
}

enum explain_outcome explain__choose(struct explain *explain)
{
	return explain->units ? EXPLAIN_TOO_FEW : EXPLAIN_NO_UNITS;
}

int explain__add(struct explain *explain, const struct unit *unit)
{
	(void)explain;
	(void)unit;
	return 0;
}

int explain__typical(struct explain *explain, const struct moment *moment, uint32_t cnt)
{
	(void)explain;
	(void)moment;
	(void)cnt;
	return 0;
}

int explain__add_other(struct explain *explain, const struct unit *unit)
{
	(void)explain;
	(void)unit;
	return 0;
}

int explain__finish(struct explain *explain, struct explanation *explanation)
{
	*explanation = (struct explanation){.info = explain->choice.info,
					    .outcome = explain__choose(explain),
					    .unit = explain->choice.kind,
					    .units = explain->units};
	return 0;
}
