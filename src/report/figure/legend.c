/* SPDX-License-Identifier: BSD-2-Clause */
/* Draws legends: swatches with their words, in as many lines as they need. */
#include "report/figure/axis.h"

#include <stdio.h>
#include <string.h>

#define SWATCH   12
#define GAP      6  /* from the swatch to its words */
#define DISTANCE 18 /* from an entry to the next */
#define LINE     20

struct cursor {
	double x;
	double y;
};

static double entry_width(const struct legend_entry *entry)
{
	return SWATCH + GAP + label_width(entry->label, FONT_SIZE);
}

/* Where the entry begins: behind the one before, or in the next line. */
static struct cursor place_of(struct cursor *next, const struct legend_entry *entry, double width)
{
	double needed = entry_width(entry);
	struct cursor place;

	if (next->x > 0 && next->x + needed > width) {
		next->x = 0;
		next->y += LINE;
	}
	place = *next;
	next->x += needed + DISTANCE;
	return place;
}

double legend_height(const struct canvas *canvas, const struct legend_entry *entry, int cnt,
		     double width)
{
	struct cursor next = {0};

	(void)canvas;
	for (int i = 0; i < cnt; i++)
		place_of(&next, &entry[i], width);
	return cnt ? next.y + LINE : 0;
}

static void swatch_draw(const struct canvas *canvas, const struct legend_entry *entry, double x,
			double y)
{
	const char *mark = entry->mark ?: "fill";
	char class[128];

	snprintf(class, sizeof(class), "%s %s", mark, entry->class);
	if (!strcmp(mark, "culprit")) {
		rect_draw(canvas, "fill c-runqueue", x, y, SWATCH, SWATCH);
		rect_draw(canvas, class, x, y + SWATCH / 2.0, SWATCH, SWATCH / 2.0);
		return;
	}
	if (entry->mark && !strncmp(entry->mark, "series", 6))
		line_draw(canvas, class, x - 3, y + SWATCH / 2.0, x + SWATCH + 3, y + SWATCH / 2.0);
	else
		rect_draw(canvas, class, x, y, SWATCH, SWATCH);
}

void legend_draw(const struct canvas *canvas, const struct legend_entry *entry, int cnt, double x,
		 double y, double width)
{
	struct cursor next = {0};

	if (!cnt)
		return;
	group_open(canvas, "legend");
	for (int i = 0; i < cnt; i++) {
		struct cursor place = place_of(&next, &entry[i], width);

		group_open(canvas, "key");
		markup_attr(canvas->markup, "data-key", entry[i].class);
		if (entry[i].tip[0] && !canvas->is_narrow)
			tooltip_draw(canvas, "%s", entry[i].tip);
		swatch_draw(canvas, &entry[i], x + place.x, y + place.y);
		label_draw(canvas, NULL, x + place.x + SWATCH + GAP, y + place.y + 10.5,
			   ANCHOR_START, entry[i].label);
		markup_close(canvas->markup);
	}
	markup_close(canvas->markup);
}
