/* SPDX-License-Identifier: BSD-2-Clause */
/* Prints the first screen of a run or an attach. */
#include "report/text/first_screen/first_screen.h"

#include "insight/metrics.h"
#include "report/words/labels.h"
#include "report/words/summary_words.h"
#include "report/words/focus.h"
#include "report/text/first_screen/where.h"
#include "report/text/sections.h"

#include <math.h>

#define LABEL_WIDTH      15
#define CELL_WIDTH       9
#define VERDICT_LINES    4
#define UNSEEN_LINES     12
#define CULPRIT_LINES    3
#define SLOWEST_LINES    2
#define TRUST_LINES      3
#define COMPONENTS_LEAST 3
#define COMPONENTS_MANY  5 /* where no screen has room for all */
#define COLUMNS_SCREEN   80

/* The sentences, whose lengths decide how many components have room. */
struct screen {
	struct paragraph verdict;
	struct paragraph whose; /* calls the table has */
	struct paragraph warning;
	struct paragraph culprits;
	struct paragraph slowest;
	struct paragraph trust;
};

static void stat_heading(const struct text *text, const char *title, const char *last)
{
	const struct column columns[] = {
		{CELL_WIDTH, "mean", NULL},  {CELL_WIDTH, "p50", NULL}, {CELL_WIDTH, "p99", NULL},
		{CELL_WIDTH, "p99.9", NULL}, {CELL_WIDTH, "max", NULL}, {CELL_WIDTH, last, NULL},
	};

	text_newline(text);
	text_heading(text, title, LABEL_WIDTH, columns, last ? 6 : 5);
}

/* Does not end the line. */
static void stat_cells(const struct text *text, const char *label, const struct stat *stat)
{
	static const double percents[] = {50, 99, 99.9};

	text_label(text, INK_PLAIN, LABEL_WIDTH, label);
	text_us(text, CELL_WIDTH, stat_mean(stat));
	for (int i = 0; i < 3; i++)
		text_us(text, CELL_WIDTH, (double)stat_percentile(stat, percents[i]));
	text_us(text, CELL_WIDTH, (double)stat->max);
}

static void stat_row(const struct text *text, const char *label, const struct stat *stat)
{
	if (!stat->count)
		return;
	stat_cells(text, label, stat);
	text_newline(text);
}

static void call_row(const struct text *text, const struct calls_summary *calls, const char *label,
		     const struct stat *stat)
{
	double all_ns = stat_mean(&calls->round_trip);

	stat_cells(text, label, stat);
	text_share(text, CELL_WIDTH, all_ns > 0 ? stat_mean(stat) / all_ns : NAN);
	text_newline(text);
}

/* The verdict names the service of these calls if there are several. */
static void calls_table(const struct text *text, const struct focus *focus)
{
	const struct calls_summary *calls = &focus->summary.calls;

	stat_heading(text, focus->is_one_of_several ? "its calls (us)" : "calls (us)", "share");
	if (calls->count) {
		call_row(text, calls, "  request", &calls->request);
		call_row(text, calls, "  service", &calls->service);
		call_row(text, calls, "  response", &calls->response);
		call_row(text, calls, "  round trip", &calls->round_trip);
	}
	stat_row(text, "  several open", &calls->open_several);
}

static bool has_calls(const struct summary *summary)
{
	return summary->calls.count || summary->calls.open_several.count;
}

static bool has_rounds(const struct summary *summary)
{
	return summary->rounds.last.count && summary->client_cnt > 1;
}

static void rounds_table(const struct text *text, const struct summary *summary)
{
	double service_us = summary->rounds.service_ns / 1e3;
	char service[40];

	stat_heading(text, "latency (us)", NULL);
	stat_row(text, "  first client", &summary->rounds.first);
	stat_row(text, "  gap to next", &summary->rounds.next);
	stat_cells(text, "  last client", &summary->rounds.last);
	/* The line has 80 columns. */
	snprintf(service, sizeof(service), "  mean+%s %.*f", service_us < 1e5 ? "stddev" : "sd",
		 service_us < 1e3, service_us);
	text_begin_tail(text);
	text_put(text, INK_PLAIN, service);
	text_newline(text);
	stat_row(text, "  all messages", &summary->latency);
}

static void rate_row(const struct text *text, const struct summary *summary)
{
	const struct workload_spec *spec = &summary->info.workload;
	double rate = messages_per_second(summary);

	if (summary->info.mode != MODE_RUN || spec_has_rounds(spec) || !isfinite(rate))
		return;
	text_label(text, INK_PLAIN, LABEL_WIDTH, "  throughput");
	fprintf(text->out, "  %.0f %s/s, %.2f MB/s", rate, throughput_unit(spec),
		bytes_per_second(summary) / 1e6);
	if (summary->observer.pauses)
		fprintf(text->out, ", with %.2f s of pauses",
			(double)summary->observer.paused_ns / 1e9);
	fputc('\n', text->out);
}

/* How long it took: calls, rounds, or single messages. */
static void times_table(const struct text *text, const struct focus *focus)
{
	const struct summary *summary = &focus->summary;

	if (has_calls(summary)) {
		calls_table(text, focus);
	} else if (has_rounds(summary)) {
		rounds_table(text, summary);
	} else if (summary->latency.count) {
		stat_heading(text, "latency (us)", NULL);
		stat_row(text, "  message", &summary->latency);
	} else {
		return;
	}
	rate_row(text, summary);
}

static int times_lines(const struct summary *summary)
{
	bool has_rate = summary->info.mode == MODE_RUN &&
			!spec_has_rounds(&summary->info.workload) &&
			isfinite(messages_per_second(summary));

	if (has_calls(summary))
		return 2 + 4 * (summary->calls.count > 0) +
		       (summary->calls.open_several.count > 0) + has_rate;
	if (has_rounds(summary))
		return 6 + has_rate;
	return summary->latency.count ? 3 + has_rate : 0;
}

/* `all`: whether to trust the report does not depend on the service that it speaks of. */
static void fill_screen(struct screen *screen, const struct focus *focus, const struct summary *all)
{
	const struct summary *summary = &focus->summary;
	struct paragraph observer = {0};

	verdict_words(&screen->verdict, summary);
	focus_words(&screen->whose, focus, &all->calls);
	warning_words(&screen->warning, summary);
	culprits_words(&screen->culprits, summary);
	slowest_words(&screen->slowest, summary);
	trust_words(&screen->trust, &all->integrity, &all->info, own_share(all), verifies(all));
	untimed_words(&screen->trust, all);
	observer_words(&observer, all);
	paragraph_add(&screen->trust, "%s", observer.text);
}

/* Without figures there is room to say what was there instead. */
static int verdict_lines(const struct summary *summary)
{
	return summary->integrity.sent ? VERDICT_LINES : UNSEEN_LINES;
}

/* The process that took the place of the target is the remedy: its name must not be cut off. */
static int warning_lines(const struct summary *summary)
{
	return summary->found.now.pid ? 2 : 1;
}

/*
 * How many lines each paragraph may have. The head, the empty lines and the bar have 6. Where
 * fewer than COMPONENTS_LEAST rows of components would fit, the other answers are cut first.
 */
struct budget {
	int culprits;
	int slowest;
	int components;
};

static struct budget budget_of(const struct text *text, const struct summary *summary,
			       const struct screen *screen)
{
	struct budget budget = {
		.culprits = paragraph_line_cnt(text, "to blame", &screen->culprits, CULPRIT_LINES),
		.slowest = paragraph_line_cnt(text, "slowest", &screen->slowest, SLOWEST_LINES)};
	int used = 6 + times_lines(summary) +
		   paragraph_line_cnt(text, "", &screen->verdict, verdict_lines(summary)) +
		   paragraph_line_cnt(text, "", &screen->whose, 1) +
		   paragraph_line_cnt(text, "warning", &screen->warning, warning_lines(summary)) +
		   paragraph_line_cnt(text, "trust", &screen->trust, TRUST_LINES);
	int left = SCREEN_LINES - used - budget.culprits - budget.slowest;

	if (text->columns < COLUMNS_SCREEN) {
		budget.components = COMPONENTS_MANY;
		return budget;
	}
	for (; left < COMPONENTS_LEAST && budget.slowest > 1; left++)
		budget.slowest--;
	for (; left < COMPONENTS_LEAST && budget.culprits > 1; left++)
		budget.culprits--;
	budget.components = left;
	return budget;
}

static void print_screen(const struct text *text, const struct focus *focus,
			 const struct summary *all)
{
	const struct summary *summary = &focus->summary;
	struct screen screen = {0};
	struct budget budget;

	fill_screen(&screen, focus, all);
	budget = budget_of(text, summary, &screen);
	paragraph_print_lines(text, INK_BOLD, "", &screen.verdict, verdict_lines(summary));
	paragraph_print_lines(text, INK_PLAIN, "", &screen.whose, 1);
	times_table(text, focus);
	text_newline(text);
	where_table(text, summary, budget.components);
	paragraph_print_lines(text, INK_BOLD, "to blame", &screen.culprits, budget.culprits);
	paragraph_print_lines(text, INK_BOLD, "slowest", &screen.slowest, budget.slowest);
	paragraph_print_lines(text, INK_WARNING, "warning", &screen.warning,
			      warning_lines(summary));
	paragraph_print_lines(text, integrity_clean(&summary->integrity) ? INK_BOLD : INK_WARNING,
			      "trust", &screen.trust, TRUST_LINES);
}

void first_screen(const struct text *text, const struct summary *summary)
{
	struct head_lines lines = {0};
	struct focus focus;

	/* The rates of the head are those of all services. */
	head_lines_of(&lines, summary, text->columns);
	text_head_lines(text, &summary->info, &lines);
	text_newline(text);
	focus_on_service(&focus, summary);
	print_screen(text, &focus, summary);
	focus_clean(&focus);
}
