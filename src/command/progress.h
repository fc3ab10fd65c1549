/* SPDX-License-Identifier: BSD-2-Clause */
/* One line on stderr that says how far a long run is; nothing if stderr is not a terminal. */
#ifndef IPCTRACE_COMMAND_PROGRESS_H
#define IPCTRACE_COMMAND_PROGRESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Work is in any unit that is the same for all runs, see run_work(). */
struct progress {
	bool shown;
	uint64_t start_ns;
	size_t run; /* from 1 */
	size_t runs;
	double work_before; /* of the runs that have ended */
	double work_now;    /* of the current run */
	double work_all;
};

void progress_begin(struct progress *progress, uint64_t now_ns, size_t runs, double work_all);

/* The next run begins. */
void progress_run(struct progress *progress, double work);

/* `done` of `total` rounds of the current run. */
void progress_show(struct progress *progress, uint64_t now_ns, uint64_t done, uint64_t total);

/*
 * Seconds until all runs are done, if the rest goes on as it went so far. Negative: nothing is
 * done yet.
 */
double progress_left_s(const struct progress *progress, uint64_t now_ns, uint64_t done,
		       uint64_t total);

/* Takes the line away. */
void progress_end(struct progress *progress);

#endif
