/* SPDX-License-Identifier: BSD-2-Clause */
#include "core/analysis.h"

#include "core/anatomy.h"
#include "core/blame.h"
#include "core/calls.h"
#include "core/channels.h"
#include "core/culprits.h"
#include "core/decode.h"
#include "core/join.h"
#include "core/roles.h"
#include "core/round.h"
#include "core/stamps.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* How long the past is kept for messages that are still open. */
#define HISTORY_MAX_NS 60000000000ULL

struct analysis {
	struct summary summary;
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
	struct rounds *rounds;
	struct culprits *culprits;

	uint64_t first_stamp_ns; /* of kept rounds; 0: none yet */
	uint64_t last_stamp_ns;
	bool ended;             /* the END record has come */
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
	a->summary.info = *info;
	a->on_message = on_message;
	a->ctx = ctx;
	a->summary.client_cnt = info->workload.clients;
	a->summary.client = calloc(info->workload.clients + 1, sizeof(*a->summary.client));
	a->join = join__new();
	a->channels = channels__new();
	a->timelines = timelines__new();
	a->calls = calls__new();
	a->history = cpu_history__new();
	a->names = names__new();
	a->roles = roles__new();
	a->stamps = stamps__new();
	a->culprits = culprits__new();
	a->rounds =
		a->summary.client ? rounds__new(a->summary.client, a->summary.client_cnt) : NULL;
	if (!a->rounds || !a->join || !a->channels || !a->timelines || !a->calls || !a->history ||
	    !a->names || !a->roles || !a->stamps || !a->culprits) {
		analysis__free(a);
		return NULL;
	}
	for (uint32_t i = 0; i < a->summary.client_cnt; i++)
		a->summary.client[i].client = i + 1;
	return a;
}

static void free_summary(struct summary *summary)
{
	stat_free(&summary->latency);
	for (int i = 0; i < NR_COMPONENTS; i++)
		stat_free(&summary->component[i]);
	stat_free(&summary->rounds.first);
	stat_free(&summary->rounds.next);
	stat_free(&summary->rounds.last);
	stat_free(&summary->tick.lateness);
	for (uint32_t i = 0; summary->client && i < summary->client_cnt; i++)
		stat_free(&summary->client[i].latency);
	free(summary->client);
	free(summary->blame);
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
	rounds__free(a->rounds);
	culprits__free(a->culprits);
	free_summary(&a->summary);
	free(a);
}

static bool is_warmup(const struct analysis *a, uint64_t round)
{
	return round < a->summary.info.workload.warmup;
}

static uint64_t kept_round(const struct analysis *a, uint64_t round)
{
	return round - a->summary.info.workload.warmup;
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

static enum component largest_component(const uint64_t component_ns[NR_COMPONENTS])
{
	enum component largest = 0;

	for (int i = 1; i < NR_COMPONENTS; i++) {
		if (component_ns[i] > component_ns[largest])
			largest = i;
	}
	return largest;
}

static struct peak peak_of(const struct message *message)
{
	struct peak peak = {
		.latency_ns = message->latency_ns,
		.client = message->client,
		.component = largest_component(message->component_ns),
	};

	peak.component_ns = message->component_ns[peak.component];
	if (peak.component == COMPONENT_RUNQUEUE && message->blame_cnt)
		peak.blame = message->blame[0];
	return peak;
}

static void note_duration(struct analysis *a, uint64_t stamp_ns)
{
	if (!a->first_stamp_ns || stamp_ns < a->first_stamp_ns)
		a->first_stamp_ns = stamp_ns;
	if (stamp_ns > a->last_stamp_ns)
		a->last_stamp_ns = stamp_ns;
}

static void note_residual(struct integrity *integrity, const struct message *message)
{
	uint64_t sum_ns = 0, residual_ns;

	for (int i = 0; i < NR_COMPONENTS; i++)
		sum_ns += message->component_ns[i];
	residual_ns = sum_ns > message->latency_ns ? sum_ns - message->latency_ns
						   : message->latency_ns - sum_ns;
	if (residual_ns > integrity->residual_ns_max)
		integrity->residual_ns_max = residual_ns;
}

/* A kept message with its anatomy: into all statistics, and out. */
static void count_message(struct analysis *a, const struct message *message)
{
	struct summary *summary = &a->summary;
	struct client_summary *client = &summary->client[message->client - 1];
	struct round_arrival arrival = {
		.client = message->client,
		.stamp_ns = message->stamp_ns,
		.user_ns = message->user_ns,
		.segment = message->segment,
		.segment_cnt = message->segment_cnt,
	};
	int err;

	note_duration(a, message->stamp_ns);
	note_residual(&summary->integrity, message);
	summary->integrity.matched++;
	summary->integrity.unseen_switches += message->unseen_switch;
	summary->path[message->path]++;
	stat_add(&summary->latency, message->latency_ns);
	stat_add(&client->latency, message->latency_ns);
	client->components.count++;
	for (int i = 0; i < NR_COMPONENTS; i++) {
		stat_add(&summary->component[i], message->component_ns[i]);
		client->components.ns[i] += message->component_ns[i];
	}
	arrival.peak = peak_of(message);
	err = culprits__add(a->culprits, message);
	if (!err)
		err = rounds__arrive(a->rounds, message->round, &arrival);
	if (!err && a->on_message)
		err = a->on_message(a->ctx, message);
	if (err && !a->error)
		a->error = err;
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
		.shows_switch = a->summary.info.shows_switch,
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
		.transport = TRANSPORT_UDS,
		.position = joined->send.position,
		.bytes = joined->send.bytes,
		.receives = 1,
		.has_round = true,
		.round = kept_round(a, stamp->round),
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

	find_blame(a, joined->send.head.tid);
	message.blame_cnt = a->blames.cnt;
	memcpy(message.component_ns, a->anatomy.component_ns, sizeof(message.component_ns));
	fill_party(a, &message.sender, &joined->send.head, in->send_ns);
	fill_party(a, &message.receiver, &joined->receive.head, in->recv_ns);
	count_message(a, &message);
}

static void count_incomplete(struct analysis *a, enum incomplete reason)
{
	a->summary.integrity.incomplete[reason]++;
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
	if (is_warmup(a, position))
		return true;
	if (stamp.round != position) {
		count_incomplete(a, INCOMPLETE_STAMP);
		return true;
	}
	in = anatomy_input_of(a, joined, &stamp);
	in.was_receiving = was_receiving;
	in.ctx = &receiver;
	err = anatomy_cut(&in, &a->anatomy);
	if (err)
		count_incomplete(a, -err - 1);
	else
		hand_out(a, joined, &stamp, &in);
	return true;
}

/* At the end: why a message is still open. */
static bool take_leftover(void *ctx, const struct joined *joined)
{
	struct analysis *a = ctx;
	uint64_t position = joined->has_send ? joined->send.position : joined->receive.position;

	if (is_warmup(a, position) ||
	    (joined->has_send && !roles__is_server(a->roles, joined->send.head.tid)) ||
	    (joined->has_receive && !roles__client(a->roles, joined->receive.head.tid)))
		return true;
	count_incomplete(a, !joined->has_receive ? INCOMPLETE_NOT_RECEIVED
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

/* Without tracing, the client's own stamps are all there is. */
static int count_stamp(struct analysis *a, const struct record_stamp *stamp)
{
	struct client_summary *client = &a->summary.client[stamp->client - 1];
	struct round_arrival arrival = {
		.client = stamp->client, .stamp_ns = stamp->stamp_ns, .user_ns = stamp->user_ns};

	if (is_warmup(a, stamp->round))
		return 0;
	if (stamp->user_ns < stamp->stamp_ns) {
		count_incomplete(a, INCOMPLETE_ORDER);
		return 0;
	}
	note_duration(a, stamp->stamp_ns);
	arrival.peak.latency_ns = stamp->user_ns - stamp->stamp_ns;
	arrival.peak.client = stamp->client;
	a->summary.integrity.matched++;
	stat_add(&a->summary.latency, arrival.peak.latency_ns);
	stat_add(&client->latency, arrival.peak.latency_ns);
	return rounds__arrive(a->rounds, kept_round(a, stamp->round), &arrival);
}

static int take_stamp(struct analysis *a, const struct record_stamp *stamp)
{
	if (!stamp->client || stamp->client > a->summary.client_cnt)
		return 0;
	return a->summary.info.traced ? stamps__add(a->stamps, stamp) : count_stamp(a, stamp);
}

static int take_tick(struct analysis *a, const struct record_tick *tick)
{
	if (is_warmup(a, tick->round))
		return 0;
	a->summary.integrity.sent += tick->sent;
	a->summary.tick.skipped += tick->skipped;
	if (tick->stamp_ns >= tick->due_ns)
		stat_add(&a->summary.tick.lateness, tick->stamp_ns - tick->due_ns);
	return rounds__tick(a->rounds, kept_round(a, tick->round), tick->sent);
}

static int take_role(struct analysis *a, const struct record_role *role)
{
	if (role->role == ROLE_CLIENT && role->client && role->client <= a->summary.client_cnt) {
		struct client_summary *client = &a->summary.client[role->client - 1];

		client->tid = role->head.tid;
		memcpy(client->comm, role->comm, sizeof(client->comm));
		client->comm[sizeof(client->comm) - 1] = '\0';
	}
	return roles__add(a->roles, role);
}

static void take_left(struct analysis *a, const struct record_left *left)
{
	struct client_summary *client;

	if (left->client > a->summary.client_cnt)
		return;
	if (!left->client) {
		a->summary.server_left = true;
		a->summary.server_left_reason = left->reason;
		a->summary.server_left_detail = left->detail;
		return;
	}
	client = &a->summary.client[left->client - 1];
	client->left = true;
	client->left_reason = left->reason;
	client->left_detail = left->detail;
	client->left_round = left->round;
}

static void take_end(struct analysis *a, const struct record_end *end)
{
	a->ended = true;
	memcpy(a->summary.integrity.loss, end->loss, sizeof(a->summary.integrity.loss));
	if (end->bpf_messages) {
		a->summary.observer.measured = true;
		a->summary.observer.bpf_ns_per_message = (double)end->bpf_ns / end->bpf_messages;
	}
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
		return take_role(a, (const void *)record);
	case RECORD_TICK:
		return take_tick(a, (const void *)record);
	case RECORD_STAMP:
		return take_stamp(a, (const void *)record);
	case RECORD_LEFT:
		take_left(a, (const void *)record);
		return 0;
	case RECORD_WATERMARK:
		return settle(a, ((const struct record_watermark *)record)->before_ns);
	case RECORD_END:
		take_end(a, (const void *)record);
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

static uint64_t accounted_for(const struct integrity *integrity)
{
	uint64_t accounted = integrity->matched;

	for (int i = 0; i < NR_INCOMPLETES; i++)
		accounted += integrity->incomplete[i];
	return accounted;
}

/* Counts up to `cnt` of the messages with reason `from` as overflow. How many. */
static uint64_t move_to_overflow(struct integrity *integrity, enum incomplete from, uint64_t cnt)
{
	if (cnt > integrity->incomplete[from])
		cnt = integrity->incomplete[from];
	integrity->incomplete[from] -= cnt;
	integrity->incomplete[INCOMPLETE_OVERFLOW] += cnt;
	return cnt;
}

/*
 * Every message that was sent is matched, or incomplete for one reason. The workload's ticks say
 * how many were sent; where a tick was lost, the messages themselves do. What is missing for want
 * of a send that had to be refused is missing for want of room.
 */
static void balance(struct integrity *integrity, uint64_t refused_sends)
{
	uint64_t accounted = accounted_for(integrity);

	if (accounted > integrity->sent)
		integrity->sent = accounted;
	integrity->incomplete[INCOMPLETE_NOT_RECORDED] = integrity->sent - accounted;
	refused_sends -= move_to_overflow(integrity, INCOMPLETE_NOT_RECORDED, refused_sends);
	move_to_overflow(integrity, INCOMPLETE_NO_SEND, refused_sends);
}

int analysis__finish(struct analysis *a)
{
	struct summary *summary = &a->summary;
	int err = settle(a, UINT64_MAX);

	join__leftover(a->join, take_leftover, a);
	balance(&summary->integrity, a->refused_sends);
	summary->integrity.truncated = !a->ended;
	summary->duration_s = (a->last_stamp_ns - a->first_stamp_ns) / 1e9;
	rounds__finish(a->rounds, a->first_stamp_ns, summary->duration_s, summary);
	if (!err)
		err = culprits__finish(a->culprits, summary);
	return err;
}

const struct summary *analysis__summary(const struct analysis *a)
{
	return &a->summary;
}
