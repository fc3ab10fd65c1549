/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Declares the report of a recording, which `report` reads from a file. A run or an attach whose
 * format needs a recording is reported from the one that it has just made.
 */
#pragma once

#include "cli/options.h"
#include "recording/recording.h"

#include <stdbool.h>

struct output;

/* Strings and options are borrowed. */
struct report_job {
	const char *path; /* the recording */
	const struct select_options *select;
	const struct call_options *calls;
	bool is_one_of_several;    /* only the first run that is read is reported */
	bool no_limit;             /* as in struct report_options */
	uint64_t steps_per_record; /* likewise */
	bool (*is_over)(void);     /* the user wants no report any more; NULL: never */
	struct output *output;     /* open */
};

/*
 * Reports each run of the recording. `reader` stands behind the header of the first run, which is
 * `info`. 0 or -errno (logged). A recording that is cut is reported up to there, and the result is
 * -EINVAL.
 */
int report_recording(const struct report_job *job, struct recording_reader *reader,
		     const struct run_info *info);
