/* SPDX-License-Identifier: BSD-2-Clause */
/* Walks through the states of a thread, and looks up the culprit of each. */
#include "analysis/causes/thread_cut.h"

#include "analysis/causes/kernel_cut.h"
#include "analysis/history/stretches.h"
#include "analysis/history/timeline.h"
#include "container/step_limit.h"
#include "container/time_search.h"
#include "model/blocked_calls.h"

#include <string.h>

void thread_log_init(struct event_log *log)
{
	event_log_init(log, sizeof(struct thread_event));
	log->all_max = THREAD_LOG_MAX;
	log->keeps_last = true;
}

struct thread_events thread_log_of(struct event_log *log, uint32_t tid)
{
	struct events events = event_log_until(log, tid, UINT64_MAX);

	return (struct thread_events){.event = events.event, .cnt = events.cnt};
}

size_t thread_events_until(const struct thread_events *events, uint64_t at_ns)
{
	struct time_array times = TIME_SEARCH(events->event, events->cnt, at_ns);

	return time_search_count(times, at_ns, time_search_guess(times, at_ns));
}

/*
 * Looks for what ended a sleep among the recorded wakeups, among those within the process, and
 * among the messages that the thread received next.
 */

struct wakeup {
	uint32_t tid; /* the thread that ended the sleep, or the one that ran meanwhile */
	uint64_t at_ns;
	bool from_interrupt;  /* the latter: then these two say which interrupt ended it */
	enum slice_kind kind; /* IRQ or SOFTIRQ */
	uint32_t number;      /* or WAKER_NUMBER_NONE */
};

/* A wakeup between two threads of one process. */
static bool find_within(struct cutter *cutter, uint32_t tid, const struct change *began,
			const struct change *ended, struct wakeup *wakeup)
{
	struct thread_events woken = thread_log_of(&cutter->woken, tid);
	size_t cnt = thread_events_until(&woken, ended->at_ns);

	if (!cnt || woken.event[cnt - 1].at_ns < began->at_ns)
		return false;
	*wakeup = (struct wakeup){.tid = woken.event[cnt - 1].other,
				  .at_ns = woken.event[cnt - 1].at_ns};
	return true;
}

/* Whether the thread slept in order to receive something. */
static bool waited_for_message(struct cutter *cutter, uint32_t tid, const struct change *began)
{
	enum thread_state state = state_after(began, false);
	uint32_t channel;

	return state == STATE_POLLING || state == STATE_WOKEN ||
	       history_call_at(cutter->history, tid, began->at_ns, &channel);
}

/*
 *	sleeps                  woken            receives
 *	  |     sent   queued     |                 |
 *
 * The first message that a thread receives after its sleep ended it, if it came meanwhile.
 */
static bool find_message(struct cutter *cutter, uint32_t tid, const struct change *began,
			 const struct change *ended, struct wakeup *wakeup)
{
	struct thread_events received = thread_log_of(&cutter->received, tid);
	size_t cnt = thread_events_until(&received, ended->at_ns);
	const struct thread_event *message;
	struct timeline line;

	if (cnt == received.cnt)
		return false;
	message = &received.event[cnt];
	if (message->sent_ns > ended->at_ns || message->queued_ns <= began->at_ns ||
	    !waited_for_message(cutter, tid, began))
		return false;
	line = timelines__of(cutter->history->timelines, tid);
	if (timeline_slept(&line, ended->at_ns, message->at_ns))
		return false;
	*wakeup = (struct wakeup){.tid = message->other, .at_ns = message->queued_ns};
	return true;
}

/*
 * `began` and `ended`: the changes of thread `tid` that began and ended its sleep. A message knows
 * its sender, of which an interrupt on the way knows nothing. False: not known.
 */
static bool wakeup_find(struct cutter *cutter, uint32_t tid, const struct change *began,
			const struct change *ended, struct wakeup *wakeup)
{
	struct waker waker;
	bool is_recorded = deep_events__waker(cutter->history->deep, tid, ended->at_ns, &waker);
	bool is_thread = is_recorded && waker.kind == SLICE_TASK;

	if (is_thread && !waker.is_unsure && waker.tid) {
		*wakeup = (struct wakeup){.tid = waker.tid, .at_ns = waker.at_ns};
		return true;
	}
	if (find_message(cutter, tid, began, ended, wakeup) ||
	    find_within(cutter, tid, began, ended, wakeup))
		return true;
	if (!is_recorded || is_thread)
		return false;
	*wakeup = (struct wakeup){
		.tid = waker.tid,
		.at_ns = waker.at_ns,
		.from_interrupt = true,
		.kind = waker.kind,
		.number = waker.number,
	};
	return true;
}

uint32_t sleep_ended_by(struct cutter *cutter, uint32_t tid, uint64_t at_ns)
{
	struct timeline line = timelines__of(cutter->history->timelines, tid);
	size_t i = timeline_find(&line, at_ns);
	const struct change *began = i ? &line.change[i - 1] : NULL;
	struct wakeup wakeup;

	if (!began || i == line.cnt || !timeline_follows(&line, i) ||
	    !state_is_asleep(state_after(began, false)) ||
	    !state_can_end(state_after(began, false), line.change[i].kind) ||
	    !wakeup_find(cutter, tid, began, &line.change[i], &wakeup))
		return 0;
	return wakeup.from_interrupt ? 0 : wakeup.tid;
}

/* What ended the sleep. */
static struct blame wakeup_culprit(struct cutter *cutter, const struct wakeup *wakeup)
{
	const struct cpu_share interrupt = {
		.kind = wakeup->kind, .id = wakeup->number, .seen_ns = wakeup->at_ns};

	if (!wakeup->from_interrupt || wakeup->number == WAKER_NUMBER_NONE)
		return thread_culprit(cutter, wakeup->tid, wakeup->at_ns);
	return blame_of_share(cutter->names, &cutter->roles, &interrupt);
}

static struct piece thread_cut_piece_of(uint64_t from_ns, uint64_t to_ns, enum component cost,
					enum cause_role role)
{
	return (struct piece){.from_ns = from_ns,
			      .to_ns = to_ns,
			      .cost = cost,
			      .role = role,
			      .cpu = BLAME_CPU_UNKNOWN,
			      .call = CALL_UNKNOWN,
			      .by = no_culprit()};
}

static void emit_unknown(const struct cut *cut, uint64_t from_ns, uint64_t to_ns)
{
	struct piece piece = thread_cut_piece_of(from_ns, to_ns, COST_UNKNOWN, CAUSE_UNKNOWN);

	cut_emit(cut, &piece);
}

/* What the host certainly took from the CPU in this time. When it did so is not known. */
static uint64_t stolen_within(const struct cut *cut, uint32_t cpu, uint64_t from_ns, uint64_t to_ns)
{
	const struct cutter *cutter = cut->cutter;
	uint64_t ns;

	if (!cutter->shows_interrupts || cut->span->shows_instants || cpu == BLAME_CPU_UNKNOWN)
		return 0;
	ns = deep_events__steal(cutter->history->deep, cpu, from_ns, to_ns).certain_ns;
	return ns < to_ns - from_ns ? ns : to_ns - from_ns;
}

/* Emits the piece, whose last part is what the host took. */
static void emit_with_steal(const struct cut *cut, const struct piece *piece, uint64_t stolen_ns)
{
	struct piece own = *piece, stolen = *piece;

	own.to_ns = stolen.from_ns = piece->to_ns - stolen_ns;
	stolen.role = piece->cost == COST_ON_CPU ? CAUSE_INSIDE : CAUSE_RAN;
	stolen.reason = REASON_NONE;
	stolen.by = (struct blame){.class = BLAME_STEAL, .kind = SHARE_STOLEN, .cpu = piece->cpu};
	if (piece->role == CAUSE_ITSELF && cut->cutter->shows_interrupts)
		kernel_cut_running(cut, &own);
	else
		cut_emit(cut, &own);
	cut_emit(cut, &stolen);
}

bool waits_in_realtime(struct cutter *cutter, uint32_t tid, uint64_t at_ns)
{
	return name_is_realtime(names__find(cutter->names, SLICE_TASK, tid, at_ns));
}

enum cause_reason spare_reason(struct cutter *cutter, uint32_t tid, uint64_t at_ns,
			       const struct blame *by, uint32_t *cpu)
{
	struct spare_cpu spare;

	if (by->kind != SLICE_TASK || by->class == BLAME_UNKNOWN || by->class == BLAME_IDLE ||
	    by->class == BLAME_IPCTRACE ||
	    !deep_events__spare(cutter->history->deep, tid, at_ns, &spare))
		return REASON_NONE;
	*cpu = spare.cpu;
	return spare.is_allowed ? REASON_SPARE_ALLOWED : REASON_SPARE_FORBIDDEN;
}

/* Where it ran, or else where the thread waited. */
static void emit_share(const struct cut *cut, const struct cpu_share *share, enum component cost,
		       uint32_t cpu)
{
	struct piece piece = thread_cut_piece_of(share->from_ns, share->to_ns, cost, CAUSE_UNKNOWN);
	bool is_task = share->kind == SLICE_TASK;

	piece.cpu = cpu;
	cut->cutter->roles.group = deep_events__group(cut->cutter->history->deep, cut->span->tid);
	if (share->kind != SHARE_UNKNOWN) {
		piece.role = cost == COST_ON_CPU ? CAUSE_INSIDE : CAUSE_RAN;
		piece.by = blame_of_share(cut->cutter->names, &cut->cutter->roles, share);
		piece.by.cpu = cpu;
	}
	if (share->is_reserve && waits_in_realtime(cut->cutter, cut->span->tid, share->from_ns))
		piece.reason = REASON_RESERVE;
	else if (cost == COMPONENT_RUNQUEUE && share_is_in_vain(cut->cutter->history->deep, share))
		piece.reason = REASON_IN_VAIN;
	else if (piece.role == CAUSE_RAN)
		piece.reason = spare_reason(cut->cutter, cut->span->tid, share->from_ns, &piece.by,
					    &piece.spare_cpu);
	emit_with_steal(cut, &piece,
			is_task ? stolen_within(cut, cpu, share->from_ns, share->to_ns) : 0);
}

/* The thread itself ran, between interrupts. Takes what it can from `*stolen_ns`. */
static void emit_own(const struct cut *cut, uint64_t from_ns, uint64_t to_ns, uint32_t cpu,
		     uint64_t *stolen_ns)
{
	struct piece piece = thread_cut_piece_of(from_ns, to_ns, COST_ON_CPU, CAUSE_ITSELF);
	uint64_t part_ns = *stolen_ns < to_ns - from_ns ? *stolen_ns : to_ns - from_ns;

	piece.cpu = cpu;
	*stolen_ns -= part_ns;
	emit_with_steal(cut, &piece, part_ns);
}

static void emit_running(const struct cut *cut, uint64_t from_ns, uint64_t to_ns, uint32_t cpu)
{
	struct cpu_shares *shares = &cut->cutter->blames.shares;
	uint64_t stolen_ns = stolen_within(cut, cpu, from_ns, to_ns);

	shares->cnt = 0;
	if (cut->cutter->shows_interrupts)
		cpu_slices__interrupts(cut->cutter->history->cpus, cpu, from_ns, to_ns, shares);
	for (uint32_t i = 0; i < shares->cnt && step_limit_spend(STEPS_OF_SHARE); i++) {
		const struct cpu_share *share = &shares->share[i];

		emit_own(cut, from_ns, share->from_ns, cpu, &stolen_ns);
		emit_share(cut, share, COST_ON_CPU, cpu);
		from_ns = share->to_ns;
	}
	emit_own(cut, from_ns, to_ns, cpu, &stolen_ns);
}

static void emit_wait(const struct cut *cut, const struct stretch *stretch)
{
	struct cutter *cutter = cut->cutter;
	struct blames *blames = &cutter->blames;
	const struct record_name *name =
		names__find(cutter->names, SLICE_TASK, cut->span->tid, stretch->from_ns);
	const struct cpu_wait wait = {
		.cpu = stretch_wait_cpu(stretch),
		.held_kind = !stretch->was_runnable && name_is_fair(name) ? SHARE_THROTTLED
									  : SHARE_UNKNOWN,
		.began_ns = stretch->began ? stretch->began->at_ns : stretch->from_ns,
		.from_ns = stretch->from_ns,
		.to_ns = stretch->to_ns,
	};

	blame_cut_wait(blames, cutter->history->cpus, &wait);
	for (uint32_t i = 0; i < blames->shares.cnt && step_limit_spend(STEPS_OF_SHARE); i++)
		emit_share(cut, &blames->shares.share[i], COMPONENT_RUNQUEUE, blames->cpu);
}

/* Shorter parts of a sleep count as its wait for the timeout. */
#define SLACK_MIN_NS 5000
#define LATE_MIN_NS  100000

static uint64_t instant_within(const struct piece *piece, uint64_t at_ns)
{
	uint64_t least_ns = at_ns > piece->from_ns ? at_ns : piece->from_ns;

	return least_ns < piece->to_ns ? least_ns : piece->to_ns;
}

static struct piece piece_part(const struct piece *piece, uint64_t from_ns, uint64_t to_ns,
			       enum cause_reason reason, uint64_t asked_ns)
{
	struct piece part = *piece;

	part.from_ns = from_ns;
	part.to_ns = to_ns;
	part.role = CAUSE_ITSELF;
	part.from_interrupt = false;
	part.reason = reason;
	part.asked_ns = asked_ns;
	part.by = no_culprit();
	return part;
}

/*
 * A sleep that lasted until the thread's own timeout:
 *
 *	from           may expire     has to        woken
 *	 |    timeout      |   slack    |    late     |
 *
 * `sleep` has what is known without the timeout: the interrupt that ended it.
 */
static void emit_until_timeout(const struct cut *cut, const struct piece *sleep, bool polls,
			       const struct timeout *timeout)
{
	enum cause_reason reason = polls && cut->span->has_data ? REASON_TIMEOUT_DATA
				   : timeout->failed.error      ? REASON_TRIED
								: REASON_TIMEOUT;
	uint64_t soft_ns = instant_within(sleep, timeout->soft_ns ?: UINT64_MAX);
	uint64_t rest_ns = sleep->to_ns - soft_ns;
	uint64_t hard_ns = soft_ns + (timeout->slack_ns < rest_ns ? timeout->slack_ns : rest_ns);
	bool is_late = sleep->from_interrupt && sleep->to_ns - hard_ns >= LATE_MIN_NS;
	struct piece waits, slack, late;

	if (hard_ns - soft_ns < SLACK_MIN_NS)
		soft_ns = hard_ns;
	waits = piece_part(sleep, sleep->from_ns, soft_ns, reason, timeout->asked_ns);
	waits.is_for_data = timeout->for_data;
	waits.failed = timeout->failed;
	slack = piece_part(sleep, soft_ns, hard_ns, REASON_SLACK, timeout->slack_ns);
	late = is_late ? *sleep : waits;
	late.from_ns = hard_ns;
	late.to_ns = sleep->to_ns;
	cut_emit(cut, &waits);
	cut_emit(cut, &slack);
	cut_emit(cut, &late);
}

/* A thread that waits for another one may ask several times, and does little in between. */
#define RETRIES_MAX  64
#define RETRY_NS_MAX 1000000000ULL
#define RETRY_RUN_NS 100000

/*
 * Whether the thread waits again after its timeout, until another thread wakes it:
 *
 *	|=== asleep, until its own timeout ===| runs |=== asleep ===| woken
 *	  ended                                                ------> time
 *
 * The timeouts end nothing then: an interpreter's lock asks its holder for it after each.
 */
static bool find_after_retries(const struct cut *cut, const struct stretch *sleep,
			       const struct change *ended, struct wakeup *wakeup)
{
	uint32_t tid = cut->span->tid;
	struct timeline line = timelines__of(cut->cutter->history->timelines, tid);
	struct stretch_walk walk = stretch_walk(&line, ended->at_ns, ended->at_ns + RETRY_NS_MAX);
	struct stretch next;
	struct timeout timeout;
	uint64_t ran_ns = 0;

	for (int i = 0; i < RETRIES_MAX && stretch_next(&walk, &next) && step_limit_spend(1); i++) {
		if (next.state == STATE_RUNNABLE)
			continue;
		if (next.state == STATE_RUNNING || next.state == STATE_SWITCHING) {
			ran_ns += next.to_ns - next.from_ns;
			if (ran_ns > RETRY_RUN_NS)
				return false;
			continue;
		}
		if (next.state != STATE_ASLEEP || !next.ended ||
		    change_syscall(next.began) != change_syscall(sleep->began))
			return false;
		if (!deep_events__timeout(cut->cutter->history->deep, tid, next.ended->at_ns,
					  &timeout))
			return wakeup_find(cut->cutter, tid, next.began, next.ended, wakeup) &&
			       !wakeup->from_interrupt;
	}
	return false;
}

/* Its own timeout has ended the sleep; `piece`: what is known without it. */
static void emit_timed_out(const struct cut *cut, const struct stretch *stretch,
			   const struct change *ended, struct piece *piece,
			   const struct timeout *timeout)
{
	struct wakeup wakeup;

	if (timeout->in_futex && find_after_retries(cut, stretch, ended, &wakeup)) {
		piece->role = CAUSE_WOKE;
		piece->from_interrupt = false;
		piece->by = wakeup_culprit(cut->cutter, &wakeup);
		cut_emit(cut, piece);
		return;
	}
	emit_until_timeout(cut, piece, stretch->state == STATE_POLLING, timeout);
}

/* Notes what is known of a sleep that no timeout ended. */
static void note_sleep_reason(const struct cut *cut, struct piece *sleep,
			      const struct change *ended)
{
	struct deep_events *deep = cut->cutter->history->deep;
	uint32_t tid = cut->span->tid;
	struct lock_span lock;
	struct waker waker;

	if (sleep->cost == COST_STOPPED && ended &&
	    deep_events__waker(deep, tid, ended->at_ns, &waker))
		sleep->reason = waker.of_frozen   ? REASON_FROZEN
				: waker.of_traced ? REASON_TRACED
						  : REASON_NONE;
	else if (sleep->is_for_room &&
		 deep_events__own_room(deep, tid, sleep->from_ns, sleep->to_ns) == OWN_ROOM_IS_FULL)
		sleep->reason = REASON_SEND_BUFFER;
	else if (deep_events__lock(deep, tid, sleep->from_ns, sleep->to_ns, &lock) &&
		 lock.from_ns == sleep->from_ns && lock.to_ns == sleep->to_ns)
		kernel_cut_note_lock(sleep, &lock);
}

/* The kernel holds the thread back: its own timer ends the sleep, and says nothing. */
static void emit_held_back(const struct cut *cut, const struct piece *sleep)
{
	struct piece piece = piece_part(sleep, sleep->from_ns, sleep->to_ns, REASON_DIRTY, 0);

	cut_emit(cut, &piece);
}

/* What ended the sleep is known if the sleep ends in the span, or with it. */
static void emit_sleep(const struct cut *cut, const struct stretch *stretch,
		       const struct change *ended)
{
	struct piece piece = thread_cut_piece_of(stretch->from_ns, stretch->to_ns,
						 COMPONENT_BLOCKED, CAUSE_UNKNOWN);
	struct wakeup wakeup;
	struct timeout timeout;

	piece.call = change_syscall(stretch->began);
	piece.is_for_room = stretch->began && stretch->began->kind == CHANGE_ROOM;
	piece.began_ns = piece.is_for_room ? stretch->began->at_ns : 0;
	if (piece.call == CALL_STOPPED)
		piece.cost = COST_STOPPED;
	if (ended && wakeup_find(cut->cutter, cut->span->tid, stretch->began, ended, &wakeup)) {
		piece.role = CAUSE_WOKE;
		piece.from_interrupt = wakeup.from_interrupt;
		piece.by = wakeup_culprit(cut->cutter, &wakeup);
	}
	note_sleep_reason(cut, &piece, ended);
	if (stretch->began && deep_events__held_back(cut->cutter->history->deep, cut->span->tid,
						     stretch->began->at_ns))
		emit_held_back(cut, &piece);
	else if (ended && deep_events__timeout(cut->cutter->history->deep, cut->span->tid,
					       ended->at_ns, &timeout))
		emit_timed_out(cut, stretch, ended, &piece, &timeout);
	else
		kernel_cut_sleep(cut, &piece, stretch->began ? stretch->began->at_ns : 0);
}

static void emit_stretch(const struct cut *cut, const struct stretch *stretch,
			 const struct change *ended)
{
	switch (stretch->state) {
	case STATE_ASLEEP:
	case STATE_POLLING:
	case STATE_WOKEN:
		emit_sleep(cut, stretch, ended);
		break;
	case STATE_RUNNABLE:
		emit_wait(cut, stretch);
		break;
	case STATE_SWITCHING:
	case STATE_RUNNING:
		emit_running(cut, stretch->from_ns, stretch->to_ns,
			     stretch->began ? stretch->began->cpu : cut->span->cpu);
		break;
	default:
		emit_unknown(cut, stretch->from_ns, stretch->to_ns);
	}
}

/* The change that ends the last stretch, where the walk ends. */
static const struct change *change_at_end(const struct stretch_walk *walk,
					  const struct stretch *stretch)
{
	const struct timeline *line = walk->line;
	const struct change *next = walk->next < line->cnt ? &line->change[walk->next] : NULL;
	bool is_end = next && next->at_ns == stretch->to_ns && timeline_follows(line, walk->next);

	return is_end && state_can_end(stretch->state, next->kind) ? next : NULL;
}

/* The CPU of the last change up to `at_ns` that has one. */
static uint32_t last_cpu(const struct timeline *line, uint64_t at_ns, uint32_t otherwise)
{
	for (size_t i = timeline_find(line, at_ns); i && step_limit_spend(1); i--) {
		if (change_has_cpu(&line->change[i - 1]))
			return line->change[i - 1].cpu;
	}
	return otherwise;
}

/* A thread wakes others in the course of a call that it is in already. */
#define WAKES_WITHIN_NS 100000

/*
 * The states of a thread that only wakes others are known up to its last record:
 *
 *	from        known       to
 *	 |- states -|- unknown -|
 */
static uint64_t known_end(const struct timeline *line, const struct thread_span *span)
{
	bool is_known = !span->is_followed || line->known_ns + WAKES_WITHIN_NS >= span->to_ns;

	return is_known ? span->to_ns : line->known_ns;
}

void thread_cut(struct cutter *cutter, const struct thread_span *span, piece_fn *fn, void *ctx)
{
	struct timeline line = timelines__of(cutter->history->timelines, span->tid);
	uint64_t end_ns = known_end(&line, span);
	struct stretch_walk walk = span->runs ? stretch_walk_running(&line, span->from_ns, end_ns)
					      : stretch_walk(&line, span->from_ns, end_ns);
	struct thread_span begin = *span;
	uint64_t at_ns = span->from_ns, counted_ns = span->from_ns;
	const struct cut cut = {cutter, &begin, fn, ctx, &counted_ns};
	struct stretch stretch;

	if (span->runs && cutter->shows_interrupts)
		begin.cpu = last_cpu(&line, span->from_ns, span->cpu);
	while (cutter->left && stretch_next(&walk, &stretch)) {
		emit_stretch(&cut, &stretch, stretch.ended ?: change_at_end(&walk, &stretch));
		at_ns = stretch.to_ns;
	}
	emit_unknown(&cut, at_ns, span->to_ns);
}

void thread_cut_running(struct cutter *cutter, const struct thread_span *span, piece_fn *fn,
			void *ctx)
{
	uint64_t counted_ns = span->from_ns;
	const struct cut cut = {cutter, span, fn, ctx, &counted_ns};
	uint32_t cpu = span->cpu;

	if (cutter->shows_interrupts) {
		struct timeline line = timelines__of(cutter->history->timelines, span->tid);

		cpu = last_cpu(&line, span->from_ns, span->cpu);
	}
	emit_running(&cut, span->from_ns, span->to_ns, cpu);
}
