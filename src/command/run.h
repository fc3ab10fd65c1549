/* SPDX-License-Identifier: BSD-2-Clause */
/* `ipctrace run`: all runs of the matrix, one after the other, and one report. */
#ifndef IPCTRACE_COMMAND_RUN_H
#define IPCTRACE_COMMAND_RUN_H

struct run_options;

/* Returns the exit status. `argv` goes into the recording's header. */
int run_command(const struct run_options *options, char **argv);

#endif
