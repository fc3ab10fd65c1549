/* SPDX-License-Identifier: BSD-2-Clause */
/* What holds for every figure, and the numbers of bands, slowest units and percentiles. */
#include "support/build.h"
#include "support/capture.h"
#include "support/markup_check.h"
#include "support/page.h"
#include "support/pictured.h"
#include "support/svg.h"

#include <stdlib.h>
#include <string.h>

EACH_TEST(pictured_set_up, NULL)

/* Checks all figures that apply, in both widths. Returns how many there are. */
static size_t check_all(const struct illustration *illustration)
{
	const struct figure *figure;
	size_t cnt = 0;

	for (size_t i = 0; (figure = figure_at(i)); i++) {
		if (!figure_shows(figure, illustration))
			continue;
		for (int narrow = 0; narrow < 2; narrow++) {
			char *text = pictured_figure(figure, illustration,
						     narrow ? FIGURE_NARROW : FIGURE_WIDE);

			assert_numbers_are_numbers(text);
			assert_has(text, "role=\"img\" aria-labelledby=\"here-title here-desc\"");
			assert_has(text, "<title id=\"here-title\">");
		}
		cnt++;
	}
	return cnt;
}

TEST(a_figure_is_found_by_its_name)
{
	const struct figure *figure;

	for (size_t i = 0; (figure = figure_at(i)); i++)
		assert_ptr_equal(figure_find(figure->name), figure);
	assert_null(figure_find("heat"));
	assert_null(figure_find(""));
}

TEST(every_figure_of_a_run_is_sound)
{
	assert_in_range(check_all(&pictured->illustration), 5, 100);
}

TEST(figures_do_without_an_explanation)
{
	for (int i = 0; i < NR_EXPLAIN_OUTCOMES; i++) {
		pictured->explanation.outcome = i;
		pictured->explanation.episode_cnt = 0;
		check_all(&pictured->illustration);
	}
}

TEST(an_empty_picture_has_no_figures_of_it)
{
	picture_clean(&pictured->picture);
	check_all(&pictured->illustration);
	assert_false(figure_heat_map.applies(&pictured->illustration));
	assert_false(figure_bands.applies(&pictured->illustration));
	assert_false(figure_slowest.applies(&pictured->illustration));
	assert_false(figure_percentiles.applies(&pictured->illustration));
}

/* One message: all scales have no length. */
TEST(a_single_unit_is_shown)
{
	struct picture *picture = &pictured->picture;
	struct heat_map *heat = &picture->heat;

	memset(heat->cnt, 0, heat->rows * heat->columns * sizeof(*heat->cnt));
	heat->cnt[0] = 1;
	heat->to_ns = heat->from_ns;
	picture->units = 1;
	picture->slow_above_ns = UINT64_MAX;
	for (uint32_t i = 1; i < picture->slowest_cnt; i++)
		free((void *)picture->slowest[i].cause);
	picture->slowest_cnt = 1;
	for (int i = 1; i < NR_BANDS; i++)
		picture->band[i] = (struct band){0};
	picture->curve.point_cnt = 2;
	picture->curve.point[0] = (struct curve_point){50, 5000, 5000, 0};
	picture->curve.point[1] = (struct curve_point){100, 5000, 5000, 0};
	picture->curve.units = 1;
	assert_in_range(check_all(&pictured->illustration), 4, 100);
}

TEST(all_times_may_be_zero)
{
	struct picture *picture = &pictured->picture;

	for (uint32_t i = 0; i < picture->slowest_cnt; i++)
		picture->slowest[i].to_ns = picture->slowest[i].from_ns;
	for (int i = 0; i < NR_BANDS; i++)
		picture->band[i] = (struct band){.units = 1, .known = 1};
	for (uint32_t i = 0; i < picture->curve.point_cnt; i++)
		picture->curve.point[i] =
			(struct curve_point){.percent = picture->curve.point[i].percent};
	check_all(&pictured->illustration);
}

static void make_hostile(char name[RECORD_COMM_LEN])
{
	memset(name, 0, RECORD_COMM_LEN);
	strcpy(name, HOSTILE_NAME);
}

TEST(a_hostile_name_is_inert)
{
	struct picture *picture = &pictured->picture;
	const struct figure *figure;

	for (uint32_t i = 0; i < picture->culprit_cnt; i++)
		make_hostile(picture->culprit[i].by.comm);
	for (uint32_t i = 0; i < picture->slowest_cnt; i++) {
		struct unit *unit = &picture->slowest[i];

		make_hostile(unit->sender.comm);
		make_hostile(unit->receiver.comm);
		unit->has_round = false;
		for (uint32_t j = 0; j < unit->cause_cnt; j++)
			make_hostile(((struct cause *)&unit->cause[j])->by.comm);
	}
	for (uint32_t i = 0; i < pictured->explanation.episode_cnt; i++)
		make_hostile(pictured->explanation.episode[i].by.comm);
	strcpy(picture->against_name, HOSTILE_NAME);
	picture->against = picture->curve;
	for (size_t i = 0; (figure = figure_at(i)); i++) {
		if (figure_shows(figure, &pictured->illustration)) {
			char *text = pictured_figure(figure, &pictured->illustration, FIGURE_WIDE);

			assert_has_not(text, "<b>");
			assert_has_not(text, "\x1b");
			assert_has_not(text, "\xff");
			assert_has_not(text, "\n");
		}
	}
}

/* The figure as it is in a wide page; the caller frees it. */
static char *wide(const struct figure *figure, const struct pictured *pictured)
{
	return pictured_figure(figure, &pictured->illustration, FIGURE_WIDE);
}

TEST(bands_have_their_means)
{
	char *text = wide(&figure_bands, pictured);

	assert_has(text, "data-band=\"0\" data-above-ns=\"0\" data-up-to-ns=\"20000\" "
			 "data-units=\"10000\" data-known=\"10000\" data-mean-ns=\"4800.125\"");
	assert_has(text, "data-cost=\"send_path\" data-ns=\"1500.125\"");
	assert_has(text, "data-cost=\"runqueue\" data-ns=\"512000.000\"");
	/* Once as time, once as shares. */
	assert_int_equal(count_of(text, "data-cost=\"wakeup\""), 2 * NR_BANDS);
	assert_int_equal(count_of(text, "data-share="), 3 + 4 * 4);
}

/* Few units do not reach the slowest bands: these have no row. */
TEST(a_band_without_known_parts_says_so)
{
	char *text;

	pictured->picture.band[4].known = 0;
	pictured->picture.band[3].units = pictured->picture.band[3].known = 0;
	text = wide(&figure_bands, pictured);
	assert_int_equal(count_of(text, ">not known<"), 2);
	assert_has(text, "The parts are those of 13125 of 13164 messages.");
	assert_has_not(text, ">none<");
	assert_int_equal(count_of(text, "99–99.9 %</text>"), 0);
	assert_int_equal(count_of(text, "99.9–100 %</text>"), 1);
	assert_int_equal(count_of(text, "data-cost=\"wakeup\""), 2 * 3);
}

TEST(bands_of_calls_have_parts)
{
	char *text;

	for (int i = 0; i < NR_BANDS; i++) {
		struct band *band = &pictured->picture.band[i];

		memset(band->part_ns, 0, sizeof(band->part_ns));
		band->part_ns[PART_REQUEST][COMPONENT_WAKEUP] = 1000;
		band->part_ns[PART_SERVICE][COST_ON_CPU] = 3000;
		band->part_ns[PART_RESPONSE][COMPONENT_WAKEUP] = 1000;
		band->mean_ns = 5000;
	}
	text = wide(&figure_bands, pictured);
	assert_has(text, "data-part=\"service\" data-cost=\"on_cpu\" data-ns=\"3000.000\"");
	assert_has(text, ">service</text>");
	assert_int_equal(count_of(text, "data-part=\"request\""), 2 * NR_BANDS);
}

/* Each row's pieces add up to its latency. */
TEST(the_slowest_add_up)
{
	char *text = wide(&figure_slowest, pictured), *rest = text, *row;
	uint32_t rows = 0;

	while ((row = strstr(rest, "class=\"unit\""))) {
		const struct unit *unit = &pictured->picture.slowest[rows++];
		char *end = strstr(row, "</a>");

		*end = '\0';
		/* The latency of the row, and its pieces. */
		assert_int_equal(sum_of_attribute(row, "data-ns"), 2 * unit_latency_ns(unit));
		assert_int_equal(count_of(row, "data-by=\"hog\""), 1);
		rest = end + 1;
	}
	assert_int_equal(rows, pictured->picture.slowest_cnt);
}

TEST(a_bar_is_a_link_only_in_a_page)
{
	char *text = NULL;
	size_t size;
	struct markup markup = {.out = open_memstream(&text, &size)};
	const struct canvas canvas = {
		.markup = &markup, .width = FIGURE_WIDE, .is_alone = true, .id = "slowest"};

	assert_int_equal(figure_draw(&figure_slowest, &canvas, &pictured->illustration), 0);
	assert_int_equal(figure_draw(&figure_heat_map, &canvas, &pictured->illustration), 0);
	fclose(markup.out);
	assert_has_not(text, "href=");
	assert_has(text, "xmlns=\"http://www.w3.org/2000/svg\"");
	assert_has(text, "<style>");
	free(text);
	assert_has(wide(&figure_slowest, pictured), "<a href=\"#unit-1\"");
}

TEST(the_curve_has_its_points)
{
	char *text = wide(&figure_percentiles, pictured);

	assert_has(text, "data-percent=\"50\" data-ns=\"6600\" data-low-ns=\"5940\" "
			 "data-high-ns=\"7260\"");
	assert_has(text, "data-percent=\"99.9\" data-ns=\"107400\" data-low-ns=\"96660\">");
	assert_has(text, "data-percent=\"100\" data-ns=\"150800\"");
	assert_has(text, "data-units=\"10000\"");
	assert_has_not(text, "published");
}

TEST(the_other_recording_is_dashed)
{
	char *text;

	strcpy(pictured->picture.against_name, "other.ipct");
	pictured->picture.against = pictured->picture.curve;
	text = wide(&figure_percentiles, pictured);
	assert_has(text, ">other.ipct</text>");
	assert_has(text, "class=\"series s2\"");
	assert_has(text, "Dashed: other.ipct.");
}

/* The published figures are those of one client on an idle machine. */
TEST(published_figures_stand_beside_comparable_runs)
{
	pictured->picture.info.workload.clients = 1;
	assert_has(wide(&figure_percentiles, pictured), "data-published-ns=\"11000\"");
	strcpy(pictured->picture.info.workload.load, "launch");
	assert_has_not(wide(&figure_percentiles, pictured), "published");
}
