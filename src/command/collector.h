/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Brings records to where they go: verbatim into the recording, and into the analysis.
 *
 *	collector_begin(&collector);
 *	... collector_put() for records from elsewhere ...
 *	collector_end(&collector);		the kernel's records, and a watermark
 */
#ifndef IPCTRACE_COMMAND_COLLECTOR_H
#define IPCTRACE_COMMAND_COLLECTOR_H

#include "analysis/analysis.h"
#include "recording/recording.h"
#include "tracer/tracer.h"

struct collector {
	/* Borrowed, and set by the owner. */
	struct tracer *tracer; /* NULL: nothing is traced */
	struct analysis *analysis;
	struct recording_writer *recording; /* NULL: none */
	bool keeps_slow; /* the recording gets no records: what is handed out is kept elsewhere */

	bool recording_failed;
	uint64_t drained_ns; /* the last drain that was not held up began */
	uint64_t began_ns;   /* the present one did */
	uint64_t settled_ns; /* during a drain: what happened before has arrived by its end */
	uint64_t pause_ns;   /* until the next drain, as the last ones suggest; 0: there was none */
	uint64_t records;    /* in this drain */
};

/* `ctx` is a struct collector. 0 or -errno. */
int collector_put(void *ctx, const struct record *record);

/* A drain begins: all that happened before the previous one has arrived by its end. */
void collector_begin(struct collector *collector);

/* How long to wait for the next drain: at most `longest_ns`, less if much has come lately. */
uint64_t collector_pause_ns(const struct collector *collector, uint64_t longest_ns);

/* The drain ends. 0 or -errno. */
int collector_end(struct collector *collector);

/* The analysis is finished: what is not recorded record by record ends with what it comes to. */
void collector_keep_summary(struct collector *collector);

#endif
