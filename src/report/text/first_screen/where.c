/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Prints the mean latency of messages as a bar of its components, or calls as a bar of their parts,
 * and the largest parts as rows.
 */
#include "report/text/first_screen/where.h"

#include "report/words/labels.h"
#include "insight/metrics.h"
#include "report/text/component_bar.h"

#include <stdlib.h>

#define LABEL_WIDTH 14
#define TITLE_WIDTH 11
#define TIME_WIDTH  10
#define BESIDE_BAR  38 /* columns of what stands beside the bar */
#define BAR_LEAST   20
#define ROWS_LEAST  2
#define INDENT      2
#define MATTERS     0.01 /* share of the latency, or of the round trip */

/* A part of the bar with the words that explain it. */
struct part {
	struct bar_part bar;
	char words[NAME_LEN];
};

_Static_assert(3 + NR_SERVICE_STATES <= BAR_PARTS_MAX, "parts");

/* What the table shows: a message, or a call. */
struct where {
	struct part part[BAR_PARTS_MAX]; /* [cnt], in the order of time */
	int cnt;
	const char *unit;
	double all_ns;
};

static void add_part(struct where *where, struct bar_part bar, const char *words)
{
	struct part *part = &where->part[where->cnt];

	if (!(bar.ns > 0))
		return;
	part->bar = bar;
	snprintf(part->words, sizeof(part->words), "%s", words);
	where->cnt++;
}

/* Explains the component in words for a first reading. */
static void explain(const struct summary *summary, enum component component, char words[NAME_LEN])
{
	const struct component_info *one = &components[component];
	const struct run_info *info = &summary->info;

	if (component == COMPONENT_BLOCKED && blocked_calls_is_stopped(&summary->blocked)) {
		snprintf(words, NAME_LEN, "the receiver is stopped");
	} else if (component == COMPONENT_BLOCKED && info->mode == MODE_ATTACH &&
		   summary->blocked.cnt && summary->blocked.entry[0].call != CALL_UNKNOWN) {
		char name[NAME_LEN];

		syscall_name(info->host.arch, summary->blocked.entry[0].call, name);
		snprintf(words, NAME_LEN, "the receiver sleeps in %.20s", name);
	} else {
		const char *light = info->level == LEVEL_LIGHT ? one->where_light : NULL;

		snprintf(words, NAME_LEN, "%s", light ?: one->where);
	}
}

static void where_of_messages(struct where *where, const struct summary *summary)
{
	where->unit = "message";
	where->all_ns = stat_mean(&summary->latency);
	for (int i = 0; i < NR_COMPONENTS; i++) {
		char words[NAME_LEN];

		explain(summary, i, words);
		add_part(where, component_part(i, stat_mean(&summary->component[i])), words);
	}
}

static void where_of_calls(struct where *where, const struct calls_summary *calls)
{
	static const struct bar_mark request = {">", HUE_CYAN}, response = {"<", HUE_LIGHT_BLUE};
	static const struct bar_mark unknown = {"?", HUE_MAGENTA};
	double all_ns = (double)calls->service.sum, states_ns = service_states_ns(calls);
	/* Services that were cut may also be of calls that do not count among these. */
	bool are_all = states_ns > (1 - MATTERS) * all_ns;
	double scale = (are_all ? all_ns / states_ns : 1) / (double)calls->service.count;

	where->unit = "call";
	where->all_ns = stat_mean(&calls->round_trip);
	add_part(where, (struct bar_part){"request", request, stat_mean(&calls->request)},
		 "the way to the server");
	for (int i = 0; i < NR_SERVICE_STATES; i++)
		add_part(where,
			 (struct bar_part){service_states[i].title, service_states[i].mark,
					   (double)calls->state_ns[i] * scale},
			 service_states[i].where);
	if (!are_all)
		add_part(where,
			 (struct bar_part){"not known", unknown, (all_ns - states_ns) * scale},
			 "the service: what it did is not known");
	add_part(where, (struct bar_part){"response", response, stat_mean(&calls->response)},
		 "the way back to the client");
}

static void print_bar(const struct text *text, const struct where *where)
{
	const char *left = text->is_unicode ? "\u2595" : "|";
	const char *right = text->is_unicode ? "\u258f" : "|";
	int width = text->columns - BESIDE_BAR;
	struct bar_part bar[BAR_PARTS_MAX];

	for (int i = 0; i < where->cnt; i++)
		bar[i] = where->part[i].bar;
	text_label(text, INK_BOLD, LABEL_WIDTH, "where it went");
	if (width < BAR_LEAST) {
		width = text->columns - 2 * INDENT;
		fprintf(text->out, "\n%*s", INDENT, "");
	}
	fputs(left, text->out);
	bar_of_parts(text, bar, where->cnt, width);
	fprintf(text->out, "%s  %-7s ", right, where->unit);
	text_us(text, TIME_WIDTH - 1, where->all_ns);
	fputs(" us\n", text->out);
}

static int largest_first(const void *a, const void *b)
{
	const struct part *const *x = a, *const *y = b;

	if ((*x)->bar.ns != (*y)->bar.ns)
		return (*x)->bar.ns < (*y)->bar.ns ? 1 : -1;
	return (*x > *y) - (*x < *y);
}

static void time_cells(const struct text *text, const struct where *where, double ns)
{
	text_us(text, TIME_WIDTH, ns);
	fputs(" us", text->out);
	text_cell(text, 8, PERCENT(where->all_ns > 0 ? ns / where->all_ns : 0));
}

static void print_part(const struct text *text, const struct where *where, const struct part *part)
{
	fputs("  ", text->out);
	put_mark(text, &part->bar.mark);
	fputc(' ', text->out);
	text_label(text, INK_PLAIN, TITLE_WIDTH, part->bar.title);
	time_cells(text, where, part->bar.ns);
	text_begin_tail(text);
	fprintf(text->out, "  %s\n", part->words);
}

static void print_rest(const struct text *text, const struct where *where,
		       const struct part *const *part, int cnt)
{
	char title[32];
	double ns = 0;

	for (int i = 0; i < cnt; i++)
		ns += part[i]->bar.ns;
	snprintf(title, sizeof(title), "    %d others", cnt);
	text_label(text, INK_PLAIN, 4 + TITLE_WIDTH, title);
	time_cells(text, where, ns);
	text_newline(text);
}

/* How many of the sorted parts have a row of their own. */
static int count_rows(const struct where *where, const struct part *const *part, int row_max)
{
	int rows = 0, cnt = where->cnt;

	while (rows < cnt && part[rows]->bar.ns >= MATTERS * where->all_ns)
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
	const struct part *sorted[BAR_PARTS_MAX];
	struct where where = {0};
	int rows;

	if (!summary->info.traced || !summary->latency.count)
		return;
	if (explains_service(summary))
		where_of_calls(&where, &summary->calls);
	else
		where_of_messages(&where, summary);
	for (int i = 0; i < where.cnt; i++)
		sorted[i] = &where.part[i];
	qsort(sorted, (size_t)where.cnt, sizeof(sorted[0]), largest_first);
	print_bar(text, &where);
	rows = count_rows(&where, sorted, row_max);
	for (int i = 0; i < rows; i++)
		print_part(text, &where, sorted[i]);
	if (rows < where.cnt)
		print_rest(text, &where, sorted + rows, where.cnt - rows);
}
