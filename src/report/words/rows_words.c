/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What several runs come to: what changes between them and why, which transport is the fastest, and
 * whether the kernel's timer serves its clients in one order. The GRAME paper does not explain why
 * that order varies.
 */
#include "report/words/rows_words.h"

#include "report/words/explain/remedies.h"
#include "report/words/whole_words.h"
#include "insight/metrics.h"
#include "report/words/summary_words.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const struct filter all = {0};

/* The rows of a filter, and which of them are the best under their conditions. */
struct contest {
	const struct rows *rows;
	const struct filter *filter;
	bool *wins; /* [rows->cnt] */
	size_t wins_cnt;
	const struct row *winner; /* the last row that wins */
};

/* Whether two rows differ in the transport only. */
static bool compete(const struct row *a, const struct row *b)
{
	for (enum coordinate i = 0; i < NR_COORDINATES; i++) {
		if (i != COORDINATE_TRANSPORT &&
		    specs_differ_in(&a->info.workload, &b->info.workload, i))
			return false;
	}
	return a != b;
}

/* The main figure, inverted if less is better. NAN: not measured. */
static double merit(const struct row *row)
{
	bool more_is_better;
	double value = row->number[main_number(&row->info.workload, &more_is_better)];

	if (!(value > 0))
		return NAN;
	return more_is_better ? value : 1 / value;
}

/* Whether a row has competitors and none is better. The first of several equal rows wins. */
static bool wins(const struct contest *contest, const struct row *row)
{
	bool has_competitor = false;

	if (isnan(merit(row)))
		return false;
	for (const struct row *other = NULL;
	     (other = rows_next(contest->rows, contest->filter, other));) {
		if (isnan(merit(other)) || !compete(row, other))
			continue;
		if (merit(other) > merit(row) || (merit(other) == merit(row) && other < row))
			return false;
		has_competitor = true;
	}
	return has_competitor;
}

static void find_winners(struct contest *contest)
{
	const struct rows *rows = contest->rows;

	for (const struct row *row = NULL; (row = rows_next(rows, contest->filter, row));) {
		if (!wins(contest, row))
			continue;
		contest->wins[row - rows->row] = true;
		contest->winner = row;
		contest->wins_cnt++;
	}
}

/* With one winner: by how much it is better. */
static void add_factors(struct paragraph *line, const struct contest *contest)
{
	const struct row *best = contest->winner;
	bool more_is_better;
	enum row_number number = main_number(&best->info.workload, &more_is_better);
	const char *separator = "; ";
	bool is_first = true;

	if (more_is_better)
		paragraph_add(line, "%s with %.0f /s", best->info.workload.transport,
			      best->number[number]);
	else
		paragraph_add(line, "%s with %s %.1f us", best->info.workload.transport,
			      number == NUMBER_ROUND_TRIP ? "a round trip of" : "a latency of",
			      best->number[number] / 1e3);
	for (const struct row *row = NULL;
	     (row = rows_next(contest->rows, contest->filter, row));) {
		double factor = merit(best) / merit(row);

		if (isnan(factor) || !compete(best, row))
			continue;
		paragraph_add(line, "%s%s ", separator, row->info.workload.transport);
		if (more_is_better)
			paragraph_add(line, is_first ? "does %s of that" : "%s",
				      PERCENT(1 / factor));
		else
			paragraph_add(line, is_first ? "takes %.2f times as long" : "%.2f", factor);
		separator = ", ";
		is_first = false;
	}
}

/* With several winners: how often each transport wins. */
static void add_wins(struct paragraph *line, const struct contest *contest)
{
	const struct row *row = contest->rows->row;
	const char *separator = "";

	for (size_t i = 0; i < contest->rows->cnt; i++) {
		const char *name = row[i].info.workload.transport;
		size_t cnt = 0, first = i;

		for (size_t k = 0; k < contest->rows->cnt; k++) {
			if (!contest->wins[k] || strcmp(row[k].info.workload.transport, name))
				continue;
			first = cnt ? first : k;
			cnt++;
		}
		if (!cnt || first != i)
			continue;
		paragraph_add(line, "%s%s in %zu of %zu comparisons", separator, name, cnt,
			      contest->wins_cnt);
		separator = ", ";
	}
}

void fastest_words(struct paragraph *paragraph, const struct rows *rows,
		   const struct filter *filter)
{
	struct contest contest = {
		.rows = rows, .filter = filter, .wins = calloc(rows->cnt + 1, sizeof(bool))};

	if (!contest.wins)
		return;
	find_winners(&contest);
	if (contest.wins_cnt == 1)
		add_factors(paragraph, &contest);
	else
		add_wins(paragraph, &contest);
	free(contest.wins);
}

/* The parts of the path to the CPU. */
static void add_path_to_cpu(struct paragraph *paragraph, const double *number)
{
	double switch_ns = isnan(number[NUMBER_SWITCH]) ? 0 : number[NUMBER_SWITCH];
	double all_ns = number[NUMBER_WAKEUP] + number[NUMBER_RUNQUEUE] + switch_ns;

	paragraph_add(
		paragraph,
		". The way to a CPU decides which client is first. It takes a client %.1f us:",
		all_ns / 1e3);
	paragraph_add(paragraph, " %.1f us until it is runnable, %.1f us on a run queue",
		      number[NUMBER_WAKEUP] / 1e3, number[NUMBER_RUNQUEUE] / 1e3);
	if (switch_ns > 0)
		paragraph_add(paragraph, ", %.1f us to switch to it", switch_ns / 1e3);
}

static void add_behind(struct paragraph *paragraph, const struct row *row)
{
	double clients = row->number[NUMBER_BEHIND_CLIENTS];
	double idle = row->number[NUMBER_BEHIND_IDLE];

	if (isnan(clients) || isnan(idle))
		return;
	paragraph_add(paragraph,
		      ". The time on the run queue is %s behind other clients, %s a CPU that was "
		      "leaving idle, %s anything else",
		      PERCENT(clients), PERCENT(idle), PERCENT(fmax(0, 1 - clients - idle)));
	if (clients > 0.5 && row->info.host.cpus)
		paragraph_add(paragraph, ": %u clients take turns on %u CPU%s",
			      row->info.workload.clients, row->info.host.cpus,
			      plural(row->info.host.cpus));
	else if (idle > 0.5)
		paragraph_add(paragraph, ": a client whose CPU sleeps is overtaken by one whose "
					 "CPU is awake");
}

void order_words(struct paragraph *paragraph, const struct row *row)
{
	const double *number = row->number;
	double share = number[NUMBER_ORDER_SHARE];

	if (row->info.workload.clients < 2 || isnan(share))
		return;
	if (share >= 1) {
		paragraph_add(paragraph,
			      "does not vary: all rounds serve the clients in one order");
		return;
	}
	paragraph_add(paragraph, "varies: the most frequent of %s%.0f orders has %s of rounds",
		      number[NUMBER_ORDERS] > SUMMARY_ORDERS_MAX ? "more than " : "",
		      fmin(number[NUMBER_ORDERS], SUMMARY_ORDERS_MAX), PERCENT(share));
	if (isnan(number[NUMBER_RUNQUEUE])) {
		paragraph_add(paragraph, "; why was not measured");
		return;
	}
	add_path_to_cpu(paragraph, number);
	add_behind(paragraph, row);
}

/* The figure that the sentence compares: the last latency if there are rounds. */
static enum row_number compared_figure(const struct rows *rows)
{
	bool more_is_better;
	enum row_number number = main_number(&rows->row[0].info.workload, &more_is_better);

	if (number == NUMBER_RATE)
		return NUMBER_RATE;
	return isnan(rows->row[0].number[NUMBER_LAST]) ? number : NUMBER_LAST;
}

static const char *figure_name(enum row_number number)
{
	if (number == NUMBER_RATE)
		return "throughput";
	if (number == NUMBER_LAST)
		return "the last client's latency";
	return number == NUMBER_ROUND_TRIP ? "the round trip" : "the latency";
}

static void add_value(struct paragraph *verdict, enum row_number number, double value)
{
	if (number == NUMBER_RATE)
		paragraph_add(verdict, "%.0f messages/s", value);
	else
		paragraph_add(verdict, "%.1f us", value / 1e3);
}

/* The row with the least or the greatest value of the figure. NULL: it is nowhere known. */
static const struct row *extreme(const struct rows *rows, enum row_number number, int sign)
{
	const struct row *best = NULL;

	for (size_t i = 0; i < rows->cnt; i++) {
		double value = rows->row[i].number[number];

		if (!isnan(value) && (!best || sign * value > sign * best->number[number]))
			best = &rows->row[i];
	}
	return best;
}

double slowness_of_row(const struct rows *rows, const struct row *row)
{
	enum row_number number = compared_figure(rows);

	if (isnan(row->number[number]))
		return -INFINITY;
	return number == NUMBER_RATE ? -row->number[number] : row->number[number];
}

const struct row *slowest_row(const struct rows *rows)
{
	enum row_number number = compared_figure(rows);

	return extreme(rows, number, number == NUMBER_RATE ? -1 : 1);
}

static void add_range(struct paragraph *verdict, const struct rows *rows, const struct row *worst,
		      unsigned int set)
{
	enum row_number number = compared_figure(rows);
	const struct row *best = extreme(rows, number, number == NUMBER_RATE ? 1 : -1);

	paragraph_add(verdict, "on average, %s is ", figure_name(number));
	if (best != worst) {
		add_value(verdict, number, best->number[number]);
		paragraph_add(verdict, " at best (");
		add_coordinates(verdict, &best->info.workload, set);
		paragraph_add(verdict, ") and ");
	}
	add_value(verdict, number, worst->number[number]);
	if (best == worst) {
		paragraph_add(verdict, ".");
		return;
	}
	paragraph_add(verdict, " at worst (");
	add_coordinates(verdict, &worst->info.workload, set);
	paragraph_add(verdict, ").");
}

/* What has more of the run queue time than all others together. NULL: nothing has. */
static const char *main_culprit(const struct row *row)
{
	if (row->number[NUMBER_BEHIND_CLIENTS] > 0.5)
		return "behind other clients";
	if (row->number[NUMBER_BEHIND_IDLE] > 0.5)
		return "for one that is leaving idle";
	return row->number[NUMBER_BEHIND_IPCTRACE] > 0.5 ? "behind ipctrace itself" : NULL;
}

void result_of_rows(struct paragraph *line, const struct rows *rows)
{
	const struct row *worst = slowest_row(rows);
	struct paragraph fastest = {0};

	if (!worst) {
		paragraph_add(line, "No message was matched, so there is nothing to compare.");
		return;
	}
	fastest_words(&fastest, rows, &all);
	if (fastest.length)
		paragraph_add(line, "Fastest is %s.", fastest.text);
	else
		add_range(line, rows, worst, rows_differ_in(rows, &all));
}

/* The slowest row, and its largest component. NULL: its components are not known. */
static const struct row *explained_row(const struct rows *rows, enum component *largest)
{
	const struct row *worst = slowest_row(rows);

	if (!worst || !(components_ns(&worst->number[NUMBER_COMPONENT]) > 0))
		return NULL;
	*largest = components_largest(&worst->number[NUMBER_COMPONENT]);
	return worst;
}

void cause_of_rows(struct paragraph *line, const struct rows *rows)
{
	enum component largest;
	const struct row *row = explained_row(rows, &largest);
	unsigned int set = rows_differ_in(rows, &all);
	const double *component_ns;

	if (!row)
		return;
	component_ns = &row->number[NUMBER_COMPONENT];
	if (rows->cnt > 1 && set) {
		paragraph_add(line, "with ");
		add_coordinates(line, &row->info.workload, set);
		paragraph_add(line, ", ");
	}
	paragraph_add(line, "%s of the latency is %s",
		      PERCENT(component_ns[largest] / components_ns(component_ns)),
		      components[largest].is);
	if (components[largest].of_clients && spec_server_sends(&row->info.workload)) {
		paragraph_add(line, ": %s", components[largest].of_clients);
		if (largest == COMPONENT_RUNQUEUE && main_culprit(row))
			paragraph_add(line, ", mostly %s", main_culprit(row));
	}
	paragraph_add(line, ".");
}

void next_of_rows(struct paragraph *line, const struct rows *rows)
{
	enum component largest;
	const struct row *row = explained_row(rows, &largest);

	if (!row)
		return;
	if (largest != COMPONENT_RUNQUEUE)
		paragraph_add(line, "%s.", component_next(largest));
	else if (row->number[NUMBER_BEHIND_IDLE] > 0.5)
		paragraph_add(line, "%s.", remedies[REMEDY_IDLE].helps);
	else if (row->number[NUMBER_BEHIND_IPCTRACE] > 0.5)
		paragraph_add(line, "%s.", remedies[REMEDY_OWN].helps);
	else
		paragraph_add(line, "give server and clients CPUs of their own (--cpus).");
}

/* "1 to 5 clients": the range of a number over all workloads. */
static void number_range(const struct rows *rows, enum coordinate coordinate, const char *unit,
			 char *words, size_t size)
{
	uint64_t min = coordinate_number(&rows->row[0].info.workload, coordinate);
	uint64_t max = min;

	for (size_t i = 1; i < rows->cnt; i++) {
		uint64_t next = coordinate_number(&rows->row[i].info.workload, coordinate);

		min = next < min ? next : min;
		max = next > max ? next : max;
	}
	if (min == max)
		snprintf(words, size, "%llu %s%s", (unsigned long long)min, unit, plural(min));
	else
		snprintf(words, size, "%llu-%llu %ss", (unsigned long long)min,
			 (unsigned long long)max, unit);
}

/* The last configurations of an interrupted run matrix have fewer runs. */
static void count_runs(const struct rows *rows, struct workload_words *words)
{
	words->least_runs = words->most_runs = rows->row[0].runs;
	for (size_t i = 1; i < rows->cnt; i++) {
		uint32_t runs = rows->row[i].runs;

		words->least_runs = runs < words->least_runs ? runs : words->least_runs;
		words->most_runs = runs > words->most_runs ? runs : words->most_runs;
	}
}

static void fill_words(const struct rows *rows, unsigned int set, struct workload_words *words)
{
	const struct workload_spec *spec = &rows->row[0].info.workload;

	*words = (struct workload_words){
		.pattern = set & 1u << COORDINATE_PATTERN ? "several patterns" : spec->pattern,
		.transport =
			set & 1u << COORDINATE_TRANSPORT ? "several transports" : spec->transport,
		.handler = set & 1u << COORDINATE_HANDLER ? "" : spec->handler,
		.load = set & 1u << COORDINATE_LOAD ? "" : spec->load,
	};
	count_runs(rows, words);
	number_range(rows, COORDINATE_CLIENTS, "client", words->clients, sizeof(words->clients));
	number_range(rows, COORDINATE_MESSAGES, "message", words->messages,
		     sizeof(words->messages));
	if (set & 1u << COORDINATE_BYTES)
		snprintf(words->size, sizeof(words->size), "several sizes");
	else
		number_range(rows, COORDINATE_BYTES, "byte", words->size, sizeof(words->size));
}

void run_matrix_title(struct paragraph *line, const struct rows *merged)
{
	struct workload_words words;

	fill_words(merged, rows_differ_in(merged, &all), &words);
	workload_title(line, &merged->row[0].info, &words);
}

void run_matrix_lines(struct head_lines *lines, const struct rows *merged)
{
	struct workload_words words;

	fill_words(merged, rows_differ_in(merged, &all), &words);
	workload_lines(lines, &merged->row[0].info, &words);
}

bool run_matrix_integrity(struct paragraph *line, const struct rows *merged)
{
	struct row sum = rows_sum(merged);

	paragraph_add(line, "of all runs: ");
	integrity_words(line, &sum.integrity, sum.info.traced, sum.verified);
	return integrity_clean(&sum.integrity);
}

/* The published figures were measured without tracing. */
void run_matrix_observer(struct paragraph *line, const struct rows *merged)
{
	if (merged->row[0].info.traced)
		paragraph_add(line, "traced: the cost of that is part of these figures; "
				    "--no-trace measures without it");
	else
		paragraph_add(line, "none: these runs were not traced");
}

void run_matrix_warning(struct paragraph *line, const struct row *row, unsigned int set)
{
	if (row_is_whole(row))
		return;
	add_coordinates(line, &row->info.workload, set);
	paragraph_add(line, ": ");
	integrity_words(line, &row->integrity, row->info.traced, row->verified);
	if (row->early.length)
		paragraph_add(line, "; ended early %s", row->early.text);
	if (row->departures.length)
		paragraph_add(line, "; %s", row->departures.text);
	if (row->load.ended)
		paragraph_add(line, "; load ");
	if (row->load.ended)
		load_words(line, &row->info.workload, &row->load);
}
