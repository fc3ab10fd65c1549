/* SPDX-License-Identifier: BSD-2-Clause */
/* Turns the pieces of a thread's time into causes. */
#include "analysis/causes/span_causes.h"

#include "analysis/causes/circles.h"
#include "analysis/history/timeline.h"
#include "container/step_limit.h"
#include "model/blocked_calls.h"

#include <string.h>

/* So many changes are looked at. */
#define CHANGES_LOOKED_AT 256

bool handles_until(struct cutter *cutter, uint32_t tid, const struct thread_event *received,
		   uint64_t at_ns)
{
	struct timeline line = timelines__of(cutter->history->timelines, tid);
	size_t i = timeline_find(&line, at_ns), left = CHANGES_LOOKED_AT;

	for (; i && line.change[i - 1].at_ns > received->at_ns; i--) {
		if (!left-- || !step_limit_spend(1) ||
		    waits_for_messages(cutter, tid, &line.change[i - 1]))
			return false;
	}
	return true;
}

int handled_add(struct cutter *cutter, uint32_t tid, struct thread_event *received)
{
	struct thread_events events = thread_log_of(&cutter->received, tid);
	const struct thread_event *last = events.cnt ? &events.event[events.cnt - 1] : NULL;

	received->since_ns = received->at_ns;
	if (last && last->other == received->other &&
	    handles_until(cutter, tid, last, received->at_ns))
		received->since_ns = last->since_ns;
	return event_log_add(&cutter->received, tid, received);
}

/* The threads that are followed at present: none of them is followed again. */
struct chain {
	uint32_t tid;
	uint32_t depth;
	const struct chain *above;
};

struct adding {
	struct cutter *cutter;
	struct cause_list *list;
	const struct span_causes *what;
	struct followed_waits *waits;
	uint16_t parent;
	bool is_over;              /* see is_over_asleep */
	const struct chain *above; /* what waits for the thread; NULL: nothing is known to */
};

/* A piece in which the thread works for others is cut into so many parts; the rest is not known. */
#define PARTS_MAX 256

static uint16_t span_causes_add_cause(struct adding *adding, const struct piece *piece,
				      enum component cost)
{
	struct cause cause = {
		.part = adding->what->part,
		.cost = cost,
		.role = piece->role,
		.from_interrupt = piece->from_interrupt,
		.call = components[cost].has_call ? piece->call : CALL_UNKNOWN,
		.parent = adding->parent,
		.reason = piece->reason,
		.tid = adding->what->span.tid,
		.from_ns = piece->from_ns,
		.asked_ns = piece->asked_ns,
		.failed = piece->failed,
		.spare_cpu = piece->spare_cpu,
		.minor = piece->faults.minor,
		.major = piece->faults.major,
		.by = piece->by,
	};

	memcpy(cause.disk, piece->disk, sizeof(cause.disk));
	memcpy(cause.function, piece->function, sizeof(cause.function));
	cause.by.ns = piece->to_ns - piece->from_ns;
	return cause.by.ns ? cause_list_add(adding->list, &cause) : 0;
}

static void span_causes_note_wait(struct adding *adding, const struct piece *piece, uint16_t number)
{
	struct followed_waits *waits = adding->waits;

	if (piece->role != CAUSE_WOKE || piece->from_interrupt || !piece->by.tid || !number ||
	    waits->cnt == FOLLOWED_WAITS_MAX)
		return;
	waits->wait[waits->cnt++] = (struct followed_wait){
		.cause = number,
		.tid = adding->what->span.tid,
		.by = piece->by.tid,
		.from_ns = piece->from_ns,
		.to_ns = piece->to_ns,
	};
}

/*
 * Adds a part of the piece. In it the thread works for another one, if that is known (not 0), or
 * else as `role` says. Whether that work is in short calls or not, it is the same.
 */
static void span_causes_add_part(struct adding *adding, const struct piece *piece, uint64_t from_ns,
				 uint64_t to_ns, uint32_t keeper, enum cause_role role)
{
	struct piece part = *piece;

	part.from_ns = from_ns;
	part.to_ns = to_ns;
	part.role = role;
	if (keeper) {
		part.role = CAUSE_KEPT;
		part.by = thread_culprit(adding->cutter, keeper, from_ns);
		if (part.reason)
			part.call = CALL_UNKNOWN;
		part.reason = REASON_NONE;
	}
	span_causes_add_cause(adding, &part, adding->what->cost);
}

/* Up to the next send the thread works because of the one before. */
static void add_kept_by_sent(struct adding *adding, const struct piece *piece)
{
	const struct span_causes *what = adding->what;
	struct cutter *cutter = adding->cutter;
	struct thread_events sent = thread_log_of(&cutter->sent, what->span.tid);
	size_t next = thread_events_until(&sent, piece->from_ns), left = PARTS_MAX;
	uint64_t at_ns = piece->from_ns;

	for (; at_ns < piece->to_ns && left-- && step_limit_spend(STEPS_OF_MESSAGE); next++) {
		const struct thread_event *send = next ? &sent.event[next - 1] : NULL;
		bool is_over = next == sent.cnt || sent.event[next].at_ns >= piece->to_ns;
		uint64_t end_ns = is_over ? piece->to_ns : sent.event[next].at_ns;
		bool is_kept = send && send->at_ns >= what->since_ns;

		span_causes_add_part(adding, piece, at_ns, end_ns,
				     is_kept ? cutter->reader_of(cutter->ctx, send->channel) : 0,
				     piece->role);
		at_ns = end_ns;
	}
	/* There are too many parts. */
	span_causes_add_part(adding, piece, at_ns, piece->to_ns, 0, CAUSE_UNKNOWN);
}

/*
 * Backwards in time, from sender to sender of what the thread has received:
 *
 *	since                  at
 *	  |  A  |  A  |  A  |  A    |  B  |  B    the piece ends
 *	                          since  at
 */
static void add_kept_by_received(struct adding *adding, const struct piece *piece)
{
	const struct span_causes *what = adding->what;
	struct thread_events received = thread_log_of(&adding->cutter->received, what->span.tid);
	uint64_t end_ns = piece->to_ns;

	for (size_t left = PARTS_MAX; end_ns > piece->from_ns && left; left--) {
		size_t cnt = thread_events_until(&received, end_ns - 1);
		const struct thread_event *last = cnt ? &received.event[cnt - 1] : NULL;
		uint64_t from_ns =
			last && last->since_ns > piece->from_ns ? last->since_ns : piece->from_ns;
		bool is_kept = last && (last->at_ns > piece->from_ns ||
					handles_until(adding->cutter, what->span.tid, last,
						      piece->from_ns));

		span_causes_add_part(adding, piece, from_ns, end_ns, is_kept ? last->other : 0,
				     piece->role);
		end_ns = from_ns;
	}
	span_causes_add_part(adding, piece, piece->from_ns, end_ns, 0, CAUSE_UNKNOWN);
}

static void span_causes_add_own(struct adding *adding, const struct piece *piece,
				enum component cost)
{
	struct piece own = *piece;

	own.role = CAUSE_ITSELF;
	own.from_interrupt = false;
	own.call = CALL_UNKNOWN;
	own.reason = REASON_NONE;
	own.function[0] = '\0';
	own.by = no_culprit();
	span_causes_add_cause(adding, &own, cost);
}

static bool span_causes_is_in_chain(const struct chain *chain, uint32_t tid)
{
	for (; chain; chain = chain->above) {
		if (chain->tid == tid)
			return true;
	}
	return false;
}

/* A thread of this process that is in the chain; 0: none is. */
static uint32_t thread_in_chain(const struct adding *adding, uint32_t pid, uint64_t at_ns)
{
	for (const struct chain *chain = adding->above; pid && chain; chain = chain->above) {
		struct blame thread = thread_culprit(adding->cutter, chain->tid, at_ns);

		if ((thread.pid ?: chain->tid) == pid)
			return chain->tid;
	}
	return 0;
}

/*
 * The thread waits for room at one that waits for it in turn, which is in the chain; 0: it does
 * not. The last send that began before is the one that waits. Without one it began before tracing.
 */
static uint32_t circle_with(const struct adding *adding, const struct piece *piece)
{
	struct cutter *cutter = adding->cutter;
	struct thread_events sent = thread_log_of(&cutter->sent, adding->what->span.tid);
	size_t cnt = piece->is_for_room ? thread_events_until(&sent, piece->from_ns) : 0;
	uint32_t tid = adding->what->span.tid, reader;

	if (piece->is_for_room && !cnt)
		return thread_in_chain(adding,
				       cutter->first_wait(cutter->ctx, tid, piece->began_ns),
				       piece->to_ns);
	if (!cnt)
		return 0;
	reader = cutter->reader_of(cutter->ctx, sent.event[cnt - 1].channel);
	return reader && span_causes_is_in_chain(adding->above, reader) ? reader : 0;
}

/* Each of the two waits for the other one: nothing else will end it. */
static void add_circle(struct adding *adding, const struct piece *piece, uint32_t other)
{
	struct piece circle = *piece;

	circle.role = CAUSE_READER;
	circle.reason = REASON_CIRCLE;
	circle.from_interrupt = false;
	circle.by = thread_culprit(adding->cutter, other, piece->to_ns);
	span_causes_add_cause(adding, &circle, piece->cost);
}

/* A wait for a lock of the kernel: the call goes on behind it. */
static bool is_for_lock(const struct piece *piece)
{
	return piece->reason == REASON_KERNEL_MUTEX || piece->reason == REASON_KERNEL_RWSEM ||
	       piece->reason == REASON_KERNEL_SEMAPHORE;
}

/* For thread_cut(). */
static void span_causes_on_piece(void *ctx, const struct piece *piece)
{
	struct adding *adding = ctx;
	const struct span_causes *what = adding->what;
	/* A thread that polls is done with what it was asked before. */
	bool is_own = piece->cost == COST_ON_CPU && piece->role == CAUSE_ITSELF && !piece->polls &&
		      (!piece->reason || piece->reason == REASON_SHORT_CALLS);
	bool is_asleep = piece->cost == COMPONENT_BLOCKED || piece->cost == COST_STOPPED;
	uint32_t other = adding->above ? circle_with(adding, piece) : 0;
	struct piece circle;

	if (circles_close(adding->cutter, what->span.tid, piece, &circle))
		piece = &circle;
	adding->is_over |= what->is_over_asleep && is_asleep && !is_for_lock(piece);
	if (other)
		add_circle(adding, piece, other);
	else if (adding->is_over)
		span_causes_add_own(adding, piece, what->cost);
	else if (what->is_handed_over && piece->cost == COMPONENT_BLOCKED &&
		 piece->from_ns == what->span.from_ns)
		span_causes_add_own(adding, piece, COMPONENT_WAKEUP);
	else if (is_own && what->kept_by == KEPT_BY_SENT)
		add_kept_by_sent(adding, piece);
	else if (is_own && what->kept_by)
		add_kept_by_received(adding, piece);
	else
		span_causes_note_wait(
			adding, piece,
			span_causes_add_cause(adding, piece,
					      what->has_cost ? what->cost : piece->cost));
}

void span_causes_add(struct cutter *cutter, struct cause_list *list, const struct span_causes *what,
		     struct followed_waits *waits)
{
	struct adding adding = {.cutter = cutter, .list = list, .what = what, .waits = waits};

	if (what->is_running)
		thread_cut_running(cutter, &what->span, span_causes_on_piece, &adding);
	else
		thread_cut(cutter, &what->span, span_causes_on_piece, &adding);
}

/* Nothing is added for a thread of which nothing is known. */
static void add_below(struct cutter *cutter, struct cause_list *list,
		      const struct followed_wait *wait, const struct chain *above)
{
	const struct chain chain = {wait->by, above->depth + 1, above};
	const struct span_causes what = {
		.span = {.tid = wait->by,
			 .from_ns = wait->from_ns,
			 .to_ns = wait->to_ns,
			 .is_followed = true,
			 .cpu = BLAME_CPU_UNKNOWN},
		.part = list->cause[wait->cause - 1].part,
	};
	struct timeline line = timelines__of(cutter->history->timelines, wait->by);
	struct followed_waits waits;
	struct adding adding = {.cutter = cutter,
				.list = list,
				.what = &what,
				.waits = &waits,
				.parent = wait->cause,
				.above = above};

	if (above->depth == CAUSE_DEPTH_MAX || span_causes_is_in_chain(above, wait->by) ||
	    !line.cnt || line.known_ns <= wait->from_ns)
		return;
	waits.cnt = 0;
	thread_cut(cutter, &what.span, span_causes_on_piece, &adding);
	for (uint32_t i = 0; i < waits.cnt && cutter->left; i++)
		add_below(cutter, list, &waits.wait[i], &chain);
}

void span_causes_follow(struct cutter *cutter, struct cause_list *list,
			const struct followed_waits *waits)
{
	for (uint32_t i = 0; i < waits->cnt && cutter->left; i++) {
		const struct chain chain = {.tid = waits->wait[i].tid};

		add_below(cutter, list, &waits->wait[i], &chain);
	}
}

void span_causes_dispatch(struct cutter *cutter, struct cause_list *list, enum cause_part part,
			  const struct party *sender, uint64_t from_ns, uint64_t to_ns)
{
	const struct span_causes what = {
		.span = {.tid = sender->tid,
			 .from_ns = from_ns,
			 .to_ns = to_ns,
			 .runs = true,
			 .cpu = sender->cpu},
		.part = part,
		.has_cost = true,
		.cost = COMPONENT_DISPATCH,
		.kept_by = KEPT_BY_SENT,
		.since_ns = from_ns,
	};
	struct followed_waits waits = {0};

	if (from_ns >= to_ns)
		return;
	span_causes_add(cutter, list, &what, &waits);
	span_causes_follow(cutter, list, &waits);
}

void span_causes_below(struct cutter *cutter, struct cause_list *list,
		       const struct followed_wait *wait)
{
	const struct chain chain = {.tid = wait->tid};

	if (wait->cause)
		add_below(cutter, list, wait, &chain);
}
