/* SPDX-License-Identifier: BSD-2-Clause */
/* The numbers of the heat map: cells, the limit of slow ones, episodes and strips of CPUs. */
#include "support/build.h"
#include "support/capture.h"
#include "support/markup_check.h"
#include "support/pictured.h"

#include <linux/sched.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

EACH_TEST(pictured_set_up, NULL)

static char *drawn(const struct pictured *pictured)
{
	return pictured_figure(&figure_heat_map, &pictured->illustration, FIGURE_WIDE);
}

static char *strips_drawn(const struct pictured *pictured)
{
	return pictured_figure(&figure_cpus, &pictured->illustration, FIGURE_WIDE);
}

/* The sum of "0x12,3,5x2". */
static uint64_t cells_of(const char *text, uint32_t *columns)
{
	uint64_t sum = 0;

	*columns = 0;
	while (*text != '"') {
		char *end;
		uint64_t value = strtoull(text, &end, 10);
		uint32_t cnt = *end == 'x' ? (uint32_t)strtoull(end + 1, &end, 10) : 1;

		sum += cnt * value;
		*columns += cnt;
		text = end + (*end == ',');
	}
	return sum;
}

static uint64_t all_cells(const struct heat_map *heat)
{
	uint64_t sum = 0;

	for (uint32_t i = 0; i < heat->rows * heat->columns; i++)
		sum += heat->cnt[i];
	return sum;
}

TEST(rows_have_the_counts)
{
	const struct heat_map *heat = &pictured->picture.heat;
	char *text = drawn(pictured);
	uint64_t sum = 0;

	for (const char *at = text; (at = strstr(at, "data-cnt=\""));) {
		uint32_t columns;

		at += strlen("data-cnt=\"");
		sum += cells_of(at, &columns);
		assert_int_equal(columns, heat->columns);
	}
	assert_int_equal(sum, all_cells(heat));
	assert_has(text, "data-columns=\"40\" data-from-ns=\"1000000000\" "
			 "data-to-ns=\"3000000000\"");
}

/* How many squares the paths of a part draw. */
static uint32_t squares_of(const char *part)
{
	uint32_t cnt = 0;

	for (const char *at = part; (at = strchr(at, 'h')); at++) {
		if (at[1] >= '1' && at[1] <= '9' &&
		    strchr(at, 'v') == at + 1 + strspn(at + 1, "0123456789"))
			cnt += (uint32_t)strtoul(at + 1, NULL, 10);
	}
	return cnt;
}

static uint32_t filled(const struct heat_map *heat, uint32_t from, uint32_t to)
{
	uint32_t cnt = 0;

	for (uint32_t i = from * heat->columns; i < to * heat->columns; i++)
		cnt += heat->cnt[i] > 0;
	return cnt;
}

TEST(slow_cells_are_apart)
{
	const struct heat_map *heat = &pictured->picture.heat;
	uint32_t slow = 0;
	char *text, *part;

	while (heat->bound_ns[slow] < 60000)
		slow++;
	pictured->picture.slow_above_ns = heat->bound_ns[slow];
	text = drawn(pictured);
	part = cut_out(text, "<g class=\"slow\"", "</g></g>");
	assert_int_equal(squares_of(part), filled(heat, slow, heat->rows));
	assert_has(text, "<path class=\"limit\"");
}

/* Part of the row is slow, and it is not known which units: it is drawn twice, and cut at the
 * limit. */
TEST(a_row_at_the_limit_is_cut)
{
	const struct heat_map *heat = &pictured->picture.heat;
	char *text, *part;

	pictured->picture.slow_above_ns = heat->bound_ns[4] + 1;
	text = drawn(pictured);
	part = cut_out(text, "<g class=\"slow\"", "</g></g>");
	assert_int_equal(squares_of(part), filled(heat, 4, heat->rows));
	assert_has(part, "clip-path=\"url(#here-slow)\"");
	part = cut_out(text, "<g clip-path=\"url(#here-usual)\"", "</g></g>");
	assert_int_equal(squares_of(part), filled(heat, 0, 5));
}

TEST(without_slow_ones_there_is_no_limit)
{
	char *text;

	pictured->picture.slow_above_ns = UINT64_MAX;
	text = drawn(pictured);
	assert_has_not(text, "class=\"limit\"");
	assert_has_not(text, "<g class=\"slow\"");
	assert_has_not(text, "are red");
}

TEST(an_episode_leads_to_its_slowest_unit)
{
	char *text = drawn(pictured);

	assert_has(text, "<a class=\"episode\" href=\"#to-scale-1\" data-episode=\"1\" "
			 "data-from-ns=\"1200000000\" data-to-ns=\"1210000000\" data-units=\"6\"");
	assert_has(text, "<g class=\"episode\" data-episode=\"2\"");
}

#define COLUMNS 40 /* of pictured_new() */

static double number_after(const char *text, const char *words)
{
	const char *at = strstr(text, words);

	assert_non_null(at);
	return strtod(at + strlen(words), NULL);
}

/* Where the script and the drawing have the cell of this latency. */
static double y_of(const char *text, const struct heat_map *heat, double ns)
{
	double top = number_after(text, "data-top=\""),
	       bottom = number_after(text, "data-bottom=\"");
	double least = log((double)heat->bound_ns[2]), most = log((double)heat->bound_ns[17]);

	return bottom - (log(ns) - least) / (most - least) * (bottom - top);
}

/* Neither where the episode begins, nor in its middle. */
TEST(a_number_stands_at_the_cell_of_its_slowest_unit)
{
	const struct heat_map *heat = &pictured->picture.heat;
	struct explain_episode *episode = &pictured->explanation.episode[0];
	double left, right, column, x, y;
	char *text, *part;

	memset(heat->cnt, 0, heat->rows * heat->columns * sizeof(*heat->cnt));
	heat->cnt[2 * COLUMNS + 3] = heat->cnt[12 * COLUMNS + 24] = heat->cnt[16 * COLUMNS + 5] = 1;
	pictured->explanation.episode_cnt = 1;
	episode->to_ns = 2900000000;
	episode->worst_at_ns = 2210000000;
	episode->worst_ns = heat->bound_ns[12];
	text = drawn(pictured);
	part = cut_out(text, "data-episode=\"1\"", "</text>");
	left = number_after(text, "data-start=\"");
	right = number_after(text, "data-end=\"");
	column = (right - left) / COLUMNS;
	x = number_after(part, "cx=\"");
	y = number_after(part, "cy=\"") + 8;
	assert_true(fabs(x - (left + 24.5 * column)) < 0.2);
	assert_true(y <= y_of(text, heat, (double)heat->bound_ns[13]) + 0.2);
	assert_true(y > y_of(text, heat, (double)heat->bound_ns[13]) - 4);
	assert_has_not(part, "leader");
}

/* It gives way, and a line leads from it to its cell. */
TEST(a_number_hides_no_cell)
{
	const struct heat_map *heat = &pictured->picture.heat;
	struct explain_episode *episode = &pictured->explanation.episode[0];
	char *text, *part;

	memset(heat->cnt, 0, heat->rows * heat->columns * sizeof(*heat->cnt));
	heat->cnt[2 * COLUMNS + 3] = heat->cnt[16 * COLUMNS + 20] = 1;
	for (uint32_t row = 12; row < 16; row++)
		heat->cnt[row * COLUMNS + 20] = 1;
	pictured->explanation.episode_cnt = 1;
	episode->worst_at_ns = 2010000000;
	episode->worst_ns = heat->bound_ns[12];
	text = drawn(pictured);
	part = cut_out(text, "data-episode=\"1\"", "</text>");
	assert_true(number_after(part, "cy=\"") + 8 <= number_after(text, "data-top=\""));
	assert_has(part, "class=\"leader\"");
}

/* Within the map they would lie on what they are about. */
TEST(the_limit_has_its_words_in_the_legend)
{
	static const double widths[] = {FIGURE_WIDE, FIGURE_NARROW};

	for (size_t i = 0; i < ARRAY_SIZE(widths); i++) {
		struct pictured *pictured = *state;
		char *text = pictured_figure(&figure_heat_map, &pictured->illustration, widths[i]);
		const char *words = strstr(text, ">slow: above 60 µs<");

		assert_non_null(words);
		assert_true(words < strstr(text, "<g class=\"axis\""));
	}
}

/* A row that is lower than a cell may be begins where slow ones do: the cell is higher than the
 * plot. */
TEST(a_number_stands_above_a_low_last_row)
{
	const struct heat_map *heat = &pictured->picture.heat;
	struct explain_episode *episode = &pictured->explanation.episode[0];
	char *text;

	memset(heat->cnt, 0, heat->rows * heat->columns * sizeof(*heat->cnt));
	heat->cnt[2 * COLUMNS + 3] = heat->cnt[12 * COLUMNS + 20] = 1;
	heat->bound_ns[13] = heat->bound_ns[12] * 102 / 100;
	pictured->explanation.episode_cnt = 1;
	episode->worst_at_ns = 2010000000;
	episode->worst_ns = heat->bound_ns[12] + 1;
	text = drawn(pictured);
	assert_int_equal(count_of(text, "class=\"episode\""), 1);
}

/* The smaller one has no number. */
TEST(numbers_of_episodes_do_not_touch)
{
	char *text;

	for (uint32_t i = 0; i < 2; i++) {
		pictured->explanation.episode[i].worst_at_ns = 1215000000;
		pictured->explanation.episode[i].worst_ns = 330000;
	}
	text = drawn(pictured);
	assert_int_equal(count_of(text, "class=\"episode\""), 1);
}

TEST(strips_have_what_ran)
{
	char *text = strips_drawn(pictured);

	assert_int_equal(count_of(text, "<g class=\"strip\""), 2);
	assert_has(text, "data-cpu=\"1\" data-ns=\"4800000\"");
	assert_has(text, "data-cell=\"0x4,2:1000000:1200000,0x8,");
	assert_has(text, "<path class=\"k2\" d=\"M4 0h1v1h-1zM13 0h1v1h-1z");
	assert_has(text, "<desc data-culprit=\"2\" data-ns=\"1500000\">kworker<");
	/* The third one is nowhere the largest. */
	assert_has_not(text, "NET_RX");
	/* A page has them in a figure of their own. */
	assert_has_not(text, "class=\"row\"");
	assert_has_not(drawn(pictured), "class=\"strip\"");
}

/* The legend has a name once, and its priorities where the mouse asks for them. */
TEST(priorities_stand_in_tooltips)
{
	struct picture_culprit *culprit = &pictured->picture.culprit[0];
	char *text, *key;

	culprit->priority[0] = (struct culprit_priority){SCHED_RR, 49, 2000000};
	culprit->priority[1] = (struct culprit_priority){SCHED_NORMAL, 120, 1000000};
	culprit->priority_cnt = 2;
	text = strips_drawn(pictured);
	key = cut_out(text, "data-key=\"k1\"", "</g>");
	assert_has(key, ">1 hog</text>");
	assert_has(key, "<title>hog (RR 50, nice 0): 3 ms</title>");
	assert_has(text, "data-ns=\"3000000\">hog (RR 50, nice 0)</desc>");
	text = pictured_figure(&figure_cpus, &pictured->illustration, FIGURE_NARROW);
	assert_has_not(text, "nice 0");
}

TEST(culprits_without_a_colour_are_others)
{
	struct picture *picture = &pictured->picture;
	char *text;

	picture->culprit_cnt = 20;
	for (uint32_t i = 3; i < 20; i++)
		strcpy(picture->culprit[i].by.comm, "one more");
	picture->strip[0].cell[0] = (struct strip_cell){20, 5, 5};
	text = strips_drawn(pictured);
	assert_has(text, "<path class=\"k0\" d=\"M0 0h1v1h-1z\"");
	assert_has(text, "data-cell=\"20:5:5,0x3,");
	assert_has(text, ">others</text>");
}

/* The script finds them in the wide drawing. */
TEST(the_data_are_in_a_page_once)
{
	char *text = pictured_figure(&figure_heat_map, &pictured->illustration, FIGURE_NARROW);

	assert_has_not(text, "data-cnt=");
	assert_has_not(text, "data-cell=");
	assert_has(text, "<path class=\"h8\"");
	text = pictured_figure(&figure_cpus, &pictured->illustration, FIGURE_NARROW);
	assert_has_not(text, "data-cell=");
	assert_has(text, "<path class=\"k2\"");
}
