/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Declares the explanation and the report of a recording. `explain` and `report` read it from a
 * file. A run or an attach reads the one that it has just made: for --explain, and for a format
 * that needs a recording. A run is read as often as is needed.
 */
#pragma once

#include "analysis/analysis.h"
#include "cli/options.h"
#include "model/explanation.h"
#include "model/picture.h"
#include "recording/recording.h"

#include <stdbool.h>
#include <stdint.h>

struct output;

/* What is made of a recording. Strings and options are borrowed. */
struct recorded_job {
	const char *path; /* the recording */
	const struct select_options *select;
	const struct call_options *calls;
	bool no_limit;             /* see NO_LIMIT_HELP */
	uint64_t steps_per_record; /* 0: STEPS_PER_RECORD of container/step_limit.h */
	bool is_one_of_several;    /* only the first run that is read is reported */
	bool is_lenient;           /* what cannot be explained is no error, and the rest is shown */
	bool (*is_over)(void);     /* the user wants no result any more; NULL: never */
	struct output *output;     /* open */
};

/*
 * Explains each run of the recording, and passes the explanations to the output. 0 or -errno
 * (logged). A recording that is cut is explained up to there, and the result is -EINVAL.
 */
int explain_recording(const struct recorded_job *job);

/*
 * Reports each run of the recording. `reader` stands behind the header of the first run, which is
 * `info`. 0 or -errno (logged). A recording that is cut is reported up to there, and the result is
 * -EINVAL.
 */
int report_recording(const struct recorded_job *job, struct recording_reader *reader,
		     const struct run_info *info);

/* One run of it. */
struct recorded_run {
	const struct recorded_job *job;
	struct recording_reader *reader; /* stands behind the header of the run */
	uint64_t run_at;                 /* see recording__run_at() */
	struct run_info info;
};

/*
 * Passes the records behind the header to the analysis, and finishes it. 0 or -errno; -E2BIG: the
 * limit of container/step_limit.h was reached.
 */
int analyse_run(const struct recorded_run *run, struct analysis *analysis);

/* Opens the recording once more, and passes the records of the run to an analysis of its own. */
int analyse_again(const struct recorded_run *run, const struct analysis_request *request);

/* Logs the error for -E2BIG. `command`: "report". */
void say_too_much_work(const char *command, const char *path);

/*
 * The analysis of a run in two passes: the first one finds out which units are slow, the second one
 * what they consist of. The caller fills in the first members, and frees the results by
 * two_passes_clean().
 */
struct two_passes {
	struct recorded_run run;
	bool is_illustrated; /* the summary and the picture are wanted, too */

	/* The results. */
	struct explanation explanation; /* its outcome may say that there is none */
	struct picture picture;
	struct analysis *summed; /* its summary is complete; NULL: not wanted */

	/* While passes are made. */
	struct analysis *analysis; /* of the pass that is made */
	struct explain *explain;
	struct picture_maker *maker;
	struct select_service service; /* the busiest of several, where none is chosen */
	bool is_selected;              /* some messages are left out: then series would have gaps */
	uint64_t component_ns[NR_COMPONENTS]; /* of the message whose unit comes next */
};

/* The reader stands behind the run afterwards. 0, -EINTR if it is over, or -errno. */
int two_passes_make(struct two_passes *passes);
void two_passes_clean(struct two_passes *passes);
