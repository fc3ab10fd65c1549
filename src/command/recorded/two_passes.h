/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Declares passes over one run of a recording, which is read as often as is needed, and its
 * analysis in two of them: the first one finds out which units are slow, the second one what they
 * consist of.
 */
#pragma once

#include "analysis/analysis.h"
#include "cli/options.h"
#include "model/explanation.h"
#include "model/picture.h"
#include "recording/recording.h"

#include <stdbool.h>
#include <stdint.h>

/* Strings and options are borrowed. */
struct recorded_run {
	const char *path; /* the recording */
	uint64_t run_at;  /* where the run starts, see recording__run_at() */
	struct run_info info;
	const struct select_options *select;
	const struct call_options *calls;
	bool no_limit;             /* see NO_LIMIT_HELP */
	uint64_t steps_per_record; /* 0: STEPS_PER_RECORD of container/step_limit.h */
};

/* What a pass makes. */
struct unit_pass {
	struct analysis_request wants; /* its functions get the pass as `ctx`; it has units */
	void *ctx;                     /* of the caller */
	struct analysis *analysis;     /* while the pass is made, and after it */
};

/*
 * Makes a pass over the run at which the reader stands. The caller frees pass->analysis, also after
 * an error. 0 or -errno.
 */
int recorded_run_pass(const struct recorded_run *run, const struct run_info *info,
		      struct recording_reader *reader, struct unit_pass *pass);

/* The same, and opens the recording anew. */
int recorded_run_pass_again(const struct recorded_run *run, struct unit_pass *pass);

/* Frees the analysis of a pass. */
void unit_pass_end(struct unit_pass *pass);

/* Whether the user, or the pattern of a run, says what its units are. */
bool unit_kind_is_fixed(const struct recorded_run *run);

/* The units of a run, or what an attach seems to consist of by its beginning. 0 or -errno. */
int unit_kind_guess(const struct recorded_run *run, enum unit_kind *kind);

/*
 * Passes the records of the current run to the analysis, and finishes it. `steps_per_record`: the
 * limit of container/step_limit.h; 0: its default. `no_limit`: there is none. 0 or -errno; -E2BIG:
 * the limit was reached.
 */
int analyse_run(struct analysis *analysis, struct recording_reader *reader, bool no_limit,
		uint64_t steps_per_record);

/* The same, but ends after at most so many records, as if the run ended there. */
int analyse_beginning(struct analysis *analysis, struct recording_reader *reader, bool no_limit,
		      uint64_t records);

/*
 * Opens the recording once more, at the records of its run that starts at `run_at`, see
 * recording__run_at(): a file may have very many runs. Damage is not logged again. NULL and errno
 * on failure.
 */
struct recording_reader *analyse_again(const char *path, uint64_t run_at);

/* Logs the error for -E2BIG. `command`: "report". */
void say_too_much_work(const char *command, const char *path);

/* The caller fills in the first members, and frees the results by two_passes_clean(). */
struct two_passes {
	struct recorded_run run;
	bool (*is_over)(void); /* the user wants no result any more; NULL: never */
	bool is_illustrated;   /* the summary and the picture are wanted, too */

	/* The results. */
	struct explanation explanation; /* its outcome may say that there is none */
	struct picture picture;
	struct analysis *summed; /* its summary is complete; NULL: not wanted */

	/* While passes are made. */
	struct explain *explain;
	struct picture_maker *maker;
	bool is_selected; /* some messages are left out: then series would have gaps */
	uint64_t component_ns[NR_COMPONENTS]; /* of the message whose unit comes next */
};

/* `reader` stands at the run, and then behind it. 0, -EINTR if it is over, or -errno. */
int two_passes_make(struct two_passes *passes, struct recording_reader *reader);

void two_passes_clean(struct two_passes *passes);
