/* SPDX-License-Identifier: BSD-2-Clause */
/* Declares the choice of what is shown of a run: by the user's words, and by the size of a file. */
#pragma once

#include "command/recorded/recorded_run.h"

struct output;

/*
 * Before a run is reported: sets the filter and the excerpt of the output. Passes over the run may
 * be needed. 0 or -errno (logged, but for ENOMEM and E2BIG). choice_end() follows in any case.
 */
int choice_begin(const struct recorded_run *run, struct output *output);

/* Frees what belongs to one run. */
void choice_end(struct output *output);

/* After the last run: warns if the file has become full. */
void choice_warn(const struct output *output);
