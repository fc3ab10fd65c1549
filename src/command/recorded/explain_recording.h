/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Declares the explanation of a recording, which `explain` reads from a file, and --explain from
 * the recording of the run or attach that has just ended.
 */
#pragma once

#include "cli/options.h"

#include <stdbool.h>

struct output;

/* Strings are borrowed. */
struct explain_job {
	const char *path; /* the recording */
	const struct select_options *select;
	const struct call_options *calls;
	bool no_limit;
	bool is_lenient;       /* what cannot be explained is no error, and the rest is shown */
	bool (*is_over)(void); /* the user wants no explanation any more; NULL: never */
	struct output *output; /* open */
};

/*
 * Explains each run of the recording, and passes the explanations to the output. 0 or -errno
 * (logged). A recording that is cut is explained up to there, and the result is -EINVAL.
 */
int explain_recording(const struct explain_job *job);
