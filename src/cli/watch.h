/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Options for conditions that are compared while tracing goes on: what to record around slow
 * messages, when to stop, and which command to execute.
 */
#pragma once

#include "cli/output.h"
#include "cli/watch_options.h"

/* For commands that trace. */
extern const struct argp watch_argp;

/*
 * Checks the options against each other, and fills in defaults. `record` is the file of --record,
 * or NULL. 0, or EINVAL (logged).
 */
int watch_options_finish(struct watch_options *watch, const struct output_options *output,
			 const char *record);
