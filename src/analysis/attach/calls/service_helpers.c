/* SPDX-License-Identifier: BSD-2-Clause */
/* A helper was given work because of the request, and wakes the thread that waits. */
#include "analysis/attach/calls/service_helpers.h"

#include "container/step_limit.h"
#include "analysis/history/stretches.h"

#include <string.h>

/* What is known of the service of one request. */
struct service_facts {
	struct work_log *log;
	struct timelines *lines;
	const struct service_ends *ends;
};

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

/* Whether the helper is not in a sleep of its own when the other thread begins to wait. */
static bool is_at_work(const struct service_facts *facts, const struct service_part *part,
		       uint64_t wait_ns)
{
	struct timeline line = timelines__of(facts->lines, part->tid);
	struct works works = work_log__until(facts->log, part->tid, wait_ns);
	uint64_t asleep_ns = asleep_since(&line, wait_ns);
	bool is_being_woken = works.cnt && works.work[works.cnt - 1].got_ns >= asleep_ns;

	return part->from_ns >= wait_ns || asleep_ns <= part->from_ns || is_being_woken;
}

/* Leaves the parts of the helpers that work in the wait. False: they may not be all. */
static bool keep_helpers(const struct service_facts *facts, struct service_path *way, uint32_t tid,
			 uint64_t wait_ns)
{
	uint32_t cnt = 0;

	for (uint32_t i = 0; i < way->cnt; i++) {
		struct service_part part = way->part[i];

		if (part.to_ns <= wait_ns)
			continue;
		if (part.tid == tid || has_request(facts->log, part.tid, part.from_ns) ||
		    !is_at_work(facts, &part, wait_ns))
			return false;
		if (part.from_ns < wait_ns)
			part.from_ns = wait_ns;
		way->part[cnt++] = part;
	}
	way->cnt = cnt;
	return cnt;
}

/*
 * Whether the receiver got a further request before it gave this one away: what it gave may be that
 * one.
 */
static bool may_be_another(const struct service_facts *facts, const struct service_path *way)
{
	const struct service_part *first = &way->part[0];

	return work_log__got_request(facts->log, first->tid, facts->ends->received_ns + 1,
				     first->to_ns, 0);
}

/* The thread of part `i` waits from `wait_ns` to `woken_ns`, while those of `way` work. */
static bool put_way(struct service_path *path, uint32_t i, const struct service_path *way,
		    uint64_t wait_ns, uint64_t woken_ns)
{
	struct service_part *part = &path->part[i], *after;

	if (path->cnt + way->cnt + 1 > SERVICE_PATH_MAX)
		return false;
	after = part + way->cnt + 1;
	memmove(after, part, (path->cnt - i) * sizeof(*part));
	part->to_ns = wait_ns;
	memcpy(part + 1, way->part, way->cnt * sizeof(*part));
	after->from_ns = woken_ns;
	after->is_handed_over = true;
	path->cnt += way->cnt + 1;
	return true;
}

/*
 * Whether the thread was woken where it also waits when it has no request. Elsewhere it waits for a
 * lock, or for one certain result.
 */
static bool waits_for_work(const struct service_facts *facts, uint32_t tid, const struct work *work)
{
	return work->source == WORK_WAKEUP &&
	       work_log__waits_for_work(facts->log, tid, work->place, facts->ends->received_ns);
}

/* When the giver of `works->work[i]` woke the thread before; 0: never, as far as is known. */
static uint64_t woken_before_ns(const struct works *works, size_t i)
{
	uint32_t giver = works->work[i].giver;

	for (; i && step_limit_spend(1); i--) {
		const struct work *work = &works->work[i - 1];

		if (work->source == WORK_WAKEUP && work->giver == giver)
			return work->given_ns;
	}
	return 0;
}

/*
 * Whether a helper that was still awake took the work without a wakeup. Since it gave its last
 * result, before the request, it got nothing else and did not sleep:
 *
 *	thread    woken ... received, hands over | (asleep)          | ...
 *	helper    wakes it ................. (awake) ............... wakes it
 */
static bool helper_took_it_awake(const struct service_facts *facts, const struct works *works,
				 size_t i)
{
	const struct work *work = &works->work[i];
	uint64_t before_ns = woken_before_ns(works, i);
	struct works got = work_log__until(facts->log, work->giver, work->given_ns);
	struct timeline line = timelines__of(facts->lines, work->giver);
	struct stretch_walk walk;
	struct stretch stretch;

	if (!before_ns || before_ns >= facts->ends->received_ns ||
	    (got.cnt && got.work[got.cnt - 1].got_ns > before_ns))
		return false;
	walk = stretch_walk(&line, before_ns, work->given_ns);
	while (stretch_next(&walk, &stretch)) {
		if (stretch.state == STATE_UNKNOWN || state_is_asleep(stretch.state))
			return false;
	}
	return true;
}

/* The helpers that worked while the thread slept, from `wait_ns` on. False: they are not known. */
static bool find_workers(const struct service_facts *facts, struct service_path *way,
			 const struct works *works, size_t i, uint32_t tid, uint64_t wait_ns)
{
	const struct work *work = &works->work[i];

	if (is_helped(way, facts->log, facts->ends, work, tid))
		return !may_be_another(facts, way) && keep_helpers(facts, way, tid, wait_ns);
	way->cnt = 1;
	way->part[0] = (struct service_part){.tid = work->giver,
					     .from_ns = wait_ns,
					     .to_ns = work->given_ns,
					     .is_handed_over = true};
	return work->giver != tid && helper_took_it_awake(facts, works, i) &&
	       !has_request(facts->log, work->giver, work->given_ns);
}

/* Whether helpers are put into the path for the wait that entry `k` ended, in part `i`. */
static bool put_helpers(const struct service_facts *facts, struct service_path *path, uint32_t i,
			const struct works *works, size_t k)
{
	const struct service_part part = path->part[i];
	const struct work *work = &works->work[k];
	struct service_path way;
	struct timeline line;
	uint64_t wait_ns;

	if (!waits_for_work(facts, part.tid, work))
		return false;
	line = timelines__of(facts->lines, part.tid);
	wait_ns = asleep_since(&line, work->given_ns);
	return wait_ns > part.from_ns && find_workers(facts, &way, works, k, part.tid, wait_ns) &&
	       put_way(path, i, &way, wait_ns, work->given_ns);
}

/* Puts in the helpers of the first such wait in part `i`, whose rest becomes a part of its own. */
static void service_helpers_put_first(const struct service_facts *facts, struct service_path *path,
				      uint32_t i)
{
	const struct service_part part = path->part[i];
	struct works works = work_log__until(facts->log, part.tid, part.to_ns);

	for (size_t k = work_log__until(facts->log, part.tid, part.from_ns).cnt;
	     k < works.cnt && path->cnt + 2 <= SERVICE_PATH_MAX && step_limit_spend(1); k++) {
		if (put_helpers(facts, path, i, &works, k))
			return;
	}
}

void service_helpers_put(struct service_path *path, struct work_log *log, struct timelines *lines,
			 const struct service_ends *ends)
{
	const struct service_facts facts = {.log = log, .lines = lines, .ends = ends};

	for (uint32_t i = 0; i < path->cnt; i++)
		service_helpers_put_first(&facts, path, i);
}
