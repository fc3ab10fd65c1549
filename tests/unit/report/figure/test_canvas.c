/* SPDX-License-Identifier: BSD-2-Clause */
/* Labels that fit, and the shapes of figures as markup. */
#include "support/build.h"
#include "support/capture.h"

#include "report/figure/legend.h"

#include <stdlib.h>
#include <string.h>

/* What a function draws. */
static char *drawn(void (*draw)(const struct canvas *canvas))
{
	char *text = NULL;
	size_t size = 0;
	struct markup markup = {.out = open_memstream(&text, &size)};
	const struct canvas canvas = {.markup = &markup, .width = 300, .id = "x"};

	assert_non_null(markup.out);
	draw(&canvas);
	assert_int_equal(markup.depth, 0);
	fclose(markup.out);
	return drop_after(text, free);
}

TEST(a_label_that_fits_stays)
{
	char label[LABEL_LEN];

	assert_true(label_fit("hog", 12, 100, label));
	assert_string_equal(label, "hog");
}

TEST(a_long_label_is_cut)
{
	char label[LABEL_LEN];

	assert_true(label_fit("a name that is far too long", 12, 80, label));
	assert_string_equal(label + strlen(label) - strlen("…"), "…");
	assert_true(label_width(label, 12) <= 80);
	assert_true(strlen(label) > 6);
}

TEST(a_label_without_room_is_none)
{
	char label[LABEL_LEN];

	assert_false(label_fit("hog", 12, 3, label));
}

TEST(a_label_is_cut_between_characters)
{
	char label[LABEL_LEN];

	for (double width = 10; width < 100; width += 1) {
		label_fit("äöüäöüäöüäöü", 12, width, label);
		for (const char *at = label; *at; at += markup_character_length(at))
			assert_int_not_equal(markup_character_length(at), 0);
	}
}

TEST(a_byte_that_is_escaped_takes_four)
{
	assert_true(label_width("\xff", 10) > 3 * label_width("a", 10));
	assert_true(label_width("\n", 10) > 3 * label_width("a", 10));
}

static void draw_shapes(const struct canvas *canvas)
{
	outline_open(canvas, "band");
	outline_move(canvas, 1, 2.25);
	outline_line(canvas, -0.5, 100);
	outline_close_shape(canvas);
	outline_end(canvas);
	data_count(canvas, "ns", 12345678901234567ull);
	data_mean(canvas, "mean", 1.5);
	markup_close(canvas->markup);
	rect_draw(canvas, "fill", 0, 1, 2, 3);
}

TEST(shapes_are_short)
{
	char *text = drawn(draw_shapes);

	assert_string_equal(text, "<path class=\"band\" d=\"M1 2.3L-0.5 100Z\" "
				  "data-ns=\"12345678901234567\" data-mean=\"1.500\"></path>"
				  "<rect class=\"fill\" y=\"1\" width=\"2\" height=\"3\"></rect>");
}

static void draw_names(const struct canvas *canvas)
{
	label_draw(canvas, "tick", 0, 0, ANCHOR_END, "<b>\"'&\n\xff");
	group_open(canvas, NULL);
	tooltip_draw(canvas, "%s", "</title><script>");
	markup_close(canvas->markup);
}

TEST(names_are_escaped)
{
	char *text = drawn(draw_names);

	assert_has(text, "&lt;b&gt;&quot;&#39;&amp;\\012\\377</text>");
	assert_has(text, "<title>&lt;/title&gt;&lt;script&gt;</title>");
}

static const struct legend legend = {
	.entry = {{.class = "k1", .label = "an entry of some length"},
		  {.class = "s1", .sample = SAMPLE_LINE, .label = "another entry"},
		  {.class = "k2", .label = "and one more of these"}},
	.cnt = 3,
};

static void draw_legend(const struct canvas *canvas)
{
	legend_draw(canvas, &legend, 0);
}

TEST(a_legend_has_as_many_lines_as_it_needs)
{
	const struct canvas narrow = {.width = 300}, wide = {.width = 2000};
	struct legend first = {.entry = {legend.entry[0]}, .cnt = 1}, none = {0};
	double one = legend_draw(&narrow, &first, 0);
	char *text = drawn(draw_legend);

	assert_true(legend_draw(&narrow, &legend, 0) == 2 * one);
	assert_true(legend_draw(&wide, &legend, 0) == one);
	assert_true(legend_draw(&narrow, &none, 0) == 0);
	assert_has(text, "data-key=\"k1\"");
	assert_has(text, "<line class=\"series s1\"");
}

TEST(every_cost_has_a_class)
{
	for (unsigned int i = 0; i < NR_COSTS; i++) {
		assert_non_null(cost_class(i));
		for (unsigned int j = 0; j < i; j++)
			assert_string_not_equal(cost_class(i), cost_class(j));
	}
	assert_string_equal(cost_class(200), cost_class(COST_UNKNOWN));
	assert_string_equal(culprit_class(CULPRIT_CLASSES + 1), "k0");
	assert_string_equal(heat_class(1), "h8");
	assert_string_equal(heat_class(0), "h0");
	assert_string_equal(heat_class(-1), "hn");
}
