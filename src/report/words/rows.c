/* SPDX-License-Identifier: BSD-2-Clause */
/* Collects the figures of several runs, and averages the runs of each configuration. */
#include "insight/metrics.h"
#include "report/words/summary_words.h"
#include "report/words/rows.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static double rows_mean_of(const struct stat *stat)
{
	return stat->count ? stat_mean(stat) : NAN;
}

static double percentile_of(const struct stat *stat, double percent)
{
	return stat->count ? (double)stat_percentile(stat, percent) : NAN;
}

static double known(double number, bool is_known)
{
	return is_known ? number : NAN;
}

static void fill_orders(const struct rounds_summary *rounds, double *number)
{
	uint64_t all = rounds->order_other;

	for (uint32_t i = 0; i < rounds->order_cnt; i++)
		all += rounds->order[i].rounds;
	if (!all)
		return;
	number[NUMBER_ORDERS] = rounds->order_cnt + (rounds->order_other > 0);
	number[NUMBER_ORDER_SHARE] = (double)rounds->order[0].rounds / (double)all;
}

static void fill_rounds(const struct rounds_summary *rounds, double *number)
{
	bool complete = rounds->complete > 0;

	number[NUMBER_FIRST] = rows_mean_of(&rounds->first);
	number[NUMBER_FIRST_SD] = stat_stddev(&rounds->first);
	number[NUMBER_NEXT] = rows_mean_of(&rounds->next);
	number[NUMBER_LAST] = rows_mean_of(&rounds->last);
	number[NUMBER_LAST_SD] = known(stat_stddev(&rounds->last), complete);
	number[NUMBER_SERVICE_TIME] = known(rounds->service_ns, complete);
	number[NUMBER_EFFICIENCY] = known(rounds->efficiency_pct / 100, complete);
	fill_orders(rounds, number);
}

static double behind(const struct summary *summary, enum blame_class class)
{
	double all_ns = (double)summary->component[COMPONENT_RUNQUEUE].sum;
	double ns = 0;

	for (uint32_t i = 0; i < summary->blame_cnt; i++) {
		if (summary->blame[i].total.class == class)
			ns += (double)summary->blame[i].total.ns;
	}
	return all_ns > 0 ? ns / all_ns : NAN;
}

static void fill_components(const struct summary *summary, double *number)
{
	if (!summary->info.traced || !summary->latency.count)
		return;
	number[NUMBER_CONTEXT_SWITCH] = share_of_latency(summary, context_switch_ns(summary));
	number[NUMBER_WAKEUP] = stat_mean(&summary->component[COMPONENT_WAKEUP]);
	number[NUMBER_RUNQUEUE] = stat_mean(&summary->component[COMPONENT_RUNQUEUE]);
	number[NUMBER_SWITCH] =
		known(stat_mean(&summary->component[COMPONENT_SWITCH]), summary->info.shows_switch);
	number[NUMBER_BEHIND_CLIENTS] = behind(summary, BLAME_CLIENT);
	number[NUMBER_BEHIND_IDLE] = behind(summary, BLAME_IDLE);
	number[NUMBER_BEHIND_IPCTRACE] = behind(summary, BLAME_IPCTRACE);
	for (int i = 0; i < NR_COMPONENTS; i++)
		number[NUMBER_COMPONENT + i] = stat_mean(&summary->component[i]);
}

static void fill_latencies(const struct summary *summary, double *number)
{
	const struct stat *latency = &summary->latency;
	const struct calls_summary *calls = &summary->calls;

	number[NUMBER_LATENCY] = rows_mean_of(latency);
	number[NUMBER_LATENCY_P50] = percentile_of(latency, 50);
	number[NUMBER_LATENCY_P99] = percentile_of(latency, 99);
	number[NUMBER_LATENCY_MAX] = known((double)latency->max, latency->count > 0);
	number[NUMBER_ROUND_TRIP] = rows_mean_of(&calls->round_trip);
	number[NUMBER_ROUND_TRIP_P50] = percentile_of(&calls->round_trip, 50);
	number[NUMBER_ROUND_TRIP_P99] = percentile_of(&calls->round_trip, 99);
	number[NUMBER_SERVICE] = rows_mean_of(&calls->service);
}

static void fill_exchanges(const struct exchanges_summary *exchanges, double *number)
{
	number[NUMBER_EXCHANGE] = rows_mean_of(&exchanges->latency);
	number[NUMBER_EXCHANGE_P99] = percentile_of(&exchanges->latency, 99);
	for (int i = 0; i < NR_EXCHANGE_PARTS; i++)
		number[NUMBER_EXCHANGE_PART + i] = rows_mean_of(&exchanges->part[i]);
}

static void fill_flow(const struct summary *summary, struct row *row)
{
	const struct flow_summary *flow = &summary->flow;
	double *number = row->number;
	struct fairness fairness;
	bool several = fairness_of(summary, &fairness);

	number[NUMBER_RATE] = messages_per_second(summary);
	number[NUMBER_BYTES] = bytes_per_second(summary);
	number[NUMBER_TIME] = known((double)fairness.longest_ns, fairness.longest_ns > 0);
	number[NUMBER_SPREAD] = known(fairness.spread, several);
	number[NUMBER_GAP] = known((double)fairness.gap_ns, several);
	number[NUMBER_WAKES_SENT] = known((double)flow->wakes_sent, flow->wakes_sent > 0);
	number[NUMBER_WAKES_DELIVERED] = known((double)flow->wakes_delivered, flow->wakes_sent > 0);
	number[NUMBER_PEAKS] = known(summary->peaks.per_second, summary->latency.count > 0);
	row->gap_client = fairness.client;
}

void row_of(const struct summary *summary, struct row *row)
{
	*row = (struct row){
		.info = summary->info,
		.integrity = summary->integrity,
		.peaks = summary->peaks,
		.runs = 1,
		.counted = 1,
		.verified = verifies(summary),
		.knows_cost = summary->observer.measured || summary->observer.effect.pairs,
		.load = summary->load,
	};
	for (int i = 0; i < NR_NUMBERS; i++)
		row->number[i] = NAN;
	fill_rounds(&summary->rounds, row->number);
	fill_latencies(summary, row->number);
	fill_exchanges(&summary->exchanges, row->number);
	fill_components(summary, row->number);
	fill_flow(summary, row);
	early_words(&row->early, summary);
	departure_words(&row->departures, summary);
}

bool row_is_whole(const struct row *row)
{
	return integrity_clean(&row->integrity) && !row->early.length && !row->departures.length &&
	       !row->load.ended;
}

static struct row *rows_append(struct rows *rows)
{
	struct row *row = reallocarray(rows->row, rows->cnt + 1, sizeof(*row));

	if (!row)
		return NULL;
	rows->row = row;
	return &row[rows->cnt++];
}

int rows_add(struct rows *rows, const struct summary *summary)
{
	struct row *row = rows_append(rows);

	if (!row)
		return -ENOMEM;
	row_of(summary, row);
	return 0;
}

void rows_free(struct rows *rows)
{
	free(rows->row);
	*rows = (struct rows){0};
}

enum row_number main_number(const struct workload_spec *spec, bool *more_is_better)
{
	*more_is_better = !strcmp(spec->pattern, "flood") || !strcmp(spec->pattern, "connect");
	if (*more_is_better)
		return NUMBER_RATE;
	return strcmp(spec->pattern, "pingpong") && strcmp(spec->pattern, "request")
		       ? NUMBER_LATENCY
		       : NUMBER_ROUND_TRIP;
}

/* Runs are ranked by latency, floods and connections by their rate. */
static double rows_rank(const struct row *row)
{
	bool more_is_better;

	main_number(&row->info.workload, &more_is_better);
	return row->number[more_is_better ? NUMBER_RATE : NUMBER_LATENCY];
}

/* The lowest first, runs without the figure last. */
static int rows_by_rank(const void *a, const void *b)
{
	double left = rows_rank(*(const struct row *const *)a);
	double right = rows_rank(*(const struct row *const *)b);

	if (isnan(left) || isnan(right))
		return isnan(left) - isnan(right);
	return (left > right) - (left < right);
}

static void add_integrity(struct integrity *sum, const struct integrity *more)
{
	sum->sent += more->sent;
	sum->matched += more->matched;
	for (int i = 0; i < NR_INCOMPLETES; i++)
		sum->incomplete[i] += more->incomplete[i];
	for (int i = 0; i < NR_LOSSES; i++)
		sum->loss[i] += more->loss[i];
	sum->corrupt += more->corrupt;
	if (more->residual_ns_max > sum->residual_ns_max)
		sum->residual_ns_max = more->residual_ns_max;
	sum->unseen_switches += more->unseen_switches;
	sum->unseen_wakeups += more->unseen_wakeups;
	for (int i = 0; i < NR_MATCHES; i++)
		sum->match[i] += more->match[i];
	sum->elsewhere += more->elsewhere;
	sum->truncated |= more->truncated;
}

/* Adds what covers all runs, also those outside the means: integrity, load, departures, gap. */
static void row_add_run(struct row *sum, const struct row *more)
{
	add_integrity(&sum->integrity, &more->integrity);
	sum->load.count += more->load.count;
	sum->load.ended |= more->load.ended;
	sum->verified |= more->verified;
	sum->knows_cost |= more->knows_cost;
	sum->runs++;
	if (more->early.length)
		sum->early = more->early;
	if (more->departures.length)
		paragraph_add(&sum->departures, "%s%s", sum->departures.length ? "; " : "",
			      more->departures.text);
	if (more->number[NUMBER_GAP] > sum->number[NUMBER_GAP]) {
		sum->number[NUMBER_GAP] = more->number[NUMBER_GAP];
		sum->gap_client = more->gap_client;
	}
}

struct row rows_sum(const struct rows *rows)
{
	struct row sum = rows->row[0];

	for (size_t i = 1; i < rows->cnt; i++)
		row_add_run(&sum, &rows->row[i]);
	return sum;
}

/* NAN: no run has this figure. */
static double average(const struct row *const *run, size_t cnt, enum row_number number)
{
	double sum = 0;
	size_t known_cnt = 0;

	for (size_t i = 0; i < cnt; i++) {
		if (isnan(run[i]->number[number]))
			continue;
		sum += run[i]->number[number];
		known_cnt++;
	}
	return known_cnt ? sum / (double)known_cnt : NAN;
}

/* NAN: no run has this figure. */
static double largest(const struct row *const *run, size_t cnt, enum row_number number)
{
	double found = NAN;

	for (size_t i = 0; i < cnt; i++)
		found = fmax(found, run[i]->number[number]);
	return found;
}

static void average_peaks(const struct row *const *run, size_t cnt, struct peaks_summary *peaks)
{
	*peaks = run[0]->peaks;
	for (size_t i = 1; i < cnt; i++) {
		const struct peaks_summary *more = &run[i]->peaks;

		peaks->medium_ns += more->medium_ns;
		peaks->width_ns += more->width_ns;
		if (more->count && (!peaks->count || more->min_ns < peaks->min_ns))
			peaks->min_ns = more->min_ns;
		if (more->max_ns > peaks->max_ns)
			peaks->max_ns = more->max_ns;
		peaks->count += more->count;
	}
	peaks->medium_ns /= (double)cnt;
	peaks->width_ns /= (double)cnt;
	peaks->per_second = average(run, cnt, NUMBER_PEAKS);
}

/* `run`: all runs of one configuration, at least one. */
static void words_rows_merge(const struct row **run, size_t cnt, struct row *row)
{
	size_t drop = cnt > 2 ? 1 : 0;
	double gap_ns;

	*row = *run[0];
	for (size_t i = 1; i < cnt; i++)
		row_add_run(row, run[i]);
	gap_ns = row->number[NUMBER_GAP];
	qsort(run, cnt, sizeof(run[0]), rows_by_rank);
	row->counted = cnt - 2 * drop;
	for (int i = 0; i < NR_NUMBERS; i++)
		row->number[i] = average(run + drop, row->counted, i);
	row->number[NUMBER_GAP] = gap_ns;
	row->number[NUMBER_LATENCY_MAX] = largest(run + drop, row->counted, NUMBER_LATENCY_MAX);
	average_peaks(run + drop, row->counted, &row->peaks);
}

/* The rows of the configuration of row `first`. 0: an earlier row has it too. */
static size_t find_runs(const struct rows *all, size_t first, const struct row **run)
{
	const struct workload_spec *spec = &all->row[first].info.workload;
	size_t cnt = 0;

	for (size_t i = 0; i < all->cnt; i++) {
		if (!spec_same(spec, &all->row[i].info.workload))
			continue;
		if (i < first)
			return 0;
		run[cnt++] = &all->row[i];
	}
	return cnt;
}

/* Without run numbers, a configuration that is given twice (--clients 3,3) has two rows. */
static bool rows_is_run(const struct row *row)
{
	return row->info.workload.run > 0;
}

int rows_merge(const struct rows *all, struct rows *merged)
{
	const struct row **run = calloc(all->cnt + 1, sizeof(*run));
	int err = run ? 0 : -ENOMEM;

	*merged = (struct rows){0};
	for (size_t i = 0; !err && i < all->cnt; i++) {
		size_t cnt = rows_is_run(&all->row[i]) ? find_runs(all, i, run) : 1;
		struct row *row = cnt ? rows_append(merged) : NULL;

		if (cnt && !row)
			err = -ENOMEM;
		else if (cnt && !rows_is_run(&all->row[i]))
			*row = all->row[i];
		else if (cnt)
			words_rows_merge(run, cnt, row);
	}
	free(run);
	if (err)
		rows_free(merged);
	return err;
}

static bool rows_passes(const char *wanted, const char *word)
{
	return !wanted || !strcmp(wanted, word);
}

const struct row *rows_next(const struct rows *rows, const struct filter *filter,
			    const struct row *row)
{
	for (size_t i = row ? row - rows->row + 1 : 0; i < rows->cnt; i++) {
		const struct workload_spec *spec = &rows->row[i].info.workload;

		if (rows_passes(filter->pattern, spec->pattern) &&
		    rows_passes(filter->transport, spec->transport) &&
		    rows_passes(filter->load, spec->load) &&
		    rows_passes(filter->handler, spec->handler))
			return &rows->row[i];
	}
	return NULL;
}

size_t rows_count(const struct rows *rows, const struct filter *filter)
{
	size_t cnt = 0;

	for (const struct row *row = NULL; (row = rows_next(rows, filter, row));)
		cnt++;
	return cnt;
}

const char *coordinate_word(const struct workload_spec *spec, enum coordinate coordinate)
{
	switch (coordinate) {
	case COORDINATE_PATTERN:
		return spec->pattern;
	case COORDINATE_TRANSPORT:
		return spec->transport;
	case COORDINATE_LOAD:
		return spec->load[0] ? spec->load : "none";
	case COORDINATE_HANDLER:
		return spec->handler[0] ? spec->handler : "none";
	default:
		return NULL;
	}
}

uint64_t coordinate_number(const struct workload_spec *spec, enum coordinate coordinate)
{
	switch (coordinate) {
	case COORDINATE_BYTES:
		return spec->size;
	case COORDINATE_CLIENTS:
		return spec->clients;
	default:
		return spec->messages;
	}
}

bool specs_differ_in(const struct workload_spec *a, const struct workload_spec *b,
		     enum coordinate coordinate)
{
	const char *word = coordinate_word(a, coordinate);

	if (word)
		return strcmp(word, coordinate_word(b, coordinate)) != 0;
	return coordinate_number(a, coordinate) != coordinate_number(b, coordinate);
}

unsigned int rows_differ_in(const struct rows *rows, const struct filter *filter)
{
	const struct row *first = rows_next(rows, filter, NULL);
	unsigned int set = 0;

	for (const struct row *row = first; row; row = rows_next(rows, filter, row)) {
		for (enum coordinate i = 0; i < NR_COORDINATES; i++) {
			if (specs_differ_in(&first->info.workload, &row->info.workload, i))
				set |= 1u << i;
		}
	}
	return set;
}

void add_coordinates(struct paragraph *paragraph, const struct workload_spec *spec,
		     unsigned int set)
{
	unsigned long long clients = spec->clients;

	paragraph_add(paragraph, "%llu client%s over %s", clients, plural(clients),
		      spec->transport);
	if (set & 1u << COORDINATE_PATTERN)
		paragraph_add(paragraph, ", %s", spec->pattern);
	if (set & 1u << COORDINATE_BYTES)
		paragraph_add(paragraph, ", %llu byte%s", (unsigned long long)spec->size,
			      plural(spec->size));
	if (set & 1u << COORDINATE_MESSAGES)
		paragraph_add(paragraph, ", %llu message%s", (unsigned long long)spec->messages,
			      plural(spec->messages));
	if (set & 1u << COORDINATE_HANDLER && spec->handler[0])
		paragraph_add(paragraph, ", handler %s", spec->handler);
	if (set & 1u << COORDINATE_LOAD && spec->load[0])
		paragraph_add(paragraph, ", load %s", spec->load);
}
