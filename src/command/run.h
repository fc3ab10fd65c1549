/* SPDX-License-Identifier: BSD-2-Clause */
/* `ipctrace run`: one cell after the other, with their loads, and one report of them all. */
#ifndef IPCTRACE_COMMAND_RUN_H
#define IPCTRACE_COMMAND_RUN_H

struct run_options;

/* The exit status. `argv` is for the recording's header. */
int run_command(const struct run_options *options, char **argv);

#endif
