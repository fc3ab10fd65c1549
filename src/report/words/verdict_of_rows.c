/* SPDX-License-Identifier: BSD-2-Clause */
/* The first sentence of a report of several runs: what changes between them, and why. */
#include "insight/metrics.h"
#include "report/words/answers.h"
#include "report/text/tables/table.h"

#include <math.h>

static const struct filter all = {0};

/* The figure that the sentence compares: the last latency if there are rounds. */
static enum row_figure compared_figure(const struct rows *rows)
{
	bool more_is_better;
	enum row_figure figure = main_figure(&rows->row[0].info.workload, &more_is_better);

	if (figure == FIGURE_RATE)
		return FIGURE_RATE;
	return isnan(rows->row[0].figure[FIGURE_LAST]) ? figure : FIGURE_LAST;
}

static const char *figure_name(enum row_figure figure)
{
	if (figure == FIGURE_RATE)
		return "throughput";
	if (figure == FIGURE_LAST)
		return "the last client's latency";
	return figure == FIGURE_ROUND_TRIP ? "the round trip" : "the latency";
}

static void add_value(struct paragraph *verdict, enum row_figure figure, double value)
{
	if (figure == FIGURE_RATE)
		paragraph_add(verdict, "%.0f messages/s", value);
	else
		paragraph_add(verdict, "%.1f us", value / 1e3);
}

/* The row with the least or the greatest value of the figure. NULL: it is nowhere known. */
static const struct row *extreme(const struct rows *rows, enum row_figure figure, int sign)
{
	const struct row *best = NULL;

	for (size_t i = 0; i < rows->cnt; i++) {
		double value = rows->row[i].figure[figure];

		if (!isnan(value) && (!best || sign * value > sign * best->figure[figure]))
			best = &rows->row[i];
	}
	return best;
}

const struct row *slowest_row(const struct rows *rows)
{
	enum row_figure figure = compared_figure(rows);

	return extreme(rows, figure, figure == FIGURE_RATE ? -1 : 1);
}

static void add_range(struct paragraph *verdict, const struct rows *rows, const struct row *worst,
		      unsigned int set)
{
	enum row_figure figure = compared_figure(rows);
	const struct row *best = extreme(rows, figure, figure == FIGURE_RATE ? 1 : -1);

	paragraph_add(verdict, "On average, %s is ", figure_name(figure));
	if (best != worst) {
		add_value(verdict, figure, best->figure[figure]);
		paragraph_add(verdict, " at best (");
		add_coordinates(verdict, &best->info.workload, set);
		paragraph_add(verdict, ") and ");
	}
	add_value(verdict, figure, worst->figure[figure]);
	if (best == worst)
		return;
	paragraph_add(verdict, " at worst (");
	add_coordinates(verdict, &worst->info.workload, set);
	paragraph_add(verdict, ")");
}

/* What has more of the run queue time than all others together. NULL: nothing has. */
static const char *main_culprit(const struct row *row)
{
	if (row->figure[FIGURE_BEHIND_CLIENTS] > 0.5)
		return "behind other clients";
	if (row->figure[FIGURE_BEHIND_IDLE] > 0.5)
		return "for one that is leaving idle";
	return row->figure[FIGURE_BEHIND_IPCTRACE] > 0.5 ? "behind ipctrace itself" : NULL;
}

static void add_largest_part(struct paragraph *verdict, const struct row *row, bool is_one)
{
	static const char *const words[NR_COMPONENTS] = {
		[COMPONENT_DISPATCH] = "the sending loop of ipctrace-server",
		[COMPONENT_WAKEUP] = "the clients (ipctrace-cl-N) sleep until they are woken up",
		[COMPONENT_RUNQUEUE] = "the clients (ipctrace-cl-N) wait for a CPU",
	};
	const double *component_ns = &row->figure[FIGURE_COMPONENT];
	enum component largest = components_largest(component_ns);
	double all_ns = components_ns(component_ns);

	if (!(all_ns > 0))
		return;
	paragraph_add(verdict, ". %she largest part of the mean latency (%s) is %s",
		      is_one ? "T" : "At worst, t", PERCENT(component_ns[largest] / all_ns),
		      components[largest].title);
	if (!words[largest] || !spec_server_sends(&row->info.workload))
		return;
	paragraph_add(verdict, ": %s", words[largest]);
	if (largest == COMPONENT_RUNQUEUE && main_culprit(row))
		paragraph_add(verdict, ", mostly %s", main_culprit(row));
}

void verdict_of_rows(struct paragraph *verdict, const struct rows *rows)
{
	const struct row *worst = slowest_row(rows);
	struct paragraph fastest = {0};

	if (!worst) {
		paragraph_add(verdict, "No message was matched, so there is nothing to compare.");
		return;
	}
	fastest_words(&fastest, rows, &all);
	if (fastest.length) {
		paragraph_add(verdict, "Fastest is %s.", fastest.text);
		return;
	}
	add_range(verdict, rows, worst, rows_differ_in(rows, &all));
	add_largest_part(verdict, worst, rows->cnt == 1);
	paragraph_add(verdict, ".");
}
