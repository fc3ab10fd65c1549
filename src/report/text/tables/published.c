/* SPDX-License-Identifier: BSD-2-Clause */
/* Prints a table of results from a published paper. Prints measured results as further rows. */
#include "report/text/tables/table.h"

#include "report/words/labels.h"
#include "report/published.h"

#include <math.h>

void text_own_figures(const struct text *text, const struct own_figures *own)
{
	text_label(text, INK_BOLD, 34, own->title);
	text_us(text, 8, own->width_ns);
	text_us(text, 8, own->medium_ns);
	text_us(text, 8, own->next_ns);
	if (own->peaks && own->peaks->count)
		fprintf(text->out, "  %.0f-%.0f %s", (double)own->peaks->min_ns / 1e3,
			(double)own->peaks->max_ns / 1e3,
			isnan(own->peaks->per_second) ? ""
						      : frequency_word(own->peaks->per_second));
	else
		fprintf(text->out, "  %s", own->peaks ? "none" : "-");
	text_newline(text);
}

static void published_row(const struct text *text, const struct published *figures)
{
	fprintf(text->out, "  %-32s%8u%8u", figures->system, figures->width_us, figures->medium_us);
	if (figures->next_us)
		fprintf(text->out, "%8u", figures->next_us);
	else
		text_cell(text, 8, "-");
	fprintf(text->out, "  %u-%u %s\n", figures->peak_min_us, figures->peak_max_us,
		figures->frequency);
}

void text_published(const struct text *text, int cnt)
{
	static const struct column columns[] = {
		{8, "width", NULL}, {8, "medium", NULL}, {8, "next", NULL}, {7, "peaks", NULL}};

	text_newline(text);
	text_heading(text, PUBLISHED_SOURCE ", 1 client, idle (us)", 34, columns, 4);
	for (int i = 0; i < cnt; i++)
		published_row(text, &published[i]);
}
