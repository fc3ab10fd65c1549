/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Shows once a second what an attach has seen so far. The reader of records does it between two
 * drains, so that nothing wakes up for it.
 */
#include "command/attach_progress.h"

#include "command/progress.h"
#include "insight/metrics.h"
#include "report/words/so_far.h"

/* A percentile of fewer is the slowest one. */
#define P99_MIN 100

void attach_progress_begin(struct attach_progress *progress, uint64_t now_ns)
{
	progress->began_ns = now_ns;
	progress->due_ns = now_ns + PROGRESS_NS;
}

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

bool attach_progress_is_due(const struct attach_progress *progress, uint64_t now_ns)
{
	return progress->is_wanted && now_ns >= progress->due_ns;
}

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

	progress->due_ns = now_ns + PROGRESS_NS;
	look_at_slowest(analysis, &so_far);
	so_far_words(&so_far, &parts);
	progress_put(&parts);
}
