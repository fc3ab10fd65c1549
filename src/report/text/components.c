/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Prints the components of the latency, and what ran on the CPU while receivers waited for the
 * CPU.
 */
#include "report/labels.h"
#include "report/metrics.h"
#include "report/text/sections.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define LABEL_WIDTH 21
#define CELL_WIDTH  9
#define SHARE_WIDTH 9
#define BAR_COLUMN  (LABEL_WIDTH + 4 * CELL_WIDTH + SHARE_WIDTH)
#define CLASS_WIDTH 14
#define TITLE_WIDTH 34
#define BLAME_ROWS  8

static void share_and_bar(const struct text *text, const struct summary *summary, double mean_ns,
			  char ink)
{
	double share = share_of_latency(summary, mean_ns);

	text_share(text, SHARE_WIDTH, share);
	text_bar(text, BAR_COLUMN, share, ink);
	text_newline(text);
}

static void component_row(const struct text *text, const struct summary *summary,
			  enum component component, int indent, char ink)
{
	const char *missing = component_missing(&summary->info, component);
	const struct stat *stat = &summary->component[component];

	fprintf(text->out, "%*s", indent, "");
	text_label(text, INK_PLAIN, LABEL_WIDTH - indent, component_titles[component]);
	if (missing) {
		fprintf(text->out, "   %s\n", missing);
		return;
	}
	text_us(text, CELL_WIDTH, stat_mean(stat));
	text_us(text, CELL_WIDTH, (double)stat_percentile(stat, 50));
	text_us(text, CELL_WIDTH, (double)stat_percentile(stat, 99));
	text_us(text, CELL_WIDTH, (double)stat->max);
	share_and_bar(text, summary, stat_mean(stat), ink);
}

static void context_switch_rows(const struct text *text, const struct summary *summary)
{
	double mean_ns = context_switch_ns(summary);

	text_label(text, INK_PLAIN, LABEL_WIDTH, "  context switch");
	text_us(text, CELL_WIDTH, mean_ns);
	fprintf(text->out, "%*s", 3 * CELL_WIDTH, "");
	share_and_bar(text, summary, mean_ns, '#');
	component_row(text, summary, COMPONENT_WAKEUP, 4, '-');
	component_row(text, summary, COMPONENT_RUNQUEUE, 4, '-');
	component_row(text, summary, COMPONENT_SWITCH, 4, '-');
}

static void component_row_if_any(const struct text *text, const struct summary *summary,
				 enum component component)
{
	if (summary->component[component].max || component_missing(&summary->info, component))
		component_row(text, summary, component, 2, '#');
}

/* The receiver's state at `queued`. Silent if it always slept on the channel. */
static void path_line(const struct text *text, const struct summary *summary)
{
	static const char *const words[NR_PATHS] = {
		[PATH_SLEPT] = "was asleep on the channel",
		[PATH_RUNNABLE] = "was already runnable",
		[PATH_RUNNING] = "was already running",
		[PATH_BLOCKED] = "was asleep for another reason",
	};
	struct paragraph line = {0};
	const char *separator = "when the data came, the receiver ";
	uint64_t all = 0;

	for (int i = 0; i < NR_PATHS; i++)
		all += summary->path[i];
	if (summary->path[PATH_SLEPT] == all)
		return;
	for (int i = 0; i < NR_PATHS; i++) {
		if (!summary->path[i])
			continue;
		paragraph_add(&line, "%s%s %llu time%s (%s)", separator, words[i],
			      (unsigned long long)summary->path[i], plural(summary->path[i]),
			      PERCENT((double)summary->path[i] / (double)all));
		separator = ", ";
	}
	paragraph_print(text, INK_BOLD, "paths", &line);
}

static void blocked_line(const struct text *text, const struct summary *summary)
{
	struct paragraph line = {0};

	blocked_calls_words(&line, "the receiver slept in ", &summary->blocked, &summary->info);
	paragraph_print(text, INK_BOLD, "blocked", &line);
}

void text_components(const struct text *text, const struct summary *summary)
{
	static const struct column columns[] = {
		{CELL_WIDTH, "mean", NULL}, {CELL_WIDTH, "p50", NULL},    {CELL_WIDTH, "p99", NULL},
		{CELL_WIDTH, "max", NULL},  {SHARE_WIDTH, "share", NULL},
	};
	bool stamped = summary->component[COMPONENT_DISPATCH].max > 0 ||
		       summary->component[COMPONENT_RETURN].max > 0;

	if (!summary->info.traced || !summary->latency.count)
		return;
	text_newline(text);
	text_heading(text, "where time went (us)", LABEL_WIDTH, columns, 5);
	if (stamped)
		component_row(text, summary, COMPONENT_DISPATCH, 2, '#');
	component_row(text, summary, COMPONENT_SEND_PATH, 2, '#');
	context_switch_rows(text, summary);
	component_row_if_any(text, summary, COMPONENT_BUSY);
	component_row_if_any(text, summary, COMPONENT_BLOCKED);
	component_row(text, summary, COMPONENT_RECEIVE, 2, '#');
	if (stamped)
		component_row(text, summary, COMPONENT_RETURN, 2, '#');
	blocked_line(text, summary);
	path_line(text, summary);
}

/* All blame with one class and title: threads of a pool, or short-lived processes of one program.
 */
struct blame_line {
	char class[NAME_LEN]; /* "client 2" for a client of the run that is known by its tid */
	char title[NAME_LEN];
	double ns;
	double messages; /* NAN: unknown */
};

static void class_title(const struct summary *summary, const struct blame *blame,
			char text[NAME_LEN])
{
	snprintf(text, NAME_LEN, "  %s", blame_class_title(blame->class, summary->info.mode));
	if (blame->class != BLAME_CLIENT)
		return;
	for (uint32_t i = 0; i < summary->client_cnt; i++) {
		if (summary->client[i].tid == blame->tid)
			snprintf(text, NAME_LEN, "  client %u", summary->client[i].client);
	}
}

static void blame_cells(const struct text *text, const struct summary *summary, double ns)
{
	const struct stat *runqueue = &summary->component[COMPONENT_RUNQUEUE];
	double sum_ns = (double)runqueue->sum;

	text_us(text, 11, runqueue->count ? ns / (double)runqueue->count : 0);
	text_share(text, 10, sum_ns > 0 ? ns / sum_ns : 0);
}

static void blame_row(const struct text *text, const struct summary *summary,
		      const struct blame_line *line, enum ink ink)
{
	text_label(text, INK_PLAIN, CLASS_WIDTH, line->class);
	text_label(text, ink, TITLE_WIDTH, line->title);
	blame_cells(text, summary, line->ns);
	text_number(text, 11, line->messages, 0);
	text_newline(text);
}

static void blame_rest(const struct text *text, const struct summary *summary,
		       const struct blame_line *line, uint32_t cnt)
{
	char title[NAME_LEN];
	double ns = 0;

	for (uint32_t i = 0; i < cnt; i++)
		ns += line[i].ns;
	snprintf(title, sizeof(title), "  +%u more", cnt);
	text_label(text, INK_PLAIN, CLASS_WIDTH + TITLE_WIDTH, title);
	blame_cells(text, summary, ns);
	text_newline(text);
}

static int by_title(const void *a, const void *b)
{
	const struct blame_line *x = a, *y = b;
	int order = strcmp(x->class, y->class);

	return order ? order : strcmp(x->title, y->title);
}

static int largest_first(const void *a, const void *b)
{
	const struct blame_line *x = a, *y = b;

	return x->ns != y->ns ? (x->ns < y->ns ? 1 : -1) : by_title(a, b);
}

/* A message may have waited for several of the merged threads: their count is unknown. */
static uint32_t merge_titles(struct blame_line *line, uint32_t cnt)
{
	uint32_t merged = 0;

	qsort(line, cnt, sizeof(*line), by_title);
	for (uint32_t i = 0; i < cnt; i++) {
		if (merged && !by_title(&line[merged - 1], &line[i])) {
			line[merged - 1].ns += line[i].ns;
			line[merged - 1].messages = NAN;
			continue;
		}
		line[merged++] = line[i];
	}
	qsort(line, merged, sizeof(*line), largest_first);
	return merged;
}

/* To be freed by the caller. NULL: out of memory. */
static struct blame_line *blame_lines(const struct summary *summary, uint32_t *cnt)
{
	struct blame_line *line = calloc(summary->blame_cnt, sizeof(*line));

	for (uint32_t i = 0; line && i < summary->blame_cnt; i++) {
		const struct blame_summary *blame = &summary->blame[i];

		class_title(summary, &blame->total, line[i].class);
		blame_title(&blame->total, line[i].title);
		line[i].ns = (double)blame->total.ns;
		line[i].messages = blame->folded ? NAN : (double)blame->messages;
	}
	*cnt = line ? merge_titles(line, summary->blame_cnt) : 0;
	return line;
}

void text_blame(const struct text *text, const struct summary *summary)
{
	static const struct column columns[] = {
		{11, "us/message", NULL}, {10, "share", NULL}, {11, "messages", NULL}};
	struct blame_line *line;
	uint32_t cnt;

	if (!summary->info.traced || !summary->blame_cnt)
		return;
	line = blame_lines(summary, &cnt);
	text_newline(text);
	text_heading(text, "run queue: who ran instead", CLASS_WIDTH + TITLE_WIDTH, columns, 3);
	for (uint32_t i = 0; i < cnt && i < BLAME_ROWS; i++)
		blame_row(text, summary, &line[i], i ? INK_PLAIN : INK_BOLD);
	if (cnt > BLAME_ROWS)
		blame_rest(text, summary, line + BLAME_ROWS, cnt - BLAME_ROWS);
	free(line);
}
