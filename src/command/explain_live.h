/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Declares --explain: what a run or an attach has just recorded is explained behind its report. If
 * the user wants no recording, the records are in an unnamed temporary file, which is gone when
 * this program ends, in whatever way.
 */
#pragma once

#include "cli/calls.h"
#include "cli/explain_live.h"

#include <stdbool.h>

struct output;

/* Zero-initialised: nothing is explained. */
struct explain_live {
	const struct explain_live_options *options; /* borrowed */
	const struct call_options *calls;           /* the same; NULL: none */
	int fd;                                     /* of the temporary file; -1: none */
	char path[64];                              /* of that; empty: */
	const char *record;                         /* the user's file */
};

/*
 * Call it after output_open(). Adds a temporary recording to the output if there is none. `record`:
 * the file of --record, or NULL. 0 or -errno (logged).
 */
int explain_live_begin(struct explain_live *live, const struct explain_live_options *options,
		       const struct call_options *calls, struct output *output, const char *record);

/*
 * Ends the recording of the output, and explains it. `is_over`: see struct explain_job. 0 or -errno
 * (logged).
 */
int explain_live_show(struct explain_live *live, struct output *output, bool (*is_over)(void));

void explain_live_end(struct explain_live *live);
