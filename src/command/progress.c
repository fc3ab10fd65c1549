/* SPDX-License-Identifier: BSD-2-Clause */
/* Estimates the remaining time of long runs. Shows the estimate on the terminal. */
#include "command/progress.h"

#include "util/log.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* Shorter runs need no progress line. */
#define QUIET_NS   1000000000ULL

#define CLEAR_LINE "\r\033[K"

/* Room for the longest numbers. */
#define LINE_LEN 160

void progress_begin(struct progress *progress, uint64_t now_ns, size_t runs, double work_all)
{
	*progress = (struct progress){.start_ns = now_ns, .runs = runs, .work_all = work_all};
}

void progress_run(struct progress *progress, double work)
{
	progress->work_before += progress->work_now;
	progress->work_now = work;
	progress->run++;
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

/*
 * Bypasses plain.h, which would escape the cursor control. The line has numbers only, no foreign
 * names.
 */
static void put_own(const char *text)
{
	if (write(STDERR_FILENO, text, strlen(text)) < 0)
		return; /* the terminal is gone */
}

static void left_text(double left_s, char *text, size_t size)
{
	if (left_s < 100)
		snprintf(text, size, "%.0f s left", left_s);
	else
		snprintf(text, size, "%.0f min left", left_s / 60);
}

void progress_show(struct progress *progress, uint64_t now_ns, uint64_t done, uint64_t total)
{
	double left_s = progress_left_s(progress, now_ns, done, total);
	char line[LINE_LEN];
	int at;

	if (now_ns - progress->start_ns < QUIET_NS || left_s < 0 || done > total ||
	    log_get_level() < LOG_WARNING || !isatty(STDERR_FILENO))
		return;
	at = snprintf(line, sizeof(line), CLEAR_LINE "ipctrace: ");
	if (progress->runs > 1)
		at += snprintf(line + at, sizeof(line) - at, "run %zu of %zu, ", progress->run,
			       progress->runs);
	at += snprintf(line + at, sizeof(line) - at, "round %llu of %llu, ",
		       (unsigned long long)done, (unsigned long long)total);
	left_text(left_s, line + at, sizeof(line) - at);
	put_own(line);
	progress->shown = true;
}

void progress_end(struct progress *progress)
{
	if (progress->shown)
		put_own(CLEAR_LINE);
	progress->shown = false;
}
