/* SPDX-License-Identifier: BSD-2-Clause */
/* Declares functions that show progress on stderr, if a run is long and stderr is a terminal. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The unit of work is the same for all runs, see run_work(). */
struct progress {
	bool shown;
	uint64_t start_ns;
	size_t run; /* from 1 */
	size_t runs;
	double work_before; /* of the finished runs */
	double work_now;    /* of the current run */
	double work_all;
};

void progress_begin(struct progress *progress, uint64_t now_ns, size_t runs, double work_all);

void progress_run(struct progress *progress, double work);

/* Shows that `done` of `total` rounds of the current run are over. */
void progress_show(struct progress *progress, uint64_t now_ns, uint64_t done, uint64_t total);

/* The estimated seconds until all runs are done. Negative: unknown, because nothing is done yet. */
double progress_left_s(const struct progress *progress, uint64_t now_ns, uint64_t done,
		       uint64_t total);

void progress_end(struct progress *progress);
