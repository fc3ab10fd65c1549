/* SPDX-License-Identifier: BSD-2-Clause */
/* The slowest of the slow units, and what they wait for. */
#include "explain/scene.h"
#include "support/explained_rows.h"

#include <math.h>

static void add_units(size_t cnt, uint64_t waited_ns, enum component cost)
{
	for (size_t i = 0; i < cnt; i++) {
		scene_add(&scene, scene.cnt * 100000000, waited_ns + 10000 + i % 100);
		if (waited_ns)
			scene_cause(&scene, cost, CAUSE_UNKNOWN, waited_ns);
		scene_receive_rest(&scene);
	}
}

static void add_all(void)
{
	add_units(9960, 0, COMPONENT_RECEIVE);
	add_units(90, 100000, COMPONENT_BLOCKED);
	add_units(10, 12000000, COMPONENT_ROOM);
}

/* How long outliers were in a component. */
static double outliers_ns(enum component cost)
{
	for (uint32_t i = 0; i < scene.explanation.outlier_cnt; i++) {
		const struct explain_row *row = &scene.explanation.outlier[i];

		if (row->is_component && row->cost == cost)
			return row->outliers_ns;
	}
	return 0;
}

TEST(the_slowest_ten_are_a_set_of_their_own)
{
	const struct explanation *explanation = &scene.explanation;

	add_all();
	scene_explain(&scene);
	check_rows_add_up(explanation);
	assert_int_equal(explanation->slow.count, 100);
	assert_int_equal(explanation->outliers.count, 10);
	assert_int_equal(explanation->outliers.least_ns, 12010000);
	assert_int_equal(explanation->outliers.most_ns, 12010009);
	assert_true(fabs(outliers_ns(COMPONENT_ROOM) - 12000000) < 1);
	assert_true(fabs(outliers_ns(COMPONENT_RECEIVE) - 10004.5) < 1);
	/* The largest first, and nothing that only other slow units have. */
	assert_int_equal(explanation->outlier[0].cost, COMPONENT_ROOM);
	assert_true(outliers_ns(COMPONENT_BLOCKED) == 0);
	assert_int_equal(explanation_view(explanation, WEIGHT_OUTLIERS).all_ns, 12010004);
}

TEST(few_slow_units_have_no_outliers)
{
	add_units(1890, 0, COMPONENT_RECEIVE);
	add_units(10, 12000000, COMPONENT_ROOM);
	scene_explain(&scene);
	assert_in_range(scene.explanation.slow.count, 1, 19);
	assert_int_equal(scene.explanation.outliers.count, 0);
	assert_null(scene.explanation.outlier);
}

TEST(a_selection_has_no_outliers)
{
	add_all();
	scene.choice.selection.slowest_percent = 1;
	scene_explain(&scene);
	assert_int_equal(scene.explanation.slow.count, 100);
	assert_int_equal(scene.explanation.outliers.count, 0);
}
