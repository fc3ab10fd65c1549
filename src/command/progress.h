/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Declares functions that show progress in a line on stderr, which is rewritten in place
 * (util/status_line.h), if a run is long and stderr is a terminal.
 */
#pragma once

#include "analysis/analysis.h"
#include "report/words/so_far.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct output;
struct watch_options;

/* The unit of work is the same for all runs, see run_work(). */
struct progress {
	bool is_wanted; /* see progress_is_wanted(); at first not */
	uint64_t start_ns;
	uint64_t due_ns; /* the line is not rewritten before */
	size_t run;      /* from 1 */
	size_t runs;
	double work_before; /* of the finished runs */
	double work_now;    /* of the current run */
	double work_all;
};

/* The line is rewritten once in this time. Shorter runs need no line. */
#define PROGRESS_NS 1000000000ULL

/*
 * Whether stderr is a terminal where a line may be rewritten: -q forbids it, and so does what else
 * is written there meanwhile, by a command or as messages. `output` is open.
 */
bool progress_is_wanted(const struct output *output, const struct watch_options *watch);

void progress_begin(struct progress *progress, uint64_t now_ns, size_t runs, double work_all);

void progress_run(struct progress *progress, double work);

/* Shows that `done` of `total` rounds of the current run are over. */
void progress_show(struct progress *progress, uint64_t now_ns, uint64_t done, uint64_t total);

/* The estimated seconds until all runs are done. Negative: unknown, because nothing is done yet. */
double progress_left_s(const struct progress *progress, uint64_t now_ns, uint64_t done,
		       uint64_t total);

/* "ipctrace: run 2 of 3, round 7 of 90, 5 s left" */
void progress_words(const struct progress *progress, uint64_t now_ns, uint64_t done, uint64_t total,
		    struct line_parts *parts);

struct attach_progress {
	bool is_wanted; /* see progress_is_wanted() */
	uint64_t began_ns;
	uint64_t due_ns; /* the line is not rewritten before */
};

/* Between two drains: rewrites the line if it is due. `lost` records are missing so far. */
void attach_progress_show(struct attach_progress *progress, uint64_t now_ns,
			  const struct analysis *analysis, uint64_t lost);
