/* SPDX-License-Identifier: BSD-2-Clause */
/* Declares run_once(), which runs a workload once, with or without tracing. */
#pragma once

#include "command/watch/watch.h"

#include <stdbool.h>
#include <stdint.h>

struct load;
struct observer_effect;
struct output;
struct progress;
struct run_info;
struct trace_options;

/* What a run shares with the others of its matrix. All borrowed. */
struct run_setup {
	struct run_info *info; /* the run to make; its shows_switch is filled in */
	struct output *output; /* NULL: nothing is shown or recorded */
	struct load *load;     /* NULL: none; works already */
	struct progress *progress;
	const struct observer_effect *effect; /* NULL: not asked for; was measured before */
	const struct trace_options *trace;
	const char *types;   /* see struct tracer_spec */
	double *mean_ns;     /* filled in: the mean latency; NULL: not asked for */
	enum watch_end *end; /* filled in: which condition has ended the run; NULL: not asked for */
	struct occasion *stopped_by; /* the same; WATCH_STOPPED: what has */
	bool *ended_early; /* set if the run has lost its server or all clients (logged) */
};

/* 0 or -errno (logged); -EINVAL: the spec cannot be run. */
int run_once(const struct run_setup *setup);
