/* SPDX-License-Identifier: BSD-2-Clause */
/* What the cells of a sweep come to, one row of figures for each, and for several runs of one. */
#ifndef IPCTRACE_REPORT_TEXT_TABLES_ROWS_H
#define IPCTRACE_REPORT_TEXT_TABLES_ROWS_H

#include "model/summary.h"
#include "report/text/layout.h"

/* Times in ns. */
enum figure {
	FIGURE_FIRST, /* means and deviations of rounds */
	FIGURE_FIRST_SD,
	FIGURE_NEXT,
	FIGURE_LAST,
	FIGURE_LAST_SD,
	FIGURE_SERVICE_TIME,
	FIGURE_EFFICIENCY,  /* share of a tick */
	FIGURE_ORDERS,      /* different serving orders; above SUMMARY_ORDERS_MAX: more */
	FIGURE_ORDER_SHARE, /* rounds of the most frequent one */
	FIGURE_LATENCY,     /* of messages */
	FIGURE_LATENCY_P50,
	FIGURE_LATENCY_P99,
	FIGURE_LATENCY_MAX,
	FIGURE_CONTEXT_SWITCH, /* share of the latency */
	FIGURE_WAKEUP,
	FIGURE_RUNQUEUE,
	FIGURE_SWITCH,
	FIGURE_BEHIND_CLIENTS, /* shares of the run queue */
	FIGURE_BEHIND_IDLE,
	FIGURE_ROUND_TRIP, /* of calls */
	FIGURE_ROUND_TRIP_P50,
	FIGURE_ROUND_TRIP_P99,
	FIGURE_SERVICE,
	FIGURE_RATE,   /* messages per second */
	FIGURE_BYTES,  /* bytes per second */
	FIGURE_TIME,   /* the slowest client's, for all its messages */
	FIGURE_SPREAD, /* of the clients' times, as a share of their mean */
	FIGURE_GAP,    /* the longest wait of a client from message to message */
	FIGURE_WAKES_SENT,
	FIGURE_WAKES_DELIVERED,
	NR_FIGURES
};

struct row {
	struct run_info info;
	struct integrity integrity; /* of all runs */
	struct peaks_summary peaks; /* of the runs that count */
	double figure[NR_FIGURES];  /* NAN: does not apply or was not measured */
	uint32_t gap_client;        /* whose gap it is */
	uint32_t runs;              /* of this cell */
	uint32_t counted;           /* of these: neither the lowest nor the highest */
	bool verified;              /* contents were compared */
	struct paragraph early;     /* when it ended, in words; of several runs the last one's */
	struct paragraph left;      /* who left, in words */
	struct load_summary load;   /* of all runs */
};

/* Zero-initialised is empty. Owns its rows. */
struct rows {
	struct row *row;
	size_t cnt;
};

/* What of `summary` is needed in a table. */
void row_of(const struct summary *summary, struct row *row);

/*
 * Adds what has to be of all runs, whether they count or not: integrity, load, who left, the
 * longest gap.
 */
void row_add_run(struct row *sum, const struct row *more);

/* 0 or -ENOMEM. */
int rows_add(struct rows *rows, const struct summary *summary);
void rows_free(struct rows *rows);

/*
 * A row for each cell, in the order of their first runs: the mean of its runs, of three and more
 * without the one with the lowest and the one with the highest mean latency (of connections and
 * floods: messages per second). 0 or -ENOMEM.
 */
int rows_merge(const struct rows *all, struct rows *merged);

/* Words that a row has to have; NULL: any. */
struct filter {
	const char *pattern;
	const char *transport;
	const char *load;
	const char *handler;
};

/* The first row after `row` (NULL: of all) that passes; NULL: none. */
const struct row *rows_next(const struct rows *rows, const struct filter *filter,
			    const struct row *row);
size_t rows_count(const struct rows *rows, const struct filter *filter);

/* Whether more is better for the pattern's main figure, and which figure that is. */
enum figure main_figure(const struct workload_spec *spec, bool *more_is_better);

#endif
