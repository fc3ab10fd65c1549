/* SPDX-License-Identifier: BSD-2-Clause */
/* Writes the tables of numbers of a run: times, and the components of the latency. */
#include "report/html/page.h"

#include "insight/metrics.h"
#include "insight/services.h"
#include "report/words/labels.h"
#include "report/words/summary_words.h"

#include <math.h>

static void cell_open(struct markup *markup, const char *name)
{
	markup_open(markup, "td");
	if (name)
		markup_attr(markup, "data-name", name);
}

/* A whole number of nanoseconds, in microseconds. */
static void ns_cell(struct markup *markup, const char *name, uint64_t ns)
{
	cell_open(markup, name);
	markup_attrf(markup, "data-ns", "%llu", (unsigned long long)ns);
	markup_textf(markup, "%.1f", (double)ns / 1e3);
	markup_close(markup);
}

static void mean_cell(struct markup *markup, const char *name, double ns)
{
	cell_open(markup, name);
	markup_attrf(markup, "data-ns", "%.3f", ns);
	markup_textf(markup, "%.1f", ns / 1e3);
	markup_close(markup);
}

static void table_open(struct markup *markup, const char *class, const char *caption,
		       const char *const *titles)
{
	markup_open(markup, "div");
	markup_attr(markup, "class", "scroll");
	markup_open(markup, "table");
	markup_attr(markup, "class", class);
	markup_element(markup, "caption", NULL, caption);
	markup_open(markup, "thead");
	markup_open(markup, "tr");
	for (; *titles; titles++) {
		markup_open(markup, "th");
		markup_attr(markup, "scope", "col");
		markup_text(markup, *titles);
		markup_close(markup);
	}
	markup_close(markup);
	markup_close(markup);
	markup_open(markup, "tbody");
}

static void table_close(struct markup *markup)
{
	for (int i = 0; i < 3; i++)
		markup_close(markup);
}

static void row_open(struct markup *markup, const char *name, const char *title)
{
	markup_open(markup, "tr");
	markup_attr(markup, "data-row", name);
	markup_open(markup, "th");
	markup_attr(markup, "scope", "row");
	markup_text(markup, title);
	markup_close(markup);
}

static void numbers_stat_row(struct markup *markup, const char *name, const char *title,
			     const struct stat *stat)
{
	static const struct {
		const char *name;
		double percent;
	} percents[] = {{"p50", 50}, {"p90", 90}, {"p99", 99}, {"p999", 99.9}};

	if (!stat->count)
		return;
	row_open(markup, name, title);
	cell_open(markup, "count");
	markup_textf(markup, "%llu", (unsigned long long)stat->count);
	markup_close(markup);
	mean_cell(markup, "mean", stat_mean(stat));
	mean_cell(markup, "stddev", stat_stddev(stat));
	for (size_t i = 0; i < sizeof(percents) / sizeof(percents[0]); i++)
		ns_cell(markup, percents[i].name, stat_percentile(stat, percents[i].percent));
	ns_cell(markup, "max", stat->max);
	markup_close(markup);
}

static void call_rows(struct markup *markup, const struct calls_summary *calls,
		      const char *round_trip)
{
	numbers_stat_row(markup, "round_trip", round_trip, &calls->round_trip);
	numbers_stat_row(markup, "request", "request", &calls->request);
	numbers_stat_row(markup, "service", "service", &calls->service);
	numbers_stat_row(markup, "response", "response", &calls->response);
}

static const char *const times_titles[] = {"",    "number", "mean",  "± sd", "p50",
					   "p90", "p99",    "p99.9", "max",  NULL};

/* What the first sentence is about, if that is not all there is. */
static void focus_table(struct markup *markup, const struct summary *summary)
{
	struct paragraph whose = {0};
	struct focus focus;

	focus_on_service(&focus, summary);
	focus_words(&whose, &focus, &summary->calls);
	words_element(markup, "p", NULL, &whose);
	if (focus.is_one_of_several) {
		table_open(markup, "of-service", "Times of its calls in µs", times_titles);
		call_rows(markup, &focus.summary.calls, "round trip of its calls");
		table_close(markup);
	}
	focus_clean(&focus);
}

static void numbers_times_table(struct markup *markup, const struct summary *summary)
{
	const struct calls_summary *calls = &summary->calls;

	if (!summary->latency.count && !calls_seen(calls))
		return;
	table_open(markup, "times", "Times in µs", times_titles);
	numbers_stat_row(markup, "latency", "latency of a message", &summary->latency);
	if (summary->client_cnt > 1) {
		numbers_stat_row(markup, "first", "first of a round", &summary->rounds.first);
		numbers_stat_row(markup, "next", "next in a round", &summary->rounds.next);
		numbers_stat_row(markup, "last", "last of a round", &summary->rounds.last);
	}
	call_rows(markup, calls,
		  is_one_of_several(calls) ? "round trip of all calls" : "round trip of a call");
	numbers_stat_row(markup, "open_several", "round trip, several open", &calls->open_several);
	numbers_stat_row(markup, "from_due", "from when it was due",
			 calls->from_due.count ? &calls->from_due : &summary->from_due);
	table_close(markup);
}

static void service_time(struct markup *markup, const struct summary *summary)
{
	const struct rounds_summary *rounds = &summary->rounds;
	struct paragraph words = {0};

	if (!rounds->complete)
		return;
	markup_open(markup, "p");
	markup_attrf(markup, "data-service-ns", "%.3f", rounds->service_ns);
	markup_attrf(markup, "data-efficiency-pct", "%.6f", rounds->efficiency_pct);
	paragraph_add(&words, "Service time %.1f us", rounds->service_ns / 1e3);
	if (rounds->period_ns)
		paragraph_add(&words, " = %s of the period", PERCENT(rounds->efficiency_pct / 100));
	paragraph_add(&words, " (mean + standard deviation of %s).",
		      summary->client_cnt == 1 ? "the latency" : "the last client");
	words_put(markup, words.text);
	markup_close(markup);
}

/* A bar of HTML, in the colour that the component has in figures. */
static void share_cell(struct markup *markup, const char *class, double share)
{
	cell_open(markup, "share");
	markup_attrf(markup, "data-share", "%.6f", share);
	markup_text(markup, PERCENT(share));
	markup_close(markup);
	markup_open(markup, "td");
	markup_attr(markup, "class", "bar");
	markup_open(markup, "svg");
	markup_attr(markup, "viewBox", "0 0 100 10");
	markup_attr(markup, "preserveAspectRatio", "none");
	markup_attr(markup, "aria-hidden", "true");
	markup_open(markup, "rect");
	markup_attr(markup, "class", class);
	markup_attrf(markup, "width", "%.2f", 100 * share);
	markup_attr(markup, "height", "10");
	markup_close(markup);
	markup_close(markup);
	markup_close(markup);
}

static void numbers_component_row(struct markup *markup, const struct summary *summary,
				  enum component component)
{
	const char *missing = component_missing(&summary->info, component);
	const struct stat *stat = &summary->component[component];

	if (!missing && !stat->max)
		return;
	row_open(markup, components[component].name, components[component].title);
	if (missing) {
		markup_open(markup, "td");
		markup_attr(markup, "colspan", "6");
		markup_attr(markup, "class", "missing");
		markup_text(markup, missing);
		markup_close(markup);
	} else {
		mean_cell(markup, "mean", stat_mean(stat));
		ns_cell(markup, "p50", stat_percentile(stat, 50));
		ns_cell(markup, "p99", stat_percentile(stat, 99));
		ns_cell(markup, "max", stat->max);
		share_cell(markup, cost_class(component),
			   share_of_latency(summary, stat_mean(stat)));
	}
	markup_close(markup);
}

static void components_table(struct markup *markup, const struct summary *summary)
{
	static const char *const titles[] = {"", "mean", "p50", "p99", "max", "share", "", NULL};
	double switch_ns = context_switch_ns(summary);
	struct paragraph words = {0};

	if (!summary->info.traced || !summary->latency.count)
		return;
	table_open(markup, "components", "Components of the latency in µs", titles);
	for (int i = 0; i < NR_COMPONENTS; i++)
		numbers_component_row(markup, summary, i);
	table_close(markup);
	paragraph_add(&words,
		      "Wakeup, run queue and switch together, which is the context switch: "
		      "%.1f us, %s.",
		      switch_ns / 1e3, PERCENT(share_of_latency(summary, switch_ns)));
	words_element(markup, "p", NULL, &words);
}

/* What the receivers of a run got done; rounds have the rate of their tick. */
static void throughput(struct markup *markup, const struct summary *summary)
{
	const struct workload_spec *spec = &summary->info.workload;
	double rate = messages_per_second(summary);
	struct paragraph words = {0};

	if (summary->info.mode != MODE_RUN || spec_has_rounds(spec) || !isfinite(rate))
		return;
	paragraph_add(&words, "Throughput: %.0f %s/s, %.2f MB/s", rate, throughput_unit(spec),
		      bytes_per_second(summary) / 1e6);
	if (summary->observer.pauses)
		paragraph_add(&words, ", with %.2f s of pauses in which records were read",
			      (double)summary->observer.paused_ns / 1e9);
	paragraph_add(&words, ".");
	words_element(markup, "p", NULL, &words);
}

void numbers_write(struct markup *markup, const struct summary *summary)
{
	throughput(markup, summary);
	focus_table(markup, summary);
	numbers_times_table(markup, summary);
	service_time(markup, summary);
	components_table(markup, summary);
}
