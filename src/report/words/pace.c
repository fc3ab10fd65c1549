/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Says how fast and how regular a workload was: range and peaks of its latency, its rounds and
 * their period, which an audio engineer's xruns miss, throughput and fairness.
 */
#include "insight/metrics.h"
#include "report/words/labels.h"
#include "report/words/rows_words.h"
#include "report/words/summary_words.h"

#include <math.h>
#include <string.h>

#define ORDERS_SHOWN 3
#define CAUSES_SHOWN 4

static void range_words(struct paragraph *line, const struct summary *summary)
{
	bool last = summary->rounds.complete && summary->client_cnt > 1;

	if (!has_range(summary))
		return;
	paragraph_add(line, "%.1f +- %.1f us (mean and two standard deviations of the %slatency)",
		      summary->peaks.medium_ns / 1e3, summary->peaks.width_ns / 1e3,
		      last ? "last " : "");
}

static void add_longest_parts(struct paragraph *line, const struct peaks_summary *peaks)
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

static void peaks_words(struct paragraph *line, const struct summary *summary)
{
	const struct peaks_summary *peaks = &summary->peaks;

	if (!has_range(summary))
		return;
	if (!peaks->count) {
		paragraph_add(line, "none");
		return;
	}
	paragraph_add(line, "%llu", (unsigned long long)peaks->count);
	if (peaks->per_second > 0)
		paragraph_add(line, " (%.1f /s, %s)", peaks->per_second,
			      frequency_word(peaks->per_second));
	paragraph_add(line, ", ");
	if (peaks->count > 1)
		paragraph_add(line, "%.1f to ", (double)peaks->min_ns / 1e3);
	paragraph_add(line, "%.1f us", (double)peaks->max_ns / 1e3);
	if (summary->info.traced)
		add_longest_parts(line, peaks);
}

void slowest_words(struct paragraph *line, const struct summary *summary)
{
	const struct peak *peak = &summary->peaks.largest;
	uint64_t since_ns;
	bool is_known = peak_since_begin(summary, &since_ns);

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
	if (peak->blame.ns && peak->blame.class == BLAME_IDLE)
		paragraph_add(line, ", of which %.1f us while the CPU was leaving idle",
			      (double)peak->blame.ns / 1e3);
	else if (peak->blame.ns)
		paragraph_add(line, ", of which %.1f us behind %s", (double)peak->blame.ns / 1e3,
			      BLAME(&peak->blame));
}

static void pace_add_cause(struct paragraph *line, const struct missed_cause *cause)
{
	paragraph_add(line, "%llu ", (unsigned long long)cause->count);
	if (!cause->is_late)
		paragraph_add(line, "%s", components[cause->component].title);
	else if (!cause->is_known)
		paragraph_add(line, "for a reason that is not known");
	else /* what the sender did when the round was due */
		paragraph_add(line, "%s",
			      components[cause->component].late ?: components[COMPONENT_BUSY].late);
	if (cause->has_blame && cause->blame.class == BLAME_IDLE)
		paragraph_add(line, " while the CPU was leaving idle");
	else if (cause->has_blame)
		paragraph_add(line, " behind %s", BLAME(&cause->blame));
}

/* The causes of late rounds, or of others. */
static void pace_add_causes(struct paragraph *line, const struct missed_summary *missed,
			    bool is_late)
{
	uint64_t others = 0;
	uint32_t shown = 0;

	for (uint32_t i = 0; i < missed->cause_cnt; i++) {
		const struct missed_cause *cause = &missed->cause[i];

		if (cause->is_late != is_late)
			continue;
		if (shown == CAUSES_SHOWN) {
			others += cause->count;
			continue;
		}
		paragraph_add(line, "%s", shown++ ? ", " : is_late ? ": " : "; longest part: ");
		pace_add_cause(line, cause);
	}
	if (others)
		paragraph_add(line, ", %llu for other reasons", (unsigned long long)others);
}

static void period_words(struct paragraph *line, const struct summary *summary)
{
	const struct rounds_summary *rounds = &summary->rounds;

	if (!rounds->distance.count)
		return;
	if (rounds->distance.count < PERIOD_DISTANCES_LEAST)
		paragraph_add(line, "not known: there were too few rounds");
	else if (!rounds->period_ns)
		paragraph_add(line, "the rounds have no regular period of their own");
	else
		paragraph_add(line, "%.3f ms (median from one start to the next)%s",
			      (double)rounds->period_ns / 1e6,
			      rounds->missed.late || rounds->missed.unfinished
				      ? ""
				      : "; no round began late or took longer");
}

static void late_words(struct paragraph *line, const struct summary *summary)
{
	const struct rounds_summary *rounds = &summary->rounds;
	const struct missed_summary *missed = &rounds->missed;

	if (!rounds->distance.count || !missed->late)
		return;
	paragraph_add(line,
		      "%llu of %llu rounds began more than 1.5 periods after the one before, and "
		      "%llu period%s had no round",
		      (unsigned long long)missed->late, (unsigned long long)rounds->distance.count,
		      (unsigned long long)missed->skipped, plural(missed->skipped));
	pace_add_causes(line, missed, true);
}

static void unfinished_words(struct paragraph *line, const struct summary *summary)
{
	const struct rounds_summary *rounds = &summary->rounds;
	const struct missed_summary *missed = &rounds->missed;

	if (!rounds->distance.count || !missed->unfinished)
		return;
	paragraph_add(line, "%llu of %llu rounds took longer than the period",
		      (unsigned long long)missed->unfinished, (unsigned long long)rounds->complete);
	pace_add_causes(line, missed, false);
}

static void add_complete(struct paragraph *line, const struct rounds_summary *rounds)
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

static void rounds_words(struct paragraph *line, const struct summary *summary)
{
	const struct rounds_summary *rounds = &summary->rounds;
	unsigned long long given_up = rounds->given_up;

	if (!rounds->count)
		return;
	if (rounds->complete < rounds->count)
		add_complete(line, rounds);
	if (given_up)
		paragraph_add(line, "%s%llu more message%s could not be assigned to a round",
			      line->length ? "; " : "", given_up, plural(given_up));
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

static void served_words(struct paragraph *line, const struct summary *summary)
{
	const struct rounds_summary *rounds = &summary->rounds;
	double all = (double)rounds_of_orders(rounds, 0);
	uint64_t others = rounds_of_orders(rounds, ORDERS_SHOWN);

	if (summary->client_cnt < 2 || all <= 0)
		return;
	for (uint32_t i = 0; i < rounds->order_cnt && i < ORDERS_SHOWN; i++) {
		paragraph_add(line, "%s", i ? ", " : "clients ");
		add_order(line, &rounds->order[i], summary->client_cnt);
		paragraph_add(line, " in %s", PERCENT((double)rounds->order[i].rounds / all));
		if (!i)
			paragraph_add(line, " of rounds");
	}
	if (others)
		paragraph_add(line, ", other orders in %s", PERCENT((double)others / all));
}

static void why_order_words(struct paragraph *line, const struct summary *summary)
{
	struct row row;

	if (summary->client_cnt < 2 || strcmp(summary->info.workload.transport, "kernel"))
		return;
	row_of(summary, &row);
	order_words(line, &row);
}

static void tick_words(struct paragraph *line, const struct summary *summary)
{
	const struct stat *lateness = &summary->tick.lateness;
	unsigned long long skipped = summary->tick.skipped;

	if (!lateness->count)
		return;
	paragraph_add(line, "late by %.1f us on average, p99 %.1f us, at most %.1f us; ",
		      stat_mean(lateness) / 1e3, (double)stat_percentile(lateness, 99) / 1e3,
		      (double)lateness->max / 1e3);
	if (skipped)
		paragraph_add(line, "%llu skipped", skipped);
	else
		paragraph_add(line, "none skipped");
}

static void due_words(struct paragraph *line, const struct summary *summary)
{
	bool calls = summary->calls.from_due.count > 0;
	const struct stat *due = calls ? &summary->calls.from_due : &summary->from_due;
	const struct stat *raw = calls ? &summary->calls.round_trip : &summary->latency;

	if (!due->count)
		return;
	paragraph_add(line,
		      "mean %.1f us, p99 %.1f us from the time at which the message was due, "
		      "against %.1f us and %.1f us from the time at which it was sent; a late "
		      "sender hides the difference",
		      stat_mean(due) / 1e3, (double)stat_percentile(due, 99) / 1e3,
		      stat_mean(raw) / 1e3, (double)stat_percentile(raw, 99) / 1e3);
}

static void throughput_words(struct paragraph *line, const struct summary *summary)
{
	const struct workload_spec *spec = &summary->info.workload;
	const struct flow_summary *flow = &summary->flow;
	double rate = messages_per_second(summary);

	if (spec_has_rounds(spec) || !isfinite(rate))
		return;
	paragraph_add(line, "%.0f %s/s, %.2f MB/s: %llu in %.3f s", rate, throughput_unit(spec),
		      bytes_per_second(summary) / 1e6, (unsigned long long)flow->messages,
		      flow->seconds);
	if (summary->observer.pauses)
		paragraph_add(line, ", of which %.2f s are pauses (see observer)",
			      (double)summary->observer.paused_ns / 1e9);
}

static void signals_words(struct paragraph *line, const struct summary *summary)
{
	const struct flow_summary *flow = &summary->flow;
	uint64_t merged = flow->wakes_sent > flow->wakes_delivered
				  ? flow->wakes_sent - flow->wakes_delivered
				  : 0;

	if (!flow->wakes_sent)
		return;
	paragraph_add(line, "%llu sent, %llu delivered, %llu merged with one that was pending",
		      (unsigned long long)flow->wakes_sent,
		      (unsigned long long)flow->wakes_delivered, (unsigned long long)merged);
}

static uint64_t whole_us(uint64_t ns)
{
	return ns / 1000 * 1000;
}

static void fairness_words(struct paragraph *line, const struct summary *summary)
{
	struct fairness fairness;

	if (spec_has_rounds(&summary->info.workload) || !fairness_of(summary, &fairness))
		return;
	paragraph_add(line, "clients took %s to %s, a spread of %s of their mean",
		      DURATION(whole_us(fairness.shortest_ns)),
		      DURATION(whole_us(fairness.longest_ns)), PERCENT(fairness.spread));
	if (fairness.gap_ns)
		paragraph_add(line, "; longest starvation: %s without a message, client %u",
			      DURATION(whole_us(fairness.gap_ns)), fairness.client);
}

const struct sentence latency_sentences[] = {
	{"range", range_words, false, NULL},
	{"peaks", peaks_words, false, NULL},
	{"slowest", slowest_words, false, NULL},
	{"period", period_words, false, NULL},
	{"late", late_words, true, NULL},
	{"too long", unfinished_words, true, NULL},
	{"from due", due_words, false, NULL},
	{"throughput", throughput_words, false, NULL},
	{"signals", signals_words, false, NULL},
	{"fairness", fairness_words, false, NULL},
	{NULL, NULL, false, NULL},
};

const struct sentence client_sentences[] = {
	{"rounds", rounds_words, true, NULL},
	{"served", served_words, false, NULL},
	{"order", why_order_words, false, NULL},
	{"tick", tick_words, false, NULL},
	{NULL, NULL, false, NULL},
};
