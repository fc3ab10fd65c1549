/* SPDX-License-Identifier: BSD-2-Clause */
/* Draws charts of rows with points. */
#include "report/figure/matrix/points.h"

#include "report/figure/axis.h"

#include <math.h>
#include <stdio.h>

#define STEP         20
#define HEAD_HEIGHT  26
#define LEGEND_SPACE 8
#define SIDE         6    /* room for half a symbol at the ends of the scale */
#define MARGIN       1.08 /* the same, as a factor */

struct point_row *point_chart_add(struct point_chart *chart)
{
	struct point_row *row;

	if (chart->cnt == chart->most) {
		chart->more++;
		return NULL;
	}
	row = &chart->row[chart->cnt++];
	*row = (struct point_row){0};
	return row;
}

/* How the k-th value is drawn. */
static struct legend_entry points_entry_of(const struct point_chart *chart, int k)
{
	static const enum shape shapes[] = {SHAPE_DISC, SHAPE_DIAMOND, SHAPE_TRIANGLE};
	static const char *const classes[] = {"s1", "s2", "s5"};
	bool is_published = k == 1 && chart->is_pairs;

	return (struct legend_entry){.class = is_published ? "known" : classes[k],
				     .sample = SAMPLE_SYMBOL,
				     .shape = is_published ? SHAPE_RING : shapes[k]};
}

static int values_of(const struct point_chart *chart)
{
	int cnt = 0;

	while (cnt < POINT_VALUES_MAX && chart->label[cnt])
		cnt++;
	return cnt;
}

/* Returns its height. */
static double points_draw_legend(const struct canvas *canvas, const struct point_chart *chart)
{
	struct legend legend = {.cnt = values_of(chart)};

	for (int k = 0; k < legend.cnt; k++) {
		legend.entry[k] = points_entry_of(chart, k);
		snprintf(legend.entry[k].label, sizeof(legend.entry[k].label), "%s",
			 chart->label[k]);
	}
	if (chart->has_published)
		legend.entry[legend.cnt++] = (struct legend_entry){.class = "known",
								   .sample = SAMPLE_SYMBOL,
								   .shape = SHAPE_RING,
								   .label = "published"};
	return legend_draw(canvas, &legend, 0) + LEGEND_SPACE;
}

static double points_row_height(const struct row_frame *frame, const struct point_row *row)
{
	return (row->head ? HEAD_HEIGHT : 0) + frame->name_height + STEP;
}

static struct scale scale_of(const struct point_chart *chart, const struct row_frame *frame)
{
	struct scale scale = {.from = INFINITY, .is_log = true};

	for (uint32_t i = 0; i < chart->cnt; i++) {
		for (int k = 0; k < values_of(chart); k++)
			scale_include(&scale, chart->row[i].value[k]);
	}
	scale.from = isfinite(scale.from) ? scale.from / MARGIN : 1;
	scale.to = fmax(scale.to * MARGIN, scale.from * 2);
	scale.start = frame->bar_x + SIDE;
	scale.end = frame->bar_x + frame->bar_width - SIDE;
	return scale;
}

static void range_draw(const struct canvas *canvas, const struct point_chart *chart,
		       const struct point_row *row, const struct scale *scale, double y)
{
	double from = INFINITY, to = -INFINITY;

	for (int k = 0; k < values_of(chart); k++) {
		if (!(row->value[k] >= 0))
			continue;
		from = fmin(from, scale_place(scale, row->value[k]));
		to = fmax(to, scale_place(scale, row->value[k]));
	}
	if (to > from)
		line_draw(canvas, "reach", from, y, to, y);
}

/* The last value first, so that a smaller one on top of it can be seen. */
static void points_draw(const struct canvas *canvas, const struct point_chart *chart,
			const struct point_row *row, const struct scale *scale, double y)
{
	if (chart->has_range)
		range_draw(canvas, chart, row, scale, y);
	for (int k = values_of(chart); k-- > 0;) {
		struct legend_entry entry = points_entry_of(chart, k);

		if (!(row->value[k] >= 0))
			continue;
		symbol_draw(canvas, entry.shape,
			    TEXT("%s%s", row->is_published ? "known " : "", entry.class),
			    scale_place(scale, row->value[k]), y);
	}
}

static void points_row_draw(const struct canvas *canvas, const struct point_chart *chart,
			    const struct point_row *row, const struct scale *scale, double y)
{
	struct row_frame frame = row_frame_of(canvas, chart->note_width, chart->note_width);

	if (row->head) {
		label_draw(canvas, "strong", 0, y + 18, ANCHOR_START, row->head);
		y += HEAD_HEIGHT;
	}
	group_open(canvas, "row");
	data_text(canvas, "name", row->name);
	chart->put_data(canvas, row);
	row_path_draw(canvas, NULL, 0, y + 14, frame.name_width, row->name);
	row_note_draw(canvas, "soft", y + 14, row->note);
	points_draw(canvas, chart, row, scale, y + frame.name_height + 10);
	markup_close(canvas->markup);
}

double point_chart_draw(const struct canvas *canvas, const struct point_chart *chart)
{
	struct row_frame frame = row_frame_of(canvas, chart->note_width, chart->note_width);
	struct axis axis = {
		.scale = scale_of(chart, &frame), .measure = chart->measure, .title = chart->title};
	double top = points_draw_legend(canvas, chart), y = top, end = top;
	const char *words =
		chart->more ? TEXT("%u more %s are not drawn.", chart->more, chart->things) : "";

	for (uint32_t i = 0; i < chart->cnt; i++)
		end += points_row_height(&frame, &chart->row[i]);
	axis_draw_bottom(canvas, &axis, end, top);
	for (uint32_t i = 0; i < chart->cnt; i++) {
		points_row_draw(canvas, chart, &chart->row[i], &axis.scale, y);
		y += points_row_height(&frame, &chart->row[i]);
	}
	end += AXIS_BOTTOM_HEIGHT;
	return end + row_words_draw(canvas, end, words);
}
