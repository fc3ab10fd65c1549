/* SPDX-License-Identifier: BSD-2-Clause */
/* Draws a strip for each CPU below the heat map: what ran there while slow units waited for it. */
#include "report/figure/heat_layout.h"
#include "report/figure/palette.h"
#include "report/labels.h"

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
		struct legend_entry *entry = &layout->culprit[layout->culprit_cnt];
		char title[NAME_LEN];

		if (!is_in_strips(picture, i))
			continue;
		if (i > CULPRIT_CLASSES) {
			has_others = true;
			continue;
		}
		blame_title(&picture->culprit[i - 1].by, title);
		entry->class = culprit_class(i);
		snprintf(entry->label, sizeof(entry->label), "%u %s", i, title);
		layout->culprit_cnt++;
	}
	if (!has_others)
		return;
	layout->culprit[layout->culprit_cnt].class = culprit_class(0);
	snprintf(layout->culprit[layout->culprit_cnt++].label, sizeof(layout->culprit[0].label),
		 "others");
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
		char title[32];

		snprintf(title, sizeof(title), "CPU %u", layout->picture->strip[i].cpu);
		label_draw(canvas, "tick", layout->time.scale.start - 6, y + STRIP_HEIGHT - 4,
			   ANCHOR_END, title);
		line_draw(canvas, "grid", layout->time.scale.start, y + STRIP_HEIGHT,
			  layout->time.scale.end, y + STRIP_HEIGHT);
	}
}

/* Neighbours with the same culprit. */
struct stretch {
	const struct cpu_strip *strip;
	uint32_t from; /* columns */
	uint32_t to;
	uint64_t ns;
	uint64_t all_ns;
};

static struct stretch stretch_at(const struct heat_layout *layout, const struct cpu_strip *strip,
				 uint32_t from)
{
	struct stretch stretch = {.strip = strip, .from = from, .to = from};
	uint32_t culprit = strip->cell[from].culprit;

	for (; stretch.to < layout->picture->heat.columns &&
	       strip->cell[stretch.to].culprit == culprit;
	     stretch.to++) {
		stretch.ns += strip->cell[stretch.to].ns;
		stretch.all_ns += strip->cell[stretch.to].all_ns;
	}
	return stretch;
}

static void stretch_draw(const struct heat_layout *layout, const struct stretch *stretch, double y)
{
	const struct canvas *canvas = layout->canvas;
	uint32_t culprit = stretch->strip->cell[stretch->from].culprit;
	const char *class = culprit_class(culprit);
	double from = heat_column_x(layout, stretch->from);
	double to = heat_column_x(layout, stretch->to);
	char classes[64], title[NAME_LEN];

	blame_title(&layout->picture->culprit[culprit - 1].by, title);
	snprintf(classes, sizeof(classes), "fill %s", class);
	rect_open(canvas, classes, from, y + 2, to - from, STRIP_HEIGHT - 3);
	data_count(canvas, "cpu", stretch->strip->cpu);
	data_count(canvas, "culprit", culprit);
	data_count(canvas, "ns", stretch->ns);
	data_count(canvas, "all-ns", stretch->all_ns);
	tooltip_draw(canvas, "CPU %u: %s ran %s of %s", stretch->strip->cpu, title,
		     NS_TEXT((double)stretch->ns), NS_TEXT((double)stretch->all_ns));
	markup_close(canvas->markup);
	if (to - from < NUMBER_WIDTH)
		return;
	snprintf(classes, sizeof(classes), "on on-%s %s", class, class);
	snprintf(title, sizeof(title), "%u", culprit);
	label_draw(canvas, classes, (from + to) / 2, y + STRIP_HEIGHT - 4, ANCHOR_MIDDLE, title);
}

void strips_draw_cells(const struct heat_layout *layout)
{
	for (uint32_t i = 0; i < layout->picture->strip_cnt; i++) {
		const struct cpu_strip *strip = &layout->picture->strip[i];

		for (uint32_t column = 0; column < layout->picture->heat.columns;) {
			struct stretch stretch = stretch_at(layout, strip, column);

			if (strip->cell[column].culprit)
				stretch_draw(layout, &stretch, layout->strips + i * STRIP_HEIGHT);
			column = stretch.to;
		}
	}
}
