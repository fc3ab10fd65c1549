/* SPDX-License-Identifier: BSD-2-Clause */
/* Shows on the terminal how long runs go on, and what an attach has seen so far. */
#include "command/progress.h"

#include "cli/options.h"
#include "cli/terminal.h"
#include "command/output.h"
#include "insight/metrics.h"
#include "report/words/so_far.h"
#include "util/log.h"
#include "util/status_line.h"

#include <stdio.h>
#include <unistd.h>

enum rank { RANK_LEFT, RANK_ROUND, RANK_RUN, RANK_PROGRAM };

/* A command of --on-slow has the same stderr. */
bool progress_is_wanted(const struct output *output, const struct watch_options *watch)
{
	return isatty(STDERR_FILENO) && log_get_level() >= LOG_WARNING && !watch->on_slow &&
	       !output_shows_live(output);
}

/* What fits of the line. Does nothing on a terminal that cannot rewrite it. */
static void progress_put_line(const struct line_parts *parts)
{
	int columns = terminal_status_columns(STDERR_FILENO);
	char line[LINE_OF_PARTS_LEN];

	if (!columns)
		return;
	line_parts_fit(parts, columns, line);
	status_line_show(line);
}

void progress_begin(struct progress *progress, uint64_t now_ns, size_t runs, double work_all)
{
	*progress = (struct progress){.start_ns = now_ns,
				      .due_ns = now_ns + PROGRESS_NS,
				      .runs = runs,
				      .work_all = work_all};
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

/* The parts that follow each other have their commas, whichever are left out. */
void progress_words(const struct progress *progress, uint64_t now_ns, uint64_t done, uint64_t total,
		    struct line_parts *parts)
{
	double left_s = progress_left_s(progress, now_ns, done, total);

	line_parts_add(parts, RANK_PROGRAM, "ipctrace: ");
	if (progress->runs > 1)
		line_parts_add(parts, RANK_RUN, "run %zu of %zu, ", progress->run, progress->runs);
	line_parts_add(parts, RANK_ROUND, "round %llu of %llu, ", (unsigned long long)done,
		       (unsigned long long)total);
	if (left_s < 100)
		line_parts_add(parts, RANK_LEFT, "%.0f s left", left_s);
	else
		line_parts_add(parts, RANK_LEFT, "%.0f min left", left_s / 60);
}

void progress_show(struct progress *progress, uint64_t now_ns, uint64_t done, uint64_t total)
{
	struct line_parts parts = {0};

	if (!progress->is_wanted || now_ns < progress->due_ns || done > total ||
	    progress_left_s(progress, now_ns, done, total) < 0)
		return;
	progress->due_ns = now_ns + PROGRESS_NS;
	progress_words(progress, now_ns, done, total, &parts);
	progress_put_line(&parts);
}

/* A percentile of fewer is the slowest one. */
#define P99_MIN 100

static void look_at_slowest(const struct analysis *analysis, struct so_far *so_far)
{
	const struct summary *summary = analysis__summary(analysis);
	bool is_call = summary_unit(summary) == UNIT_CALL;
	const struct stat *stat = is_call ? &summary->calls.round_trip : &summary->latency;
	struct end_summary to;

	so_far->unit = is_call ? UNIT_CALL : UNIT_MESSAGE;
	so_far->slowest_ns = analysis__slowest(analysis, so_far->unit, &to);
	if (to.pid)
		end_title(summary, &to, so_far->to);
	if (stat->count >= P99_MIN)
		so_far->p99_ns = stat_percentile(stat, 99);
}

/* The reader of records does it between two drains, so that nothing wakes up for it. */
void attach_progress_show(struct attach_progress *progress, uint64_t now_ns,
			  const struct analysis *analysis, uint64_t lost)
{
	const struct summary *summary = analysis__summary(analysis);
	struct so_far so_far = {
		.traced_ns = now_ns - progress->began_ns,
		.messages = summary->integrity.matched,
		.calls = calls_seen(&summary->calls),
		.lost = lost,
	};
	struct line_parts parts = {0};

	if (!progress->is_wanted || now_ns < progress->due_ns)
		return;
	progress->due_ns = now_ns + PROGRESS_NS;
	look_at_slowest(analysis, &so_far);
	so_far_words(&so_far, &parts);
	progress_put_line(&parts);
}
