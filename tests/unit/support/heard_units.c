/* SPDX-License-Identifier: BSD-2-Clause */
#include "support/heard_units.h"

#include <string.h>

static struct heard_units heard;

static int on_unit(void *ctx, const struct unit *unit)
{
	assert_true(heard.cnt < UNITS_HEARD_MAX);
	heard.unit[heard.cnt] = *unit;
	memcpy(heard.cause[heard.cnt], unit->cause, unit->cause_cnt * sizeof(*unit->cause));
	heard.unit[heard.cnt].cause = heard.cause[heard.cnt];
	heard.cnt++;
	return 0;
}

const struct heard_units *hear_units(const struct run_info *info, const struct tape *tape,
				     enum unit_kind kind)
{
	const struct analysis_request request = {
		.has_units = true, .kind = kind, .on_unit = on_unit, .has_causes = true};
	struct analysis *analysis = analysis__new(info, &request);

	heard.cnt = 0;
	assert_non_null(analysis);
	for (size_t i = 0; i < tape->cnt; i++)
		assert_int_equal(analysis__record(analysis, tape->record[i]), 0);
	assert_int_equal(analysis__finish(analysis), 0);
	analysis__free(analysis);
	return &heard;
}

static const struct cause *above(const struct unit *unit, const struct cause *cause)
{
	return cause->parent ? &unit->cause[cause->parent - 1] : NULL;
}

const struct cause *cause_of(const struct unit *unit, struct asked_cause asked)
{
	for (uint32_t i = 0; i < unit->cause_cnt; i++) {
		const struct cause *cause = &unit->cause[i];

		if (cause->part == asked.part && cause->cost == asked.cost &&
		    cause->role == asked.role && cause->by.tid == asked.by &&
		    cause->reason == asked.reason && above(unit, cause) == asked.below)
			return cause;
	}
	fail_msg("no cause: part %d, cost %d, role %d, by %u", asked.part, asked.cost, asked.role,
		 asked.by);
	return NULL;
}

uint32_t causes_on_top(const struct unit *unit)
{
	uint32_t cnt = 0;

	for (uint32_t i = 0; i < unit->cause_cnt; i++)
		cnt += !unit->cause[i].parent;
	return cnt;
}
