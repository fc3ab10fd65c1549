/* SPDX-License-Identifier: BSD-2-Clause */
/* Numbers the largest episodes in the heat map, each at the cell of its slowest unit. */
#include "report/figure/heat_layout.h"
#include "report/words/explain/cause_words.h"
#include "report/words/labels.h"

#include <math.h>

#define BUBBLE_RADIUS  8
#define BUBBLE_SPACE   9.5 /* from its middle to what is near */
#define BUBBLE_STEP    2
#define EPISODES_SHOWN 20
#define LEADER_LEAST   4

/* The number of an episode, and the cell of its slowest unit. */
struct bubble {
	double x;
	double y;
	double cell_top;
};

static uint32_t column_of(const struct heat_map *heat, uint64_t ns)
{
	double share = ((double)ns - (double)heat->from_ns) /
		       ((double)heat->to_ns - (double)heat->from_ns + 1);
	double column = floor(fmax(0, share) * heat->columns);

	return (uint32_t)fmin(column, heat->columns - 1);
}

/* Whether a number would lie on cells. */
static bool is_on_cells(const struct heat_layout *layout, const struct bubble *bubble)
{
	const struct heat_map *heat = &layout->picture->heat;

	for (uint32_t row = layout->first_row; row <= layout->last_row; row++) {
		if (heat_row_y(layout, row) < bubble->y - BUBBLE_SPACE ||
		    heat_row_top(layout, row) > bubble->y + BUBBLE_SPACE)
			continue;
		for (uint32_t column = 0; column < heat->columns; column++) {
			if (heat->cnt[row * heat->columns + column] &&
			    heat_column_x(layout, column) < bubble->x + BUBBLE_SPACE &&
			    heat_column_x(layout, column + 1) > bubble->x - BUBBLE_SPACE)
				return true;
		}
	}
	return false;
}

static bool heat_map_touches(const struct bubble *bubble, const struct bubble *others, int cnt)
{
	for (int i = 0; i < cnt; i++) {
		if (hypot(bubble->x - others[i].x, bubble->y - others[i].y) < 2 * BUBBLE_SPACE)
			return true;
	}
	return false;
}

/* Right above the cell, or as far as others demand, of which none is above. False: no room. */
static bool place_bubble(const struct heat_layout *layout, const struct explain_episode *episode,
			 const struct bubble *taken, int cnt, struct bubble *bubble)
{
	const struct heat_map *heat = &layout->picture->heat;
	uint32_t column = column_of(heat, episode->worst_at_ns);
	uint32_t row = heat_row_above(layout, episode->worst_ns);
	double x = (heat_column_x(layout, column) + heat_column_x(layout, column + 1)) / 2, highest;

	x = fmin(x, layout->canvas->width - BUBBLE_RADIUS - 1);
	bubble->x = fmax(x, layout->time.scale.start + BUBBLE_RADIUS);
	bubble->cell_top = heat_row_top(layout, row <= layout->last_row ? row : layout->last_row);
	highest = fmin(layout->top, bubble->cell_top - BUBBLE_STEP) - BUBBLE_SPACE;
	for (double y = bubble->cell_top - BUBBLE_SPACE; y >= highest - BUBBLE_STEP;
	     y -= BUBBLE_STEP) {
		bubble->y = fmax(y, highest);
		if (!is_on_cells(layout, bubble) && !heat_map_touches(bubble, taken, cnt))
			return true;
	}
	return false;
}

static void draw_bubble(const struct heat_layout *layout, uint32_t i, const struct bubble *bubble)
{
	const struct explain_episode *episode = &layout->explanation->episode[i];
	const struct canvas *canvas = layout->canvas;
	bool is_of_several = canvas->prefix && canvas->prefix[0];
	bool is_link =
		!canvas->is_alone && !is_of_several && to_scale_has(layout->illustration, i + 1);
	double bottom = bubble->y + BUBBLE_RADIUS;
	char label[CLAUSE_LEN];
	struct explain_row row = {.cost = episode->cost,
				  .role = episode->role,
				  .call = CALL_UNKNOWN,
				  .by = episode->by};

	markup_open(canvas->markup, is_link ? "a" : "g");
	markup_attr(canvas->markup, "class", "episode");
	if (is_link)
		markup_attrf(canvas->markup, "href", "#%sto-scale-%u", canvas->prefix ?: "", i + 1);
	data_count(canvas, "episode", i + 1);
	data_count(canvas, "from-ns", episode->from_ns);
	data_count(canvas, "to-ns", episode->to_ns);
	data_count(canvas, "units", episode->units);
	place_attr(canvas, "data-x", bubble->x);
	row_label(&layout->picture->info, &row, CULPRIT_LEN, label);
	tooltip_draw(canvas, "episode %u at %s: %llu %s, the slowest %s, mostly %s %s", i + 1,
		     NS_TEXT((double)(episode->from_ns - layout->zero_ns)),
		     (unsigned long long)episode->units,
		     unit_words(layout->picture->unit, episode->units != 1),
		     NS_TEXT((double)episode->worst_ns), components[episode->cost].title, label);
	if (bubble->cell_top - bottom > LEADER_LEAST)
		line_draw(canvas, "leader", bubble->x, bottom, bubble->x, bubble->cell_top - 1);
	circle_open(canvas, "bubble", bubble->x, bubble->y, BUBBLE_RADIUS);
	markup_close(canvas->markup);
	label_draw(canvas, "small", bubble->x, bubble->y + 4, ANCHOR_MIDDLE, TEXT("%u", i + 1));
	markup_close(canvas->markup);
}

void heat_draw_episodes(const struct heat_layout *layout)
{
	struct bubble taken[EPISODES_SHOWN];
	int cnt = 0;

	if (!layout->explanation)
		return;
	for (uint32_t i = 0; i < layout->explanation->episode_cnt && cnt < EPISODES_SHOWN; i++) {
		const struct explain_episode *episode = &layout->explanation->episode[i];

		if (!place_bubble(layout, episode, taken, cnt, &taken[cnt]))
			continue;
		draw_bubble(layout, i, &taken[cnt++]);
	}
}
