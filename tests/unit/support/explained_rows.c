/* SPDX-License-Identifier: BSD-2-Clause */
#include "support/explained_rows.h"

#include <math.h>

static double mean_of(const struct explain_set *set)
{
	return set->count ? (double)set->sum_ns / (double)set->count : 0;
}

void check_rows_add_up(const struct explanation *e)
{
	double components = 0, slow = 0, base = 0, culprits = 0;
	const struct explain_row *component = NULL;
	/* Means are doubles: allow for their last digits, far below 1 ns. */
	double tolerance = 1e-3;

	for (uint32_t i = 0; i <= e->row_cnt; i++) {
		const struct explain_row *row = &e->row[i];

		if (i == e->row_cnt || row->is_component) {
			if (component)
				assert_true(fabs(culprits - (component->slow_ns -
							     component->base_ns)) < tolerance);
			culprits = 0;
		}
		if (i == e->row_cnt)
			break;
		assert_true(row->slow_units <= e->slow.count);
		assert_true(row->base_units <= e->base.count);
		assert_true(row->slow_episodes <= row->slow_units);
		assert_true((row->slow_units > 0) == (row->slow_episodes > 0));
		if (row->is_component) {
			component = row;
			components += row->slow_ns - row->base_ns;
			slow += row->slow_ns;
			base += row->base_ns;
		} else if (!row->depth) {
			culprits += row->slow_ns - row->base_ns;
		}
	}
	assert_true(fabs(components - e->difference_ns) < tolerance);
	assert_true(fabs(slow - mean_of(&e->slow)) < tolerance);
	assert_true(fabs(base - mean_of(&e->base)) < tolerance);
}
