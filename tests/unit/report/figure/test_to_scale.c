/* SPDX-License-Identifier: BSD-2-Clause */
/* One unit to scale: lanes of its threads and CPUs, messages as arrows. Two bars of means. */
#include "support/build.h"
#include "support/capture.h"
#include "support/markup_check.h"
#include "support/pictured.h"

#include <stdlib.h>
#include <string.h>

EACH_TEST(pictured_set_up, NULL)

static char *to_scale_of(const struct pictured *pictured)
{
	return pictured_figure(&figure_to_scale, &pictured->illustration, FIGURE_WIDE);
}

/* What is drawn of the first slow unit: its receiver waits behind hog and a kworker. */
TEST(causes_are_laid_out_in_time)
{
	char *text = to_scale_of(pictured);
	char *cpu, *receiver;

	assert_well_formed(text);
	assert_int_equal(count_of(text, "class=\"thread-lane\""), 2);
	receiver = cut_out(text, "data-role=\"receiver\"", "</g>");
	assert_has(receiver, "data-cost=\"runqueue\" data-ns=\"900000\"");
	assert_has(receiver, "waits for CPU 1");
	cpu = cut_out(text, "<g class=\"cpu-lane\" data-cpu=\"1\">", "</g>");
	assert_has(cpu, "data-by=\"hog\" data-ns=\"800000\"");
	assert_has(cpu, "data-by=\"kworker/1:2\" data-ns=\"100000\"");
	assert_int_equal(count_of(text, "<g class=\"message\" data-ns=\"1000000\">"), 1);
}

static void set_moments(struct unit_moments *moments, const struct moment *moment, uint32_t cnt)
{
	moments->moment = calloc(cnt, sizeof(*moment));
	assert_non_null(moments->moment);
	memcpy(moments->moment, moment, cnt * sizeof(*moment));
	moments->cnt = cnt;
}

/* What threads did is known better than from causes: also where they ran, and what was before. */
TEST(moments_are_shown_where_they_are_known)
{
	const struct unit *unit = &pictured->picture.slowest[0];
	uint64_t at = unit->from_ns;
	const struct moment moment[] = {
		{.from_ns = at - 10000,
		 .to_ns = at + 300000,
		 .tid = 4711,
		 .cpu = 0,
		 .cost = COST_ON_CPU},
		{.from_ns = at - 10000,
		 .to_ns = at + 50000,
		 .tid = 4712,
		 .cpu = BLAME_CPU_UNKNOWN,
		 .cost = COMPONENT_BLOCKED},
		{.from_ns = at + 50000,
		 .to_ns = at + 400000,
		 .tid = 4712,
		 .cpu = 2,
		 .cost = COMPONENT_RUNQUEUE,
		 .role = CAUSE_RAN,
		 .by = {.class = BLAME_TASK, .tid = 98, .comm = "other"}},
		{.from_ns = at + 400000,
		 .to_ns = at + 1000000,
		 .tid = 4712,
		 .cpu = 2,
		 .cost = COST_ON_CPU},
	};
	char *text, *cpu;

	set_moments(&pictured->picture.slowest_moments[0], moment, ARRAY_SIZE(moment));
	text = to_scale_of(pictured);
	assert_well_formed(text);
	cpu = cut_out(text, "<g class=\"cpu-lane\" data-cpu=\"2\">", "</g>");
	assert_has(cpu, "data-by=\"other\" data-ns=\"350000\"");
	assert_has(cpu, "data-by=\"client\" data-ns=\"600000\"");
	assert_has(cut_out(text, "data-cpu=\"0\"", "</g>"), "data-by=\"server\"");
	assert_has(text, "class=\"sleep\"");
	assert_has_not(text, "data-by=\"hog\"");
}

/* A call has a request and a response. */
TEST(a_call_has_two_arrows)
{
	struct unit *unit = &pictured->picture.slowest[0];
	struct cause *cause = (struct cause *)unit->cause;

	unit->kind = UNIT_CALL;
	for (uint32_t i = 0; i < unit->cause_cnt; i++)
		cause[i].part = i < 3 ? PART_REQUEST : i < 4 ? PART_SERVICE : PART_RESPONSE;
	assert_int_equal(count_of(to_scale_of(pictured), "<g class=\"message\""), 2);
}

/* The slow bar: what most of its wait was behind. */
TEST(two_bars_add_up)
{
	char *text = pictured_figure(&figure_typical, &pictured->illustration, FIGURE_WIDE);

	assert_well_formed(text);
	assert_int_equal(count_of(text, "<g class=\"stack\""), 2);
	assert_has(text, ">typical message<");
	assert_has(text, ">typical slow message<");
}
