/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Writes the counts of the heat map's cells as data: the script of a page says what a cell has, and
 * draws finer cells when a reader zooms in.
 */
#include "report/figure/heat_layout.h"
#include "report/memstream.h"

#include <string.h>

#define LEVEL_MOST 100000 /* bytes: a level that takes more is left out */

/* "0x12,3,5x2" are twelve empty cells, one with 3 and two with 5 units. */
static void put_counts(FILE *out, const uint64_t *cnt, uint32_t columns)
{
	uint32_t end;

	for (uint32_t column = 0; column < columns; column = end) {
		for (end = column; end < columns && cnt[end] == cnt[column]; end++)
			;
		fprintf(out, "%s%llu", column ? "," : "", (unsigned long long)cnt[column]);
		if (end - column > 1)
			fprintf(out, "x%u", end - column);
	}
}

static void draw_row_data(const struct heat_layout *layout, uint32_t row)
{
	const struct heat_map *heat = &layout->picture->heat;
	FILE *out = layout->canvas->markup->out;

	group_open(layout->canvas, "row");
	data_count(layout->canvas, "from-ns", heat->bound_ns[row]);
	data_count(layout->canvas, "to-ns", heat->bound_ns[row + 1]);
	fputs(" data-cnt=\"", out);
	put_counts(out, &heat->cnt[row * heat->columns], heat->columns);
	fputs("\"", out);
	markup_close(layout->canvas->markup);
}

/* The rows of a level, with a ";" between two of them. */
static void draw_level_data(const struct heat_layout *layout, uint32_t level)
{
	const struct heat_map *heat = &layout->picture->heat;
	uint32_t columns = heat_level_columns(heat, level);
	struct memory counts = {0};

	/* Without memory, there are only coarse cells. */
	if (memory_begin(&counts))
		return;
	for (uint32_t row = layout->first_row; row <= layout->last_row; row++) {
		if (row > layout->first_row)
			fputc(';', counts.stream);
		put_counts(counts.stream, &heat->finer[level][row * columns], columns);
	}
	if (!memory_finish(&counts) && strlen(counts.text) <= LEVEL_MOST) {
		markup_open(layout->canvas->markup, "desc");
		markup_attr(layout->canvas->markup, "class", "level");
		markup_attrf(layout->canvas->markup, "data-of", "%u", columns);
		markup_raw(layout->canvas->markup, counts.text);
		markup_close(layout->canvas->markup);
	}
	memory_clean(&counts);
}

void heat_draw_data(const struct heat_layout *layout)
{
	const struct canvas *canvas = layout->canvas;
	bool is_of_several = canvas->prefix && canvas->prefix[0];

	for (uint32_t row = layout->first_row; row <= layout->last_row; row++)
		draw_row_data(layout, row);
	for (uint32_t i = 0; i < HEAT_LEVELS; i++) {
		if (layout->picture->heat.finer[i] && !canvas->is_alone && !is_of_several)
			draw_level_data(layout, i);
	}
}
