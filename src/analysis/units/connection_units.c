/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Puts the causes of a connection together:
 *
 *	connect() enter   connect() exit   queued                              accept() exit
 *	      |--- what the client did ---|  ?  |--- what the accepting thread did ---|
 *	      |---------- connect --------------|---------------- queue --------------|
 *
 * If it had to wait for room in the queue, the accepting thread had to make room, and is followed.
 */

#include "analysis/attach/connections/connections.h"
#include "analysis/causes/span_causes.h"
#include "analysis/causes/turns.h"
#include "analysis/message_builder.h"
#include "analysis/state.h"
#include "analysis/units/units.h"
#include "model/blocked_calls.h"

/* The time until it was queued has one reason, or none is known (COST_UNKNOWN). */
static uint16_t add_handshake_reason(struct units *units, enum component cost,
				     enum cause_reason reason, const struct party *client,
				     uint64_t from_ns, uint64_t to_ns)
{
	struct cause cause = {
		.part = PART_CONNECT,
		.cost = cost,
		.role = cost == COST_UNKNOWN ? CAUSE_UNKNOWN : CAUSE_ITSELF,
		.call = CALL_UNKNOWN,
		.reason = reason,
		.tid = client->tid,
		.from_ns = from_ns,
		.by = no_culprit(),
	};

	cause.by.ns = to_ns - from_ns;
	return cause.by.ns ? cause_list_add(&units->causes, &cause) : 0;
}

static void add_wait_for_room(struct units *units, const struct message *opening)
{
	struct cause cause = {
		.part = PART_CONNECT,
		.cost = COMPONENT_ROOM,
		.role = CAUSE_READER,
		.call = CALL_UNKNOWN,
		.reason = REASON_ACCEPT_QUEUE,
		.tid = opening->sender.tid,
		.from_ns = opening->send_ns,
		.by = thread_culprit(&units->cutter, opening->receiver.tid, opening->queued_ns),
	};

	cause.by.ns = opening->queued_ns - opening->send_ns;
	if (!cause.by.ns)
		return;
	span_causes_below(&units->cutter, &units->causes,
			  &(struct followed_wait){
				  .cause = cause_list_add(&units->causes, &cause),
				  .tid = opening->sender.tid,
				  .by = opening->receiver.tid,
				  .from_ns = opening->send_ns,
				  .to_ns = opening->queued_ns,
			  });
}

/* What the client did in its call, or until the connection was queued, if that was earlier. */
static void add_connect_call(struct units *units, const struct message *opening, uint64_t exit_ns)
{
	uint64_t to_ns = exit_ns < opening->queued_ns ? exit_ns : opening->queued_ns;
	const struct span_causes what = {
		.span = {.tid = opening->sender.tid,
			 .from_ns = opening->send_ns,
			 .to_ns = to_ns,
			 .runs = true,
			 .cpu = BLAME_CPU_UNKNOWN},
		.part = PART_CONNECT,
	};
	struct followed_waits waits = {0};

	span_causes_add(&units->cutter, &units->causes, &what, &waits);
	span_causes_follow(&units->cutter, &units->causes, &waits);
	add_handshake_reason(units, COST_UNKNOWN, REASON_NONE, &opening->sender, to_ns,
			     opening->queued_ns);
}

static void add_connecting(struct units *units, const struct opened *opened,
			   const struct message *opening)
{
	if (opened_waited_for_room(opened))
		add_wait_for_room(units, opening);
	else if (opened->connect.retransmits || opened->accept.retransmits)
		add_handshake_reason(units, COMPONENT_SEND_PATH, REASON_NO_ANSWER, &opening->sender,
				     opening->send_ns, opening->queued_ns);
	else
		add_connect_call(units, opening, opened->connect.exit_ns);
}

/* The segments from `queued` on: the first ones are of the way there. */
static void only_queue(struct message *opening)
{
	while (opening->segment_cnt && opening->segment->from_ns < opening->queued_ns) {
		opening->segment++;
		opening->segment_cnt--;
	}
}

static void add_causes(struct units *units, const struct opened *opened,
		       const struct message *opening, const struct blames *blames)
{
	struct message queue = *opening;

	units->causes.cnt = units->more.cnt = 0;
	if (!units__need_causes(units, units->unit.from_ns, units->unit.to_ns))
		return;
	units->cutter.roles.sender_tid = opening->sender.tid;
	units->cutter.left = PIECES_MAX;
	add_connecting(units, opened, opening);
	only_queue(&queue);
	message_causes_add(&units->more, &units->cutter, &queue, blames);
	cause_list_append(&units->causes, units->more.cause, units->more.cnt, PART_WHOLE,
			  PART_QUEUE);
	cause_list_sort(&units->causes);
	if (units->cutter.shows_interrupts)
		units->unit.turn = turn_of(&units->cutter, &queue, true);
}

/* The connection as a message from connect() to accept(). */
static struct message opening_message(struct analysis *a, const struct opened *opened,
				      const struct breakdown *breakdown)
{
	const struct record_accept *accept = &opened->accept;

	return (struct message){
		.transport = opened_transport(opened),
		.path = breakdown->path,
		.send_ns = opened->connect.enter_ns,
		.queued_ns = opened->queued_ns,
		.recv_ns = accept->exit_ns,
		.segment = breakdown->segment,
		.segment_cnt = breakdown->segment_cnt,
		.sender = party_of(a, &opened->connect.head, opened->connect.enter_ns),
		.receiver = party_of(a, &accept->head, accept->exit_ns),
	};
}

/* A thread makes one connection after another. */
static struct unit_key key_of(const struct opened *opened)
{
	return unit_key(UNIT_KEY_CONNECT, opened->connect.head.tid, opened->connect.enter_ns);
}

static void begin_unit(struct analysis *a, const struct message *opening)
{
	struct units *units = a->units;

	units->unit = (struct unit){
		.kind = UNIT_CONNECTION,
		.from_ns = opening->send_ns,
		.to_ns = opening->recv_ns,
		.number = a->run ? 0 : ++units->connections,
		.transport = opening->transport,
		.path = opening->path,
		.sender = opening->sender,
		.receiver = opening->receiver,
		.cause = units->wants->has_causes ? units->causes.cause : NULL,
	};
	if (a->lasting.wants.has_no_identities)
		return;
	units->unit.sender_pid =
		unit_process(a, &opening->sender, opening->send_ns, units->unit.sender_process);
	units->unit.receiver_pid =
		unit_process(a, &opening->receiver, opening->recv_ns, units->unit.receiver_process);
	units->unit.vain =
		futile_wakes_take(deep_events__futile(a->history.deep), opening->sender.tid,
				  opening->send_ns, opening->recv_ns, true);
}

int connection_units_opened(void *ctx, const struct opened *opened,
			    const struct breakdown *breakdown)
{
	struct analysis *a = ctx;
	struct message opening = opening_message(a, opened, breakdown);
	struct units *units = a->units;

	begin_unit(a, &opening);
	if (units->wants->has_causes) {
		find_blame(a, breakdown, opening.sender.tid, opening.receiver.tid);
		add_causes(units, opened, &opening, &a->builder->blames);
		units->unit.cause_cnt = units->causes.cnt;
	}
	if (!a->run)
		return units_put(units, &units->unit);
	return unit_store__put(units->store, key_of(opened), &units->unit);
}

int connection_units_message(struct analysis *a, const struct opened *opened,
			     const struct message *message)
{
	struct units *units = a->units;
	const struct unit *kept;
	struct unit unit;
	int err;

	if (!units || units->wants->kind != UNIT_CONNECTION || !opened)
		return 0;
	kept = unit_store__find(units->store, key_of(opened));
	if (!kept)
		return 0;
	unit = *kept;
	unit.number = ++units->connections;
	unit.has_round = message->has_round;
	unit.round = message->round;
	unit.client = message->client;
	err = units_put(units, &unit);
	unit_store__drop(units->store, kept);
	return err;
}
