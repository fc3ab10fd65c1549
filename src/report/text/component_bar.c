/* SPDX-License-Identifier: BSD-2-Clause */
/* Draws bars of components, for example "ssswwwqqqqqqxrrr". */
#include "report/text/component_bar.h"

#include "insight/metrics.h"

#include <string.h>

#define LEGEND_INDENT 14

/* A part of a bar. */
struct bar_part {
	const char *title; /* is in the bar if it has room; NULL: none */
	struct bar_mark mark;
	double ns;
};

void put_mark(const struct text *text, const struct bar_mark *mark)
{
	text_mark(text, mark->hue, mark->letter);
}

static void component_bar_fill(const struct text *text, const struct bar_mark *mark, int columns)
{
	char part[BAR_COLUMNS_MAX + 1] = "";

	memset(part, mark->letter[0], columns > BAR_COLUMNS_MAX ? BAR_COLUMNS_MAX : columns);
	text_mark(text, mark->hue, part);
}

/* "qqqqq run queue qqqqq" */
static void component_bar_put_part(const struct text *text, const struct bar_part *part,
				   int columns)
{
	int title = part->title ? (int)strlen(part->title) + 2 : columns, left;

	if (columns < title + 2) {
		component_bar_fill(text, &part->mark, columns);
		return;
	}
	left = (columns - title) / 2;
	component_bar_fill(text, &part->mark, left);
	fprintf(text->out, " %s ", part->title);
	component_bar_fill(text, &part->mark, columns - title - left);
}

/* The part to which the next column goes: its exact length exceeds its columns most. */
static int most_lacking(const double *exact, const int *columns, int cnt)
{
	int most = 0;

	for (int i = 1; i < cnt; i++) {
		if (exact[i] - columns[i] > exact[most] - columns[most])
			most = i;
	}
	return most;
}

/* Lengths are rounded so that the bar has its full width, and a larger part is never shorter. */
static void bar_put_parts(const struct text *text, const struct bar_part *part, int cnt, int width)
{
	double exact[NR_COMPONENTS], all_ns = 0;
	int columns[NR_COMPONENTS], left = width;

	for (int i = 0; i < cnt; i++)
		all_ns += part[i].ns;
	if (!(all_ns > 0))
		return;
	for (int i = 0; i < cnt; i++) {
		exact[i] = part[i].ns / all_ns * width;
		columns[i] = (int)exact[i];
		left -= columns[i];
	}
	for (; left > 0; left--)
		columns[most_lacking(exact, columns, cnt)]++;
	for (int i = 0; i < cnt; i++)
		component_bar_put_part(text, &part[i], columns[i]);
}

void component_bar(const struct text *text, const double ns[NR_COMPONENTS], int width,
		   bool has_titles)
{
	struct bar_part part[NR_COMPONENTS];

	for (int i = 0; i < NR_COMPONENTS; i++) {
		part[i] = (struct bar_part){components[i].title, components[i].mark, ns[i]};
		if (!has_titles)
			part[i].title = NULL;
	}
	bar_put_parts(text, part, NR_COMPONENTS, width);
}

void largest_component(const struct text *text, const double ns[NR_COMPONENTS], int width)
{
	enum component largest = components_largest(ns);
	double all_ns = components_ns(ns);
	char share[PERCENT_LEN];

	percent_text(all_ns > 0 ? ns[largest] / all_ns : 0, share);
	text_begin_cell(text);
	fprintf(text->out, "%*s", width - 2 - (int)strlen(share), "");
	put_mark(text, &components[largest].mark);
	fprintf(text->out, " %s", share);
}

/* Before the first component of the sender, and of the receiver. */
static const char *component_bar_end_before(enum component component, bool is_first,
					    bool begins_line)
{
	if (component && components[component - 1].of_sender && !components[component].of_sender)
		return begins_line ? "receiver:" : "; receiver:";
	return is_first ? "sender:" : "";
}

void component_legend(const struct text *text, const struct run_info *info, const char *label)
{
	int at = LEGEND_INDENT;
	bool is_first = true;

	text_label(text, INK_PLAIN, LEGEND_INDENT, label);
	for (int i = 0; i < NR_COMPONENTS; i++) {
		const char *end = component_bar_end_before(i, is_first, is_first);
		int columns = (int)(strlen(end) + strlen(components[i].title)) + 3;

		if (!component_applies(info, i))
			continue;
		if (at + columns > text->columns) {
			fprintf(text->out, "\n%*s", LEGEND_INDENT - 1, "");
			at = LEGEND_INDENT;
			end = component_bar_end_before(i, is_first, true);
		}
		fprintf(text->out, "%s ", end);
		put_mark(text, &components[i].mark);
		fprintf(text->out, " %s", components[i].title);
		at += columns;
		is_first = false;
	}
	text_newline(text);
}
