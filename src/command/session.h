/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * One cell of `ipctrace run`: the only place that knows the order of things. Workload prepared,
 * tracer attached, gate opened, records drained into recording and analysis, report, all restored.
 */
#ifndef IPCTRACE_COMMAND_SESSION_H
#define IPCTRACE_COMMAND_SESSION_H

#include <stdbool.h>

struct observer_effect;
struct load;
struct output;
struct progress;
struct recording_writer;
struct run_info;

/* What a cell shares with others. All borrowed. */
struct session {
	struct run_info *info;              /* what to run; filled in: what the kernel shows */
	struct output *output;              /* NULL: nothing is shown */
	struct recording_writer *recording; /* NULL: none */
	struct load *load;                  /* NULL: none; is at work already */
	struct progress *progress;
	const struct observer_effect *effect; /* NULL: not asked for; measured before */
	const char *types;                    /* of the kernel, see struct tracer_spec */
	double *mean_ns;                      /* NULL: not asked for; filled in: the mean latency */
	bool *broke_off; /* set if it ended before its time, but not by ^C, which is logged */
};

/* 0 or -errno, logged; -EINVAL: it cannot be run as asked. */
int session_run(const struct session *session);

#endif
