/* SPDX-License-Identifier: BSD-2-Clause */
/* Figures of rows: what sets slow ones apart, the difference and blame. */
#include "support/build.h"
#include "support/capture.h"
#include "support/explained.h"
#include "support/pictured.h"
#include "support/sample.h"
#include "support/svg.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double widths[] = {FIGURE_WIDE, FIGURE_NARROW};

/* What is drawn for a summary or an explanation. */
struct scene {
	struct summary *summary;
	struct explanation *explanation;
	struct picture picture;
	struct illustration illustration;
};

static struct scene *scene_of_run(uint32_t clients)
{
	struct scene *scene = drop_after(calloc(1, sizeof(*scene)), free);

	scene->summary = sample_summary(clients);
	scene->explanation = explained_push();
	scene->illustration = (struct illustration){.summary = scene->summary,
						    .explanation = scene->explanation,
						    .picture = &scene->picture};
	return scene;
}

static struct scene *scene_of_attach(void)
{
	struct scene *scene = scene_of_run(1);

	scene->illustration.summary = scene->summary = sample_attach();
	return scene;
}

static char *drawn(const struct figure *figure, const struct scene *scene, double width)
{
	return pictured_figure(figure, &scene->illustration, width);
}

TEST(shares_are_those_of_the_explanation)
{
	struct scene *scene = scene_of_run(5);
	const struct explanation *explanation = scene->explanation;

	assert_true(figure_apart.applies(&scene->illustration));
	for (size_t w = 0; w < ARRAY_SIZE(widths); w++) {
		char *svg = drawn(&figure_apart, scene, widths[w]);

		for (uint32_t i = 0; i < explanation->attribute_cnt; i++) {
			const struct explain_attribute *attribute = &explanation->attribute[i];
			size_t shown = !attribute->same_as;

			assert_true(svg_count(svg, "data-value", "%s", attribute->value) == shown);
			if (!shown)
				continue;
			assert_true(svg_count(svg, "data-name", "%s",
					      attribute_infos[attribute->attribute].name));
			assert_true(
				svg_count(svg, "data-slow-share", "%.6f", attribute->slow_share));
			assert_true(
				svg_count(svg, "data-base-share", "%.6f", attribute->base_share));
			assert_true(svg_count(svg, "data-slow-messages", "%llu",
					      (unsigned long long)attribute->slow_cnt));
		}
	}
}

/* A ratio without an upper end has no number for it. */
TEST(what_no_other_has_is_said)
{
	struct scene *scene = scene_of_run(5);
	struct explain_attribute *first = scene->explanation->attribute;
	char *svg;

	first->ratio = first->ratio_high = INFINITY;
	first->base_share = 0;
	svg = drawn(&figure_apart, scene, FIGURE_WIDE);
	assert_non_null(strstr(svg, "no other has it"));
	assert_null(strstr(svg, "inf"));
	assert_null(strstr(svg, "nan"));
}

TEST(component_rows_add_up_to_the_difference)
{
	struct scene *scene = scene_of_run(5);
	const struct explanation *explanation = scene->explanation;

	for (size_t w = 0; w < ARRAY_SIZE(widths); w++) {
		char *svg = drawn(&figure_difference, scene, widths[w]), *at = svg;
		double sum = 0;

		while ((at = strstr(at, "<g class=\"component-row\"")))
			sum += strtod(strstr(at++, " data-ns=\"") + strlen(" data-ns=\""), NULL);
		assert_true(fabs(sum - explanation->difference_ns) < 0.1);
		assert_true(svg_count(svg, "data-slow-ns", "%.3f", explanation->row[0].slow_ns));
		assert_true(svg_count(svg, "data-base-ns", "%.3f", explanation->row[0].base_ns));
	}
}

/* Time and share of a row have one minus sign, and a tooltip speaks of less. */
TEST(what_takes_less_has_one_sign)
{
	struct scene *scene = scene_of_run(5);
	struct explain_row *row = (struct explain_row *)scene->explanation->row;
	char *svg;

	row[0].base_ns = row[0].slow_ns + scene->explanation->difference_ns;
	svg = drawn(&figure_difference, scene, FIGURE_WIDE);
	assert_has(svg, ">−100 %</text>");
	assert_has(svg, " less (−100 % of the difference)");
	assert_has_not(svg, ">-100 %");
}

TEST(without_an_explanation_there_is_no_figure_of_it)
{
	for (int outcome = EXPLAIN_NO_UNITS; outcome < NR_EXPLAIN_OUTCOMES; outcome++) {
		struct scene *scene = scene_of_run(5);

		scene->illustration.explanation = explained_nothing(outcome);
		assert_false(figure_apart.applies(&scene->illustration));
		assert_false(figure_difference.applies(&scene->illustration));
	}
}

TEST(blame_adds_up)
{
	struct scene *scene = scene_of_run(5);
	double ns = 0;

	for (uint32_t i = 0; i < scene->summary->blame_cnt; i++)
		ns += (double)scene->summary->blame[i].total.ns;
	assert_true(figure_blame.applies(&scene->illustration));
	for (size_t w = 0; w < ARRAY_SIZE(widths); w++) {
		char *svg = drawn(&figure_blame, scene, widths[w]);

		assert_true(ns > 0 && svg_sum(svg, "data-ns") == ns);
	}
}

/* Many culprits: the smallest are one bar, with their sum. */
TEST(many_culprits_are_folded)
{
	struct scene *scene = scene_of_run(1);
	struct blame_summary *blame = calloc(100, sizeof(*blame));
	char *svg;

	assert_non_null(blame);
	for (uint32_t i = 0; i < 100; i++) {
		blame[i].total = (struct blame){
			.class = BLAME_TASK, .kind = SLICE_TASK, .tid = 1 + i, .ns = 1000 - i};
		snprintf(blame[i].total.comm, RECORD_COMM_LEN, "task%u", i);
		blame[i].messages = 1;
	}
	free(scene->summary->blame);
	scene->summary->blame = blame;
	scene->summary->blame_cnt = 100;
	svg = drawn(&figure_blame, scene, FIGURE_NARROW);
	assert_true(svg_sum(svg, "data-ns") == 100 * 1000 - 99 * 100 / 2);
	assert_true(svg_sum(svg, "data-folded") == 88);
}

/* A culprit of the slow units has the colour that it has in the other figures. */
TEST(culprits_have_one_colour)
{
	struct scene *scene = scene_of_run(5);
	char *svg;

	scene->picture.culprit[0].by = culprit_folded_by_name(&scene->summary->blame[0].total);
	scene->picture.culprit_cnt = 1;
	svg = drawn(&figure_blame, scene, FIGURE_WIDE);
	assert_true(svg_count(svg, "class", "fill k1") == 1);
}

static void set_names(struct scene *scene)
{
	for (uint32_t i = 0; i < scene->summary->blame_cnt; i++) {
		snprintf(scene->summary->blame[i].total.comm, RECORD_COMM_LEN, "<script>%u",
			 i % 10);
		scene->summary->blame[i].total.class = BLAME_TASK;
	}
	for (uint32_t i = 0; i < scene->summary->channel_cnt; i++) {
		struct channel_summary *channel = &scene->summary->channel[i];

		snprintf(channel->sender.comm, RECORD_COMM_LEN, "%s", HOSTILE_NAME);
		memset(channel->name, '<', CHANNEL_NAME_LEN - 1);
		memcpy(channel->name + 40, HOSTILE_NAME, strlen(HOSTILE_NAME));
	}
	for (uint32_t i = 0; i < scene->explanation->attribute_cnt; i++)
		snprintf(scene->explanation->attribute[i].value, ATTRIBUTE_VALUE_LEN,
			 "\"/><script>alert(%u)</script>\xff\n", i);
	for (uint32_t i = 0; i < scene->explanation->row_cnt; i++)
		snprintf(scene->explanation->row[i].by.comm, RECORD_COMM_LEN, "%s", HOSTILE_NAME);
	snprintf(scene->explanation->slow.select, SELECT_TEXT_LEN, "%s", HOSTILE_NAME);
}

TEST(hostile_names_are_inert)
{
	static const struct figure *const figures[] = {&figure_apart, &figure_difference,
						       &figure_blame, &figure_graph};
	struct scene *scene = scene_of_attach();

	set_names(scene);
	for (size_t i = 0; i < ARRAY_SIZE(figures); i++) {
		for (size_t w = 0; w < ARRAY_SIZE(widths); w++) {
			char *svg = drawn(figures[i], scene, widths[w]);

			assert_null(strstr(svg, "<script"));
			assert_null(strstr(svg, "\xff"));
			assert_null(strstr(svg, "\x1b"));
		}
	}
}

TEST(the_same_gives_the_same)
{
	struct scene *scene = scene_of_attach(), *other = scene_of_attach();
	static const struct figure *const figures[] = {&figure_apart, &figure_difference,
						       &figure_blame, &figure_graph};

	for (size_t i = 0; i < ARRAY_SIZE(figures); i++) {
		char *svg = drawn(figures[i], scene, FIGURE_WIDE);
		char *again = drawn(figures[i], other, FIGURE_WIDE);

		assert_string_equal(svg, again);
	}
}
