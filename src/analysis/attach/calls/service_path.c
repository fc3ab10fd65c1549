/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Searches back in time from the answer, from thread to thread. Which of the things that a thread
 * got led to its answer is not certain: a way counts if it begins at the request. A thread that
 * received several requests has worked on all of them.
 */
#include "analysis/attach/calls/service_path.h"

#include "analysis/history/stretches.h"
#include "container/step_limit.h"

#include <string.h>

struct search {
	struct work_log *log;
	const struct service_ends *ends;
	uint32_t number; /* marks what led nowhere */
	uint32_t depth;
	struct service_path *path;
};

static bool service_path_leads_to(struct search *search, uint32_t tid, uint64_t at_ns,
				  uint64_t since_ns);

static bool is_goal(const struct search *search, uint32_t tid, const struct work *work)
{
	return tid == search->ends->receiver && work->got_ns == search->ends->received_ns &&
	       work->source != WORK_WAKEUP;
}

/* Appends the time of one thread. */
static void service_path_append(struct search *search, uint32_t tid, uint64_t from_ns,
				uint64_t to_ns)
{
	struct service_path *path = search->path;

	path->part[path->cnt] = (struct service_part){
		.tid = tid, .from_ns = from_ns, .to_ns = to_ns, .is_handed_over = path->cnt};
	path->cnt++;
}

/*
 * When the same giver gave the thread something before: all requests that the giver received since
 * then may be in what it gives now.
 */
static uint64_t given_before(const struct works *works, size_t i)
{
	const struct work *work = &works->work[i];

	for (; i && step_limit_spend(1); i--) {
		const struct work *before = &works->work[i - 1];

		if (before->giver == work->giver && before->given_ns < work->given_ns)
			return before->given_ns;
	}
	return work->given_ns;
}

/* Whether the giver of what a thread got had the request. Then the thread goes on from there. */
static bool was_given_it(struct search *search, const struct works *works, size_t i, uint32_t tid,
			 uint64_t at_ns)
{
	struct work *work = &works->work[i];
	uint64_t given_ns = work->given_ns;

	if (work->search == search->number || given_ns < search->ends->received_ns)
		return false;
	work->search = search->number;
	if (!service_path_leads_to(search, work->giver, given_ns, given_before(works, i)))
		return false;
	service_path_append(search, tid, given_ns, at_ns);
	return true;
}

/*
 * Looks for the request itself, or for a message that hands it over, back to where the thread got
 * another request. `*first` is the first entry that was looked at.
 */
static bool got_it(struct search *search, const struct works *works, uint32_t tid, uint64_t at_ns,
		   uint64_t since_ns, size_t *first)
{
	for (size_t i = works->cnt; i && step_limit_spend(1); i--) {
		const struct work *work = &works->work[i - 1];

		if (work->got_ns < search->ends->received_ns)
			break;
		*first = i - 1;
		if (is_goal(search, tid, work)) {
			service_path_append(search, tid, work->got_ns, at_ns);
			return true;
		}
		if (work->source == WORK_MESSAGE && was_given_it(search, works, i - 1, tid, at_ns))
			return true;
		if (work->source == WORK_REQUEST && work->got_ns <= since_ns)
			break;
	}
	return false;
}

/*
 * A wakeup may hand over work, or a lock. The first one that hands over the request counts: the
 * thread has the request from then on, and waits for locks.
 */
static bool was_woken_for_it(struct search *search, const struct works *works, size_t first,
			     uint32_t tid, uint64_t at_ns)
{
	for (size_t i = first; i < works->cnt && step_limit_spend(1); i++) {
		if (works->work[i].source == WORK_WAKEUP &&
		    was_given_it(search, works, i, tid, at_ns))
			return true;
	}
	return false;
}

/* Whether the thread worked on the request at `at_ns`. Appends how it came there. */
static bool service_path_leads_to(struct search *search, uint32_t tid, uint64_t at_ns,
				  uint64_t since_ns)
{
	struct works works = work_log__until(search->log, tid, at_ns);
	size_t first = works.cnt;
	bool is_found;

	if (search->depth == SERVICE_PATH_MAX)
		return false;
	search->depth++;
	is_found = got_it(search, &works, tid, at_ns, since_ns, &first) ||
		   was_woken_for_it(search, &works, first, tid, at_ns);
	search->depth--;
	return is_found;
}

/*
 * When the sleep began that this wakeup of the answerer ended; 0: it ended none, or one in which
 * the answerer waited for work.
 */
static uint64_t ended_wait_for_lock(struct work_log *log, const struct timeline *line,
				    const struct service_ends *ends, const struct work *work)
{
	if (work->source != WORK_WAKEUP ||
	    work_log__waits_for_work(log, ends->answerer, work->place, ends->received_ns))
		return 0;
	return asleep_since(line, work->got_ns);
}

/*
 * What another thread of the process has sent to the one that answers, and made it answer: `*works`
 * ends with it. False: there is no such message. The answerer may have waited for a lock that the
 * other one still had when it sent:
 *
 *	other      sends ............. frees the lock
 *	answerer       | got it | (asleep)        | ... answers
 */
static bool was_sent_work(struct works *works, struct work_log *log, struct timelines *lines,
			  const struct service_ends *ends)
{
	struct timeline line = timelines__of(lines, ends->answerer);
	uint64_t until_ns = ends->answered_ns, asleep_ns;
	uint32_t other = 0;

	*works = work_log__until(log, ends->answerer, ends->answered_ns);
	for (; works->cnt && step_limit_spend(1); works->cnt--) {
		const struct work *work = &works->work[works->cnt - 1];

		if (work->got_ns <= ends->received_ns ||
		    timeline_waited(&line, work->got_ns, until_ns))
			return false;
		if (other && work->giver != other)
			continue;
		if (work->source == WORK_MESSAGE)
			return true;
		asleep_ns = ended_wait_for_lock(log, &line, ends, work);
		if (asleep_ns) {
			other = work->giver;
			until_ns = asleep_ns - 1;
		}
	}
	return false;
}

/*
 * A thread that is awake finds its work without a wakeup:
 *
 *	          received
 *	thread      |  (the receiver hands over)
 *	  sent ... awake ...                        gives or answers
 *
 * It had sent its last result before, and got nothing from then on.
 */
static bool took_it_awake(const struct search *search, struct timelines *lines, uint32_t tid,
			  uint64_t until_ns)
{
	uint64_t received_ns = search->ends->received_ns;
	uint64_t sent_ns = work_log__sent_before(search->log, tid, received_ns);
	struct works works = work_log__until(search->log, tid, until_ns);
	struct timeline line = timelines__of(lines, tid);
	enum thread_state state = stretch_walk(&line, received_ns, received_ns).state;

	return sent_ns && until_ns >= received_ns &&
	       (!works.cnt || works.work[works.cnt - 1].got_ns <= sent_ns) &&
	       state != STATE_UNKNOWN && !state_is_asleep(state);
}

/* The thread has the work from the request on. */
static void append_first(struct search *search, uint32_t tid, uint64_t to_ns)
{
	service_path_append(search, tid, search->ends->received_ns, to_ns);
	search->path->part[0].is_handed_over = true;
}

/* The thread that answers, or the one that made it answer, took the work while it was awake. */
static void find_awake(struct search *search, struct timelines *lines)
{
	const struct service_ends *ends = search->ends;
	const struct work *given;
	struct works works;

	if (was_sent_work(&works, search->log, lines, ends)) {
		given = &works.work[works.cnt - 1];
		if (!took_it_awake(search, lines, given->giver, given->given_ns))
			return;
		append_first(search, given->giver, given->given_ns);
		service_path_append(search, ends->answerer, given->given_ns, ends->answered_ns);
	} else if (ends->answerer != ends->receiver &&
		   took_it_awake(search, lines, ends->answerer, ends->answered_ns)) {
		append_first(search, ends->answerer, ends->answered_ns);
	}
}

void service_path_find(struct service_path *path, struct work_log *log, struct timelines *lines,
		       const struct service_ends *ends)
{
	struct search search = {
		.log = log, .ends = ends, .number = work_log__begin_search(log), .path = path};
	struct works works;
	bool is_found;

	path->cnt = path->helper_cnt = 0;
	is_found = service_path_leads_to(&search, ends->answerer, ends->answered_ns,
					 ends->received_ns);
	if (!is_found || (path->cnt == 1 && was_sent_work(&works, log, lines, ends))) {
		path->cnt = 0;
		find_awake(&search, lines);
	}
}

bool service_path_search(struct service_path *path, struct work_log *log,
			 const struct service_ends *ends, uint32_t tid, uint64_t at_ns)
{
	struct search search = {
		.log = log, .ends = ends, .number = work_log__begin_search(log), .path = path};

	path->cnt = path->helper_cnt = 0;
	return service_path_leads_to(&search, tid, at_ns, at_ns);
}

/* What a thread got last before it sent something, wakeups aside; NULL: nothing is known. */
static const struct work *last_work(struct work_log *log, uint32_t tid, uint64_t sent_ns)
{
	struct works works = work_log__until(log, tid, sent_ns);

	while (works.cnt && works.work[works.cnt - 1].source == WORK_WAKEUP && step_limit_spend(1))
		works.cnt--;
	return works.cnt ? &works.work[works.cnt - 1] : NULL;
}

static bool has_slept(struct timelines *lines, uint32_t tid, uint64_t from_ns, uint64_t to_ns)
{
	struct timeline line = timelines__of(lines, tid);

	return timeline_waited(&line, from_ns, to_ns);
}

struct request_id request_behind(struct work_log *log, struct timelines *lines, uint32_t tid,
				 uint64_t sent_ns)
{
	static const struct request_id none = {0};

	for (int depth = 0; depth < SERVICE_PATH_MAX && step_limit_spend(1); depth++) {
		const struct work *last = last_work(log, tid, sent_ns), *request;
		bool is_given = last && last->source == WORK_MESSAGE && !last->parent.number;

		/* Most clients have received something that was for no request of their own. */
		if (!last || (!is_given && !last->parent.number) ||
		    has_slept(lines, tid, last->got_ns, sent_ns))
			return none;
		if (!is_given) {
			request = work_log__request(log, &last->parent);
			return request && work_is_open(request, sent_ns) ? last->parent : none;
		}
		tid = last->giver;
		sent_ns = last->given_ns;
	}
	return none;
}

bool is_sent_for(struct work_log *log, struct timelines *lines, uint32_t tid, uint64_t got_ns,
		 uint64_t sent_ns)
{
	const struct work *last = last_work(log, tid, sent_ns);

	return last && last->got_ns == got_ns && !has_slept(lines, tid, got_ns, sent_ns);
}

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

	/*
	 * If the receiver got a further request before it gave this one away, what it gave may be
	 * that one.
	 */
	if (is_helped(way, facts->log, facts->ends, work, tid))
		return !work_log__got_request(facts->log, way->part[0].tid,
					      facts->ends->received_ns + 1, way->part[0].to_ns,
					      0) &&
		       keep_helpers(facts, way, tid, wait_ns);
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

	/* Where it does not wait without a request, it waits for a lock or one certain result. */
	if (work->source != WORK_WAKEUP ||
	    !work_log__waits_for_work(facts->log, part.tid, work->place, facts->ends->received_ns))
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
