/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Declares what is made of the recording of a run or an attach that has just ended: an explanation
 * behind its report (--explain, --stop-at), or the report itself if the format needs a recording.
 * If the user wants no recording, the records are in an unnamed temporary file, which is gone when
 * this program ends, in whatever way.
 */
#pragma once

#include "cli/options.h"

#include <stdbool.h>

struct occasion;
struct output;

/* Zero-initialised: nothing is made. */
struct after_run {
	bool is_begun;                    /* something may be made */
	bool is_asked;                    /* also if no message ends tracing */
	struct select_options select;     /* what is explained */
	const struct call_options *calls; /* borrowed */
	int fd;                           /* of the temporary file; -1: none */
	char path[64];                    /* of that; empty: */
	const char *record;               /* the user's file */
};

/*
 * Call it after output_open(). Adds a temporary recording to the output if there is none. `calls`
 * may be NULL. 0 or -errno (logged).
 */
int after_run_begin(struct after_run *after, const struct trace_options *trace,
		    const struct call_options *calls, struct output *output);

/*
 * Ends the recording of the output, and makes that of it. `stopped_by`: what has ended tracing, for
 * --stop-at; NULL: nothing. `is_over`: see struct recorded_job. 0 or -errno (logged).
 */
int after_run_show(struct after_run *after, const struct occasion *stopped_by,
		   struct output *output, bool (*is_over)(void));

void after_run_end(struct after_run *after);
