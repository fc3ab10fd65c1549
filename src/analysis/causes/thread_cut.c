/* SPDX-License-Identifier: BSD-2-Clause */
/* Walks through the states of a thread, and looks up the culprit of each. */
#include "analysis/causes/thread_cut.h"

#include "analysis/history/short_calls.h"
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

struct blame thread_culprit(struct cutter *cutter, uint32_t tid, uint64_t at_ns)
{
	const char *comm = roles__comm(cutter->roles.roles, tid);
	const struct cpu_share share = {.kind = SLICE_TASK, .id = tid, .seen_ns = at_ns};
	struct blame blame = blame_of_share(cutter->names, &cutter->roles, &share);

	if (!blame.comm[0] && comm)
		memcpy(blame.comm, comm, sizeof(blame.comm));
	return blame;
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

/* What ended the sleep. */
static struct blame wakeup_culprit(struct cutter *cutter, const struct wakeup *wakeup)
{
	const struct cpu_share interrupt = {
		.kind = wakeup->kind, .id = wakeup->number, .seen_ns = wakeup->at_ns};

	if (!wakeup->from_interrupt || wakeup->number == WAKER_NUMBER_NONE)
		return thread_culprit(cutter, wakeup->tid, wakeup->at_ns);
	return blame_of_share(cutter->names, &cutter->roles, &interrupt);
}

struct cut {
	struct cutter *cutter;
	const struct thread_span *span;
	piece_fn *fn;
	void *ctx;
};

static void thread_cut_emit(const struct cut *cut, const struct piece *piece)
{
	if (piece->from_ns >= piece->to_ns)
		return;
	if (cut->cutter->left)
		cut->cutter->left--;
	cut->fn(cut->ctx, piece);
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

	thread_cut_emit(cut, &piece);
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

/*
 * Emits a piece in which the thread ran its own code or short system calls. Their times are known,
 * not their instants: they stand at the begin of their stretch.
 *
 *	from       stretch begins              stretch ends        to
 *	 | own code | in write | in read | own code | own code     |
 */
static void emit_short_calls(const struct cut *cut, const struct piece *piece)
{
	struct event_log *shorts = deep_events__shorts(cut->cutter->history->deep);
	struct piece part = *piece;
	struct short_calls_part stretch;

	while (cut->cutter->left && step_limit_spend(STEPS_OF_SHARE) &&
	       short_calls_first(shorts, cut->span->tid, part.from_ns, piece->to_ns, &stretch)) {
		part.to_ns = stretch.from_ns;
		thread_cut_emit(cut, &part);
		part.from_ns = stretch.from_ns;
		part.reason = REASON_SHORT_CALLS;
		for (uint32_t i = 0; i < stretch.cnt; i++) {
			uint32_t number = stretch.call[i].number;

			part.to_ns = part.from_ns + stretch.call[i].ns;
			part.call = number < CALL_OUTSIDE ? number : CALL_UNKNOWN;
			thread_cut_emit(cut, &part);
			part.from_ns = part.to_ns;
		}
		part.to_ns = stretch.to_ns;
		part.reason = piece->reason;
		part.call = CALL_UNKNOWN;
		thread_cut_emit(cut, &part);
		part.from_ns = stretch.to_ns;
	}
	part.to_ns = piece->to_ns;
	thread_cut_emit(cut, &part);
}

/*
 * Emits a piece in which the thread itself ran. The parts in long system calls have their numbers:
 *
 *	from      enter          exit       to
 *	 |  own code |   in clone  | own code |
 */
static void emit_in_calls(const struct cut *cut, const struct piece *piece)
{
	struct deep_events *deep = cut->cutter->history->deep;
	struct piece part = *piece;
	struct call_span call;

	while (cut->cutter->left && step_limit_spend(STEPS_OF_SHARE) &&
	       deep_events__call(deep, cut->span->tid, part.from_ns, piece->to_ns, &call)) {
		part.to_ns = call.from_ns;
		emit_short_calls(cut, &part);
		part.from_ns = call.from_ns;
		part.to_ns = call.to_ns;
		part.call = call.number < CALL_OUTSIDE ? call.number : CALL_UNKNOWN;
		thread_cut_emit(cut, &part);
		part.from_ns = call.to_ns;
		part.call = CALL_UNKNOWN;
	}
	part.to_ns = piece->to_ns;
	emit_short_calls(cut, &part);
}

static enum cause_reason lock_reason(const struct lock_span *lock)
{
	static const enum cause_reason reasons[NR_KERNEL_LOCKS] = {
		[KERNEL_LOCK_SPIN] = REASON_KERNEL_SPIN,
		[KERNEL_LOCK_MUTEX] = REASON_KERNEL_MUTEX,
		[KERNEL_LOCK_RWSEM] = REASON_KERNEL_RWSEM,
	};

	return reasons[lock->kind];
}

/*
 * The thread ran: in waits for locks of the kernel, and in between.
 *
 *	  own code | waits on its CPU | own code
 */
static void emit_in_locks(const struct cut *cut, const struct piece *piece)
{
	struct deep_events *deep = cut->cutter->history->deep;
	struct piece part = *piece;
	struct lock_span lock;

	while (cut->cutter->left && step_limit_spend(STEPS_OF_SHARE) &&
	       deep_events__lock(deep, cut->span->tid, part.from_ns, piece->to_ns, &lock)) {
		part.to_ns = lock.from_ns;
		if (part.from_ns < part.to_ns)
			emit_in_calls(cut, &part);
		part.from_ns = lock.from_ns;
		part.to_ns = lock.to_ns;
		part.reason = lock_reason(&lock);
		part.call = lock.number < CALL_OUTSIDE ? lock.number : CALL_UNKNOWN;
		thread_cut_emit(cut, &part);
		part = *piece;
		part.from_ns = lock.to_ns;
	}
	part.to_ns = piece->to_ns;
	if (part.from_ns < part.to_ns)
		emit_in_calls(cut, &part);
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
		emit_in_locks(cut, &own);
	else
		thread_cut_emit(cut, &own);
	thread_cut_emit(cut, &stolen);
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
	enum cause_reason reason =
		polls && cut->span->has_data ? REASON_TIMEOUT_DATA : REASON_TIMEOUT;

	uint64_t soft_ns = instant_within(sleep, timeout->soft_ns ?: UINT64_MAX);
	uint64_t rest_ns = sleep->to_ns - soft_ns;
	uint64_t hard_ns = soft_ns + (timeout->slack_ns < rest_ns ? timeout->slack_ns : rest_ns);
	bool is_late = sleep->from_interrupt && sleep->to_ns - hard_ns >= LATE_MIN_NS;
	struct piece waits, slack, late;

	if (hard_ns - soft_ns < SLACK_MIN_NS)
		soft_ns = hard_ns;
	waits = piece_part(sleep, sleep->from_ns, soft_ns, reason, timeout->asked_ns);
	slack = piece_part(sleep, soft_ns, hard_ns, REASON_SLACK, timeout->slack_ns);
	late = is_late ? *sleep : waits;
	late.from_ns = hard_ns;
	late.to_ns = sleep->to_ns;
	thread_cut_emit(cut, &waits);
	thread_cut_emit(cut, &slack);
	thread_cut_emit(cut, &late);
}

/* What is known of a sleep that no timeout ended. */
static enum cause_reason sleep_reason(const struct cut *cut, const struct piece *sleep,
				      const struct change *ended)
{
	struct deep_events *deep = cut->cutter->history->deep;
	uint32_t tid = cut->span->tid;
	struct lock_span lock;
	struct waker waker;

	if (sleep->cost == COST_STOPPED && ended &&
	    deep_events__waker(deep, tid, ended->at_ns, &waker))
		return waker.of_frozen   ? REASON_FROZEN
		       : waker.of_traced ? REASON_TRACED
					 : REASON_NONE;
	if (sleep->is_for_room && deep_events__full_buffer(deep, tid, sleep->from_ns, sleep->to_ns))
		return REASON_SEND_BUFFER;
	if (deep_events__lock(deep, tid, sleep->from_ns, sleep->to_ns, &lock) &&
	    lock.from_ns == sleep->from_ns && lock.to_ns == sleep->to_ns)
		return lock_reason(&lock);
	return REASON_NONE;
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
	if (piece.call == CALL_STOPPED)
		piece.cost = COST_STOPPED;
	if (ended && wakeup_find(cut->cutter, cut->span->tid, stretch->began, ended, &wakeup)) {
		piece.role = CAUSE_WOKE;
		piece.from_interrupt = wakeup.from_interrupt;
		piece.by = wakeup_culprit(cut->cutter, &wakeup);
	}
	piece.reason = sleep_reason(cut, &piece, ended);
	if (ended && deep_events__timeout(cut->cutter->history->deep, cut->span->tid, ended->at_ns,
					  &timeout))
		emit_until_timeout(cut, &piece, stretch->state == STATE_POLLING, &timeout);
	else
		thread_cut_emit(cut, &piece);
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

void thread_cut(struct cutter *cutter, const struct thread_span *span, piece_fn *fn, void *ctx)
{
	struct timeline line = timelines__of(cutter->history->timelines, span->tid);
	struct stretch_walk walk = span->runs
					   ? stretch_walk_running(&line, span->from_ns, span->to_ns)
					   : stretch_walk(&line, span->from_ns, span->to_ns);
	struct thread_span begin = *span;
	const struct cut cut = {.cutter = cutter, .span = &begin, .fn = fn, .ctx = ctx};
	uint64_t at_ns = span->from_ns;
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
	const struct cut cut = {.cutter = cutter, .span = span, .fn = fn, .ctx = ctx};
	uint32_t cpu = span->cpu;

	if (cutter->shows_interrupts) {
		struct timeline line = timelines__of(cutter->history->timelines, span->tid);

		cpu = last_cpu(&line, span->from_ns, span->cpu);
	}
	emit_running(&cut, span->from_ns, span->to_ns, cpu);
}
