/* SPDX-License-Identifier: BSD-2-Clause */
#include "core/analysis.h"

#include "core/anatomy.h"
#include "core/blame.h"
#include "core/calls.h"
#include "core/channels.h"
#include "core/decode.h"
#include "core/join.h"
#include "core/roles.h"
#include "core/stamps.h"
#include "core/tally.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* How long the past is kept for messages that are still open. */
#define HISTORY_MAX_NS 60000000000ULL

struct analysis {
	struct run_info info;
	analysis_message_fn *on_message;
	void *ctx;
	int error; /* the first one in a callback */

	struct join *join;
	struct channels *channels;
	struct timelines *timelines;
	struct calls *calls;
	struct cpu_history *history;
	struct names *names;
	struct roles *roles;
	struct stamps *stamps;
	struct tally *tally;
	uint64_t refused_sends; /* SEND records for which there was no room */

	/* Working space of one message, too large for the stack. */
	struct anatomy anatomy;
	struct cpu_shares shares;
	struct blames blames;
};

struct analysis *analysis__new(const struct run_info *info, analysis_message_fn *on_message,
			       void *ctx)
{
	struct analysis *a = calloc(1, sizeof(*a));

	if (!a)
		return NULL;
	a->info = *info;
	a->on_message = on_message;
	a->ctx = ctx;
	a->join = join__new();
	a->channels = channels__new();
	a->timelines = timelines__new();
	a->calls = calls__new();
	a->history = cpu_history__new();
	a->names = names__new();
	a->roles = roles__new();
	a->stamps = stamps__new();
	a->tally = tally__new(info);
	if (!a->join || !a->channels || !a->timelines || !a->calls || !a->history || !a->names ||
	    !a->roles || !a->stamps || !a->tally) {
		analysis__free(a);
		return NULL;
	}
	return a;
}

void analysis__free(struct analysis *a)
{
	if (!a)
		return;
	join__free(a->join);
	channels__free(a->channels);
	timelines__free(a->timelines);
	calls__free(a->calls);
	cpu_history__free(a->history);
	names__free(a->names);
	roles__free(a->roles);
	stamps__free(a->stamps);
	tally__free(a->tally);
	free(a);
}

static bool is_client(const void *ctx, uint32_t tid)
{
	return roles__client(ctx, tid) != 0;
}

/* Fills in a->blames for the run queue segments of a->anatomy. */
static void find_blame(struct analysis *a, uint32_t sender_tid)
{
	const struct blame_roles roles = {
		.sender_tid = sender_tid, .is_client = is_client, .ctx = a->roles};

	a->blames.cnt = 0;
	for (uint32_t i = 0; i < a->anatomy.segment_cnt; i++) {
		const struct segment *segment = &a->anatomy.segment[i];

		if (segment->component != COMPONENT_RUNQUEUE)
			continue;
		if (segment->cpu == SEGMENT_CPU_THROTTLED)
			cpu_shares_single(&a->shares, segment->from_ns, segment->to_ns,
					  SHARE_THROTTLED);
		else
			cpu_history__cut(a->history, segment->cpu, segment->from_ns, segment->to_ns,
					 &a->shares);
		blame_add(&a->blames, &a->shares, a->names, &roles);
	}
	blame_sort(&a->blames);
}

static void fill_party(const struct analysis *a, struct party *party, const struct record *head,
		       uint64_t at_ns)
{
	const struct record_name *name = names__find(a->names, SLICE_TASK, head->tid, at_ns);
	const char *comm = roles__comm(a->roles, head->tid);

	party->tid = head->tid;
	party->cpu = head->cpu;
	if (!comm && name)
		comm = name->comm;
	if (comm)
		memcpy(party->comm, comm, sizeof(party->comm));
}

/* Whose receive calls anatomy asks for. */
struct receiver {
	struct analysis *a;
	uint32_t tid;
	uint32_t channel;
};

static bool was_receiving(const void *ctx, uint64_t at_ns)
{
	const struct receiver *receiver = ctx;
	uint32_t channel;

	return calls__at(receiver->a->calls, receiver->tid, at_ns, &channel) &&
	       channels__same_receiver(receiver->a->channels, channel, receiver->channel);
}

static struct anatomy_input anatomy_input_of(struct analysis *a, const struct joined *joined,
					     const struct record_stamp *stamp)
{
	const struct record_receive *receive = &joined->receive;
	struct anatomy_input in = {
		.has_stamp = true,
		.stamp_ns = stamp->stamp_ns,
		.send_ns = joined->send.send_ns,
		.queued_ns = joined->send.queued_ns,
		.enter_ns = receive->enter_ns,
		.recv_ns = receive->exit_ns,
		.user_ns = stamp->user_ns,
		.shows_switch = a->info.shows_switch,
		.timeline = timelines__of(a->timelines, receive->head.tid),
		.change_end = receive->first + joined->change_cnt,
	};

	/*
	 * The data is visible a moment before the sender's sk_data_ready is stamped. A receiver on
	 * another CPU may be back from its call by then: its return proves the data visible.
	 */
	if (in.queued_ns > in.recv_ns)
		in.queued_ns = in.recv_ns;
	return in;
}

static void hand_out(struct analysis *a, const struct joined *joined,
		     const struct record_stamp *stamp, const struct anatomy_input *in)
{
	struct message message = {
		.channel = joined->send.channel,
		.transport = channels__transport(a->channels, joined->send.channel),
		.position = joined->send.position,
		.bytes = joined->send.bytes,
		.receives = 1,
		.has_round = true,
		.round = tally__kept_round(a->tally, stamp->round),
		.client = stamp->client,
		.stamp_ns = in->stamp_ns,
		.send_ns = in->send_ns,
		.queued_ns = in->queued_ns,
		.recv_ns = in->recv_ns,
		.user_ns = in->user_ns,
		.path = a->anatomy.path,
		.match = MATCH_EXACT,
		.shows_switch = in->shows_switch,
		.unseen_switch = a->anatomy.unseen_switch,
		.latency_ns = a->anatomy.latency_ns,
		.segment = a->anatomy.segment,
		.segment_cnt = a->anatomy.segment_cnt,
		.blame = a->blames.blame,
	};
	int err;

	find_blame(a, joined->send.head.tid);
	message.blame_cnt = a->blames.cnt;
	memcpy(message.component_ns, a->anatomy.component_ns, sizeof(message.component_ns));
	fill_party(a, &message.sender, &joined->send.head, in->send_ns);
	fill_party(a, &message.receiver, &joined->receive.head, in->recv_ns);
	err = tally__message(a->tally, &message);
	if (!err && a->on_message)
		err = a->on_message(a->ctx, &message);
	if (err && !a->error)
		a->error = err;
}

/*
 * A message with both ends. Every round sends one message to every client that is left, so that the
 * position in a client's channel, its own count of messages and the round are one number.
 */
static bool take_message(void *ctx, const struct joined *joined)
{
	struct analysis *a = ctx;
	uint64_t position = joined->receive.position;
	uint32_t client = roles__client(a->roles, joined->receive.head.tid);
	struct record_stamp stamp;
	struct receiver receiver = {a, joined->receive.head.tid, joined->receive.channel};
	struct anatomy_input in;
	int err;

	if (!client || !roles__is_server(a->roles, joined->send.head.tid))
		return true; /* open and close messages */
	if (!stamps__take(a->stamps, client, position, &stamp))
		return false;
	if (tally__is_warmup(a->tally, position))
		return true;
	if (stamp.round != position) {
		tally__incomplete(a->tally, INCOMPLETE_STAMP);
		return true;
	}
	in = anatomy_input_of(a, joined, &stamp);
	in.was_receiving = was_receiving;
	in.ctx = &receiver;
	err = anatomy_cut(&in, &a->anatomy);
	if (err)
		tally__incomplete(a->tally, -err - 1);
	else
		hand_out(a, joined, &stamp, &in);
	return true;
}

/* At the end: why a message is still open. */
static bool take_leftover(void *ctx, const struct joined *joined)
{
	struct analysis *a = ctx;
	uint64_t position = joined->has_send ? joined->send.position : joined->receive.position;

	if (tally__is_warmup(a->tally, position) ||
	    (joined->has_send && !roles__is_server(a->roles, joined->send.head.tid)) ||
	    (joined->has_receive && !roles__client(a->roles, joined->receive.head.tid)))
		return true;
	tally__incomplete(a->tally, !joined->has_receive ? INCOMPLETE_NOT_RECEIVED
				    : !joined->has_send  ? INCOMPLETE_NO_SEND
							 : INCOMPLETE_NO_STAMP);
	return true;
}

static int settle(struct analysis *a, uint64_t before_ns)
{
	uint64_t horizon_ns;
	int err = join__settle(a->join, before_ns, take_message, a);

	if (err || a->error)
		return err ? err : a->error;
	horizon_ns = join__horizon(a->join);
	if (horizon_ns > before_ns)
		horizon_ns = before_ns;
	/* A message whose other end never comes does not keep everything for ever. */
	if (before_ns != UINT64_MAX && horizon_ns + HISTORY_MAX_NS < before_ns)
		horizon_ns = before_ns - HISTORY_MAX_NS;
	timelines__trim(a->timelines, horizon_ns);
	calls__trim(a->calls, horizon_ns);
	cpu_history__trim(a->history, horizon_ns);
	return 0;
}

static int take_stamp(struct analysis *a, const struct record_stamp *stamp)
{
	if (!stamp->client || stamp->client > a->info.workload.clients)
		return 0;
	return a->info.traced ? stamps__add(a->stamps, stamp) : tally__stamp(a->tally, stamp);
}

static int take_receive(struct analysis *a, const struct record_receive *receive)
{
	size_t cnt;
	const uint64_t *change = receive_changes(receive, &cnt);
	int err = timelines__add(a->timelines, receive->head.tid, change, cnt, receive->first,
				 receive->exit_ns);

	if (!err)
		err = calls__add(a->calls, receive->head.tid, receive->channel, receive->enter_ns,
				 receive->exit_ns);
	return err ? err : join__receive(a->join, receive, cnt);
}

static int take_changes(struct analysis *a, const struct record_changes *changes)
{
	size_t cnt;
	const uint64_t *change = changes_changes(changes, &cnt);

	return timelines__add(a->timelines, changes->head.tid, change, cnt, changes->first,
			      changes->base_ns);
}

static int dispatch(struct analysis *a, const struct record *record)
{
	switch (record->type) {
	case RECORD_SEND:
		return join__send(a->join, (const void *)record);
	case RECORD_RECEIVE:
		return take_receive(a, (const void *)record);
	case RECORD_CHANGES:
		return take_changes(a, (const void *)record);
	case RECORD_SLICE:
		return cpu_history__add(a->history, (const void *)record);
	case RECORD_NAME:
		return names__add(a->names, (const void *)record);
	case RECORD_ROLE:
		tally__role(a->tally, (const void *)record);
		return roles__add(a->roles, (const void *)record);
	case RECORD_TICK:
		return tally__tick(a->tally, (const void *)record);
	case RECORD_STAMP:
		return take_stamp(a, (const void *)record);
	case RECORD_LEFT:
		tally__left(a->tally, (const void *)record);
		return 0;
	case RECORD_WATERMARK:
		return settle(a, ((const struct record_watermark *)record)->before_ns);
	case RECORD_END:
		tally__end(a->tally, (const void *)record);
		return 0;
	case RECORD_CHANNEL:
		return channels__add(a->channels, (const void *)record);
	default:
		return 0;
	}
}

int analysis__record(struct analysis *a, const struct record *record)
{
	int err = dispatch(a, record);

	if (err != -ENOSPC)
		return err;
	/* A receive or a stamp that is refused leaves its send open, which is counted at the end.
	 */
	if (record->type == RECORD_SEND)
		a->refused_sends++;
	return 0;
}

int analysis__finish(struct analysis *a)
{
	int err = settle(a, UINT64_MAX), tally_err;

	join__leftover(a->join, take_leftover, a);
	tally_err = tally__finish(a->tally, a->refused_sends);
	return err ? err : tally_err;
}

const struct summary *analysis__summary(const struct analysis *a)
{
	return tally__summary(a->tally);
}
