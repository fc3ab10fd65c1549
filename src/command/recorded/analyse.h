/* SPDX-License-Identifier: BSD-2-Clause */
/* Declares the analysis of one run of a recording, which `report` and `explain` share. */
#pragma once

#include "analysis/analysis.h"
#include "recording/recording.h"

#include <stdbool.h>
#include <stdint.h>

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
