/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * `ipctrace run`: the only place that knows the order of things. For every cell: workload prepared,
 * tracer attached, gate opened, records drained into recording and analysis, report, all restored.
 */
#ifndef IPCTRACE_SESSION_H
#define IPCTRACE_SESSION_H

struct run_options;

/* The exit status. `argv` is for the recording's header. */
int session_run(const struct run_options *options, char **argv);

#endif
