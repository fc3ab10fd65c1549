/* SPDX-License-Identifier: BSD-2-Clause */
#include "analysis/attach/attach_state.h"

#include "analysis/attach/call_matcher.h"
#include "analysis/attach/channel_book.h"
#include "analysis/attach/channel_usage.h"
#include "analysis/attach/datagrams.h"
#include "analysis/attach/overlap.h"
#include "analysis/attach/round_detector.h"
#include "analysis/attach/threads.h"
#include "model/record_decode.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

struct attach_state {
	struct threads *threads;
	struct baselines *starts;
	struct channel_book *book;
	struct call_matcher *dialogues;
	struct round_detector *bursts;
	struct datagrams *datagrams;
	struct overlap *turns;
	struct channel_usages *channels;
	struct join *join; /* borrowed */
	datagrams_unknown_fn *unknown;
	void *ctx; /* of that */
};

static int on_found(void *ctx, const struct record_receive *receive, size_t change_cnt);
static void on_unknown(void *ctx, const struct record_receive *receive);

struct attach_state *attach_state__new(struct join *join, baselines_put_fn *put,
				       datagrams_unknown_fn *unknown, void *ctx)
{
	struct attach_state *state = calloc(1, sizeof(*state));

	if (!state)
		return NULL;
	state->join = join;
	state->unknown = unknown;
	state->ctx = ctx;
	state->threads = threads__new();
	state->starts = baselines__new(put, ctx);
	state->book = channel_book__new();
	state->dialogues = call_matcher__new();
	state->bursts = round_detector__new(state->threads);
	state->datagrams = datagrams__new(join, on_found, on_unknown, state);
	state->turns = overlap__new(join);
	state->channels = channel_usages__new(state->threads, join);
	if (state->threads && state->starts && state->book && state->dialogues && state->bursts &&
	    state->datagrams && state->turns && state->channels)
		return state;
	attach_state__free(state);
	return NULL;
}

void attach_state__free(struct attach_state *state)
{
	if (!state)
		return;
	channel_usages__free(state->channels);
	threads__free(state->threads);
	baselines__free(state->starts);
	channel_book__free(state->book);
	call_matcher__free(state->dialogues);
	round_detector__free(state->bursts);
	datagrams__free(state->datagrams);
	overlap__free(state->turns);
	free(state);
}

/* Nothing shows in which order the threads at one end of a channel come. */
static bool is_counted_late(uint32_t transport)
{
	return transport == TRANSPORT_PIPE || transport == TRANSPORT_FIFO ||
	       transport == TRANSPORT_EVENTFD || transport == TRANSPORT_MQUEUE ||
	       transport == TRANSPORT_SYSV;
}

static bool has_late_receives(const struct channel_usage *seen)
{
	return is_counted_late(seen->transport) || seen->has_late;
}

static bool is_unix_message(uint32_t transport)
{
	return transport == TRANSPORT_UDS || transport == TRANSPORT_UDS_SEQPACKET;
}

static int take_channel(struct attach_state *state, const struct record_channel *channel)
{
	struct channel_usage *seen = channel_usages__make(state->channels, channel->channel);
	int err;

	if (!seen)
		return -ENOMEM;
	seen->transport = channel->transport;
	err = transport_is_udp(seen->transport) ? datagrams__channel(state->datagrams, channel) : 0;
	return err ? err : call_matcher__channel(state->dialogues, channel);
}

static int take_address(struct attach_state *state, const struct record_address *address)
{
	int err = channel_book__address(state->book, address);
	struct channel_usage *seen = channel_usages__make(state->channels, address->channel);

	if (!seen)
		return -ENOMEM;
	seen->concerns |= address->named & ADDRESS_TO_TARGET;
	if (transport_is_udp(seen->transport) &&
	    address_is_group(address->family, address->text + ADDRESS_RECEIVER_AT)) {
		seen->to_group = true;
		datagrams__group(state->datagrams, address->channel);
	}
	return err ? err : call_matcher__address(state->dialogues, address);
}

static int take_arrival(struct attach_state *state, const struct record_arrival *arrival)
{
	struct channel_usage *seen = channel_usages__make(state->channels, arrival->channel);

	if (!seen)
		return -ENOMEM;
	seen->has_arrived = true;
	return 0;
}

/* A send that has no place among those that count. */
static int take_beside(struct attach_state *state, const struct record_beside *beside)
{
	struct channel_usage *seen = channel_usages__make(state->channels, beside->channel);
	struct overlap_end turn = {
		.channel = beside->channel,
		.tid = beside->head.tid,
		.position = POSITION_NONE,
		.from_ns = beside->from_ns,
		.until_ns = beside->until_ns,
	};

	if (!seen)
		return -ENOMEM;
	channel_usages__sent_beside(state->channels, seen, beside);
	turn.is_shared = seen->has_senders;
	return overlap__add(state->turns, &turn);
}

static int take_stop(struct attach_state *state, const struct record_stop *stop)
{
	channel_usages__stop(state->channels, stop->at_ns);
	overlap__stop(state->turns, stop->at_ns);
	return 0;
}

static int take_start(struct attach_state *state, const struct record_baseline *start)
{
	int err = call_matcher__start(state->dialogues, start);

	return err ? err : baselines__add(state->starts, start);
}

int attach_state__record(struct attach_state *state, const struct record *record)
{
	switch (record->type) {
	case RECORD_THREAD:
		return threads__add(state->threads, (const void *)record);
	case RECORD_CHANNEL:
		return take_channel(state, (const void *)record);
	case RECORD_ADDRESS:
		return take_address(state, (const void *)record);
	case RECORD_ARRIVAL:
		return take_arrival(state, (const void *)record);
	case RECORD_BASELINE:
		return take_start(state, (const void *)record);
	case RECORD_STOP:
		return take_stop(state, (const void *)record);
	case RECORD_BESIDE:
		return take_beside(state, (const void *)record);
	case RECORD_STARVING:
		return overlap__starve(state->turns, (const void *)record);
	default:
		return 0;
	}
}

static bool is_target(const struct attach_state *state, struct user user)
{
	return threads__is_target(state->threads, user.tid, user.at_ns);
}

static bool sent_by_target(const struct attach_state *state, const struct joined *joined)
{
	return joined->has_send && is_target(state, user_of_send(&joined->send));
}

static bool taken_by_target(const struct attach_state *state, const struct joined *joined)
{
	return joined->has_receive && is_target(state, user_of_receive(&joined->receive));
}

static bool channel_concerns(const struct attach_state *state, uint32_t id)
{
	const struct channel_usage *seen = channel_usages__find(state->channels, id);

	return seen && channel_usages__concerns(state->channels, seen);
}

int attach_state__send(struct attach_state *state, const struct record_send *send)
{
	struct channel_usage *seen;

	/* A send without a place in its channel says nothing of that channel. */
	if (!send_has_place(send))
		return 0;
	threads__use(state->threads, send->head.tid);
	seen = channel_usages__make(state->channels, send->channel);
	if (!seen)
		return -ENOMEM;
	return channel_usages__sent(state->channels, seen, send) ? ATTACH_SENT_ELSEWHERE : 0;
}

/* Since when it may have been under way. */
static uint64_t under_way_ns(const struct record_send *send)
{
	const struct record_send_outside *outside = (const void *)send;

	return send_is_outside(send) ? outside->since_ns : send->send_ns;
}

/* Whether it may go there in parts, with others' in between. */
static bool may_be_in_parts(const struct channel_usage *seen, const struct record_send *send)
{
	return seen->transport == TRANSPORT_UDS_STREAM || transport_is_tcp(seen->transport) ||
	       (seen->id & CHANNEL_STREAM && send->bytes > PIPE_BUF);
}

/*
 * It may have happened at any instant since then. What waits for room in a POSIX queue is put there
 * by a receiver.
 */
static uint64_t began_ns(const struct channel_usage *seen, const struct record_send *send,
			 const struct timeline *line)
{
	if (seen->transport == TRANSPORT_MQUEUE || may_be_in_parts(seen, send))
		return under_way_ns(send);
	return timeline_awake_ns(line, under_way_ns(send), send_counted_ns(send));
}

/*
 * A queue hands a message to whoever sleeps for one; and who may have taken parts of a stream
 * before it slept, see RECEIVE_LATE. Of what is taken outside of any call, it is only known when it
 * was over.
 */
static int note_turn_of_receives(struct attach_state *state, const struct channel_usage *seen,
				 const struct record_receive *receive, uint64_t awake_ns)
{
	bool is_stream = seen->id & CHANNEL_STREAM;
	bool is_long = is_stream ? seen->has_late : has_late_receives(seen);
	const struct overlap_end turn = {
		.channel = receive->channel,
		.receives = true,
		.tid = receive->head.tid,
		.position = receive->position,
		.is_shared = seen->has_receivers,
		.is_queue = transport_is_queue(seen->transport),
		.from_ns = is_long && !receive_is_outside(receive) ? receive->enter_ns : awake_ns,
		.until_ns = receive->exit_ns,
	};

	return overlap__add(state->turns, &turn);
}

/* It has taken something. */
static int add_receive(struct attach_state *state, const struct record_receive *receive)
{
	const struct ordered_event act = {.at_ns = receive->exit_ns,
					  .end_ns = receive->exit_ns,
					  .tid = receive->head.tid,
					  .receives = true};

	return round_detector__add(state->bursts, &act);
}

/* `start_ns`: as its message has it. */
static int add_send(struct attach_state *state, const struct record_send *send, uint64_t start_ns)
{
	const struct ordered_event act = {
		.at_ns = send->send_ns,
		.end_ns = send_counted_ns(send),
		.tid = send->head.tid,
		.channel = send->channel,
		.position = send->position,
		.start_ns = start_ns,
		.queued_ns = send->queued_ns ? send->queued_ns : send->send_ns,
	};

	return round_detector__add(state->bursts, &act);
}

static int note_turn_of_sends(struct attach_state *state, const struct record_send *send,
			      const struct timeline *line)
{
	const struct channel_usage *seen = channel_usages__find(state->channels, send->channel);
	struct overlap_end turn = {.channel = send->channel,
				   .tid = send->head.tid,
				   .position = send->position,
				   .until_ns = send_counted_ns(send)};

	if (!seen || transport_is_udp(seen->transport))
		return 0;
	turn.is_shared = seen->has_senders;
	turn.is_queue = transport_is_queue(seen->transport);
	turn.from_ns = began_ns(seen, send, line);
	return overlap__add(state->turns, &turn);
}

int attach_state__sent(struct attach_state *state, const struct record_send *send,
		       const struct timeline *line, bool hides_calls)
{
	int err = note_turn_of_sends(state, send, line);
	uint64_t start_ns = hides_calls ? send->queued_ns : send->send_ns;

	return err || !start_ns ? err : add_send(state, send, start_ns);
}

/* Unix datagrams are numbered while their socket is the reader's alone. */
int attach_state__received(struct attach_state *state, const struct record_receive *receive,
			   uint64_t awake_ns)
{
	struct channel_usage *seen = channel_usages__find(state->channels, receive->channel);

	if (!seen || (is_unix_message(seen->transport) && !seen->has_late))
		return 0;
	return transport_is_udp(seen->transport)
		       ? datagrams__taken(state->datagrams, receive, awake_ns)
		       : note_turn_of_receives(state, seen, receive, awake_ns);
}

int attach_state__unseen(struct attach_state *state, const struct record_receive *receive,
			 size_t change_cnt, uint64_t awake_ns)
{
	int err = add_receive(state, receive);

	return err ? err : datagrams__unseen(state->datagrams, receive, change_cnt, awake_ns);
}

static int note_receive(struct attach_state *state, const struct record_receive *receive)
{
	struct channel_usage *seen = channel_usages__make(state->channels, receive->channel);

	if (!seen)
		return -ENOMEM;
	threads__use(state->threads, receive->head.tid);
	channel_usages__taken(state->channels, seen, receive);
	return 0;
}

int attach_state__late(struct attach_state *state, uint32_t channel)
{
	struct channel_usage *seen = channel_usages__make(state->channels, channel);

	if (!seen)
		return -ENOMEM;
	seen->has_late = true;
	return 0;
}

int attach_state__receive(struct attach_state *state, const struct record_receive *receive,
			  size_t change_cnt)
{
	int err = add_receive(state, receive);

	if (!err)
		err = note_receive(state, receive);
	return err ? err : baselines__receive(state->starts, receive, change_cnt);
}

/* For datagrams__new(): what this receive took is known now. */
static int on_found(void *ctx, const struct record_receive *receive, size_t change_cnt)
{
	struct attach_state *state = ctx;
	int err = note_receive(state, receive);

	return err ? err : join__receive(state->join, receive, change_cnt);
}

/* For datagrams__new(), too. */
static void on_unknown(void *ctx, const struct record_receive *receive)
{
	const struct attach_state *state = ctx;

	state->unknown(state->ctx, receive);
}

int attach_state__settle(struct attach_state *state, uint64_t before_ns, bool is_last,
			 struct timelines *lines)
{
	int err = datagrams__settle(state->datagrams, before_ns, is_last);
	int bursts_err = round_detector__settle(state->bursts, before_ns, lines);

	overlap__settle(state->turns, before_ns);
	if (bursts_err)
		return bursts_err;
	return err == -ENOSPC ? 0 : err; /* then its send remains open, which is counted */
}

bool attach_state__shared(const struct attach_state *state)
{
	return overlap__shared(state->turns);
}

uint64_t attach_state__known_ns(const struct attach_state *state, uint64_t before_ns)
{
	uint64_t datagrams_ns = datagrams__known_ns(state->datagrams, before_ns);
	uint64_t turns_ns = overlap__known_ns(state->turns, before_ns);

	return datagrams_ns < turns_ns ? datagrams_ns : turns_ns;
}

static uint32_t channel_of(const struct joined *joined)
{
	return joined->has_send ? joined->send.channel : joined->receive.channel;
}

bool attach_state__concerns(const struct attach_state *state, const struct joined *joined)
{
	if (sent_by_target(state, joined) || taken_by_target(state, joined))
		return true;
	return !(joined->has_send && joined->has_receive) &&
	       channel_concerns(state, channel_of(joined));
}

bool attach_state__forgot(const struct attach_state *state, const struct joined *joined)
{
	/* Of a message with both ends, these tell by themselves. */
	if (!(joined->has_send && joined->has_receive) &&
	    channel_usages__forgot(state->channels, channel_of(joined)))
		return true;
	return (joined->has_send && threads__forgot(state->threads, joined->send.head.tid)) ||
	       (joined->has_receive && threads__forgot(state->threads, joined->receive.head.tid));
}

bool attach_state__is_peer(const struct attach_state *state, const struct joined *joined,
			   uint32_t tid, uint64_t at_ns)
{
	return !threads__is_target(state->threads, tid, at_ns) ||
	       (sent_by_target(state, joined) && taken_by_target(state, joined));
}

uint32_t attach_state__pid(const struct attach_state *state, uint32_t tid, uint64_t at_ns)
{
	return threads__pid(state->threads, tid, at_ns);
}

enum match attach_state__match(struct attach_state *state, const struct joined *joined)
{
	if (joined->is_ambiguous)
		return MATCH_AMBIGUOUS;
	if (send_is_outside(&joined->send) || receive_is_outside(&joined->receive))
		return MATCH_APPROXIMATE;
	return baselines__resyncs(state->starts, channel_of(joined)) ? MATCH_RESYNCED : MATCH_EXACT;
}

bool attach_state__is_needless(const struct attach_state *state, const struct joined *joined)
{
	const struct channel_usage *seen =
		channel_usages__find(state->channels, channel_of(joined));

	return !attach_state__concerns(state, joined) || (seen && channel_usage_is_elsewhere(seen));
}

void attach_state__gave_up(struct attach_state *state, const struct record_send *send,
			   uint64_t now_ns)
{
	struct channel_usage *seen = channel_usages__find(state->channels, send->channel);

	if (seen)
		channel_usage_gave_up(seen, send, now_ns);
}

/* Whether its receive would have found it. */
static bool has_start(const struct attach_state *state, const struct record_send *send)
{
	return baselines__known(state->starts, send->channel) &&
	       !baselines__lost(state->starts, send->channel, send->position);
}

enum incomplete attach_state__reason(struct attach_state *state, const struct joined *joined,
				     bool *elsewhere)
{
	struct channel_usage *seen = channel_usages__find(state->channels, channel_of(joined));

	*elsewhere = seen && (channel_usage_is_elsewhere(seen) || seen->to_group);
	if (joined->has_send && joined->send.channel == CHANNEL_UNKNOWN)
		return INCOMPLETE_NOT_RECEIVED;
	if (joined->has_send && joined->send.position == POSITION_NONE)
		return INCOMPLETE_START;
	/* Of a channel that nobody takes anything from, what was in it before does not matter. */
	if (joined->has_send)
		return has_start(state, &joined->send) || (seen && !seen->has_receive)
			       ? INCOMPLETE_NOT_RECEIVED
			       : INCOMPLETE_START;
	/* What was sent before the first send that we saw, we did not want to see. */
	if (!seen || channel_usage_was_given_up(seen, &joined->receive) || !seen->has_send ||
	    joined->receive.position < seen->first_send ||
	    channel_usages__is_past_stop(state->channels, joined->receive.exit_ns))
		return NR_INCOMPLETES;
	/* Of a stream, the beginning of what was still being sent when we stopped. */
	if (seen->id & CHANNEL_STREAM && joined->receive.position >= seen->sends_end)
		return NR_INCOMPLETES;
	channel_usage_lacks_send(seen, &joined->receive);
	return INCOMPLETE_NO_SEND;
}

void attach_state__missing(const struct attach_state *state, channel_usage_missing_fn *fn,
			   void *ctx)
{
	channel_usages__missing(state->channels, fn, ctx);
}

static struct end_summary end_of(const struct attach_state *state, const struct party *party,
				 uint64_t at_ns)
{
	struct end_summary end = {.tid = party->tid,
				  .pid = threads__pid(state->threads, party->tid, at_ns)};

	memcpy(end.comm, party->comm, sizeof(end.comm));
	return end;
}

static void on_call(void *ctx, uint32_t channel)
{
	struct attach_state *state = ctx;

	channel_book__call(state->book, channel);
}

int attach_state__message(struct attach_state *state, const struct message *message,
			  struct timelines *lines, struct calls_summary *calls)
{
	struct end_summary sender = end_of(state, &message->sender, message->send_ns);
	struct end_summary receiver = end_of(state, &message->receiver, message->recv_ns);
	int err = channel_book__message(state->book, message, &sender, &receiver);

	if (transport_is_udp(message->transport) && message->match != MATCH_AMBIGUOUS)
		datagrams__joined(state->datagrams, message->channel, message->send_ns);
	if (!err)
		err = call_matcher__message(
			state->dialogues, message,
			threads__is_target(state->threads, sender.tid, message->send_ns) &&
				!threads__is_target(state->threads, receiver.tid, message->recv_ns),
			lines, calls, on_call, state);
	return err < 0 ? err : round_detector__message(state->bursts, message, err > 0);
}

uint64_t attach_state__horizon(const struct attach_state *state)
{
	return call_matcher__horizon(state->dialogues);
}

int attach_state__finish(struct attach_state *state, struct summary *summary)
{
	int err = channel_book__finish(state->book, summary);

	return err ? err : round_detector__finish(state->bursts, summary);
}
