/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Brings records to where they go: verbatim into the recording, and into the analysis.
 *
 *	feed_begin(&feed);
 *	... feed_put() for records from elsewhere ...
 *	feed_end(&feed);		the kernel's records, and a watermark
 */
#ifndef IPCTRACE_FEED_H
#define IPCTRACE_FEED_H

#include "core/analysis.h"
#include "recording.h"
#include "trace.h"

/* All but the last two members are borrowed and set by the owner. */
struct feed {
	struct trace *trace; /* NULL: nothing is traced */
	struct analysis *analysis;
	struct recording_writer *recording; /* NULL: none */
	bool recording_failed;
	uint64_t drained_ns; /* the last drain began */
	uint64_t settled_ns; /* during a drain: what happened before has arrived by its end */
};

uint64_t feed_now_ns(void);

/* `ctx` is a struct feed. 0 or -errno. */
int feed_put(void *ctx, const struct record *record);

void feed_begin(struct feed *feed);

/* 0 or -errno. */
int feed_end(struct feed *feed);

#endif
