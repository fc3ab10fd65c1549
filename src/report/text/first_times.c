/* SPDX-License-Identifier: BSD-2-Clause */
/* Prints how long calls, rounds, exchanges or messages took: the table of the first screen. */
#include "insight/metrics.h"
#include "report/text/first_parts.h"
#include "report/words/labels.h"

#include <math.h>

#define LABEL_WIDTH 15
#define CELL_WIDTH  9

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

static bool first_times_has_calls(const struct summary *summary)
{
	return summary->calls.count || summary->calls.open_several.count;
}

static bool first_times_has_rounds(const struct summary *summary)
{
	return summary->rounds.last.count && summary->client_cnt > 1;
}

static void rounds_table(const struct stat_table *table, const struct summary *summary)
{
	stat_heading(table, "latency (us)", "mean+sd");
	stat_row(table, "  first client", &summary->rounds.first);
	stat_row(table, "  gap to next", &summary->rounds.next);
	stat_cells(table, "  last client", &summary->rounds.last);
	text_us(table->text, CELL_WIDTH, summary->rounds.service_ns);
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
void first_times_table(const struct text *text, const struct focus *focus)
{
	const struct stat_table table = {text, LABEL_WIDTH, CELL_WIDTH,
					 STATS(STAT_MEAN, 50, 99, 99.9, STAT_MAX)};
	const struct summary *summary = &focus->summary;

	if (shows_exchanges(summary)) {
		exchanges_table(&table, summary);
	} else if (first_times_has_calls(summary)) {
		calls_table(&table, focus);
	} else if (first_times_has_rounds(summary)) {
		rounds_table(&table, summary);
	} else if (summary->latency.count) {
		stat_heading(&table, "latency (us)", NULL);
		stat_row(&table, "  message", &summary->latency);
	} else {
		return;
	}
	rate_row(text, summary);
}

int first_times_lines(const struct summary *summary)
{
	if (shows_exchanges(summary))
		return 5 + (summary->connections.latency.count > 0) + has_rate(summary);
	if (first_times_has_calls(summary))
		return 2 + 4 * (summary->calls.count > 0) +
		       (summary->calls.open_several.count > 0) + has_rate(summary);
	if (first_times_has_rounds(summary))
		return 6 + has_rate(summary);
	return summary->latency.count ? 3 + has_rate(summary) : 0;
}
