/* SPDX-License-Identifier: BSD-2-Clause */
/* Turns the segments and the blame of a message into causes. */

#include "analysis/causes/span_causes.h"
#include "analysis/history/stretches.h"
#include "container/step_limit.h"
#include "model/blocked_calls.h"
#include "model/record_decode.h"

/* The message whose segments are added. */
struct adding {
	struct cause_list *list;
	struct cutter *cutter;
	const struct message *message;
	struct followed_waits waits;
	bool has_waited; /* the sender has waited for room */
};

/* Adds `ns` of it. */
static void add_wait(struct cause_list *list, const struct cause *wait, uint64_t ns,
		     enum cause_reason reason)
{
	struct cause cause = *wait;

	cause.by.ns = ns;
	cause.reason = reason;
	if (ns)
		cause_list_add(list, &cause);
}

static uint32_t count_waits(const struct message *message)
{
	uint32_t cnt = 0;

	for (uint32_t i = 0; i < message->segment_cnt; i++)
		cnt += message->segment[i].component == COMPONENT_RUNQUEUE;
	return cnt;
}

/* All waits of the message for a CPU at once. */
static void add_waits(struct adding *adding, const struct blames *blames, uint32_t tid)
{
	/* What is blamed may be of several waits, of which only the first is looked up. */
	bool is_one = count_waits(adding->message) == 1;

	for (uint32_t i = 0; i < blames->cnt && step_limit_spend(1); i++) {
		const struct blame *blame = &blames->blame[i];
		uint64_t reserve_ns = blames->reserve_ns[i], vain_ns = blames->vain_ns[i];
		enum cause_reason reason;
		struct cause cause = {
			.cost = COMPONENT_RUNQUEUE,
			.role = CAUSE_RAN,
			.call = CALL_UNKNOWN,
			.tid = tid,
			.from_ns = blames->began_ns[i],
			.by = *blame,
		};

		if (blame->class == BLAME_UNKNOWN) {
			cause.role = CAUSE_UNKNOWN;
			cause.by = no_culprit();
		}
		if (reserve_ns && !waits_in_realtime(adding->cutter, tid, cause.from_ns))
			reserve_ns = 0;
		/* How much time is both is not known. */
		if (reserve_ns)
			vain_ns = 0;
		reason = is_one && cause.role == CAUSE_RAN
				 ? spare_reason(adding->cutter, tid, cause.from_ns, blame,
						&cause.spare_cpu)
				 : REASON_NONE;
		add_wait(adding->list, &cause, blame->ns - reserve_ns - vain_ns, reason);
		add_wait(adding->list, &cause, reserve_ns, REASON_RESERVE);
		add_wait(adding->list, &cause, vain_ns, REASON_IN_VAIN);
	}
}

/* Adds a segment, or the part of it, as it is. Returns its number. */
static uint16_t add_for_reason(struct adding *adding, const struct segment *segment, uint32_t tid,
			       enum cause_role role, const struct blame *by,
			       enum cause_reason reason)
{
	struct cause cause = {
		.cost = segment->component,
		.role = role,
		.call = CALL_UNKNOWN,
		.reason = reason,
		.tid = tid,
		.from_ns = segment->from_ns,
		.by = *by,
	};

	cause.by.ns = segment->to_ns - segment->from_ns;
	return cause.by.ns ? cause_list_add(adding->list, &cause) : 0;
}

static uint16_t add_whole(struct adding *adding, const struct segment *segment, uint32_t tid,
			  enum cause_role role, const struct blame *by)
{
	return add_for_reason(adding, segment, tid, role, by, REASON_NONE);
}

static void message_causes_add_own(struct adding *adding, const struct segment *segment,
				   uint32_t tid)
{
	struct blame none = no_culprit();

	add_whole(adding, segment, tid, CAUSE_ITSELF, &none);
}

/* The CPU on which the receiver is woken at this instant. */
static uint32_t woken_on(struct cutter *cutter, uint32_t tid, uint64_t at_ns)
{
	struct timeline line = timelines__of(cutter->history->timelines, tid);
	size_t i = timeline_find(&line, at_ns);
	const struct change *change = i ? &line.change[i - 1] : NULL;

	return change && change->at_ns == at_ns && change_has_cpu(change) ? change->cpu
									  : BLAME_CPU_UNKNOWN;
}

/* When the wakeup of the receiver began, as far as is known. */
static uint64_t waking_ns(struct cutter *cutter, uint32_t tid, const struct segment *segment)
{
	struct waker waker;

	if (!deep_events__waker(cutter->history->deep, tid, segment->to_ns, &waker) ||
	    waker.at_ns < segment->from_ns)
		return segment->from_ns;
	return waker.at_ns;
}

/*
 * Whether the receiver was frozen when the data came, so that they did not wake it:
 *
 *	frozen     queued                      thawed
 *	  |   asleep  |   it would be runnable    |
 */
static bool add_frozen(struct adding *adding, const struct segment *segment)
{
	uint32_t tid = adding->message->receiver.tid;
	struct blame by = no_culprit();
	struct waker waker;
	uint16_t number;
	bool is_known;

	if (!deep_events__waker(adding->cutter->history->deep, tid, segment->to_ns, &waker) ||
	    !waker.of_frozen)
		return false;
	is_known = waker.kind == SLICE_TASK && !waker.is_unsure && waker.tid;
	if (is_known)
		by = thread_culprit(adding->cutter, waker.tid, segment->to_ns);
	number = add_for_reason(adding, segment, tid, is_known ? CAUSE_WOKE : CAUSE_ITSELF, &by,
				REASON_FROZEN);
	if (is_known)
		span_causes_below(adding->cutter, adding->list,
				  &(struct followed_wait){.cause = number,
							  .tid = tid,
							  .by = waker.tid,
							  .from_ns = segment->from_ns,
							  .to_ns = segment->to_ns});
	return true;
}

/*
 *	queued     wakeup begins       left          wakes the thread
 *	  |             |  leaving idle  |                |
 *	     itself           idle             itself
 */
static void add_wakeup(struct adding *adding, const struct segment *segment)
{
	struct cutter *cutter = adding->cutter;
	uint32_t tid = adding->message->receiver.tid;
	uint32_t cpu = woken_on(cutter, tid, segment->to_ns);
	struct blame idle = {.class = BLAME_IDLE, .kind = SLICE_TASK, .cpu = cpu};
	struct segment part = *segment;
	struct idle_exit exit;

	if (add_frozen(adding, segment))
		return;
	part.from_ns = waking_ns(cutter, tid, segment);
	if (cpu == BLAME_CPU_UNKNOWN ||
	    !deep_events__idle_exit(cutter->history->deep, cpu, part.from_ns, segment->to_ns,
				    &exit) ||
	    exit.left_ns <= part.from_ns) {
		message_causes_add_own(adding, segment, tid);
		return;
	}
	part.to_ns = exit.left_ns;
	add_whole(adding, &part, tid, CAUSE_RAN, &idle);
	part = (struct segment){segment->from_ns, part.from_ns, segment->component, segment->cpu};
	message_causes_add_own(adding, &part, tid);
	part.from_ns = exit.left_ns;
	part.to_ns = segment->to_ns;
	message_causes_add_own(adding, &part, tid);
}

/* Whether the thread waited for messages, or for room, for most of the segment. */
static bool mostly_waits(struct cutter *cutter, uint32_t tid, const struct segment *segment)
{
	struct timeline line = timelines__of(cutter->history->timelines, tid);
	struct stretch_walk walk = stretch_walk(&line, segment->from_ns, segment->to_ns);
	struct stretch stretch;
	uint64_t waits_ns = 0;

	while (stretch_next(&walk, &stretch) && step_limit_spend(1)) {
		bool is_for_room = stretch.began && stretch.began->kind == CHANGE_ROOM;

		if (stretch.state == STATE_POLLING || is_for_room)
			waits_ns += stretch.to_ns - stretch.from_ns;
	}
	return waits_ns > (segment->to_ns - segment->from_ns) / 2;
}

/*
 * The receiver has to make room: what it did meanwhile follows. Or it has room, and the sender
 * waits for its own buffer. Or it waits, as the sender does not receive what it has sent.
 */
static void add_room(struct adding *adding, const struct segment *segment)
{
	uint32_t reader = adding->message->receiver.tid, sender = adding->message->sender.tid;
	struct blame by = thread_culprit(adding->cutter, reader, segment->to_ns);
	struct blame none = no_culprit();
	enum own_room own;
	uint16_t number;

	own = deep_events__own_room(adding->cutter->history->deep, sender, segment->from_ns,
				    segment->to_ns);
	if (own == OWN_ROOM_IS_FULL) {
		add_for_reason(adding, segment, sender, CAUSE_ITSELF, &none, REASON_SEND_BUFFER);
		return;
	}
	if (own == OWN_ROOM_IS_UNREAD && mostly_waits(adding->cutter, reader, segment)) {
		add_for_reason(adding, segment, sender, CAUSE_READER, &by, REASON_CIRCLE);
		return;
	}
	number = add_whole(adding, segment, sender, CAUSE_READER, &by);
	span_causes_below(adding->cutter, adding->list,
			  &(struct followed_wait){.cause = number,
						  .tid = adding->message->sender.tid,
						  .by = reader,
						  .from_ns = segment->from_ns,
						  .to_ns = segment->to_ns});
}

static struct thread_span span_of(const struct segment *segment, const struct party *party)
{
	return (struct thread_span){.tid = party->tid,
				    .from_ns = segment->from_ns,
				    .to_ns = segment->to_ns,
				    .cpu = party->cpu};
}

/* An acknowledgement that came earlier is not called delayed. Linux delays up to 40 ms or more. */
#define DELAYED_NS 5000000

static enum cause_reason reason_after_call(const struct message *message, uint64_t ns)
{
	if (message->again_ns)
		return REASON_RETRANSMIT;
	switch (message->held) {
	case HELD_NAGLE:
		return REASON_NAGLE;
	case HELD_ACK:
		return ns < DELAYED_NS ? REASON_NAGLE : REASON_DELAYED_ACK;
	case HELD_CORK:
		return REASON_CORK;
	case HELD_CONGESTION:
		return REASON_CONGESTION;
	case HELD_PACING:
		return REASON_PACING;
	case HELD_DEVICE:
		return REASON_DEVICE;
	default:
		return REASON_UNDER_WAY;
	}
}

/* The sender does something else: the data lie in its socket, or are on their way. */
static void add_after_call(struct adding *adding, const struct segment *segment)
{
	const struct message *message = adding->message;
	struct cause cause = {
		.cost = segment->component,
		.role = CAUSE_ITSELF,
		.call = CALL_UNKNOWN,
		.reason = reason_after_call(message, message->queued_ns - message->returned_ns),
		.tid = message->sender.tid,
		.from_ns = segment->from_ns,
		.by = no_culprit(),
	};

	cause.by.ns = segment->to_ns - segment->from_ns;
	if (cause.by.ns)
		cause_list_add(adding->list, &cause);
}

/* The sender runs where its stamp is taken and where its send call begins. */
static void add_sender(struct adding *adding, const struct segment *segment)
{
	const struct message *message = adding->message;
	bool is_dispatch = segment->component == COMPONENT_DISPATCH;
	/* On a network device the rest of the send path may be an interrupt's. */
	bool may_be_later =
		message->transport == TRANSPORT_TCP || transport_is_udp(message->transport);
	struct span_causes what = {
		.span = span_of(segment, &message->sender),
		.has_cost = true,
		.cost = segment->component,
		.is_over_asleep = !is_dispatch && may_be_later,
		.kept_by = is_dispatch ? KEPT_BY_SENT : KEPT_BY_NOTHING,
		.since_ns = segment->from_ns,
	};

	what.span.runs = !adding->has_waited;
	if (message->sender.tid)
		span_causes_add(adding->cutter, adding->list, &what, &adding->waits);
	else
		message_causes_add_own(adding, segment, 0);
}

/*
 *	send                              returned          queued
 *	  |  what the sender did in its call  |  after the call  |
 */
static void add_send_path(struct adding *adding, const struct segment *segment)
{
	uint64_t returned_ns = adding->message->returned_ns;
	struct segment in_call = *segment, after = *segment;

	if (returned_ns && returned_ns < segment->to_ns)
		in_call.to_ns = after.from_ns =
			returned_ns > segment->from_ns ? returned_ns : segment->from_ns;
	else
		after.from_ns = segment->to_ns;
	if (in_call.from_ns < in_call.to_ns)
		add_sender(adding, &in_call);
	add_after_call(adding, &after);
}

/*
 * Until the connection is accepted, what the accepting thread does keeps the receiver from the
 * message; the receiver may only begin then. Returns when that was; `segment`: later than that.
 *
 *	queued                   accepted             receives
 *	  | the accepting thread    | the receiver       |
 *	  |----------------- busy, blocked --------------|
 */
static uint64_t add_acceptor(struct adding *adding, const struct segment *segment)
{
	const struct cutter *cutter = adding->cutter;
	uint64_t at_ns = cutter->accepted_ns;
	const struct span_causes what = {
		.span = {.tid = cutter->acceptor_tid,
			 .from_ns = segment->from_ns,
			 .to_ns = at_ns < segment->to_ns ? at_ns : segment->to_ns,
			 .cpu = BLAME_CPU_UNKNOWN},
		.has_cost = true,
		.cost = segment->component,
	};

	if (at_ns <= segment->from_ns || what.span.tid == adding->message->receiver.tid)
		return segment->from_ns;
	span_causes_add(adding->cutter, adding->list, &what, &adding->waits);
	return what.span.to_ns;
}

static void add_receiver(struct adding *adding, const struct segment *segment)
{
	struct span_causes what = {
		.span = span_of(segment, &adding->message->receiver),
		.has_cost = true,
		.cost = segment->component,
		.is_running = segment->component != COMPONENT_BLOCKED,
		.kept_by =
			segment->component == COMPONENT_BUSY ? KEPT_BY_RECEIVED : KEPT_BY_NOTHING,
	};

	what.span.has_data = true;
	if (segment->component == COMPONENT_BUSY || segment->component == COMPONENT_BLOCKED)
		what.span.from_ns = add_acceptor(adding, segment);
	if (what.span.from_ns < segment->to_ns)
		span_causes_add(adding->cutter, adding->list, &what, &adding->waits);
}

static void message_causes_add_segment(struct adding *adding, const struct segment *segment)
{
	/* Nothing is known of the time but the component. */
	if (!adding->cutter->shows_interrupts &&
	    (segment->component == COMPONENT_SWITCH || segment->component == COMPONENT_RECEIVE ||
	     segment->component == COMPONENT_RETURN)) {
		message_causes_add_own(adding, segment, adding->message->receiver.tid);
		return;
	}
	switch (segment->component) {
	case COMPONENT_DISPATCH:
		add_sender(adding, segment);
		break;
	case COMPONENT_SEND_PATH:
		add_send_path(adding, segment);
		break;
	case COMPONENT_ROOM:
		add_room(adding, segment);
		adding->has_waited = true;
		break;
	case COMPONENT_WAKEUP:
		add_wakeup(adding, segment);
		break;
	default:
		add_receiver(adding, segment);
	}
}

void message_causes_add(struct cause_list *list, struct cutter *cutter,
			const struct message *message, const struct blames *blames)
{
	struct adding adding;
	bool has_waits = false;

	/* Not all of the waits, which are many. */
	adding.list = list;
	adding.cutter = cutter;
	adding.message = message;
	adding.has_waited = false;
	adding.waits.cnt = 0;

	for (uint32_t i = 0; i < message->segment_cnt && step_limit_spend(STEPS_OF_CHANGE); i++) {
		const struct segment *segment = &message->segment[i];

		if (segment->component != COMPONENT_RUNQUEUE)
			message_causes_add_segment(&adding, segment);
		else if (!has_waits)
			add_waits(&adding, blames, message->receiver.tid);
		has_waits |= segment->component == COMPONENT_RUNQUEUE;
	}
	span_causes_follow(cutter, list, &adding.waits);
	cause_list_sort(list);
}
