/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Declares the collector, which passes records to the analysis and the recording. One drain
 * (reading the ring buffer) needs these calls:
 *
 *	collector_begin(&collector);
 *	... collector_put() for records of the workload ...
 *	collector_end(&collector);		adds the tracer's records and a WATERMARK record
 *
 * A WATERMARK record contains an instant up to which all records have come.
 */
#pragma once

#include "analysis/analysis.h"
#include "command/live/proc/groups.h"
#include "command/live/proc/scripts.h"
#include "command/watch/watch.h"
#include "recording/recording.h"
#include "stacks/stack_log.h"
#include "tracer/tracer.h"

struct collector {
	/* These seven are set by the owner; the last four are borrowed. */
	struct tracer *tracer; /* NULL: nothing is traced */
	struct analysis *analysis;
	struct scripts *scripts;            /* NULL: not searched for */
	struct groups *groups;              /* the same */
	struct stack_log *stacks;           /* NULL: none are taken */
	struct recording_writer *recording; /* gets all records; NULL: none */
	struct watch *watch; /* writes windows of records instead of all; NULL: none */

	bool recording_failed;
	uint64_t drained_ns; /* when the last drain began that was not held up */
	uint64_t began_ns;   /* when the current drain began */
	uint64_t settled_ns; /* during a drain: events before this have arrived by its end */
	uint64_t pause_ns; /* until the next drain, by the records in the last ones; 0: none yet */
	uint64_t records;  /* in the current drain */
};

/* `ctx` is a struct collector. 0 or -errno. */
int collector_put(void *ctx, const struct record *record);

/*
 * Begins a drain. At its end, all events before the beginning of the previous drain have arrived.
 */
void collector_begin(struct collector *collector);

/* The pause until the next drain: at most `longest_ns`, less at a high rate of records. */
uint64_t collector_pause_ns(const struct collector *collector, uint64_t longest_ns);

/* Drains the tracer and ends the drain. 0 or -errno. */
int collector_end(struct collector *collector);

/*
 * Call it when the analysis is finished: writes the rest of a window, and then the statistics of
 * all messages to `recording`, which is NULL if there is none. 0 or -errno.
 */
int collector_finish_windows(struct collector *collector, struct recording_writer *recording);
