/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Declares the flight recorder. It holds the youngest records in memory. A trigger, which is a
 * message or a call, makes it write those around the trigger:
 *
 *	          keep_ns           trigger      after_ns
 *	 - - - |--------------------|=======|----------------| - - -
 *	     window begins                            window ends
 *
 * Windows that overlap or touch are one window. Memory is bounded: if the records of `keep_ns` do
 * not fit, the window begins later, which its WINDOW record says.
 */
#pragma once

#include "model/window_records.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct flight_spec {
	uint64_t keep_ns;
	uint64_t after_ns;
	uint64_t late_ns;   /* a trigger may be known so late */
	bool has_fixed_end; /* further triggers do not prolong an open window */
	size_t bytes_max;   /* of records in memory */
	record_put_fn *write;

	/* Writes further facts at the start of a window; NULL: there are none. */
	int (*write_facts)(void *ctx);
	void *ctx; /* of both */
};

/* What was written. */
struct flight_counts {
	uint64_t triggers;
	uint64_t windows;
	uint64_t openings;    /* also of windows that went on where another one had ended */
	uint64_t shortened;   /* windows that start later than asked for */
	uint64_t shortest_ns; /* the shortest time before a trigger that such a window has */
	uint64_t forgotten;   /* threads and channels of which facts may be missing */
	bool is_open;         /* a window goes on */
};

struct flight;

struct flight *flight__new(const struct flight_spec *spec); /* NULL: out of memory */
void flight__free(struct flight *flight);

/* All functions return 0, -ENOMEM, or what `write` returned. */

/* Any record but END. */
int flight__record(struct flight *flight, const struct record *record);

/*
 * A drain is over, and its WATERMARK has been added. All records so far were emitted before
 * `now_ns`. Messages of which one end is missing were sent at or after `horizon_ns`, which is not
 * after `before_ns` of the watermark.
 */
int flight__end_drain(struct flight *flight, uint64_t now_ns, uint64_t before_ns,
		      uint64_t horizon_ns);

/* When the drain is over, a window opens around this trigger, or goes on. */
int flight__trigger(struct flight *flight, const struct record_trigger *trigger);

/* No record follows: writes the rest of an open window, with all messages up to the end. */
int flight__finish(struct flight *flight, uint64_t now_ns);

struct flight_counts flight__counts(const struct flight *flight);
