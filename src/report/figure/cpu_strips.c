/* SPDX-License-Identifier: BSD-2-Clause */
/* Draws a strip for each CPU below the heat map: what ran there while slow units waited for it. */
#include "report/figure/culprit.h"
#include "report/figure/heat_layout.h"

#define NUMBER_WIDTH 12 /* a cell needs this much for its culprit's number */

static bool is_in_strips(const struct picture *picture, uint32_t culprit)
{
	for (uint32_t i = 0; i < picture->strip_cnt; i++) {
		for (uint32_t column = 0; column < picture->heat.columns; column++) {
			if (picture->strip[i].cell[column].culprit == culprit)
				return true;
		}
	}
	return false;
}

/* Those that have a colour of their own, and one entry for all others. */
void strips_fill_legend(struct heat_layout *layout)
{
	const struct picture *picture = layout->picture;
	bool has_others = false;

	for (uint32_t i = 1; i <= picture->culprit_cnt; i++) {
		if (!is_in_strips(picture, i))
			continue;
		if (i <= CULPRIT_CLASSES)
			culprit_add_entry(picture, i, &layout->legend);
		else
			has_others = true;
	}
	if (has_others)
		legend_add(&layout->legend, culprit_class(0), "others");
}

void strips_draw_labels(const struct heat_layout *layout)
{
	const struct canvas *canvas = layout->canvas;

	if (!layout->picture->strip_cnt)
		return;
	label_draw(canvas, "soft", layout->time.scale.start, layout->strips - 6, ANCHOR_START,
		   canvas->is_narrow ? "what ran while slow ones waited for the CPU"
				     : "what ran on the CPU while slow ones waited for it");
	for (uint32_t i = 0; i < layout->picture->strip_cnt; i++) {
		double y = layout->strips + i * STRIP_HEIGHT;

		label_draw(canvas, "tick", layout->time.scale.start - 6, y + STRIP_HEIGHT - 4,
			   ANCHOR_END, TEXT("CPU %u", layout->picture->strip[i].cpu));
		line_draw(canvas, "grid", layout->time.scale.start, y + STRIP_HEIGHT,
			  layout->time.scale.end, y + STRIP_HEIGHT);
	}
}

/* How a culprit is drawn. */
static uint32_t cpu_strips_place_of(uint32_t culprit)
{
	return culprit <= CULPRIT_CLASSES ? culprit : 0;
}

/* The end of the stretch of cells that are drawn alike. */
static uint32_t stretch_end(const struct heat_layout *layout, const struct cpu_strip *strip,
			    uint32_t from)
{
	uint32_t end = from + 1;

	while (end < layout->picture->heat.columns &&
	       !strip->cell[end].culprit == !strip->cell[from].culprit &&
	       cpu_strips_place_of(strip->cell[end].culprit) ==
		       cpu_strips_place_of(strip->cell[from].culprit))
		end++;
	return end;
}

/*
 * What each cell has, as "culprit:ns:all-ns", "0x12" for twelve empty cells.  */
static void cpu_strips_draw_data(const struct heat_layout *layout, const struct cpu_strip *strip)
{
	FILE *out = layout->canvas->markup->out;
	uint32_t end;

	fputs(" data-cell=\"", out);
	for (uint32_t column = 0; column < layout->picture->heat.columns; column = end) {
		const struct strip_cell *cell = &strip->cell[column];

		fputs(column ? "," : "", out);
		end = column + 1;
		if (cell->culprit) {
			fprintf(out, "%u:%llu:%llu", cell->culprit, (unsigned long long)cell->ns,
				(unsigned long long)cell->all_ns);
			continue;
		}
		end = stretch_end(layout, strip, column);
		fprintf(out, "0x%u", end - column);
	}
	fputs("\"", out);
}

/* The cells of one colour as one path, in units of cells. */
static void draw_colour(const struct heat_layout *layout, const struct cpu_strip *strip,
			uint32_t place)
{
	bool is_open = false;
	uint32_t end;

	for (uint32_t column = 0; column < layout->picture->heat.columns; column = end) {
		end = stretch_end(layout, strip, column);
		if (!strip->cell[column].culprit ||
		    cpu_strips_place_of(strip->cell[column].culprit) != place)
			continue;
		if (!is_open)
			outline_open(layout->canvas, culprit_class(place));
		is_open = true;
		outline_cells(layout->canvas, column, 0, end - column, 1);
	}
	if (!is_open)
		return;
	outline_end(layout->canvas);
	markup_close(layout->canvas->markup);
}

/* Its number, where it has room: colours alone do not show on grey paper. */
static void draw_numbers(const struct heat_layout *layout, const struct cpu_strip *strip, double y)
{
	uint32_t end;

	for (uint32_t column = 0; column < layout->picture->heat.columns; column = end) {
		uint32_t place = cpu_strips_place_of(strip->cell[column].culprit);
		double from = heat_column_x(layout, column), to;

		end = stretch_end(layout, strip, column);
		to = heat_column_x(layout, end);
		if (!place || to - from < NUMBER_WIDTH)
			continue;
		label_open(layout->canvas,
			   TEXT("on on-%s %s", culprit_class(place), culprit_class(place)),
			   (from + to) / 2, y + STRIP_HEIGHT - 4, ANCHOR_MIDDLE);
		place_attr(layout->canvas, "data-x", (from + to) / 2);
		markup_textf(layout->canvas->markup, "%u", place);
		markup_close(layout->canvas->markup);
	}
}

static void draw_strip(const struct heat_layout *layout, const struct cpu_strip *strip, double y)
{
	struct markup *markup = layout->canvas->markup;
	double width = layout->time.scale.end - layout->time.scale.start;

	group_open(layout->canvas, "strip");
	data_count(layout->canvas, "cpu", strip->cpu);
	data_count(layout->canvas, "ns", strip->ns);
	place_attr(layout->canvas, "data-top", y + 2);
	place_attr(layout->canvas, "data-bottom", y + STRIP_HEIGHT - 1);
	if (!layout->canvas->is_narrow)
		cpu_strips_draw_data(layout, strip);
	markup_attrf(markup, "transform", "translate(%.2f %.2f) scale(%.6f %d)",
		     layout->time.scale.start, y + 2, width / layout->picture->heat.columns,
		     STRIP_HEIGHT - 3);
	for (uint32_t place = 0; place <= CULPRIT_CLASSES; place++)
		draw_colour(layout, strip, place);
	markup_close(markup);
}

void strips_draw_cells(const struct heat_layout *layout)
{
	for (uint32_t i = 0; i < layout->picture->strip_cnt; i++)
		draw_strip(layout, &layout->picture->strip[i], layout->strips + i * STRIP_HEIGHT);
}

/* Names for the script; a legend has only some of them. */
static void draw_names(const struct heat_layout *layout)
{
	for (uint32_t i = 1; !layout->canvas->is_narrow && i <= layout->picture->culprit_cnt; i++) {
		const struct picture_culprit *culprit = &layout->picture->culprit[i - 1];
		char words[CULPRIT_WORDS_LEN];

		if (!is_in_strips(layout->picture, i))
			continue;
		culprit_words(culprit, words);
		markup_open(layout->canvas->markup, "desc");
		data_count(layout->canvas, "culprit", i);
		data_count(layout->canvas, "ns", culprit->ns);
		markup_text(layout->canvas->markup, words);
		markup_close(layout->canvas->markup);
	}
}

void strips_draw_numbers(const struct heat_layout *layout)
{
	group_open(layout->canvas, "numbers");
	draw_names(layout);
	for (uint32_t i = 0; i < layout->picture->strip_cnt; i++)
		draw_numbers(layout, &layout->picture->strip[i], layout->strips + i * STRIP_HEIGHT);
	markup_close(layout->canvas->markup);
}
