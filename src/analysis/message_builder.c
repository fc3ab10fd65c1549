/* SPDX-License-Identifier: BSD-2-Clause */
/* Gathers what the breakdown and the blame need to know of one message, and puts the message
 * together. */
#include "analysis/message_builder.h"

#include "analysis/breakdown/blame.h"
#include "analysis/breakdown/breakdown.h"
#include "analysis/history/names.h"
#include "model/record_decode.h"

#include <stdlib.h>
#include <string.h>

struct message_builder {
	struct message_builder_parts parts;

	/* Working space of one message, too large for the stack. */
	struct breakdown breakdown;
	struct cpu_shares shares;
	struct blames blames;
};

struct message_builder *message_builder__new(const struct message_builder_parts *parts)
{
	struct message_builder *builder = calloc(1, sizeof(*builder));

	if (builder)
		builder->parts = *parts;
	return builder;
}

void message_builder__free(struct message_builder *builder)
{
	free(builder);
}

static bool is_client(const void *ctx, uint32_t tid)
{
	return roles__client(ctx, tid) != 0;
}

#define FAIR_PRIORITY 100 /* the priorities below are those of real-time threads */

/* Whether the thread is subject to bandwidth control, which real-time threads are not. */
static bool is_fair(const struct record_name *name)
{
	return name && name->priority >= FAIR_PRIORITY;
}

/*
 * The wait for a CPU that runqueue segment `i` is part of. During a migration the new CPU can go
 * idle for a moment: that idle time is not the work of bandwidth control.
 */
static struct cpu_wait wait_of(struct message_builder *builder, uint32_t i, uint32_t receiver_tid)
{
	const struct breakdown *breakdown = &builder->breakdown;
	const struct segment *segment = &breakdown->segment[i];
	enum component before = i ? segment[-1].component : COMPONENT_SEND_PATH;
	bool is_found = breakdown->path == PATH_RUNNABLE && before <= COMPONENT_SEND_PATH;
	bool is_moved = is_found ? breakdown->found_moved : before == COMPONENT_RUNQUEUE;
	const struct record_name *name =
		names__find(builder->parts.names, SLICE_TASK, receiver_tid, segment->from_ns);

	return (struct cpu_wait){
		.cpu = segment->cpu,
		.held_kind = !is_moved && is_fair(name) ? SHARE_THROTTLED : SHARE_UNKNOWN,
		.began_ns = is_found ? breakdown->found_ns : segment->from_ns,
		.from_ns = segment->from_ns,
		.to_ns = segment->to_ns,
	};
}

/* Fills in the blames for the runqueue segments of the breakdown. */
static void find_blame(struct message_builder *builder, uint32_t sender_tid, uint32_t receiver_tid)
{
	const struct blame_roles roles = {
		.sender_tid = sender_tid, .is_client = is_client, .ctx = builder->parts.roles};
	const struct breakdown *breakdown = &builder->breakdown;

	builder->blames.cnt = 0;
	for (uint32_t i = 0; i < breakdown->segment_cnt; i++) {
		const struct segment *segment = &breakdown->segment[i];
		struct cpu_wait wait;

		if (segment->component != COMPONENT_RUNQUEUE)
			continue;
		if (segment->cpu == SEGMENT_CPU_THROTTLED) {
			cpu_shares_single(&builder->shares, segment->from_ns, segment->to_ns,
					  SHARE_THROTTLED);
		} else {
			wait = wait_of(builder, i, receiver_tid);
			cpu_slices__cut(builder->parts.history->cpus, &wait, &builder->shares);
		}
		blame_add(&builder->blames, &builder->shares, builder->parts.names, &roles);
	}
	blame_sort(&builder->blames);
}

void message_builder__party(const struct message_builder *builder, struct party *party,
			    const struct record *head, uint64_t at_ns)
{
	const struct record_name *name =
		names__find(builder->parts.names, SLICE_TASK, head->tid, at_ns);
	const char *comm = roles__comm(builder->parts.roles, head->tid);

	party->tid = head->tid;
	party->cpu = head->cpu;
	if (!comm && name)
		comm = name->comm;
	if (comm)
		memcpy(party->comm, comm, sizeof(party->comm));
}

/* The receiver whose calls was_receiving() looks up. */
struct receiver {
	const struct message_builder_parts *parts;
	uint32_t tid;
	uint32_t channel;
};

static bool was_receiving(const void *ctx, uint64_t at_ns)
{
	const struct receiver *receiver = ctx;
	uint32_t channel;

	return receive_calls__at(receiver->parts->history->calls, receiver->tid, at_ns, &channel) &&
	       channels__same_receiver(receiver->parts->channels, channel, receiver->channel);
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
static struct breakdown_input input_of(const struct message_builder_parts *parts,
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
		.hides_calls = parts->hides_calls,
		.shows_switch = parts->shows_switch,
		.timeline = timelines__of(parts->history->timelines, receive->head.tid),
	};

	in.change_end = change_end_of(&in.timeline, joined);
	/*
	 * The data is visible a moment before BPF stamps that event. A receiver on another CPU can
	 * return from its call in between: its return proves that the data was visible.
	 */
	if (in.queued_ns > in.recv_ns)
		in.queued_ns = in.recv_ns;
	/* The begin of this send was not traced; it was over at `queued`. */
	if (send_is_outside(&joined->send) && in.queued_ns && in.queued_ns < in.send_ns)
		in.send_ns = in.queued_ns;
	if (in.hides_calls)
		in.send_ns = in.queued_ns;
	return in;
}

static int emit(struct message_builder *builder, const struct joined *joined,
		const struct place *place, const struct record_stamp *stamp,
		const struct breakdown_input *in, enum match match)
{
	const struct message_builder_parts *parts = &builder->parts;
	const struct breakdown *breakdown = &builder->breakdown;
	struct message message = {
		.channel = joined->send.channel,
		.transport = channels__transport(parts->channels, joined->send.channel),
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
		.path = breakdown->path,
		.match = match,
		.hides_calls = in->hides_calls,
		.shows_switch = in->shows_switch,
		.unseen_switch = breakdown->unseen_switch,
		.unseen_wakeup = breakdown->unseen_wakeup,
		.latency_ns = breakdown->latency_ns,
		.segment = breakdown->segment,
		.segment_cnt = breakdown->segment_cnt,
		.blame = builder->blames.blame,
	};

	find_blame(builder, joined->send.head.tid, joined->receive.head.tid);
	message.blame_cnt = builder->blames.cnt;
	memcpy(message.component_ns, breakdown->component_ns, sizeof(message.component_ns));
	message_builder__party(builder, &message.sender, &joined->send.head, in->send_ns);
	message_builder__party(builder, &message.receiver, &joined->receive.head, in->recv_ns);
	return parts->on_message(parts->ctx, &message);
}

int message_builder__message(struct message_builder *builder, const struct joined *joined,
			     const struct place *place, const struct record_stamp *stamp,
			     enum match match)
{
	struct receiver receiver = {&builder->parts, joined->receive.head.tid,
				    joined->receive.channel};
	struct breakdown_input in = input_of(&builder->parts, joined, stamp);
	int err;

	in.was_receiving = was_receiving;
	in.ctx = &receiver;
	err = breakdown_cut(&in, &builder->breakdown);
	if (!err)
		return emit(builder, joined, place, stamp, &in, match);
	aggregate__incomplete(builder->parts.aggregate, -err - 1);
	return 0;
}
