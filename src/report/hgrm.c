/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Writes reports for --format hgrm: the percentile distribution of one latency, as the text that
 * HdrHistogram, wrk2 and YCSB write and that their plotter reads:
 *
 *	       Value     Percentile TotalCount 1/(1-Percentile)
 *
 *	    0.021503 0.000000000000          1           1.00
 *	...
 *	#[Mean    =     0.034120, StdDeviation   =     0.009921]
 *
 * The values are milliseconds, as wrk2 writes them, so that both can be plotted on one axis. With
 * six decimals no nanosecond is lost. The percentiles are those of struct stat, as in -f json.
 */
#include "report/format.h"
#include "insight/metrics.h"

#include <math.h>
#include <stdlib.h>

/* Lines for each time that the distance to 100 % halves, as HdrHistogram has by default. */
#define TICKS_PER_HALF 5

#define NS_PER_MS      1e6

struct report {
	FILE *out;
	bool has_unit; /* else the summary decides */
	enum unit_kind unit;
};

static struct report *hgrm_begin(const struct report_style *style)
{
	struct report *report = calloc(1, sizeof(*report));

	if (!report)
		return NULL;
	report->out = style->out;
	report->has_unit = style->has_unit;
	report->unit = style->unit;
	return report;
}

static int hgrm_run(struct report *report, const struct run_info *info)
{
	(void)report;
	(void)info;
	return 0;
}

/*
 * The percent of the next line. The distance to 100 % lies between two powers of 1/2; each half has
 * the same number of lines.
 */
static double next_percent(double percent)
{
	double halves = floor(log2(100 / (100 - percent))) + 1;

	return percent + 100 / (TICKS_PER_HALF * exp2(halves));
}

static void hgrm_put_line(FILE *out, uint64_t value_ns, double percent, uint64_t count)
{
	fprintf(out, "%12.6f %14.12f %10llu %14.2f\n", (double)value_ns / NS_PER_MS, percent / 100,
		(unsigned long long)count, 100 / (100 - percent));
}

/*
 * The line of 100 % is the first one that has all values; HdrHistogram writes no second one. Close
 * to 100 %, a double has no further number: there the lines end, too, however many values are left.
 */
static void put_lines(FILE *out, const struct stat *stat)
{
	uint64_t all = stat->count - stat->uncounted, lowest;
	double before = -1;

	for (double percent = 0; all && percent > before && percent < 100;
	     before = percent, percent = next_percent(percent)) {
		uint64_t value_ns = stat_percentile(stat, percent);
		uint64_t count = all - stat_count_above(stat, value_ns, &lowest);

		if (count == all)
			break;
		hgrm_put_line(out, value_ns, percent, count);
	}
	if (all)
		fprintf(out, "%12.6f %14.12f %10llu %14s\n", (double)stat->max / NS_PER_MS, 1.0,
			(unsigned long long)all, "inf");
}

/* The octaves are what HdrHistogram calls buckets. */
static void put_trailer(FILE *out, const struct stat *stat)
{
	fprintf(out, "#[Mean    = %12.6f, StdDeviation   = %12.6f]\n", stat_mean(stat) / NS_PER_MS,
		stat_stddev(stat) / NS_PER_MS);
	fprintf(out, "#[Max     = %12.6f, Total count    = %12llu]\n",
		(double)stat->max / NS_PER_MS, (unsigned long long)stat->count);
	fprintf(out, "#[Buckets = %12d, SubBuckets     = %12d]\n", STAT_OCTAVES,
		1 << STAT_SUB_BITS);
}

static int hgrm_summary(struct report *report, const struct summary *summary)
{
	const struct {
		const char *title;
		const struct stat *stat;
	} units[NR_UNIT_KINDS] = {
		[UNIT_MESSAGE] = {"latency of messages", &summary->latency},
		[UNIT_CALL] = {"round trip of calls", &summary->calls.round_trip},
		[UNIT_ROUND] = {"last latency of rounds", &summary->rounds.last},
		[UNIT_CONNECTION] = {"latency of connections", &summary->connections.latency},
	};
	enum unit_kind unit = report->has_unit ? report->unit : summary_unit(summary);
	const struct stat *stat = units[unit].stat;
	FILE *out = report->out;

	fprintf(out, "%12s %14s %10s %14s\n\n", "Value", "Percentile", "TotalCount",
		"1/(1-Percentile)");
	put_lines(out, stat);
	put_trailer(out, stat);
	fprintf(out, "#[ipctrace: %s, in milliseconds%s]\n", units[unit].title,
		summary->integrity.truncated ? "; the recording breaks off before its end" : "");
	return report_flush(out);
}

static int hgrm_end(struct report *report, bool is_cut)
{
	int error = report_flush(report->out);

	(void)is_cut;
	free(report);
	return error;
}

const struct report_format report_hgrm = {
	.name = "hgrm",
	.meaning = "percentiles, for the plotter of HdrHistogram",
	.shows_unit = true,
	.shows_one_run = true,
	.begin = hgrm_begin,
	.run = hgrm_run,
	.summary = hgrm_summary,
	.end = hgrm_end,
};
