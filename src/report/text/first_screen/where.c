/* SPDX-License-Identifier: BSD-2-Clause */
/* Prints the mean latency as a bar of its components, and the largest components as rows. */
#include "report/text/first_screen/where.h"

#include "report/labels.h"
#include "report/metrics.h"
#include "report/text/component_bar.h"

#include <stdlib.h>

#define LABEL_WIDTH 14
#define TITLE_WIDTH 11
#define TIME_WIDTH  10
#define BAR_WIDTH   42
#define ROWS_LEAST  2
#define MATTERS     0.01 /* share of the latency */

struct part {
	enum component component;
	double ns;
};

static int largest_first(const void *a, const void *b)
{
	const struct part *x = a, *y = b;

	if (x->ns != y->ns)
		return x->ns < y->ns ? 1 : -1;
	return (int)x->component - (int)y->component;
}

static void print_bar(const struct text *text, const struct summary *summary)
{
	const char *left = text->is_unicode ? "\u2595" : "|";
	const char *right = text->is_unicode ? "\u258f" : "|";
	double ns[NR_COMPONENTS];

	for (int i = 0; i < NR_COMPONENTS; i++)
		ns[i] = stat_mean(&summary->component[i]);
	text_label(text, INK_BOLD, LABEL_WIDTH, "where it went");
	fputs(left, text->out);
	component_bar(text, ns, BAR_WIDTH, true);
	fprintf(text->out, "%s  message ", right);
	text_us(text, TIME_WIDTH - 1, stat_mean(&summary->latency));
	fputs(" us\n", text->out);
}

/* Explains the component in words for a first reading. */
static void explain(const struct text *text, const struct summary *summary,
		    enum component component)
{
	static const char *const words[NR_COMPONENTS] = {
		[COMPONENT_DISPATCH] = "the sender's loop, before this send",
		[COMPONENT_SEND_PATH] = "the send call, until the data can be read",
		[COMPONENT_WAKEUP] = "the receiver sleeps until it is woken up",
		[COMPONENT_RUNQUEUE] = "the receiver waits for a CPU",
		[COMPONENT_SWITCH] = "the scheduler switches to the receiver",
		[COMPONENT_BUSY] = "the receiver runs something else",
		[COMPONENT_BLOCKED] = "the receiver sleeps for another reason",
		[COMPONENT_RECEIVE] = "the receiver is in its receive call",
		[COMPONENT_RETURN] = "from the receive call to its own code",
	};
	const struct run_info *info = &summary->info;

	if (component == COMPONENT_BLOCKED && info->mode == MODE_ATTACH && summary->blocked.cnt &&
	    summary->blocked.entry[0].call != CALL_UNKNOWN) {
		char name[NAME_LEN];

		syscall_name(info->host.arch, summary->blocked.entry[0].call, name);
		fprintf(text->out, "  the receiver sleeps in %.20s", name);
	} else if (component == COMPONENT_RECEIVE && info->level == LEVEL_LIGHT) {
		fputs("  the receiver runs, in the call or before", text->out);
	} else {
		fprintf(text->out, "  %s", words[component]);
	}
}

static void time_cells(const struct text *text, const struct summary *summary, double ns)
{
	text_us(text, TIME_WIDTH, ns);
	fputs(" us", text->out);
	text_cell(text, 8, PERCENT(share_of_latency(summary, ns)));
}

static void print_part(const struct text *text, const struct summary *summary,
		       const struct part *part)
{
	fputs("  ", text->out);
	component_mark(text, part->component);
	fputc(' ', text->out);
	text_label(text, INK_PLAIN, TITLE_WIDTH, component_titles[part->component]);
	time_cells(text, summary, part->ns);
	explain(text, summary, part->component);
	text_newline(text);
}

static void print_rest(const struct text *text, const struct summary *summary,
		       const struct part *part, int cnt)
{
	char title[32];
	double ns = 0;

	for (int i = 0; i < cnt; i++)
		ns += part[i].ns;
	snprintf(title, sizeof(title), "    %d others", cnt);
	text_label(text, INK_PLAIN, 4 + TITLE_WIDTH, title);
	time_cells(text, summary, ns);
	text_newline(text);
}

static int count_parts(const struct summary *summary, struct part part[NR_COMPONENTS])
{
	int cnt = 0;

	for (int i = 0; i < NR_COMPONENTS; i++) {
		double ns = stat_mean(&summary->component[i]);

		if (ns > 0)
			part[cnt++] = (struct part){i, ns};
	}
	qsort(part, (size_t)cnt, sizeof(*part), largest_first);
	return cnt;
}

/* How many of the sorted parts have a row of their own. */
static int count_rows(const struct summary *summary, const struct part *part, int cnt, int row_max)
{
	int rows = 0;

	while (rows < cnt && share_of_latency(summary, part[rows].ns) >= MATTERS)
		rows++;
	if (rows == cnt - 1)
		rows = cnt; /* the row of the others could name the one as well */
	if (row_max < ROWS_LEAST)
		row_max = ROWS_LEAST;
	return rows < cnt ? (rows < row_max ? rows : row_max - 1)
			  : (rows <= row_max ? rows : row_max - 1);
}

void where_table(const struct text *text, const struct summary *summary, int row_max)
{
	struct part part[NR_COMPONENTS];
	int cnt, rows;

	if (!summary->info.traced || !summary->latency.count)
		return;
	print_bar(text, summary);
	cnt = count_parts(summary, part);
	rows = count_rows(summary, part, cnt, row_max);
	for (int i = 0; i < rows; i++)
		print_part(text, summary, &part[i]);
	if (rows < cnt)
		print_rest(text, summary, part + rows, cnt - rows);
}
