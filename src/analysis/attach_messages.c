/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Selects the messages of programs that run already (attach mode) that concern a target. If one end
 * of a message is missing, counts the reason.
 */
#include "analysis/attach/attach_state.h"
#include "analysis/attach/chains/chains.h"
#include "analysis/attach/channel_book.h"
#include "analysis/attach/drops.h"
#include "analysis/attach/connections/connections.h"
#include "analysis/attach/multi_receive.h"
#include "analysis/attach/overlap.h"
#include "analysis/attach/rounds/held_messages.h"
#include "analysis/attach/rounds/round_detector.h"
#include "analysis/attach/script_book.h"
#include "analysis/attach/calls/work_log.h"
#include "analysis/message_builder.h"
#include "analysis/state.h"
#include "analysis/statistics/loop_times.h"
#include "analysis/units/units.h"
#include "model/record_decode.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* attach_messages_expire() visits every pending message, so it runs only this often. */
#define EXPIRE_EVERY_NS 1000000000ULL

/* A half-seen message of other programs keeps the history for no longer than this. */
#define NEEDLESS_NS 2000000000ULL

/* The peers of targets at the ends of a message, which --peer chooses from. */
struct peers {
	struct end_summary end[2];
	uint32_t cnt;
};

static void add_peer(const struct analysis *a, const struct joined *joined,
		     const struct record *end, uint64_t at_ns, struct peers *peers)
{
	struct party party;

	if (!attach_state__is_peer(a->attach, joined, end->tid, at_ns))
		return;
	party = party_of(a, end, at_ns);
	peers->end[peers->cnt++] = end_of_thread(&a->attach->naming, &party, at_ns);
}

/* With one end only, the thread at the other end is not known. */
static struct peers peers_of(const struct analysis *a, const struct joined *joined)
{
	const struct record_send *send = &joined->send;
	const struct record_receive *receive = &joined->receive;
	struct peers peers = {0};

	if (!a->summary.info.peer[0])
		return peers;
	if (joined->has_send)
		add_peer(a, joined, &send->head, send->send_ns ? send->send_ns : send->queued_ns,
			 &peers);
	if (joined->has_receive)
		add_peer(a, joined, &receive->head, receive->exit_ns, &peers);
	return peers;
}

static bool has_wanted_peer(const struct analysis *a, const struct peers *peers)
{
	for (uint32_t i = 0; i < peers->cnt; i++) {
		if (choice_means(a->summary.info.peer, &peers->end[i]))
			return true;
	}
	return !a->summary.info.peer[0];
}

/* Whether the user asked for this message, which may have one end only. */
static bool concerns(struct analysis *a, const struct joined *joined)
{
	struct peers peers;

	if (attach_state__concerns(a->attach, joined)) {
		peers = peers_of(a, joined);
		choice_meet(&a->attach->choice[CHOICE_PEER], peers.cnt ? &peers.end[0] : NULL,
			    peers.cnt > 1 ? &peers.end[1] : NULL);
		return has_wanted_peer(a, &peers);
	}
	if (attach_state__forgot(a->attach, joined))
		a->summary.integrity.incomplete[INCOMPLETE_FORGOTTEN]++;
	return false;
}

/* For chains__new(). */
static struct end_summary on_chain_end(void *ctx, uint32_t tid, uint64_t at_ns)
{
	const struct analysis *a = ctx;
	const struct record head = {.tid = tid};
	struct party party = party_of(a, &head, at_ns);

	return end_of_process(&a->attach->naming, &party, at_ns);
}

/* The search for chains gets all messages, also those between peers, in the order of receives. */
static int add_to_chains(struct analysis *a, const struct joined *joined)
{
	struct user sender = user_of_send(&joined->send);
	struct user receiver = user_of_receive(&joined->receive);
	struct timeline line = timelines__of(a->history.timelines, sender.tid);
	const struct chain_message message = {
		.channel = joined->send.channel,
		.transport = channels__transport(a->channels, joined->send.channel),
		.sender_tid = sender.tid,
		.receiver_tid = receiver.tid,
		.sender_pid = threads__pid(a->attach->threads, sender.tid, sender.at_ns),
		.receiver_pid = threads__pid(a->attach->threads, receiver.tid, receiver.at_ns),
		.send_ns = sender.at_ns,
		.recv_ns = receiver.at_ns,
		.has_target = attach_state__concerns(a->attach, joined),
	};

	if (joined->is_ambiguous || message.send_ns > message.recv_ns)
		return 0;
	return chains__message(a->attach->chains, &message, &line);
}

static void attach_messages_take_joined(struct analysis *a, const struct joined *joined)
{
	static const struct place none = {0};

	uint64_t connect_ns;
	int err;

	if (!concerns(a, joined))
		return;
	connect_ns = connections__message(a->attach->connections, &joined->send);
	err = a->units ? call_units_connect(a, &joined->send, connect_ns) : 0;
	if (err && !a->error)
		a->error = err;
	if (!joined->send.send_ns || !joined->receive.enter_ns)
		a->summary.integrity.incomplete[INCOMPLETE_NOT_TRACED]++;
	else
		build_message(a, joined, &none, NULL, attach_state__match(a->attach, joined));
}

/* For join__settle(). */
static bool attach_messages_on_joined(void *ctx, const struct joined *joined)
{
	struct analysis *a = ctx;
	int err = a->lasting.wants.has_no_statistics ? 0 : add_to_chains(a, joined);

	attach_messages_take_joined(a, joined);
	if (!err && a->units)
		err = units__joined(a->units, joined);
	if (err && !a->error)
		a->error = err;
	return true;
}

/*
 * For join__on_part(). The server may answer before it has received the rest. When the send was
 * queued is known when all of it has arrived: until then, without system calls, it began before.
 */
static void on_part(void *ctx, const struct joined *joined)
{
	struct analysis *a = ctx;
	const struct record_send *send = &joined->send;
	const struct record_receive *receive = &joined->receive;
	bool hides_calls = a->summary.info.level == LEVEL_LIGHT;
	const struct message part = {
		.channel = send->channel,
		.transport = channels__transport(a->channels, send->channel),
		.position = send->position,
		.bytes = send->bytes,
		.receives = joined->receives,
		.send_ns = hides_calls && send->queued_ns ? send->queued_ns : send->send_ns,
		.queued_ns = send->queued_ns,
		.recv_ns = receive->exit_ns,
		.match = joined->is_ambiguous ? MATCH_AMBIGUOUS : MATCH_EXACT,
		.hides_calls = hides_calls,
		.sender = party_of(a, &send->head, send->send_ns),
		.receiver = party_of(a, &receive->head, receive->exit_ns),
	};
	struct peers peers = peers_of(a, joined);
	int err;

	if (!send->send_ns || !receive->enter_ns || !attach_state__concerns(a->attach, joined) ||
	    !has_wanted_peer(a, &peers))
		return;
	err = attach_state__part(a->attach, &part);
	if (err < 0 && !a->error)
		a->error = err;
}

/* The other end is on another machine, or nothing can say what it is. */
static void count_elsewhere(struct analysis *a, const struct joined *joined)
{
	if (concerns(a, joined))
		a->summary.integrity.elsewhere++;
}

/* Counts why the other end of a message has not come and will not. Whether it is of interest. */
static bool count_one_end(struct analysis *a, const struct joined *joined)
{
	enum incomplete reason;
	bool elsewhere;

	if (!concerns(a, joined))
		return false;
	reason = attach_state__reason(a->attach, joined, &elsewhere);
	if (elsewhere)
		a->summary.integrity.elsewhere++;
	else if (attach_state__is_notification(a->attach, joined))
		a->summary.integrity.notifications++;
	else if (reason < NR_INCOMPLETES)
		a->summary.integrity.incomplete[reason]++;
	/* A datagram that the kernel drops is seen by no receiver. */
	if (reason == INCOMPLETE_NOT_RECEIVED && !elsewhere &&
	    attach_state__drops(a->attach, &joined->send))
		a->summary.integrity.dropped++;
	return true;
}

/* For join__leftover(). */
static bool attach_messages_on_leftover(void *ctx, const struct joined *joined)
{
	count_one_end(ctx, joined);
	return true;
}

/* For channel_table__missing(): `cnt` messages up to `last` have neither end. */
static void on_missing(void *ctx, const struct joined *last, uint64_t cnt)
{
	struct analysis *a = ctx;
	struct peers peers = peers_of(a, last);

	if (has_wanted_peer(a, &peers))
		aggregate__not_recorded(a->aggregate, cnt);
}

/* For join__expire(): the other end is overdue. */
static bool on_expired(void *ctx, const struct joined *joined)
{
	struct analysis *a = ctx;

	if (count_one_end(a, joined) && joined->has_send)
		attach_state__gave_up(a->attach, &joined->send, a->attach->expired_ns);
	return true;
}

/* For join__on_forgotten(). */
static bool on_forgotten(void *ctx, const struct joined *joined)
{
	struct analysis *a = ctx;

	if (!joined->has_send || !joined->has_receive)
		count_one_end(a, joined);
	else if (concerns(a, joined))
		a->summary.integrity.incomplete[INCOMPLETE_FORGOTTEN]++;
	return true;
}

/* Gives up messages that have waited too long for their other end. */
static void attach_messages_expire(struct analysis *a, uint64_t before_ns)
{
	struct attach_state *attach = a->attach;

	if (before_ns == UINT64_MAX || before_ns < attach->expired_ns + EXPIRE_EVERY_NS)
		return;
	attach->expired_ns = before_ns;
	if (before_ns > NEEDLESS_NS)
		join__let_go(a->join, before_ns - NEEDLESS_NS, attach_state__is_needless, attach);
	if (before_ns > HISTORY_MAX_NS)
		join__expire(a->join, before_ns - HISTORY_MAX_NS, on_expired, a);
}

/* For attach_state__new(): the send of this receive can never be found. */
static void attach_messages_on_unknown(void *ctx, const struct record_receive *receive)
{
	const struct joined joined = {.has_receive = true, .receive = *receive, .seq = SEQ_UNKNOWN};

	count_elsewhere(ctx, &joined);
}

/* Since when the receiving thread has been awake in its call, as far as is known. */
static uint64_t awake_ns(struct analysis *a, const struct record_receive *receive,
			 uint64_t since_ns)
{
	struct timeline line = timelines__of(a->history.timelines, receive->head.tid);

	return timeline_awake_ns(&line, since_ns, receive->exit_ns);
}

/* For attach_state__new(): the receive's position is known, or likely (RECEIVE_AMBIGUOUS). */
static int on_placed(void *ctx, const struct record_receive *receive, size_t change_cnt)
{
	struct analysis *a = ctx;
	uint64_t since_ns = receive_is_outside(receive) ? 0 : receive->enter_ns;
	int err = join__receive(a->join, receive, change_cnt);

	if (err)
		return err;
	if (receive->head.flags & RECEIVE_AMBIGUOUS)
		join__mark_receive(a->join, receive->channel, receive->position);
	return attach_state__received(a->attach, receive, awake_ns(a, receive, since_ns));
}

/* For attach_state__new(). */
static int attach_messages_on_call(void *ctx, const struct call *ended)
{
	struct analysis *a = ctx;
	struct call copy = *ended;
	const struct call *call = &copy;
	bool is_handed_out = a->lasting.wants.on_call &&
			     windows_have(&a->lasting.windows, call->sent_ns, call->back_ns);
	int err;

	connections__call(a->attach->connections, &copy);
	if (call->match == CALL_UNBALANCED)
		return 0; /* there is no more to say than that there was one */
	err = is_handed_out ? a->lasting.wants.on_call(a->lasting.wants.ctx, call) : 0;
	return err || !a->units ? err : call_units_call(a, call);
}

/* For struct call_output. */
static int on_service(void *ctx, const struct call *call, const struct service_path *path)
{
	struct analysis *a = ctx;

	return a->units ? call_units_service(a, call, path) : 0;
}

static enum blame_relation attach_relation(void *ctx, uint32_t tid, uint32_t pid, uint64_t at_ns)
{
	const struct analysis *a = ctx;

	return threads__relation(a->attach->threads, tid, pid, at_ns);
}

/* For held_messages__new(). */
static uint32_t attach_messages_client_of(const void *ctx, uint32_t channel)
{
	const struct attach_state *state = ctx;

	return round_detector__client(state->rounds, channel);
}

static uint32_t attach_pid(struct analysis *a, uint32_t tid, uint64_t at_ns)
{
	return threads__pid(a->attach->threads, tid, at_ns);
}

static bool attach_begin(struct analysis *a)
{
	const struct analysis_request *wants = &a->lasting.wants;
	bool holds = wants->on_message || wants->has_units || a->lasting.windows.is_on;
	const struct call_output calls = {
		.lines = a->history.timelines,
		.blame = a->service_blame,
		.calls = &a->summary.calls,
		.is_in_turn = a->summary.info.calls_in_turn,
		.on_call = attach_messages_on_call,
		.ctx = a,
		.on_service = on_service,
		.on_answered = wants->on_answered,
		.answered_ctx = wants->ctx,
		.service_ctx = a,
	};

	a->attach = attach_state__new(a->join, on_placed, attach_messages_on_unknown, a, &calls);
	a->scripts = script_book__new();
	a->loops = loop_times__new();
	a->drops = drops__new();
	if (!a->attach || !a->scripts || !a->loops || !a->drops)
		return false;
	join__on_forgotten(a->join, on_forgotten, a);
	join__on_part(a->join, on_part, a);
	a->attach->naming.names = a->names;
	a->attach->began_ns = a->summary.info.begin.ns;
	a->attach->asked = (struct asked_ends){.server = a->summary.info.server,
					       .client = a->summary.info.client};
	a->attach->choice[CHOICE_PEER].wanted = a->summary.info.peer;
	a->attach->choice[CHOICE_SERVER].wanted = a->summary.info.server;
	a->attach->choice[CHOICE_CLIENT].wanted = a->summary.info.client;
	a->attach->chains = chains__new(on_chain_end, a);
	/* Nothing is handed out if the caller wants no messages, and none may be in a window. */
	if (holds)
		a->attach->held =
			held_messages__new(units_hand_out, a, attach_messages_client_of, a->attach);
	return a->attach->chains && (a->attach->held || !holds);
}

static void attach_free(struct analysis *a)
{
	script_book__free(a->scripts);
	loop_times__free(a->loops);
	drops__free(a->drops);
	if (a->attach) {
		chains__free(a->attach->chains);
		held_messages__free(a->attach->held);
	}
	attach_state__free(a->attach);
}

static int attach_record(struct analysis *a, const struct record *record)
{
	uint32_t pid = record->tid;

	if (record->type == RECORD_DROP)
		return drops__record(a->drops, a->join, (const void *)record);
	if (record->type == RECORD_TIMEOUT)
		drops__timeout(a->drops, (const void *)record);
	if (record->type == RECORD_SCRIPT)
		return script_book__add(a->scripts, (const void *)record,
					threads__relation(a->attach->threads, pid, pid,
							  UINT64_MAX) == RELATION_TARGET);
	return attach_state__record(a->attach, record);
}

/* Without a position, too: that its channel concerns a target may be known later. */
static bool send_waits(const struct record_send *send)
{
	return send_has_place(send) ||
	       (send->channel != CHANNEL_UNKNOWN && !(send->channel & CHANNEL_STREAM));
}

static int attach_send(struct analysis *a, const struct record_send *send)
{
	struct attach_state *state = a->attach;
	struct joined joined = {.has_send = true, .send = *send, .seq = SEQ_UNKNOWN};
	struct timeline line;
	int err = attach_state__send(state, send);

	if (err == ATTACH_SENT_ELSEWHERE) {
		count_elsewhere(a, &joined);
		return 0;
	}
	if (!err && send_waits(send))
		err = join__send(a->join, send) ?: drops__sent(a->drops, a->join, send);
	else if (!err)
		count_one_end(a, &joined);
	if (err)
		return err;
	line = timelines__of(a->history.timelines, send->head.tid);
	err = attach_state__sent(state, send, &line, a->summary.info.level == LEVEL_LIGHT);
	if (!err && send_has_place(send) && send->head.flags & SEND_AMBIGUOUS)
		join__mark_send(a->join, send->channel, send->position);
	return err;
}

/* A receive without a place in a channel may still get one. */
static int add_unplaced(struct analysis *a, const struct record_receive *receive, size_t change_cnt)
{
	if (receive->position == POSITION_NONE) {
		attach_messages_on_unknown(a, receive);
		return 0;
	}
	return attach_state__unseen(a->attach, receive, change_cnt,
				    awake_ns(a, receive, receive->enter_ns));
}

/* For multi_receive__take(): the call has returned. */
static int on_returned(void *ctx, const struct record_receive *receive, size_t change_cnt)
{
	struct analysis *a = ctx;
	int err = history_add_call(&a->history, receive);

	if (err)
		return err;
	if (receive->channel == CHANNEL_UNKNOWN)
		return add_unplaced(a, receive, change_cnt);
	return attach_state__receive(a->attach, receive, change_cnt);
}

static int attach_receive(struct analysis *a, const struct record_receive *receive,
			  size_t change_cnt)
{
	drops__received(a->drops, receive);
	return multi_receive__take(a->attach->multi_receive, receive, change_cnt, on_returned, a);
}

/* Which end serves is chosen by the names of both. */
static void meet_ends(struct analysis *a, const struct message *message)
{
	const struct naming *naming = &a->attach->naming;
	struct end_summary sender, receiver;

	if (!a->summary.info.server[0] && !a->summary.info.client[0])
		return;
	sender = end_of_thread(naming, &message->sender, message->send_ns);
	receiver = end_of_thread(naming, &message->receiver, message->recv_ns);
	choice_meet(&a->attach->choice[CHOICE_SERVER], &sender, &receiver);
	choice_meet(&a->attach->choice[CHOICE_CLIENT], &sender, &receiver);
}

/* A message waits until its round is known. */
static int attach_message(struct analysis *a, const struct message *message)
{
	struct threads *threads = a->attach->threads;
	struct timeline line;
	int err;

	threads__has_message(threads, message->sender.tid, message->send_ns);
	threads__has_message(threads, message->receiver.tid, message->recv_ns);
	meet_ends(a, message);
	err = attach_state__message(a->attach, message);
	if (err)
		return err;
	line = timelines__of(a->history.timelines, message->receiver.tid);
	return loop_times__add(a->loops, message->receiver.tid, message->recv_ns, &line,
			       channel_book__loop(a->attach->book, message->channel));
}

static int attach_messages_settle(struct analysis *a, uint64_t before_ns, bool is_last)
{
	struct attach_state *state = a->attach;
	uint64_t horizon_ns, state_ns;
	int err = attach_state__settle(state, before_ns, is_last, a->history.timelines);

	timelines__complete(a->history.timelines, before_ns);
	if (!err)
		err = join__settle(a->join, attach_state__known_ns(state, before_ns),
				   attach_messages_on_joined, a);
	if (!err)
		err = chains__settle(state->chains, before_ns);
	if (!err)
		err = connections__settle(state->connections, before_ns,
					  a->summary.info.shows_switch, a->history.timelines);
	if (err || a->error)
		return err ? err : a->error;
	horizon_ns = join__horizon(a->join);
	state_ns = call_matcher__horizon(state->matcher, before_ns);
	attach_messages_expire(a, before_ns);
	multi_receive__settle(a->attach->multi_receive, before_ns);
	drops__settle(a->drops, before_ns);
	if (state_ns < horizon_ns)
		horizon_ns = state_ns;
	a->horizon_ns = horizon_ns < before_ns ? horizon_ns : before_ns;
	call_matcher__trim(state->matcher, a->horizon_ns);
	work_log__trim(state->work, a->horizon_ns);
	if (a->units) {
		horizon_ns = units__trim(a->units, before_ns, horizon_ns);
		state_ns = connections__calls_horizon(state->connections, before_ns);
		horizon_ns = state_ns < horizon_ns ? state_ns : horizon_ns;
	}
	if (connections__horizon(state->connections) < horizon_ns)
		horizon_ns = connections__horizon(state->connections);
	history_trim(&a->history, before_ns, horizon_ns);
	return state->held ? held_messages__settle(state->held, before_ns) : 0;
}

static int attach_settle(struct analysis *a, uint64_t before_ns)
{
	return attach_messages_settle(a, before_ns, false);
}

static int attach_finish(struct analysis *a)
{
	/*
	 * The messages that the last attach_messages_settle() emitted can complete what earlier
	 * ones began.
	 */
	int err = attach_messages_settle(a, UINT64_MAX, true);

	if (err)
		return err;
	join__leftover(a->join, attach_messages_on_leftover, a);
	channel_table__missing(a->attach->channels, on_missing, a);
	a->summary.integrity.incomplete[INCOMPLETE_OVERFLOW] += a->refused_sends;
	for (int i = 0; i < NR_CHOICES; i++)
		choice_finish(&a->attach->choice[i], &a->summary.choice[i]);
	drops__finish(a->drops, &a->summary.drops);
	err = aggregate__finish(a->aggregate, 0);
	if (!err)
		err = script_book__finish(a->scripts, &a->summary);
	if (!err)
		err = chains__finish(a->attach->chains, &a->summary);
	return err ? err : attach_state__finish(a->attach, &a->summary);
}

/* What is known of their rounds then is all that is known. */
static int attach_flush(struct analysis *a)
{
	return a->attach->held ? held_messages__release(a->attach->held, UINT64_MAX) : 0;
}

const struct mode_ops attach_mode = {
	.begin = attach_begin,
	.free = attach_free,
	.relation = attach_relation,
	.pid = attach_pid,
	.record = attach_record,
	.send = attach_send,
	.receive = attach_receive,
	.message = attach_message,
	.settle = attach_settle,
	.flush = attach_flush,
	.finish = attach_finish,
};
