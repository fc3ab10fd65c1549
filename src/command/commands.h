/* SPDX-License-Identifier: BSD-2-Clause */
/* Declares one function for each command. Each function returns the exit status of ipctrace. */
#pragma once

#include "cli/options.h"

/* Makes all runs of the matrix, one after the other, and one report. `argv`: for the recording. */
int run_command(const struct run_options *options, char **argv);

/* Traces programs that run already. The status of the started command, if all else went well. */
int attach_run(const struct attach_options *options, char **argv);

/* Shows a recording, without privileges. */
int report_run(const struct report_options *options);

/* Explains why the slow messages of a recording were slow, without privileges. */
int explain_run(const struct explain_options *options);

/* Shows the local channels of this machine with both ends. */
int list_run(const struct list_options *options);

/* Examines what this machine offers for tracing. 0 if the main job can run here. */
int doctor_run(const struct doctor_options *options);
