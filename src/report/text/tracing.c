/* SPDX-License-Identifier: BSD-2-Clause */
/* Says when tracing began, for how long it went on, why it ended, and how much there was. */
#include "report/words/labels.h"
#include "insight/metrics.h"
#include "report/text/sections.h"
#include "util/duration.h"

#include <math.h>
#include <string.h>

/* Messages that came within a smaller part of the time are a burst. */
#define BURST_SHARE 0.5

/* "1334", "2.5": three digits are enough. */
static void add_rate(struct paragraph *line, const char *before, double rate, const char *unit)
{
	if (isfinite(rate))
		paragraph_add(line, "%s%.*f %s/s", before, rate < 10 ? 1 : 0, rate, unit);
}

/* "6.0 s: 1334 messages/s, 667 calls/s" */
static void add_rates(struct paragraph *line, const struct summary *summary)
{
	if (!summary->integrity.sent)
		return;
	add_rate(line, ": ", sends_per_second(summary), "messages");
	if (calls_seen(&summary->calls))
		add_rate(line, ", ", calls_per_second(summary), "calls");
}

void tracing_words(struct paragraph *line, const struct summary *summary)
{
	uint64_t ns = traced_ns(summary);
	char begin[BEGIN_LEN];

	begin_title(&summary->info.begin, begin);
	paragraph_add(line, "%s", begin);
	if (ns)
		paragraph_add(line, "%s%.1f s", begin[0] ? ", " : "", (double)ns / 1e9);
	else if (summary->integrity.sent)
		paragraph_add(line, "%s%llu message%s in %.1f s", begin[0] ? ", " : "",
			      (unsigned long long)summary->integrity.sent,
			      plural(summary->integrity.sent), summary->duration_s);
	add_rates(line, summary);
}

/* The end of an early one has a line of its own. */
static void add_end(struct paragraph *line, const struct summary *summary)
{
	const struct run_ending ending = run_ending_of(summary);

	if (ending.is_early)
		return;
	if (ending.by == END_DURATION)
		paragraph_add(line, ", until --duration was over");
	else if (ending.by == END_TARGETS)
		paragraph_add(line, ", until no target was left");
	else if (ending.by == END_STOP_AT)
		paragraph_add(line, ", until --stop-at was reached");
	else if (ending.by == END_COUNT)
		paragraph_add(line, ", until --count was reached");
	else if (ending.by == END_SIGNAL)
		paragraph_add(line, ", until a signal ended it (%s)", strsignal(ending.signal));
	heir_words(line, "; ", summary);
}

/* Rounded up: no message came later. */
static uint64_t up_to(double seconds, double unit_s)
{
	return (uint64_t)(ceil(seconds / unit_s) * unit_s * 1e9 + 0.5);
}

static void add_burst(struct paragraph *line, const struct summary *summary)
{
	double all_s = (double)traced_ns(summary) / 1e9, burst_s = summary->duration_s;

	if (summary->integrity.matched > 1 && burst_s < BURST_SHARE * all_s)
		paragraph_add(line, "; all messages came within %s of this time",
			      DURATION(up_to(burst_s, burst_s < 1e-3 ? 1e-6 : 1e-3)));
}

void text_tracing(const struct text *text, const struct summary *summary)
{
	uint64_t ns = traced_ns(summary);
	const char *label = "began";
	struct paragraph line = {0};
	char begin[BEGIN_LEN];

	begin_title(&summary->info.begin, begin);
	if (summary->info.traced)
		label = begin[0] ? "traced from" : "traced";
	if (begin[0])
		paragraph_add(&line, "%s", begin);
	if (ns)
		paragraph_add(&line, "%s%.3f s", begin[0] ? " for " : "for ", (double)ns / 1e9);
	if (line.length)
		add_end(&line, summary);
	add_rates(&line, summary);
	if (ns)
		add_burst(&line, summary);
	paragraph_print(text, INK_BOLD, label, &line);
}
