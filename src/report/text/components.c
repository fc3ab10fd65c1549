/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Prints the components of the latency, and what ran on the CPU while receivers waited for the
 * CPU.
 */
#include "report/labels.h"
#include "report/metrics.h"
#include "report/text/culprits.h"
#include "report/text/sections.h"

#include <stdlib.h>

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
	if (summary->component[COMPONENT_ROOM].max)
		component_row(text, summary, COMPONENT_ROOM, 2, '#');
	context_switch_rows(text, summary);
	component_row_if_any(text, summary, COMPONENT_BUSY);
	component_row_if_any(text, summary, COMPONENT_BLOCKED);
	component_row(text, summary, COMPONENT_RECEIVE, 2, '#');
	if (stamped)
		component_row(text, summary, COMPONENT_RETURN, 2, '#');
	text_room(text, summary);
	blocked_line(text, summary);
	path_line(text, summary);
}

/* "  client 2" for a client of the run, else the class: "  task". */
static void class_title(const struct summary *summary, const struct culprit *culprit,
			char text[NAME_LEN])
{
	if (culprit->client)
		snprintf(text, NAME_LEN, "  client %u", culprit->client);
	else
		snprintf(text, NAME_LEN, "  %s",
			 blame_class_title(culprit->class, summary->info.mode));
}

static void blame_cells(const struct text *text, const struct summary *summary, double ns)
{
	const struct stat *runqueue = &summary->component[COMPONENT_RUNQUEUE];
	double sum_ns = (double)runqueue->sum;

	text_us(text, 11, runqueue->count ? ns / (double)runqueue->count : 0);
	text_share(text, 10, sum_ns > 0 ? ns / sum_ns : 0);
}

static void blame_row(const struct text *text, const struct summary *summary,
		      const struct culprit *culprit, enum ink ink)
{
	char class[NAME_LEN];

	class_title(summary, culprit, class);
	text_label(text, INK_PLAIN, CLASS_WIDTH, class);
	text_label(text, ink, TITLE_WIDTH, culprit->title);
	blame_cells(text, summary, culprit->ns);
	text_number(text, 11, culprit->messages, 0);
	text_newline(text);
}

static void blame_rest(const struct text *text, const struct summary *summary,
		       const struct culprit *culprit, uint32_t cnt)
{
	char title[NAME_LEN];
	double ns = 0;

	for (uint32_t i = 0; i < cnt; i++)
		ns += culprit[i].ns;
	snprintf(title, sizeof(title), "  +%u more", cnt);
	text_label(text, INK_PLAIN, CLASS_WIDTH + TITLE_WIDTH, title);
	blame_cells(text, summary, ns);
	text_newline(text);
}

void text_blame(const struct text *text, const struct summary *summary)
{
	static const struct column columns[] = {
		{11, "us/message", NULL}, {10, "share", NULL}, {11, "messages", NULL}};
	struct culprit *culprit;
	uint32_t cnt;

	if (!summary->info.traced || !summary->blame_cnt)
		return;
	culprit = culprits_of(summary, blame_of_messages(summary), &cnt);
	text_newline(text);
	text_heading(text, "run queue: what ran instead", CLASS_WIDTH + TITLE_WIDTH, columns, 3);
	for (uint32_t i = 0; i < cnt && i < BLAME_ROWS; i++)
		blame_row(text, summary, &culprit[i], i ? INK_PLAIN : INK_BOLD);
	if (cnt > BLAME_ROWS)
		blame_rest(text, summary, culprit + BLAME_ROWS, cnt - BLAME_ROWS);
	free(culprit);
}
