/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Explains the order in which clients are served when the kernel's timer wakes all clients at
 * once. The GRAME paper does not explain why the order varies.
 */
#include "report/text/tables/table.h"
#include "report/words/rows.h"

#include <math.h>

/* The parts of the path to the CPU. */
static void add_path_to_cpu(struct paragraph *paragraph, const double *figure)
{
	double switch_ns = isnan(figure[FIGURE_SWITCH]) ? 0 : figure[FIGURE_SWITCH];
	double all_ns = figure[FIGURE_WAKEUP] + figure[FIGURE_RUNQUEUE] + switch_ns;

	paragraph_add(
		paragraph,
		". The way to a CPU decides which client is first. It takes a client %.1f us:",
		all_ns / 1e3);
	paragraph_add(paragraph, " %.1f us until it is runnable, %.1f us on a run queue",
		      figure[FIGURE_WAKEUP] / 1e3, figure[FIGURE_RUNQUEUE] / 1e3);
	if (switch_ns > 0)
		paragraph_add(paragraph, ", %.1f us to switch to it", switch_ns / 1e3);
}

static void add_behind(struct paragraph *paragraph, const struct row *row)
{
	double clients = row->figure[FIGURE_BEHIND_CLIENTS];
	double idle = row->figure[FIGURE_BEHIND_IDLE];

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
	const double *figure = row->figure;
	double share = figure[FIGURE_ORDER_SHARE];

	if (row->info.workload.clients < 2 || isnan(share))
		return;
	if (share >= 1) {
		paragraph_add(paragraph,
			      "does not vary: all rounds serve the clients in one order");
		return;
	}
	paragraph_add(paragraph, "varies: the most frequent of %s%.0f orders has %s of rounds",
		      figure[FIGURE_ORDERS] > SUMMARY_ORDERS_MAX ? "more than " : "",
		      fmin(figure[FIGURE_ORDERS], SUMMARY_ORDERS_MAX), PERCENT(share));
	if (isnan(figure[FIGURE_RUNQUEUE])) {
		paragraph_add(paragraph, "; why was not measured");
		return;
	}
	add_path_to_cpu(paragraph, figure);
	add_behind(paragraph, row);
}
