/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Finds the client, the number and the stamp of each message of ipctrace's own workload, and
 * counts incomplete messages by reason.
 */
#include "analysis/attach/connections/exchanges.h"
#include "analysis/join/stamps.h"
#include "analysis/message_builder.h"
#include "analysis/state.h"
#include "analysis/statistics/calls.h"
#include "analysis/statistics/run_totals.h"
#include "analysis/units/units.h"
#include "model/record_decode.h"

#include <errno.h>
#include <stdlib.h>

struct run_messages {
	struct stamps *stamps;
	struct calls *calls;
	struct run_totals *totals;
	struct exchanges *exchanges; /* NULL: the pattern has none */
	uint64_t *connections;       /* by client: how many so far, if each message has its own */
};

static const struct workload_spec *run_messages_spec_of(const struct analysis *a)
{
	return &a->summary.info.workload;
}

/* For calls__new(). */
static int run_messages_on_call(void *ctx, const struct record_stamp *request,
				const struct record_stamp *response, uint32_t server)
{
	struct analysis *a = ctx;

	return a->units ? call_units_stamps(a, request, response, server) : 0;
}

static bool run_begin(struct analysis *a)
{
	struct run_messages *run = a->run = calloc(1, sizeof(*run));

	if (!run)
		return false;
	run->stamps = stamps__new();
	run->calls = calls__new(run_messages_on_call, a);
	run->totals = run_totals__new(&a->summary);
	run->connections = calloc(run_messages_spec_of(a)->clients + 1, sizeof(*run->connections));
	if (spec_has_connections(run_messages_spec_of(a)))
		run->exchanges =
			exchanges__new(a->names, a->roles, run_messages_spec_of(a)->clients);
	if (run->exchanges && a->lasting.wants.has_units &&
	    a->lasting.wants.kind == UNIT_CONNECTION)
		exchanges__hand_out(run->exchanges, connection_units_opened, a);
	return run->stamps && run->calls && run->totals && run->connections &&
	       (run->exchanges || !spec_has_connections(run_messages_spec_of(a)));
}

static void run_free(struct analysis *a)
{
	struct run_messages *run = a->run;

	if (!run)
		return;
	stamps__free(run->stamps);
	calls__free(run->calls);
	run_totals__free(run->totals);
	exchanges__free(run->exchanges);
	free(run->connections);
	free(run);
}

/* Recordings name the process of a thread, unless the thread is the first one of its process. */
static uint32_t run_pid(struct analysis *a, uint32_t tid, uint64_t at_ns)
{
	const struct record_process *process = names__process(a->names, tid, at_ns);

	return process ? process->pid : tid;
}

/*
 * The message's client, direction and number, the warm-up included. Client 0: not the workload's.
 */
static struct place run_messages_place_of(const struct analysis *a, const struct joined *joined)
{
	uint32_t channel = joined->has_send ? joined->send.channel : joined->receive.channel;
	struct place place = {.index = joined->seq};

	if (channel != CHANNEL_UNKNOWN && channel & CHANNEL_OF_LINK(0, 0)) {
		place.client = (channel & ~CHANNEL_OF_LINK(0, 0)) >> 1;
		place.to_server = channel & 1;
		return place;
	}
	if (!joined->has_send || !joined->has_receive)
		return place;
	if (roles__is_server(a->roles, joined->send.head.tid)) {
		place.client = roles__client(a->roles, joined->receive.head.tid);
	} else if (roles__is_server(a->roles, joined->receive.head.tid) &&
		   !spec_has_rounds(run_messages_spec_of(a))) {
		place.client = roles__client(a->roles, joined->send.head.tid);
		place.to_server = true;
	}
	return place;
}

/* Requests and responses become calls; the server's time line cuts the service, if traced. */
static int run_messages_add_to_call(struct analysis *a, const struct record_stamp *stamp,
				    bool traced)
{
	struct calls *calls = a->run->calls;
	struct serving_thread server;

	if (!spec_has_calls(run_messages_spec_of(a)) ||
	    spec_is_warmup(run_messages_spec_of(a), stamp->index))
		return 0;
	server.tid = calls__server(calls, stamp);
	server.line = timelines__of(a->history.timelines, server.tid);
	return calls__add(calls, stamp, traced ? &server : NULL, a->service_blame,
			  a->lasting.wants.has_no_statistics ? NULL : &a->summary.calls);
}

/* `stamp` NULL: the pattern has none. */
static void run_messages_add_message(struct analysis *a, const struct joined *joined,
				     struct place place, const struct record_stamp *stamp)
{
	int err;

	if (stamp && a->run->exchanges)
		exchanges__take(a->run->exchanges, stamp, &place.exchange);
	place.index -= run_messages_spec_of(a)->warmup;
	build_message(a, joined, &place, stamp, MATCH_EXACT);
	err = stamp ? run_messages_add_to_call(a, stamp, true) : 0;
	if (!a->error)
		a->error = err;
}

/* In a window the number of a message does not follow from the messages before it. */
static bool find_index(const struct analysis *a, const struct joined *joined, struct place *place)
{
	if (a->lasting.windows.is_on)
		return number_table_find(&a->lasting.windows.numbers, joined->send.channel,
					 joined->send.position, &place->index);
	if (spec_has_connections(run_messages_spec_of(a)) && !place->to_server)
		place->index = a->run->connections[place->client];
	return true;
}

/*
 * The stamp of a message is found by the message's number in its channel. If
 * every message has a connection of its own, the connections of the client are counted instead:
 * they follow one another in time. So a stamp that was complete before this message was sent is of
 * a connection without records. False: the stamp is not there yet.
 */
static bool take_stamp(struct analysis *a, const struct joined *joined, struct place *place,
		       struct record_stamp *stamp)
{
	/* Then the next connection of this client is meant, whatever its number. */
	bool is_counted = spec_has_connections(run_messages_spec_of(a)) && !place->to_server &&
			  !a->lasting.windows.is_on;

	while (stamps__take(a->run->stamps, place->client, place->to_server, place->index, stamp)) {
		if (!is_counted || stamp->user_ns >= joined->send.send_ns)
			return true;
		a->run->connections[place->client] = ++place->index;
	}
	return false;
}

static bool run_messages_take_joined(struct analysis *a, const struct joined *joined)
{
	const struct workload_spec *spec = run_messages_spec_of(a);
	struct place place = run_messages_place_of(a, joined);
	struct record_stamp stamp;

	if (!place.client || place.client > spec->clients)
		return true; /* opens or closes a link, or belongs to another program */
	if (!find_index(a, joined, &place))
		return true; /* it is outside of the window */
	if (place.index == SEQ_UNKNOWN) {
		a->summary.integrity.incomplete[INCOMPLETE_HISTORY]++;
		return true;
	}
	if (spec_has_stamps(spec) && !take_stamp(a, joined, &place, &stamp))
		return false;
	if (!place.to_server)
		a->run->connections[place.client]++;
	if (spec_is_warmup(spec, place.index))
		return true;
	if (!spec_has_stamps(spec))
		run_messages_add_message(a, joined, place, NULL);
	else if (stamp.round != place.index)
		a->summary.integrity.incomplete[INCOMPLETE_STAMP]++;
	else
		run_messages_add_message(a, joined, place, &stamp);
	return true;
}

/* For join__settle(). */
static bool run_messages_on_joined(void *ctx, const struct joined *joined)
{
	struct analysis *a = ctx;
	bool is_taken = run_messages_take_joined(a, joined);
	int err = is_taken && a->units ? units__joined(a->units, joined) : 0;

	if (!a->error)
		a->error = err;
	return is_taken;
}

/*
 * Whether a message with one end belongs to the workload. A message that a client sent and no
 * thread received may have gone to the control thread: the links count their own messages.
 */
static bool is_of_workload(const struct analysis *a, const struct joined *joined)
{
	if (joined->has_send)
		return roles__is_server(a->roles, joined->send.head.tid);
	return roles__client(a->roles, joined->receive.head.tid) ||
	       (!spec_has_rounds(run_messages_spec_of(a)) &&
		roles__is_server(a->roles, joined->receive.head.tid));
}

/* For join__leftover(): counts why a message is still open at the end. */
static bool run_messages_on_leftover(void *ctx, const struct joined *joined)
{
	struct analysis *a = ctx;
	struct place place = run_messages_place_of(a, joined);
	uint32_t bytes = joined->has_send ? joined->send.bytes : joined->receive.bytes;

	/* An empty message closes a link: the workload's own messages have contents. */
	if (spec_is_warmup(run_messages_spec_of(a), place.index) || !bytes)
		return true;
	if (!joined->has_receive && is_of_workload(a, joined))
		a->summary.integrity.incomplete[INCOMPLETE_NOT_RECEIVED]++;
	else if (!joined->has_send && is_of_workload(a, joined))
		a->summary.integrity.incomplete[INCOMPLETE_NO_SEND]++;
	else if (place.client)
		a->summary.integrity.incomplete[INCOMPLETE_NO_STAMP]++;
	return true;
}

/* An untraced run has no messages: the stamp of the receiver stands for one. */
static int run_messages_add_untraced(struct analysis *a, const struct record_stamp *stamp)
{
	int err = run_messages_add_to_call(a, stamp, false);
	struct connected_exchange exchange = {0};

	if (err || spec_is_warmup(run_messages_spec_of(a), stamp->index))
		return err;
	if (stamp->user_ns < stamp->stamp_ns) {
		a->summary.integrity.incomplete[INCOMPLETE_ORDER]++;
		return 0;
	}
	exchange_untraced(stamp, &exchange);
	aggregate__untraced(a->aggregate, stamp, &exchange);
	return run_totals__untraced(a->run->totals, stamp);
}

static int add_stamp(struct analysis *a, const struct record_stamp *stamp)
{
	int err;

	if (!stamp->client || stamp->client > run_messages_spec_of(a)->clients)
		return 0;
	err = a->lasting.wants.has_no_statistics ? 0 : run_totals__stamp(a->run->totals, stamp);
	if (!err && a->run->exchanges && a->summary.info.traced)
		err = exchanges__stamp(a->run->exchanges, stamp);
	if (err)
		return err;
	return a->summary.info.traced ? stamps__add(a->run->stamps, stamp)
				      : run_messages_add_untraced(a, stamp);
}

static int add_tick(struct analysis *a, const struct record_tick *tick)
{
	int err = a->lasting.wants.has_no_statistics ? 0 : run_totals__tick(a->run->totals, tick);

	return err || !a->units ? err
				: units__tick(a->units, tick, run_messages_spec_of(a)->warmup);
}

static int run_record(struct analysis *a, const struct record *record)
{
	struct exchanges *exchanges = a->run->exchanges;

	switch (record->type) {
	case RECORD_STAMP:
		return add_stamp(a, (const void *)record);
	case RECORD_CONNECT:
		return exchanges ? exchanges__connect(exchanges, (const void *)record) : 0;
	case RECORD_ACCEPT:
		return exchanges ? exchanges__accept(exchanges, (const void *)record) : 0;
	case RECORD_TICK:
		return add_tick(a, (const void *)record);
	case RECORD_TRAFFIC:
		run_totals__traffic(a->run->totals, (const void *)record);
		return 0;
	case RECORD_ROLE:
		run_totals__role(a->run->totals, (const void *)record);
		return roles__add(a->roles, (const void *)record);
	case RECORD_THREAD:
	case RECORD_ADDRESS:
	case RECORD_BASELINE:
	case RECORD_BESIDE:
	case RECORD_STARVING:
	case RECORD_DROP:
	case RECORD_HANDSHAKE:
	case RECORD_PATH:
	case RECORD_SCRIPT:
	case RECORD_CONNECTION:
		return 0; /* forged: only an attach has these */
	default:
		return RECORD_IS_NOT_MINE;
	}
}

static int run_send(struct analysis *a, const struct record_send *send)
{
	struct joined joined = {.has_send = true, .send = *send, .seq = SEQ_UNKNOWN};
	int err;

	if (!send_has_place(send)) {
		run_messages_on_leftover(a, &joined);
		return 0;
	}
	err = join__send(a->join, send);
	if (!err && send->head.flags & SEND_AMBIGUOUS)
		join__mark_send(a->join, send->channel, send->position);
	return err;
}

static int run_receive(struct analysis *a, const struct record_receive *receive, size_t change_cnt)
{
	int err = history_add_call(&a->history, receive);

	return err ? err : join__receive(a->join, receive, change_cnt);
}

static int run_message(struct analysis *a, const struct message *message)
{
	const struct opened *opened = NULL;
	int err = a->lasting.wants.has_no_statistics ? 0
						     : run_totals__message(a->run->totals, message);

	if (!err && a->run->exchanges)
		err = exchanges__count(a->run->exchanges, &opened);
	if (!err)
		err = connection_units_message(a, opened, message);
	return err ? err : units_hand_out(a, message);
}

static int run_settle(struct analysis *a, uint64_t before_ns)
{
	struct exchanges *exchanges = a->run->exchanges;
	uint64_t horizon_ns, calls_ns;
	int err;

	timelines__complete(a->history.timelines, before_ns);
	err = exchanges ? exchanges__settle(exchanges, before_ns, a->summary.info.shows_switch,
					    a->history.timelines)
			: 0;
	if (!err)
		err = join__settle(a->join, before_ns, run_messages_on_joined, a);
	if (err || a->error)
		return err ? err : a->error;
	horizon_ns = join__horizon(a->join);
	calls_ns = calls__horizon(a->run->calls);
	if (calls_ns < horizon_ns)
		horizon_ns = calls_ns;
	a->horizon_ns = horizon_ns < before_ns ? horizon_ns : before_ns;
	if (a->units)
		horizon_ns = units__trim(a->units, before_ns, horizon_ns);
	if (exchanges && exchanges__horizon(exchanges) < horizon_ns)
		horizon_ns = exchanges__horizon(exchanges);
	history_trim(&a->history, before_ns, horizon_ns);
	return 0;
}

static int run_finish(struct analysis *a)
{
	int err;

	join__leftover(a->join, run_messages_on_leftover, a);
	err = aggregate__finish(a->aggregate, a->refused_sends);
	run_totals__finish(a->run->totals, aggregate__first_ns(a->aggregate));
	if (!err && a->run->exchanges)
		err = exchanges__finish(a->run->exchanges, &a->summary.connections);
	return err;
}

const struct mode_ops run_mode = {
	.begin = run_begin,
	.free = run_free,
	.pid = run_pid,
	.record = run_record,
	.send = run_send,
	.receive = run_receive,
	.message = run_message,
	.settle = run_settle,
	.finish = run_finish,
};
