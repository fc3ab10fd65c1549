/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Defines a row, which holds the figures of one configuration. Most figures are means over the
 * runs of the configuration. Runs of the same configuration differ only in the run number.
 */
#pragma once

#include "model/summary.h"
#include "report/words/paragraph.h"

/* Times in ns. */
enum row_number {
	NUMBER_FIRST, /* of rounds: means and standard deviations */
	NUMBER_FIRST_SD,
	NUMBER_NEXT,
	NUMBER_LAST,
	NUMBER_LAST_SD,
	NUMBER_SERVICE_TIME,
	NUMBER_EFFICIENCY,  /* share of a tick */
	NUMBER_ORDERS,      /* different serving orders; above SUMMARY_ORDERS_MAX: or more */
	NUMBER_ORDER_SHARE, /* share of rounds with the most frequent order */
	NUMBER_LATENCY,     /* of messages */
	NUMBER_LATENCY_P50,
	NUMBER_LATENCY_P99,
	NUMBER_LATENCY_MAX,
	NUMBER_CONTEXT_SWITCH, /* share of the latency */
	NUMBER_WAKEUP,
	NUMBER_RUNQUEUE,
	NUMBER_SWITCH,
	NUMBER_BEHIND_CLIENTS, /* shares of the run queue */
	NUMBER_BEHIND_IDLE,
	NUMBER_ROUND_TRIP, /* of calls */
	NUMBER_ROUND_TRIP_P50,
	NUMBER_ROUND_TRIP_P99,
	NUMBER_SERVICE,
	NUMBER_RATE,   /* messages per second */
	NUMBER_BYTES,  /* bytes per second */
	NUMBER_TIME,   /* the slowest client, for all its messages */
	NUMBER_SPREAD, /* longest - shortest time of a client, as a share of the mean */
	NUMBER_GAP,    /* the longest time between two messages of one client */
	NUMBER_WAKES_SENT,
	NUMBER_WAKES_DELIVERED,
	NUMBER_PEAKS,           /* per second; NAN: the run was too short for a frequency */
	NUMBER_BEHIND_IPCTRACE, /* share of the run queue */
	NUMBER_COMPONENT,       /* the first of NR_COMPONENTS figures: means of messages */
	NUMBER_COMPONENT_LAST = NUMBER_COMPONENT + NR_COMPONENTS - 1,
	NUMBER_EXCHANGE, /* of the pattern connect */
	NUMBER_EXCHANGE_P99,
	NUMBER_EXCHANGE_PART, /* the first of NR_EXCHANGE_PARTS means */
	NUMBER_EXCHANGE_PART_LAST = NUMBER_EXCHANGE_PART + NR_EXCHANGE_PARTS - 1,
	NR_NUMBERS
};

struct row {
	struct run_info info;
	struct integrity integrity; /* of all runs */
	struct peaks_summary peaks; /* of the runs that count */
	double number[NR_NUMBERS];  /* NAN: does not apply, or not measured */
	uint32_t gap_client;        /* the client with NUMBER_GAP */
	uint32_t runs;              /* of this configuration */
	uint32_t counted;           /* runs in the means: without the lowest and the highest */
	bool verified;              /* receivers compared the contents */
	bool knows_cost;            /* of tracing, in at least one run */
	struct paragraph early; /* why it ended early; with several runs the last one that did */
	struct paragraph departures; /* which clients left, of all runs */
	struct load_summary load;    /* of all runs */
};

/* Zero-initialized is empty. Owns its rows. */
struct rows {
	struct row *row;
	size_t cnt;
};

/* The figures of one run. */
void row_of(const struct summary *summary, struct row *row);

/* The first row, with what row_add_run() adds of the others. */
struct row rows_sum(const struct rows *rows);

/* Whether nothing is missing: no message, no record, no client, and the load ran to the end. */
bool row_is_whole(const struct row *row);

/* 0 or -ENOMEM. */
int rows_add(struct rows *rows, const struct summary *summary);
void rows_free(struct rows *rows);

/*
 * A row for each configuration, in the order of its first run: the means of its runs. With three or
 * more runs, the lowest and the highest by mean latency do not count (floods and connections: by
 * messages per second). Returns 0 or -ENOMEM.
 */
int rows_merge(const struct rows *all, struct rows *merged);

/* Which rows: the value that each field must have; NULL: any. */
struct filter {
	const char *pattern;
	const char *transport;
	const char *load;
	const char *handler;
};

/* The next row after `row` that passes; the first one for NULL. NULL: there is none. */
const struct row *rows_next(const struct rows *rows, const struct filter *filter,
			    const struct row *row);
size_t rows_count(const struct rows *rows, const struct filter *filter);

/* The main figure of the pattern, and whether more of it is better. */
enum row_number main_number(const struct workload_spec *spec, bool *more_is_better);

/* What configurations can differ in, in the order of the columns. The first is the label. */
enum coordinate {
	COORDINATE_PATTERN,
	COORDINATE_TRANSPORT,
	COORDINATE_LOAD,
	COORDINATE_HANDLER,
	COORDINATE_BYTES,
	COORDINATE_CLIENTS,
	COORDINATE_MESSAGES,
	NR_COORDINATES
};

/* The value of a coordinate that is a word; NULL: it is a number. */
const char *coordinate_word(const struct workload_spec *spec, enum coordinate coordinate);

/* The value of a coordinate that is a number. */
uint64_t coordinate_number(const struct workload_spec *spec, enum coordinate coordinate);

bool specs_differ_in(const struct workload_spec *a, const struct workload_spec *b,
		     enum coordinate coordinate);

/* The coordinates in which the rows of a filter differ: bits 1u << enum coordinate. */
unsigned int rows_differ_in(const struct rows *rows, const struct filter *filter);

/* "2 clients over tcp, 64 bytes": clients, transport, and the `coordinates`. */
void add_coordinates(struct paragraph *paragraph, const struct workload_spec *spec,
		     unsigned int coordinates);
