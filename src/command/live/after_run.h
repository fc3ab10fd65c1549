/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Declares what is made of the recording of a run or an attach that has just ended: an explanation
 * behind its report (--explain), or the report itself if the format needs a recording. If the user
 * wants no recording, the records are in an unnamed temporary file, which is gone when this program
 * ends, in whatever way.
 */
#pragma once

#include "cli/calls.h"
#include "cli/explain_live.h"

#include <stdbool.h>

struct output;

/* Zero-initialised: nothing is made. */
struct after_run {
	const struct explain_live_options *options; /* borrowed; NULL: nothing is made */
	const struct call_options *calls;           /* the same; NULL: none */
	int fd;                                     /* of the temporary file; -1: none */
	char path[64];                              /* of that; empty: */
	const char *record;                         /* the user's file */
};

/*
 * Call it after output_open(). Adds a temporary recording to the output if there is none. `record`:
 * the file of --record, or NULL. 0 or -errno (logged).
 */
int after_run_begin(struct after_run *after, const struct explain_live_options *options,
		    const struct call_options *calls, struct output *output, const char *record);

/*
 * Ends the recording of the output, and makes that of it. `is_over`: see struct explain_job. 0 or
 * -errno (logged).
 */
int after_run_show(struct after_run *after, struct output *output, bool (*is_over)(void));

void after_run_end(struct after_run *after);
