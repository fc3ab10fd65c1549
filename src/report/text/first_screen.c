/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Prints the first screen of a run or an attach: sentences, and between them how long it took, and
 * where that time went.
 */
#include "insight/metrics.h"
#include "report/words/exchange_words.h"
#include "report/words/labels.h"
#include "report/words/summary_words.h"
#include "insight/services.h"
#include "report/text/component_bar.h"
#include "report/text/sections.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define LABEL_WIDTH      15
#define CELL_WIDTH       9
#define UNSEEN_LINES     12
#define CULPRIT_LINES    3
#define SLOWEST_LINES    2
#define TRUST_LINES      3
#define COMPONENTS_LEAST 3
#define COMPONENTS_MANY  5 /* where no screen has room for all */
#define COLUMNS_SCREEN   80
#define WHERE_WIDTH      14
#define TITLE_WIDTH      11
#define TIME_WIDTH       10
#define UNIT_WIDTH       7
#define BESIDE_BAR       38 /* columns of what stands beside the bar, with such a unit */
#define BAR_LEAST        20
#define ROWS_LEAST       2
#define INDENT           2
#define MATTERS          0.01 /* share of the latency, or of the round trip */

/* A part of the bar with the words that explain it. */
struct part {
	struct bar_part bar;
	char words[NAME_LEN];
};

_Static_assert(3 + NR_SERVICE_STATES <= BAR_PARTS_MAX, "parts");
_Static_assert((int)NR_EXCHANGE_PARTS <= (int)BAR_PARTS_MAX, "parts of an exchange");

/* What the table shows: a message, or a call. */
struct where {
	struct part part[BAR_PARTS_MAX]; /* [cnt], in the order of time */
	int cnt;
	const char *unit;
	double all_ns;
};

static void first_screen_add_part(struct where *where, struct bar_part bar, const char *words)
{
	struct part *part = &where->part[where->cnt];

	if (!(bar.ns > 0))
		return;
	part->bar = bar;
	snprintf(part->words, sizeof(part->words), "%s", words);
	where->cnt++;
}

/* Explains the component in words for a first reading. */
static void first_screen_explain(const struct summary *summary, enum component component,
				 char words[NAME_LEN])
{
	const struct component_info *one = &components[component];
	const struct run_info *info = &summary->info;

	if (component == COMPONENT_BLOCKED && blocked_calls_is_stopped(&summary->blocked)) {
		snprintf(words, NAME_LEN, "the receiver is stopped");
	} else if (component == COMPONENT_BLOCKED && info->mode == MODE_ATTACH &&
		   summary->blocked.cnt && summary->blocked.entry[0].call != CALL_UNKNOWN) {
		snprintf(words, NAME_LEN, "the receiver sleeps in %.20s",
			 SYSCALL(info->host.arch, summary->blocked.entry[0].call));
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

		first_screen_explain(summary, i, words);
		first_screen_add_part(where, component_part(i, stat_mean(&summary->component[i])),
				      words);
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
	first_screen_add_part(where,
			      (struct bar_part){"request", request, stat_mean(&calls->request)},
			      "the way to the server");
	for (int i = 0; i < NR_SERVICE_STATES; i++)
		first_screen_add_part(where,
				      (struct bar_part){service_states[i].title,
							service_states[i].mark,
							(double)calls->state_ns[i] * scale},
				      service_states[i].where);
	if (!are_all)
		first_screen_add_part(
			where,
			(struct bar_part){"not known", unknown, (all_ns - states_ns) * scale},
			"the service: what it did is not known");
	first_screen_add_part(where,
			      (struct bar_part){"response", response, stat_mean(&calls->response)},
			      "the way back to the client");
}

static void where_of_exchanges(struct where *where, const struct exchanges_summary *exchanges)
{
	where->unit = "exchange";
	where->all_ns = stat_mean(&exchanges->latency);
	for (int i = 0; i < NR_EXCHANGE_PARTS; i++) {
		const struct exchange_part_info *part = &exchange_parts[i];

		first_screen_add_part(
			where,
			(struct bar_part){part->title, part->mark, stat_mean(&exchanges->part[i])},
			part->where);
	}
}

static void first_screen_print_bar(const struct text *text, const struct where *where)
{
	const char *left = text->is_unicode ? "\u2595" : "|";
	const char *right = text->is_unicode ? "\u258f" : "|";
	bool is_long = strlen(where->unit) > UNIT_WIDTH;
	int width =
		text->columns - BESIDE_BAR - (is_long ? (int)strlen(where->unit) - UNIT_WIDTH : 0);
	struct bar_part bar[BAR_PARTS_MAX];

	for (int i = 0; i < where->cnt; i++)
		bar[i] = where->part[i].bar;
	text_label(text, INK_BOLD, WHERE_WIDTH, "where it went");
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

static int first_screen_largest_first(const void *a, const void *b)
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

/*
 * The mean latency of messages as a bar of its components, and a row for each that matters, largest
 * first: at most `row_max`, the last of which stands for all others. If the service leads, calls as
 * a bar of their parts instead. Silent without components.
 */
static void where_table(const struct text *text, const struct summary *summary, int row_max)
{
	const struct part *sorted[BAR_PARTS_MAX];
	struct where where = {0};
	int rows;

	if (!summary->info.traced || !summary->latency.count)
		return;
	if (exchanges_are_cut(&summary->exchanges))
		where_of_exchanges(&where, &summary->exchanges);
	else if (explains_service(summary))
		where_of_calls(&where, &summary->calls);
	else
		where_of_messages(&where, summary);
	for (int i = 0; i < where.cnt; i++)
		sorted[i] = &where.part[i];
	qsort(sorted, (size_t)where.cnt, sizeof(sorted[0]), first_screen_largest_first);
	first_screen_print_bar(text, &where);
	rows = count_rows(&where, sorted, row_max);
	for (int i = 0; i < rows; i++)
		print_part(text, &where, sorted[i]);
	if (rows < where.cnt)
		print_rest(text, &where, sorted + rows, where.cnt - rows);
}

/* The sentences, whose lengths decide how many components have room. */
enum { VERDICT, WHOSE, CULPRITS, SLOWEST, WARNING, TRUST, NR_ANSWERS };

static void call_row(const struct stat_table *table, const struct calls_summary *calls,
		     const char *label, const struct stat *stat)
{
	double all_ns = stat_mean(&calls->round_trip);

	stat_cells(table, label, stat);
	text_share(table->text, CELL_WIDTH, all_ns > 0 ? stat_mean(stat) / all_ns : NAN);
	text_newline(table->text);
}

/* The verdict names the service of these calls if there are several. */
static void calls_table(const struct stat_table *table, const struct focus *focus)
{
	const struct calls_summary *calls = &focus->summary.calls;

	stat_heading(table, focus->is_one_of_several ? "its calls (us)" : "calls (us)", "share");
	if (calls->count) {
		call_row(table, calls, "  request", &calls->request);
		call_row(table, calls, "  service", &calls->service);
		call_row(table, calls, "  response", &calls->response);
		call_row(table, calls, "  round trip", &calls->round_trip);
	}
	stat_row(table, "  several open", &calls->open_several);
}

static bool first_screen_has_calls(const struct summary *summary)
{
	return summary->calls.count || summary->calls.open_several.count;
}

static bool first_screen_has_rounds(const struct summary *summary)
{
	return summary->rounds.last.count && summary->client_cnt > 1;
}

static void rounds_table(const struct stat_table *table, const struct summary *summary)
{
	double service_us = summary->rounds.service_ns / 1e3;
	char service[40];

	stat_heading(table, "latency (us)", NULL);
	stat_row(table, "  first client", &summary->rounds.first);
	stat_row(table, "  gap to next", &summary->rounds.next);
	stat_cells(table, "  last client", &summary->rounds.last);
	/* The line has 80 columns. */
	snprintf(service, sizeof(service), "  mean+%s %.*f", service_us < 1e5 ? "stddev" : "sd",
		 service_us < 1e3, service_us);
	text_begin_tail(table->text);
	text_put(table->text, INK_PLAIN, service);
	text_newline(table->text);
	stat_row(table, "  all messages", &summary->latency);
}

/* At level light, only their messages are known. */
static bool shows_exchanges(const struct summary *summary)
{
	return exchanges_are_cut(&summary->exchanges) ||
	       (summary->exchanges.latency.count && !summary->info.traced);
}

static void exchange_row(const struct stat_table *table, const struct summary *summary,
			 const char *label, const struct stat *stat)
{
	double all_ns = stat_mean(&summary->exchanges.latency);

	if (!stat->count)
		return;
	stat_cells(table, label, stat);
	text_share(table->text, CELL_WIDTH, stat_mean(stat) / all_ns);
	text_newline(table->text);
}

static void exchanges_table(const struct stat_table *table, const struct summary *summary)
{
	const struct exchanges_summary *exchanges = &summary->exchanges;

	stat_heading(table, "exchange (us)", "share");
	exchange_row(table, summary, "  socket", &exchanges->part[EXCHANGE_SOCKET]);
	exchange_row(table, summary, "  connection", &summary->connections.latency);
	exchange_row(table, summary, "  service", &exchanges->part[EXCHANGE_SERVICE]);
	exchange_row(table, summary, "  message", &exchanges->part[EXCHANGE_MESSAGE]);
	exchange_row(table, summary, "  close", &exchanges->part[EXCHANGE_CLOSE]);
	exchange_row(table, summary, "  exchange", &exchanges->latency);
}

static bool has_rate(const struct summary *summary)
{
	return summary->info.mode == MODE_RUN && !spec_has_rounds(&summary->info.workload) &&
	       isfinite(messages_per_second(summary));
}

static void rate_row(const struct text *text, const struct summary *summary)
{
	if (!has_rate(summary))
		return;
	text_label(text, INK_PLAIN, LABEL_WIDTH, "  throughput");
	fprintf(text->out, "  %.0f %s/s, %.2f MB/s", messages_per_second(summary),
		throughput_unit(&summary->info.workload), bytes_per_second(summary) / 1e6);
	if (summary->observer.pauses)
		fprintf(text->out, ", with %.2f s of pauses",
			(double)summary->observer.paused_ns / 1e9);
	fputc('\n', text->out);
}

/* How long it took: calls, rounds, or single messages. */
static void first_screen_times_table(const struct text *text, const struct focus *focus)
{
	const struct stat_table table = {text, LABEL_WIDTH, CELL_WIDTH,
					 STATS(STAT_MEAN, 50, 99, 99.9, STAT_MAX)};
	const struct summary *summary = &focus->summary;

	if (shows_exchanges(summary)) {
		exchanges_table(&table, summary);
	} else if (first_screen_has_calls(summary)) {
		calls_table(&table, focus);
	} else if (first_screen_has_rounds(summary)) {
		rounds_table(&table, summary);
	} else if (summary->latency.count) {
		stat_heading(&table, "latency (us)", NULL);
		stat_row(&table, "  message", &summary->latency);
	} else {
		return;
	}
	rate_row(text, summary);
}

static int times_lines(const struct summary *summary)
{
	if (shows_exchanges(summary))
		return 5 + (summary->connections.latency.count > 0) + has_rate(summary);
	if (first_screen_has_calls(summary))
		return 2 + 4 * (summary->calls.count > 0) +
		       (summary->calls.open_several.count > 0) + has_rate(summary);
	if (first_screen_has_rounds(summary))
		return 6 + has_rate(summary);
	return summary->latency.count ? 3 + has_rate(summary) : 0;
}

/* An exchange is more than its message, which alone has culprits. */
static void blamed_words(struct paragraph *line, const struct summary *summary)
{
	struct paragraph of_message = {0};

	culprits_words(&of_message, summary);
	if (of_message.length)
		paragraph_add(line, "%s%s",
			      exchanges_are_cut(&summary->exchanges) ? "in the message, " : "",
			      of_message.text);
}

/*
 * Without figures there is room to say what was there instead. The process that took the place of
 * the target is the remedy: its name must not be cut off. `all`: whether to trust the report does
 * not depend on the service that it speaks of.
 */
static void fill_answers(struct answer answer[NR_ANSWERS], const struct focus *focus,
			 const struct summary *all)
{
	const struct summary *summary = &focus->summary;
	bool is_clean = integrity_clean(&summary->integrity);

	answer[VERDICT] = (struct answer){
		"", INK_BOLD, summary->integrity.sent ? VERDICT_LINES : UNSEEN_LINES, {0}};
	answer[WHOSE] = (struct answer){"", INK_PLAIN, 1, {0}};
	answer[CULPRITS] = (struct answer){"to blame", INK_BOLD, CULPRIT_LINES, {0}};
	answer[SLOWEST] = (struct answer){"slowest", INK_BOLD, SLOWEST_LINES, {0}};
	answer[WARNING] =
		(struct answer){"warning", INK_WARNING, summary->found.now.pid ? 2 : 1, {0}};
	answer[TRUST] =
		(struct answer){"trust", is_clean ? INK_BOLD : INK_WARNING, TRUST_LINES, {0}};
	verdict_words(&answer[VERDICT].words, summary);
	focus_words(&answer[WHOSE].words, focus, &all->calls);
	blamed_words(&answer[CULPRITS].words, summary);
	if (!exchanges_are_cut(&summary->exchanges))
		slowest_words(&answer[SLOWEST].words, summary);
	warning_words(&answer[WARNING].words, summary);
	run_trust_words(&answer[TRUST].words, all);
}

/*
 * How many components have room. The head, the empty lines and the bar have 6. Where fewer than
 * COMPONENTS_LEAST rows of them would fit, the other answers are cut first.
 */
static int components_room(const struct text *text, const struct summary *summary,
			   struct answer answer[NR_ANSWERS])
{
	int left = SCREEN_LINES - 6 - times_lines(summary) -
		   answers_line_cnt(text, answer, NR_ANSWERS);

	if (text->columns < COLUMNS_SCREEN)
		return COMPONENTS_MANY;
	for (int i = SLOWEST; i >= CULPRITS; i--) {
		answer[i].line_max = answers_line_cnt(text, &answer[i], 1);
		for (; left < COMPONENTS_LEAST && answer[i].line_max > 1; left++)
			answer[i].line_max--;
	}
	return left;
}

static void print_screen(const struct first_screen *screen, const struct focus *focus,
			 const struct summary *all)
{
	const struct text *text = screen->rest;
	struct answer answer[NR_ANSWERS];
	int components;

	fill_answers(answer, focus, all);
	components = components_room(text, &focus->summary, answer);
	answers_print(screen->verdict, answer, WHOSE);
	answers_print(text, answer + WHOSE, CULPRITS - WHOSE);
	first_screen_times_table(text, focus);
	text_newline(text);
	where_table(text, &focus->summary, components);
	answers_print(text, answer + CULPRITS, NR_ANSWERS - CULPRITS);
}

void text_first_screen(const struct first_screen *screen, const struct summary *summary)
{
	const struct text *text = screen->head;
	struct head_lines lines = {0};
	struct focus focus;

	/* The rates of the head are those of all services. */
	head_lines_of(&lines, summary, text->columns);
	text_head_lines(text, &summary->info, &lines);
	text_newline(text);
	focus_on_service(&focus, summary);
	print_screen(screen, &focus, summary);
	focus_clean(&focus);
}
