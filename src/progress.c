/* SPDX-License-Identifier: BSD-2-Clause */
#include "progress.h"

#include "log.h"

#include <stdio.h>
#include <unistd.h>

/* What is over sooner needs no progress line. */
#define QUIET_NS 1000000000ULL

void progress_begin(struct progress *progress, uint64_t now_ns, size_t cells, double work_all)
{
	*progress = (struct progress){.start_ns = now_ns, .cells = cells, .work_all = work_all};
}

void progress_cell(struct progress *progress, double work)
{
	progress->work_before += progress->work_now;
	progress->work_now = work;
	progress->cell++;
}

double progress_left_s(const struct progress *progress, uint64_t now_ns, uint64_t done,
		       uint64_t total)
{
	double share = total ? (double)done / (double)total : 0;
	double work = progress->work_before + progress->work_now * share;

	if (work <= 0)
		return -1;
	return (double)(now_ns - progress->start_ns) / 1e9 * (progress->work_all - work) / work;
}

static void print_left(double left_s)
{
	if (left_s < 100)
		fprintf(stderr, "%.0f s left", left_s);
	else
		fprintf(stderr, "%.0f min left", left_s / 60);
}

void progress_show(struct progress *progress, uint64_t now_ns, uint64_t done, uint64_t total)
{
	double left_s = progress_left_s(progress, now_ns, done, total);

	if (now_ns - progress->start_ns < QUIET_NS || left_s < 0 || done > total ||
	    log_get_level() < LOG_WARNING || !isatty(STDERR_FILENO))
		return;
	fputs("\r\033[Kipctrace: ", stderr);
	if (progress->cells > 1)
		fprintf(stderr, "run %zu of %zu, ", progress->cell, progress->cells);
	fprintf(stderr, "round %llu of %llu, ", (unsigned long long)done,
		(unsigned long long)total);
	print_left(left_s);
	progress->shown = true;
}

void progress_end(struct progress *progress)
{
	if (progress->shown)
		fputs("\r\033[K", stderr);
	progress->shown = false;
}
