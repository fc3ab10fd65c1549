/* SPDX-License-Identifier: BSD-2-Clause */
/* Draws bars of components, for example "ssswwwqqqqqqxrrr". */
#include "report/text/component_bar.h"

#include "report/metrics.h"

#include <math.h>
#include <string.h>

#define LEGEND_INDENT 14

/* Shades of neighbours differ, so that a bar can be read without its colours. */
static const struct {
	const char *letter;
	const char *block;
	enum ink ink;
} marks[NR_COMPONENTS] = {
	[COMPONENT_DISPATCH] = {"d", "█", INK_BLUE},
	[COMPONENT_SEND_PATH] = {"s", "▒", INK_CYAN},
	[COMPONENT_WAKEUP] = {"w", "░", INK_YELLOW},
	[COMPONENT_RUNQUEUE] = {"q", "█", INK_RED},
	[COMPONENT_SWITCH] = {"x", "░", INK_MAGENTA},
	[COMPONENT_BUSY] = {"b", "▓", INK_GREEN},
	[COMPONENT_BLOCKED] = {"k", "░", INK_GRAY},
	[COMPONENT_RECEIVE] = {"r", "▒", INK_LIGHT_BLUE},
	[COMPONENT_RETURN] = {"t", "░", INK_LIGHT_CYAN},
};

void component_mark(const struct text *text, enum component component)
{
	text_put(text, marks[component].ink,
		 text->is_unicode ? marks[component].block : marks[component].letter);
}

static void fill(const struct text *text, enum component component, int columns)
{
	const char *mark = text->is_unicode ? marks[component].block : marks[component].letter;
	char part[512] = "";

	for (int i = 0; i < columns && strlen(part) + strlen(mark) < sizeof(part); i++)
		strcat(part, mark);
	text_put(text, marks[component].ink, part);
}

/* "qqqqq run queue qqqqq" */
static void put_part(const struct text *text, enum component component, int columns,
		     bool has_titles)
{
	int title = (int)strlen(component_titles[component]) + 2, left;

	if (!has_titles || columns < title + 2) {
		fill(text, component, columns);
		return;
	}
	left = (columns - title) / 2;
	fill(text, component, left);
	fprintf(text->out, " %s ", component_titles[component]);
	fill(text, component, columns - title - left);
}

/* The ends of parts are rounded, not their lengths, so that the bar has its full width. */
void component_bar(const struct text *text, const double ns[NR_COMPONENTS], int width,
		   bool has_titles)
{
	double all_ns = 0, until_ns = 0;
	int at = 0;

	for (int i = 0; i < NR_COMPONENTS; i++)
		all_ns += ns[i];
	if (!(all_ns > 0))
		return;
	for (int i = 0; i < NR_COMPONENTS; i++) {
		int end;

		until_ns += ns[i];
		end = (int)lround(until_ns / all_ns * width);
		put_part(text, i, end - at, has_titles);
		at = end;
	}
}

void component_legend(const struct text *text, const struct run_info *info, const char *label)
{
	int at = LEGEND_INDENT;

	text_label(text, INK_PLAIN, LEGEND_INDENT, label);
	for (int i = 0; i < NR_COMPONENTS; i++) {
		int columns = (int)strlen(component_titles[i]) + 3;

		if (!component_applies(info, i))
			continue;
		if (at + columns > text->columns) {
			fprintf(text->out, "\n%*s", LEGEND_INDENT, "");
			at = LEGEND_INDENT;
		}
		fputs(at > LEGEND_INDENT ? " " : "", text->out);
		component_mark(text, i);
		fprintf(text->out, " %s", component_titles[i]);
		at += columns;
	}
	text_newline(text);
}
