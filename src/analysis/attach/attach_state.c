/* SPDX-License-Identifier: BSD-2-Clause */
/* Passes each record, with its channel, to the files of this folder that need it. */
#include "analysis/attach/attach_state.h"

#include "analysis/attach/calls/call_book.h"
#include "analysis/attach/calls/call_matcher.h"
#include "analysis/attach/channel_book.h"
#include "analysis/attach/connections/connections.h"
#include "analysis/attach/multi_receive.h"
#include "analysis/attach/overlap.h"
#include "analysis/attach/rounds/held_messages.h"
#include "analysis/attach/rounds/round_detector.h"
#include "analysis/attach/calls/work_log.h"
#include "model/record_decode.h"

#include <errno.h>
#include <stdlib.h>

/* Most calls take less. */
#define IDLE_NS 200000000ULL

static int attach_state_add_channel(struct attach_state *state, const struct record_channel *record)
{
	struct channel *channel;

	channel_table__begins(state->channels, record->channel);
	channel = channel_table__make(state->channels, record->channel);
	if (!channel)
		return -ENOMEM;
	channel->usage.transport = record->transport;
	channel_usage_facts(&channel->usage, record->head.flags);
	call_direction_channel(&channel->direction, record);
	return transport_is_udp(record->transport)
		       ? datagrams__channel(state->datagrams, channel, record)
		       : 0;
}

static int add_address(struct attach_state *state, const struct record_address *address)
{
	struct channel *channel = channel_table__make(state->channels, address->channel);
	int err;

	if (!channel)
		return -ENOMEM;
	channel->usage.had_target |= address->named & ADDRESS_TO_TARGET;
	if (transport_is_udp(channel->usage.transport) &&
	    address_is_group(address->family, address->text + ADDRESS_RECEIVER_AT))
		channel->usage.to_group = true;
	call_direction_address(&channel->direction, address);
	err = connections__address(state->connections, address);
	return err ?: channel_book__address(state->book, address);
}

static int attach_state_add_arrival(struct attach_state *state,
				    const struct record_arrival *arrival)
{
	struct channel *channel = channel_table__make(state->channels, arrival->channel);

	if (!channel)
		return -ENOMEM;
	channel->usage.has_arrived = true;
	return 0;
}

static int attach_state_add_baseline(struct attach_state *state,
				     const struct record_baseline *baseline)
{
	struct channel *channel = channel_table__make(state->channels, baseline->channel);

	if (!channel)
		return -ENOMEM;
	channel->direction.is_new |= baseline->is_new;
	return baselines_add(&state->baselines, &channel->baseline, baseline);
}

/* Whether what was counted at this instant may be behind sends that are not recorded any more. */
static bool is_past_stop(const struct attach_state *state, uint64_t at_ns)
{
	return state->stop_ns && at_ns > state->stop_ns;
}

static int add_beside(struct attach_state *state, const struct record_beside *beside)
{
	struct channel *channel = channel_table__make(state->channels, beside->channel);
	struct end_access access;

	if (!channel)
		return -ENOMEM;
	channel_usage_sent_beside(&channel->usage, beside, is_past_stop(state, beside->until_ns));
	access = access_of_beside(&channel->usage, beside);
	return overlap__add(state->overlap, &access);
}

int attach_state__record(struct attach_state *state, const struct record *record)
{
	switch (record->type) {
	case RECORD_THREAD:
		return threads__add(state->threads, (const void *)record);
	case RECORD_CHANNEL:
		return attach_state_add_channel(state, (const void *)record);
	case RECORD_ADDRESS:
		return add_address(state, (const void *)record);
	case RECORD_PATH:
		return channel_book__path(state->book, (const void *)record);
	case RECORD_ARRIVAL:
		return attach_state_add_arrival(state, (const void *)record);
	case RECORD_BASELINE:
		return attach_state_add_baseline(state, (const void *)record);
	case RECORD_STOP:
		state->stop_ns = ((const struct record_stop *)record)->at_ns;
		overlap__stop(state->overlap, state->stop_ns);
		connections__stop(state->connections, state->stop_ns);
		return 0;
	case RECORD_BESIDE:
		return add_beside(state, (const void *)record);
	case RECORD_CONNECTION:
		return call_facts_add(state->matcher, (const void *)record);
	case RECORD_WAKEUP:
	case RECORD_FUTEX_WAKEUP:
		return work_log__wakeup(state->work, (const void *)record);
	case RECORD_CONNECT:
		return connections__connect(state->connections, (const void *)record);
	case RECORD_HANDSHAKE:
		return connections__handshake(state->connections, (const void *)record);
	case RECORD_ACCEPT:
		return connections__accept(state->connections, (const void *)record);
	case RECORD_STARVING:
		return overlap__starve(state->overlap, (const void *)record);
	case RECORD_ROLE:
	case RECORD_TICK:
	case RECORD_STAMP:
	case RECORD_TRAFFIC:
		return 0; /* forged: only a run has these */
	default:
		return RECORD_IS_NOT_MINE;
	}
}

int attach_state__send(struct attach_state *state, const struct record_send *send)
{
	struct channel *channel;

	/* A send without a position says nothing of the channel. */
	if (!send_has_place(send))
		return 0;
	threads__use(state->threads, send->head.tid);
	channel = channel_table__sending(state->channels, send);
	if (!channel)
		return -ENOMEM;
	return channel_usage_sent(&channel->usage, state->threads, send,
				  is_past_stop(state, send_counted_ns(send)))
		       ? ATTACH_SENT_ELSEWHERE
		       : 0;
}

/* For rounds: a receive ends what its thread was sending. */
static int add_received_event(struct attach_state *state, const struct record_receive *receive)
{
	const struct ordered_event event = {.at_ns = receive->exit_ns,
					    .end_ns = receive->exit_ns,
					    .tid = receive->head.tid,
					    .receives = true};

	return round_detector__add(state->rounds, &event);
}

/* For rounds. `start_ns`: when the message begins. */
static int add_sent_event(struct attach_state *state, const struct record_send *send,
			  uint64_t start_ns)
{
	const struct ordered_event event = {
		.at_ns = send->send_ns,
		.end_ns = send_counted_ns(send),
		.tid = send->head.tid,
		.channel = send->channel,
		.position = send->position,
		.start_ns = start_ns,
		.queued_ns = send->queued_ns ? send->queued_ns : send->send_ns,
	};

	return round_detector__add(state->rounds, &event);
}

/* UDP sends are left out: datagrams.c looks after UDP. */
static int add_send_access(struct attach_state *state, const struct record_send *send,
			   const struct timeline *line)
{
	const struct channel *channel = channel_table__find(state->channels, send->channel);
	struct end_access access;

	if (!channel || transport_is_udp(channel->usage.transport))
		return 0;
	access = access_of_send(&channel->usage, send, line);
	return overlap__add(state->overlap, &access);
}

int attach_state__sent(struct attach_state *state, const struct record_send *send,
		       const struct timeline *line, bool hides_calls)
{
	int err = add_send_access(state, send, line);
	uint64_t start_ns = hides_calls ? send->queued_ns : send->send_ns;

	return err || !start_ns ? err : add_sent_event(state, send, start_ns);
}

int attach_state__received(struct attach_state *state, const struct record_receive *receive,
			   uint64_t awake_ns)
{
	const struct channel *channel = channel_table__find(state->channels, receive->channel);
	struct end_access access;

	if (!channel)
		return 0;
	if (transport_is_udp(channel->usage.transport))
		return datagrams__received(state->datagrams, channel, receive, awake_ns);
	/* Unix datagrams are numbered while the receiver holds a lock of their socket. */
	if ((channel->usage.transport == TRANSPORT_UDS ||
	     channel->usage.transport == TRANSPORT_UDS_SEQPACKET) &&
	    !channel->usage.has_late)
		return 0;
	access = access_of_receive(&channel->usage, receive, awake_ns);
	return overlap__add(state->overlap, &access);
}

int attach_state__unseen(struct attach_state *state, const struct record_receive *receive,
			 size_t change_cnt, uint64_t awake_ns)
{
	int err = add_received_event(state, receive);

	return err ? err : datagrams__unseen(state->datagrams, receive, change_cnt, awake_ns);
}

/* The channel of a receive, which has used it; NULL: out of memory. */
static struct channel *use_for_receive(struct attach_state *state,
				       const struct record_receive *receive)
{
	struct channel *channel = channel_table__make(state->channels, receive->channel);

	if (!channel)
		return NULL;
	threads__use(state->threads, receive->head.tid);
	channel_usage_received(&channel->usage, state->threads, receive);
	return channel;
}

int attach_state__receive(struct attach_state *state, const struct record_receive *receive,
			  size_t change_cnt)
{
	int err = add_received_event(state, receive);
	struct channel *channel = err ? NULL : use_for_receive(state, receive);

	if (!channel)
		return err ? err : -ENOMEM;
	channel->usage.has_late |= receive->head.flags & RECEIVE_LATE;
	return baselines_receive(&state->baselines, &channel->baseline, receive, change_cnt);
}

/* For datagrams__new(): the datagram of this receive has been found. */
static int on_found(void *ctx, const struct record_receive *receive, size_t change_cnt)
{
	struct attach_state *state = ctx;

	return use_for_receive(state, receive) ? join__receive(state->join, receive, change_cnt)
					       : -ENOMEM;
}

/* For call_matcher__new(). */
static int attach_state_on_call(void *ctx, const struct call *call)
{
	struct attach_state *state = ctx;
	const struct channel_book *book = state->book;
	struct call_ends ends = {
		.name = channel_book__receiver(book, call->channel),
		.client = end_of_process(&state->naming, &call->client, call->sent_ns),
		.server = end_of_process(&state->naming, &call->server, call->received_ns),
		.is_target =
			threads__is_target(state->threads, call->server.tid, call->received_ns),
	};
	char inside[SERVICE_NAME_LEN], callee[CALL_CALLEES_MAX][SERVICE_NAME_LEN];
	int err;

	if (call->parent) {
		channel_book__service(book, call->parent_channel, inside);
		ends.inside = inside;
	}
	for (uint32_t i = 0; i < call->callee_cnt; i++) {
		channel_book__service(book, call->callee[i].channel, callee[i]);
		ends.callee[i] = callee[i];
	}
	if (call->has_states)
		ends.worker = end_of_worker(&state->naming, call);
	err = call_book__add(state->calls, call, &ends);
	channel_book__call(state->book, call->channel);
	return err ? err : state->on_call(state->on_call_ctx, call);
}

struct attach_state *attach_state__new(struct join *join, baselines_put_fn *put,
				       datagrams_unknown_fn *unknown, void *ctx,
				       const struct call_output *calls)
{
	struct attach_state *state = calloc(1, sizeof(*state));
	struct call_output own = *calls;

	if (!state)
		return NULL;
	own.on_call = attach_state_on_call;
	own.ctx = state;
	own.callee = channel_book__service_id;
	own.work = state->work = work_log__new();
	state->on_call = calls->on_call;
	state->on_call_ctx = calls->ctx;
	state->asked = (struct asked_ends){.server = "", .client = ""};
	state->join = join;
	state->threads = threads__new();
	state->naming.threads = state->threads;
	state->baselines = (struct baselines){.put = put, .ctx = ctx};
	state->channels = channel_table__new(state->threads, join, &state->baselines);
	own.book = state->book = channel_book__new();
	state->matcher = state->work ? call_matcher__new(&own) : NULL;
	state->calls = call_book__new();
	state->rounds = round_detector__new(state->threads, calls->blame);
	state->datagrams = datagrams__new(state->channels, join, on_found, state, unknown, ctx);
	state->overlap = overlap__new(join);
	state->multi_receive = multi_receive__new();
	state->connections = connections__new(&state->naming, NULL, NULL);
	if (state->threads && state->channels && state->book && state->matcher && state->calls &&
	    state->rounds && state->datagrams && state->overlap && state->multi_receive &&
	    state->connections)
		return state;
	attach_state__free(state);
	return NULL;
}

void attach_state__free(struct attach_state *state)
{
	if (!state)
		return;
	channel_table__free(state->channels);
	threads__free(state->threads);
	channel_book__free(state->book);
	call_matcher__free(state->matcher);
	work_log__free(state->work);
	call_book__free(state->calls);
	round_detector__free(state->rounds);
	datagrams__free(state->datagrams);
	overlap__free(state->overlap);
	multi_receive__free(state->multi_receive);
	connections__free(state->connections);
	free(state);
}

int attach_state__settle(struct attach_state *state, uint64_t before_ns, bool is_last,
			 struct timelines *lines)
{
	int err = datagrams__settle(state->datagrams, before_ns, is_last);
	int rounds_err = round_detector__settle(state->rounds, before_ns, lines);

	overlap__settle(state->overlap, before_ns);
	if (rounds_err)
		return rounds_err;
	return err == -ENOSPC ? 0 : err; /* then its send stays pending, which is counted */
}

uint64_t attach_state__known_ns(const struct attach_state *state, uint64_t before_ns)
{
	uint64_t datagrams_ns = datagrams__known_ns(state->datagrams, before_ns);
	uint64_t overlap_ns = overlap__known_ns(state->overlap, before_ns);

	return datagrams_ns < overlap_ns ? datagrams_ns : overlap_ns;
}

static bool is_sent_by_target(const struct attach_state *state, const struct joined *joined)
{
	return joined->has_send && user_is_target(state->threads, user_of_send(&joined->send));
}

static bool is_received_by_target(const struct attach_state *state, const struct joined *joined)
{
	return joined->has_receive &&
	       user_is_target(state->threads, user_of_receive(&joined->receive));
}

static bool has_both_ends(const struct joined *joined)
{
	return joined->has_send && joined->has_receive;
}

static uint32_t channel_of(const struct joined *joined)
{
	return joined->has_send ? joined->send.channel : joined->receive.channel;
}

/* NULL: the channel is not known. */
static struct channel_usage *usage_of(const struct attach_state *state, const struct joined *joined)
{
	struct channel *channel = channel_table__find(state->channels, channel_of(joined));

	return channel ? &channel->usage : NULL;
}

bool attach_state__concerns(const struct attach_state *state, const struct joined *joined)
{
	const struct channel_usage *usage;

	if (is_sent_by_target(state, joined) || is_received_by_target(state, joined))
		return true;
	usage = has_both_ends(joined) ? NULL : usage_of(state, joined);
	return usage && channel_usage_concerns(usage, state->threads);
}

bool attach_state__forgot(const struct attach_state *state, const struct joined *joined)
{
	/* With both ends the threads decide, and the channel does not matter. */
	if (!has_both_ends(joined) && channel_table__forgot(state->channels, channel_of(joined)))
		return true;
	return (joined->has_send && threads__forgot(state->threads, joined->send.head.tid)) ||
	       (joined->has_receive && threads__forgot(state->threads, joined->receive.head.tid));
}

bool attach_state__is_peer(const struct attach_state *state, const struct joined *joined,
			   uint32_t tid, uint64_t at_ns)
{
	return !threads__is_target(state->threads, tid, at_ns) ||
	       (is_sent_by_target(state, joined) && is_received_by_target(state, joined));
}

enum match attach_state__match(struct attach_state *state, const struct joined *joined)
{
	struct channel *channel;

	if (joined->is_ambiguous)
		return MATCH_AMBIGUOUS;
	if (send_is_outside(&joined->send) || receive_is_outside(&joined->receive))
		return MATCH_APPROXIMATE;
	channel = channel_table__find(state->channels, channel_of(joined));
	return channel && baseline_resyncs(&channel->baseline) ? MATCH_RESYNCED : MATCH_EXACT;
}

bool attach_state__is_needless(void *ctx, const struct joined *joined)
{
	const struct attach_state *state = ctx;
	const struct channel_usage *usage = usage_of(state, joined);

	return !attach_state__concerns(state, joined) ||
	       (usage && channel_usage_is_elsewhere(usage));
}

bool attach_state__is_notification(const struct attach_state *state, const struct joined *joined)
{
	const struct channel_usage *usage = usage_of(state, joined);

	return joined->has_send && usage && usage->transport == TRANSPORT_EVENTFD &&
	       !usage->has_receive;
}

void attach_state__gave_up(struct attach_state *state, const struct record_send *send,
			   uint64_t now_ns)
{
	struct channel *channel = channel_table__find(state->channels, send->channel);

	if (channel)
		channel_usage_gave_up(&channel->usage, send, now_ns);
}

/*
 * A send without its receive. If nothing was ever received there, it does not matter what lay in
 * the channel before.
 */
static enum incomplete reason_of_send(const struct channel *channel, const struct record_send *send)
{
	bool is_placed = channel && channel->baseline.is_known &&
			 !baseline_dropped(&channel->baseline, send->position);

	if (send->channel == CHANNEL_UNKNOWN)
		return INCOMPLETE_NOT_RECEIVED;
	if (send->position == POSITION_NONE)
		return INCOMPLETE_UNKNOWN_START;
	return is_placed || (channel && !channel->usage.has_receive) ? INCOMPLETE_NOT_RECEIVED
								     : INCOMPLETE_UNKNOWN_START;
}

/* A receive without its send, which may have been sent before or after tracing. */
static enum incomplete reason_of_receive(const struct attach_state *state,
					 struct channel_usage *usage,
					 const struct record_receive *receive)
{
	if (!usage || channel_usage_was_given_up(usage, receive) || !usage->has_send ||
	    receive->position < usage->first_send || is_past_stop(state, receive->exit_ns))
		return NR_INCOMPLETES;
	/* On a stream: the beginning of a send that was under way at the stop. */
	if (receive->channel & CHANNEL_STREAM && receive->position >= usage->sends_end)
		return NR_INCOMPLETES;
	channel_usage_lacks_send(usage, receive);
	return INCOMPLETE_NO_SEND;
}

bool attach_state__drops(struct attach_state *state, const struct record_send *send)
{
	const struct channel *channel = channel_table__find(state->channels, send->channel);

	if (!channel || !transport_is_udp(channel->usage.transport) || send->queued_ns)
		return false;
	channel_book__dropped(state->book, send->channel);
	return true;
}

enum incomplete attach_state__reason(struct attach_state *state, const struct joined *joined,
				     bool *elsewhere)
{
	struct channel *channel = channel_table__find(state->channels, channel_of(joined));
	struct channel_usage *usage = channel ? &channel->usage : NULL;

	*elsewhere = usage && (channel_usage_is_elsewhere(usage) || usage->to_group);
	return joined->has_send ? reason_of_send(channel, &joined->send)
				: reason_of_receive(state, usage, &joined->receive);
}

/* What is known of a message besides itself. */
struct described {
	struct end_summary sender, receiver;
	struct message_ends ends;
	struct call_direction direction;
};

/* `channel` NULL: only the first two are known. */
static struct described attach_state_describe(const struct attach_state *state,
					      const struct channel *channel,
					      const struct message *message)
{
	struct end_summary sender =
		end_of_thread(&state->naming, &message->sender, message->send_ns);
	struct end_summary receiver =
		end_of_thread(&state->naming, &message->receiver, message->recv_ns);
	struct described described = {.sender = sender, .receiver = receiver};

	if (!channel)
		return described;
	described.ends = (struct message_ends){
		.asked = server_end_asked(&state->asked, &sender, &receiver),
		.target = server_end_of(threads__target_ends(state->threads, message)),
		.was_idle = state->began_ns && message->send_ns > state->began_ns + IDLE_NS,
		.is_within = sender.pid && sender.pid == receiver.pid && sender.tid != receiver.tid,
	};
	described.direction = channel->direction;
	call_matcher__set_processes(state->matcher, &described.direction, &described.ends,
				    message->transport, sender.pid, receiver.pid);
	return described;
}

int attach_state__part(struct attach_state *state, const struct message *message)
{
	const struct channel *channel = channel_table__find(state->channels, message->channel);
	struct described described = attach_state_describe(state, channel, message);

	if (!channel)
		return 0;
	return call_matcher__part(state->matcher, &described.direction, message, &described.ends);
}

int attach_state__message(struct attach_state *state, const struct message *message)
{
	const struct channel *channel = channel_table__find(state->channels, message->channel);
	struct described described = attach_state_describe(state, channel, message);
	int err = channel_book__message(state->book, message, &described.sender,
					&described.receiver, &state->naming);
	struct round_fate *fate = NULL;

	if (!err && channel_book__guesses(state->book, message->channel))
		channel_book__targets(state->book, message->channel,
				      threads__target_ends(state->threads, message));
	if (channel && transport_is_udp(message->transport) && message->match != MATCH_AMBIGUOUS)
		datagrams__joined(state->datagrams, channel, message->send_ns);
	if (!err && channel)
		err = call_matcher__message(state->matcher, &described.direction, message,
					    &described.ends);
	if (err < 0)
		return err;
	/* The message waits for its round. */
	err = round_detector__message(state->rounds, message, err > 0, state->held ? &fate : NULL);
	if (state->held && !err)
		return held_messages__add(state->held, message, fate);
	round_fate_put(fate);
	return err;
}

int attach_state__finish(struct attach_state *state, struct summary *summary)
{
	int err = call_matcher__finish(state->matcher);

	if (!err)
		err = call_book__finish(state->calls, &summary->calls);
	if (!err)
		err = channel_book__finish(state->book, summary);
	if (!err)
		err = round_detector__finish(state->rounds, summary);
	if (!err)
		err = connections__finish(state->connections, &summary->connections);
	return err || !state->held ? err : held_messages__release(state->held, UINT64_MAX);
}
