/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Prints the sections on rounds, latency peaks and ticks. In a round, the server sends a message
 * to every client. A tick is the time at which a round should begin.
 */
#include "report/words/labels.h"
#include "insight/metrics.h"
#include "report/text/sections.h"
#include "report/text/tables/table.h"
#include "report/words/rows.h"

#include <string.h>

#define ORDERS_SHOWN 3

static void range_line(const struct text *text, const struct summary *summary)
{
	bool last = summary->rounds.complete && summary->client_cnt > 1;
	struct paragraph line = {0};

	paragraph_add(&line, "%.1f +- %.1f us (mean and two standard deviations of the %slatency)",
		      summary->peaks.medium_ns / 1e3, summary->peaks.width_ns / 1e3,
		      last ? "last " : "");
	paragraph_print(text, INK_BOLD, "range", &line);
}

static void add_causes(struct paragraph *line, const struct peaks_summary *peaks)
{
	const char *separator = "; longest part: ";

	for (int i = 0; i < NR_COMPONENTS; i++) {
		if (!peaks->cause[i])
			continue;
		paragraph_add(line, "%s%s in %llu", separator, components[i].title,
			      (unsigned long long)peaks->cause[i]);
		separator = ", ";
	}
}

static void peaks_line(const struct text *text, const struct summary *summary)
{
	const struct peaks_summary *peaks = &summary->peaks;
	struct paragraph line = {0};

	if (!peaks->count) {
		paragraph_add(&line, "none");
	} else {
		paragraph_add(&line, "%llu", (unsigned long long)peaks->count);
		if (peaks->per_second > 0)
			paragraph_add(&line, " (%.1f /s, %s)", peaks->per_second,
				      frequency_word(peaks->per_second));
		paragraph_add(&line, ", ");
		if (peaks->count > 1)
			paragraph_add(&line, "%.1f to ", (double)peaks->min_ns / 1e3);
		paragraph_add(&line, "%.1f us", (double)peaks->max_ns / 1e3);
		if (summary->info.traced)
			add_causes(&line, peaks);
	}
	paragraph_print(text, INK_BOLD, "peaks", &line);
}

void slowest_words(struct paragraph *line, const struct summary *summary)
{
	const struct peak *peak = &summary->peaks.largest;
	uint64_t since_ns;
	bool is_known = peak_since_begin(summary, &since_ns);
	char title[NAME_LEN];

	if (!summary->peaks.has_largest)
		return;
	paragraph_add(line, "%.1f us at %.3f s%s", (double)peak->latency_ns / 1e3,
		      (double)(is_known ? since_ns : peak->at_ns) / 1e9,
		      is_known ? "" : " after the first message");
	if (peak->client)
		paragraph_add(line, ", client %u", peak->client);
	if (summary->info.traced)
		paragraph_add(line, ": %s %.1f us", components[peak->component].title,
			      (double)peak->component_ns / 1e3);
	if (peak->blame.ns && peak->blame.class == BLAME_IDLE) {
		paragraph_add(line, ", of which %.1f us while the CPU was leaving idle",
			      (double)peak->blame.ns / 1e3);
	} else if (peak->blame.ns) {
		blame_title(&peak->blame, title);
		paragraph_add(line, ", of which %.1f us behind %s", (double)peak->blame.ns / 1e3,
			      title);
	}
}

void text_peaks(const struct text *text, const struct summary *summary)
{
	struct paragraph slowest = {0};

	if (has_range(summary)) {
		range_line(text, summary);
		peaks_line(text, summary);
	}
	slowest_words(&slowest, summary);
	paragraph_print(text, INK_BOLD, "slowest", &slowest);
}

static void complete_words(struct paragraph *line, const struct rounds_summary *rounds)
{
	unsigned long long count = rounds->count;

	if (rounds->complete)
		paragraph_add(line,
			      "%llu of %llu complete: service time, range, peaks, and first, "
			      "next and last latency are computed from these",
			      (unsigned long long)rounds->complete, count);
	else
		paragraph_add(line,
			      "none of %llu complete: no service time, and no first, next or "
			      "last latency",
			      count);
}

/* Warns if the statistics lack some rounds. */
void text_complete(const struct text *text, const struct summary *summary)
{
	const struct rounds_summary *rounds = &summary->rounds;
	unsigned long long given_up = rounds->given_up;
	struct paragraph line = {0};

	if (!rounds->count)
		return;
	if (rounds->complete < rounds->count)
		complete_words(&line, rounds);
	if (given_up)
		paragraph_add(&line, "%s%llu more message%s could not be assigned to a round",
			      line.length ? "; " : "", given_up, plural(given_up));
	paragraph_print(text, INK_WARNING, "rounds", &line);
}

static uint64_t rounds_of_orders(const struct rounds_summary *rounds, uint32_t from)
{
	uint64_t cnt = rounds->order_other;

	for (uint32_t i = from; i < rounds->order_cnt; i++)
		cnt += rounds->order[i].rounds;
	return cnt;
}

static void add_order(struct paragraph *line, const struct serving_order *order,
		      uint32_t client_cnt)
{
	const uint32_t max = sizeof(order->first) / sizeof(order->first[0]);

	for (uint32_t k = 0; k < max && order->first[k]; k++)
		paragraph_add(line, "%s%u", k ? " " : "", order->first[k]);
	if (client_cnt > max)
		paragraph_add(line, " ...");
}

/* With the kernel's timer no server loop explains the order. */
static void why_order(const struct text *text, const struct summary *summary)
{
	struct paragraph line = {0};
	struct row row;

	if (strcmp(summary->info.workload.transport, "kernel"))
		return;
	row_of(summary, &row);
	order_words(&line, &row);
	paragraph_print(text, INK_BOLD, "order", &line);
}

void text_order(const struct text *text, const struct summary *summary)
{
	const struct rounds_summary *rounds = &summary->rounds;
	double all = (double)rounds_of_orders(rounds, 0);
	uint64_t others = rounds_of_orders(rounds, ORDERS_SHOWN);
	struct paragraph line = {0};

	if (summary->client_cnt < 2 || all <= 0)
		return;
	for (uint32_t i = 0; i < rounds->order_cnt && i < ORDERS_SHOWN; i++) {
		paragraph_add(&line, "%s", i ? ", " : "clients ");
		add_order(&line, &rounds->order[i], summary->client_cnt);
		paragraph_add(&line, " in %s", PERCENT((double)rounds->order[i].rounds / all));
		if (!i)
			paragraph_add(&line, " of rounds");
	}
	if (others)
		paragraph_add(&line, ", other orders in %s", PERCENT((double)others / all));
	paragraph_print(text, INK_BOLD, "served", &line);
	why_order(text, summary);
}

void text_tick(const struct text *text, const struct summary *summary)
{
	const struct stat *lateness = &summary->tick.lateness;
	unsigned long long skipped = summary->tick.skipped;
	struct paragraph line = {0};

	if (!lateness->count)
		return;
	paragraph_add(&line, "late by %.1f us on average, p99 %.1f us, at most %.1f us; ",
		      stat_mean(lateness) / 1e3, (double)stat_percentile(lateness, 99) / 1e3,
		      (double)lateness->max / 1e3);
	if (skipped)
		paragraph_add(&line, "%llu skipped", skipped);
	else
		paragraph_add(&line, "none skipped");
	paragraph_print(text, INK_BOLD, "tick", &line);
}
