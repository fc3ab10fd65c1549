/* SPDX-License-Identifier: BSD-2-Clause */
/* A helper was given work because of the request, and wakes the thread that waits. */
#include "analysis/attach/calls/service_helpers.h"

#include "analysis/container/step_limit.h"

/* Whether the thread has a request of its own: then it is no helper, but may hold a lock. */
static bool has_request(struct work_log *log, uint32_t tid, uint64_t at_ns)
{
	struct works works = work_log__until(log, tid, at_ns);

	for (; works.cnt && step_limit_spend(1); works.cnt--) {
		if (works.work[works.cnt - 1].is_request)
			return work_is_open(&works.work[works.cnt - 1], at_ns);
	}
	return false;
}

static void add_helper(struct service_path *path, const struct service_part *part)
{
	for (uint32_t i = 0; i < path->helper_cnt; i++) {
		struct service_part *known = &path->helper[i];

		if (known->tid != part->tid)
			continue;
		if (part->from_ns < known->from_ns)
			known->from_ns = part->from_ns;
		return;
	}
	if (path->helper_cnt < SERVICE_HELPERS_MAX)
		path->helper[path->helper_cnt++] = *part;
}

/* Whether this is a wakeup of the thread by another one, to which the request led on `way`. */
static bool is_helped(struct service_path *way, struct work_log *log,
		      const struct service_ends *ends, const struct work *work, uint32_t tid)
{
	return work->source == WORK_WAKEUP && work->giver != tid &&
	       service_path_search(way, log, ends, work->giver, work->given_ns);
}

/* The threads that woke this one, the youngest first. */
static void find_helpers(struct service_path *path, struct work_log *log,
			 const struct service_ends *ends, const struct service_part *part)
{
	struct works works = work_log__until(log, part->tid, part->to_ns);

	for (; works.cnt && step_limit_spend(1); works.cnt--) {
		const struct work *work = &works.work[works.cnt - 1];
		struct service_path way;

		if (work->got_ns <= part->from_ns)
			break;
		if (!is_helped(&way, log, ends, work, part->tid))
			continue;
		for (uint32_t i = 0; i < way.cnt; i++) {
			if (way.part[i].tid != part->tid &&
			    !has_request(log, way.part[i].tid, way.part[i].from_ns))
				add_helper(path, &way.part[i]);
		}
	}
}

void service_helpers_find(struct service_path *path, struct work_log *log,
			  const struct service_ends *ends)
{
	for (uint32_t i = 0; i < path->cnt; i++)
		find_helpers(path, log, ends, &path->part[i]);
}
