/* SPDX-License-Identifier: BSD-2-Clause */
/* Collects the input of breakdown.c and blame.c, and puts their results into the message. */
#include "analysis/message_builder.h"

#include "analysis/state.h"
#include "analysis/units/units.h"
#include "model/record_decode.h"

#include <errno.h>
#include <string.h>

/*
 * The wait for a CPU that runqueue segment `i` is part of. During a migration the new CPU can go
 * idle for a moment: that idle time is not the work of bandwidth control.
 */
static struct cpu_wait wait_of(const struct analysis *a, const struct breakdown *breakdown,
			       uint32_t i, uint32_t receiver_tid)
{
	const struct segment *segment = &breakdown->segment[i];
	enum component before = i ? segment[-1].component : COMPONENT_SEND_PATH;
	bool is_found = breakdown->path == PATH_RUNNABLE && before <= COMPONENT_ROOM;
	bool is_moved = is_found ? breakdown->found_moved : before == COMPONENT_RUNQUEUE;
	const struct record_name *name =
		names__find(a->names, SLICE_TASK, receiver_tid, segment->from_ns);

	return (struct cpu_wait){
		.cpu = segment->cpu,
		.held_kind = !is_moved && name_is_fair(name) ? SHARE_THROTTLED : SHARE_UNKNOWN,
		.began_ns = is_found ? breakdown->found_ns : segment->from_ns,
		.from_ns = segment->from_ns,
		.to_ns = segment->to_ns,
	};
}

static void forget_blame(struct analysis *a)
{
	a->builder->blames.cnt = 0;
	if (a->units)
		a->units->wait_cnt = 0;
}

void find_blame(struct analysis *a, const struct breakdown *breakdown, uint32_t sender_tid,
		uint32_t receiver_tid)
{
	const struct blame_roles roles = {
		.sender_tid = sender_tid,
		.tracer_pid = a->summary.info.tracer_pid,
		.roles = a->roles,
		.deep = a->history.deep,
		.group = deep_events__group(a->history.deep, receiver_tid)};
	struct message_builder *builder = a->builder;

	forget_blame(a);
	for (uint32_t i = 0; i < breakdown->segment_cnt; i++) {
		const struct segment *segment = &breakdown->segment[i];
		struct cpu_wait wait;

		if (segment->component != COMPONENT_RUNQUEUE)
			continue;
		wait = wait_of(a, breakdown, i, receiver_tid);
		blame_add_wait(&builder->blames, a->history.cpus, &wait, a->names, &roles);
		unit_waits_add(a, &builder->blames, &roles, receiver_tid);
	}
}

struct party party_of(const struct analysis *a, const struct record *head, uint64_t at_ns)
{
	const struct record_name *name = names__find(a->names, SLICE_TASK, head->tid, at_ns);
	const char *comm = roles__comm(a->roles, head->tid);
	struct party party = {.tid = head->tid, .cpu = head->cpu};

	if (!comm && name)
		comm = name->comm;
	if (comm)
		memcpy(party.comm, comm, sizeof(party.comm));
	return party;
}

/* The receiver whose calls was_receiving() looks up. */
struct receiver {
	struct analysis *a;
	uint32_t tid;
	uint32_t channel;
};

static bool was_receiving(const void *ctx, uint64_t at_ns)
{
	const struct receiver *receiver = ctx;
	uint32_t channel;

	return history_call_at(&receiver->a->history, receiver->tid, at_ns, &channel) &&
	       channels__same_receiver(receiver->a->channels, channel, receiver->channel);
}

/* The index behind the last change of the message. A RECEIVE of a workload does not carry it. */
static uint64_t change_end_of(const struct timeline *line, const struct joined *joined)
{
	const struct record_receive *receive = &joined->receive;
	size_t cnt;

	if (receive->first != RECEIVE_FROM_WORKLOAD)
		return receive->first + joined->change_cnt;
	cnt = timeline_find(line, receive->exit_ns);
	return cnt ? line->change[cnt - 1].index + 1 : 0;
}

/* `stamp` NULL: the pattern has none. */
static struct breakdown_input message_builder_input_of(const struct analysis *a,
						       const struct joined *joined,
						       const struct record_stamp *stamp)
{
	const struct record_receive *receive = &joined->receive;
	struct breakdown_input in = {
		.has_stamp = stamp,
		.stamp_ns = stamp ? stamp->stamp_ns : 0,
		.send_ns = joined->send.send_ns,
		.queued_ns = joined->send.queued_ns,
		.enter_ns = receive->enter_ns,
		.recv_ns = receive->exit_ns,
		.user_ns = stamp ? stamp->user_ns : 0,
		.looks_first = receive->first == RECEIVE_FROM_WORKLOAD,
		.unwatched = send_is_unwatched(&joined->send),
		.hides_calls = a->summary.info.level == LEVEL_LIGHT,
		.shows_switch = a->summary.info.shows_switch,
		.shows_room = a->summary.info.shows_room,
		.full_ns = joined->full_ns,
		.timeline = timelines__of(a->history.timelines, receive->head.tid),
	};

	if (in.shows_room)
		in.sender = timelines__of(a->history.timelines, joined->send.head.tid);
	in.change_end = change_end_of(&in.timeline, joined);
	/*
	 * The data is visible a moment before BPF stamps that event. A receiver on another CPU can
	 * return from its call in between: its return proves that the data was visible.
	 */
	if (in.queued_ns > in.recv_ns)
		in.queued_ns = in.recv_ns;
	/* The start of this send was not traced; it was over at `queued`. */
	if (send_is_outside(&joined->send) && in.queued_ns && in.queued_ns < in.send_ns)
		in.send_ns = in.queued_ns;
	if (in.hides_calls)
		in.send_ns = in.queued_ns;
	return in;
}

static int add_statistics(struct analysis *a, const struct message *message,
			  const struct timeline *receiver)
{
	int err;

	if (a->lasting.wants.has_no_statistics) {
		a->summary.integrity.matched++;
		return 0;
	}
	err = room_readers__add(a->room_readers, &a->builder->breakdown, &message->receiver,
				receiver);
	return err ? err : aggregate__message(a->aggregate, message);
}

/* What is known of the data after the send call, if they were visible only then. */
static void message_builder_add_held(struct message *message, const struct joined *joined,
				     const struct breakdown_input *in)
{
	if (!transport_is_tcp(message->transport) || joined->returned_ns <= in->send_ns ||
	    joined->returned_ns >= in->queued_ns)
		return;
	message->returned_ns = joined->returned_ns;
	message->again_ns = joined->again_ns;
	message->held = send_held(&joined->send);
}

static int message_builder_put_together(struct analysis *a, const struct joined *joined,
					const struct place *place, const struct record_stamp *stamp,
					const struct breakdown_input *in, enum match match)
{
	const struct analysis_request *wants = &a->lasting.wants;
	const struct breakdown *breakdown = &a->builder->breakdown;
	struct message message = {
		.channel = joined->send.channel,
		.transport = channels__transport(a->channels, joined->send.channel),
		.position = joined->send.position,
		.bytes = joined->send.bytes,
		.receives = joined->receives,
		.client = place->client,
		.to_server = place->to_server,
		.has_round = place->client,
		.has_stamp = stamp,
		.round = place->client ? place->index : 0,
		.due_ns = stamp ? stamp->due_ns : 0,
		.stamp_ns = in->stamp_ns,
		.send_ns = in->send_ns,
		.queued_ns = in->queued_ns,
		.recv_ns = in->recv_ns,
		.user_ns = in->user_ns,
		.exchange = place->exchange,
		.path = breakdown->path,
		.match = match,
		.hides_calls = in->hides_calls,
		.shows_switch = in->shows_switch,
		.shows_room = in->shows_room,
		.unseen_switch = breakdown->unseen_switch,
		.unseen_wakeup = breakdown->unseen_wakeup,
		.latency_ns = breakdown->latency_ns,
		.segment = breakdown->segment,
		.segment_cnt = breakdown->segment_cnt,
		.blame = a->builder->blames.blame,
		.sender = party_of(a, &joined->send.head, in->send_ns),
		.receiver = party_of(a, &joined->receive.head, in->recv_ns),
	};
	int err;

	message_builder_add_held(&message, joined, in);
	forget_blame(a);
	/* To find out which units are slow, the components suffice. */
	if (!wants->has_no_statistics ||
	    (a->units &&
	     units__need_causes(a->units, message_begin_ns(&message), message_end_ns(&message))))
		find_blame(a, breakdown, joined->send.head.tid, joined->receive.head.tid);
	message.blame_cnt = a->builder->blames.cnt;
	memcpy(message.component_ns, breakdown->component_ns, sizeof(message.component_ns));
	if (a->units) {
		message.unit = units__build(a, in, &message, &a->builder->blames);
		if (!message.unit || call_units_message(a, &message))
			return -ENOMEM;
	}
	blame_sort(&a->builder->blames);
	err = add_statistics(a, &message, &in->timeline);
	if (!err && wants->on_built)
		err = wants->on_built(wants->ctx, &message);
	return err ? err : a->lasting.mode->message(a, &message);
}

void build_message(struct analysis *a, const struct joined *joined, const struct place *place,
		   const struct record_stamp *stamp, enum match match)
{
	struct receiver receiver = {a, joined->receive.head.tid, joined->receive.channel};
	struct breakdown_input in = message_builder_input_of(a, joined, stamp);
	int err;

	in.was_receiving = was_receiving;
	in.ctx = &receiver;
	err = breakdown_cut(&in, &a->builder->breakdown);
	if (err) {
		a->summary.integrity.incomplete[-err - 1]++;
		return;
	}
	err = message_builder_put_together(a, joined, place, stamp, &in, match);
	if (!a->error)
		a->error = err;
}
