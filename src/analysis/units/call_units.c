/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Puts the causes of a call together:
 *
 *	sent                          received       answered                       back
 *	  | first parts | last message  |  service   | first parts | last message     |
 *	  |         request             |            |          response              |
 *
 * The time in which the first parts of a request or an answer are sent is dispatch of the last one.
 */

#include "analysis/attach/attach_state.h"
#include "analysis/attach/calls/service_path.h"
#include "analysis/attach/channel_book.h"
#include "analysis/attach/connections/connections.h"
#include "analysis/causes/span_causes.h"
#include "analysis/state.h"
#include "analysis/units/units.h"
#include "model/blocked_calls.h"

#include <errno.h>

/* A call of which the parts are known, or not (NULL). */
struct parts {
	uint64_t sent_ns;
	uint64_t received_ns;
	uint64_t answered_ns;
	uint64_t back_ns;
	const struct unit *request; /* its last message */
	const struct unit *service; /* with the dispatch of the request */
	const struct unit *response;
	uint32_t answerer;   /* the thread that sent the answer */
	uint64_t connect_ns; /* so long before `sent_ns`, it began with connect(); 0: it did not */
	const struct unit *connect; /* that time */
};

/* The channel of a direction of a client's link, for messages of a run. */
static uint32_t call_units_link_of(uint32_t client, bool to_server)
{
	return client << 1 | to_server;
}

int call_units_message(struct analysis *a, const struct message *message)
{
	struct unit_key key = unit_key(UNIT_KEY_MESSAGE, message->channel, message->position);

	if (a->lasting.wants.kind != UNIT_CALL || a->lasting.wants.has_no_identities)
		return 0;
	/* The answer of a call of a run says nothing but its causes. */
	if (message->has_stamp && !message->to_server && !message->unit->cause_cnt)
		return 0;
	if (message->has_stamp)
		key = unit_key(UNIT_KEY_MESSAGE,
			       call_units_link_of(message->client, message->to_server),
			       message->round);
	return unit_store__put(a->units->store, key, message->unit);
}

static void call_units_begin(struct units *units, uint32_t sender_tid)
{
	units->more.cnt = 0;
	units->cutter.roles.sender_tid = sender_tid;
	units->cutter.left = PIECES_MAX;
}

static void call_units_add_span(struct units *units, enum cause_part which,
				const struct service_part *part)
{
	const struct span_causes what = {
		.span = {.tid = part->tid,
			 .from_ns = part->from_ns,
			 .to_ns = part->to_ns,
			 .runs = !part->is_handed_over,
			 .cpu = BLAME_CPU_UNKNOWN},
		.part = which,
		.is_handed_over = part->is_handed_over,
	};
	struct followed_waits waits = {0};

	span_causes_add(&units->cutter, &units->more, &what, &waits);
	span_causes_follow(&units->cutter, &units->more, &waits);
}

/* The thread that connects sends the request. It has the CPU when its call begins. */
int call_units_connect(struct analysis *a, const struct record_send *send, uint64_t from_ns)
{
	const struct service_part part = {
		.tid = send->head.tid, .from_ns = from_ns, .to_ns = send->send_ns};
	struct units *units = a->units;
	struct accepted_by accepted;
	struct unit connect;

	units->cutter.accepted_ns = 0;
	if (!from_ns)
		return 0;
	accepted = connections__accepted(a->attach->connections, send->channel);
	units->cutter.acceptor_tid = accepted.tid;
	units->cutter.accepted_ns = accepted.at_ns;
	if (units->wants->kind != UNIT_CALL || !units__need_causes(units, from_ns, send->send_ns))
		return 0;
	call_units_begin(units, send->head.tid);
	call_units_add_span(units, PART_CONNECT, &part);
	connect = (struct unit){.cause = units->more.cause, .cause_cnt = units->more.cnt};
	return unit_store__put(units->store,
			       unit_key(UNIT_KEY_CONNECT, send->channel, send->send_ns), &connect);
}

int call_units_service(struct analysis *a, const struct call *call, const struct service_path *path)
{
	struct units *units = a->units;
	struct used_channel *used = LRU_GET(units, call->channel);
	const struct unit *request;
	struct unit service;

	if (used)
		used->has_requests = true;
	if (units->cutter.shows_interrupts &&
	    acceptors_answer(deep_events__acceptors(a->history.deep), call->server.tid,
			     call->answered_ns))
		return -ENOMEM;
	if (units->wants->kind != UNIT_CALL ||
	    !units__need_causes(units, call->sent_ns, call->sent_ns))
		return 0;
	call_units_begin(units, call->client.tid);
	request = unit_store__find(units->store,
				   unit_key(UNIT_KEY_MESSAGE, call->channel, call->position));
	if (request)
		span_causes_dispatch(&units->cutter, &units->more, PART_REQUEST, &call->client,
				     call->sent_ns, request->from_ns);
	for (uint32_t i = 0; i < path->cnt; i++)
		call_units_add_span(units, PART_SERVICE, &path->part[i]);
	service = (struct unit){.cause = units->more.cause, .cause_cnt = units->more.cnt};
	return unit_store__put(units->store,
			       unit_key(UNIT_KEY_SERVICE, call->channel, call->number), &service);
}

/* The causes of this part that are not followed. */
static uint64_t known_ns(const struct cause *cause, uint32_t cnt, enum cause_part part)
{
	uint64_t ns = 0;

	for (uint32_t i = 0; i < cnt; i++) {
		if (!cause[i].parent && cause[i].part == part)
			ns += cause[i].by.ns;
	}
	return ns;
}

/* What is not known, if anything. */
static void call_units_add_rest(struct units *units, enum cause_part part, uint64_t from_ns,
				uint64_t ns)
{
	struct cause cause = {.part = part,
			      .cost = COST_UNKNOWN,
			      .role = CAUSE_UNKNOWN,
			      .call = CALL_UNKNOWN,
			      .from_ns = from_ns,
			      .by = no_culprit()};

	cause.by.ns = ns;
	if (ns)
		cause_list_add(&units->causes, &cause);
}

/*
 * Adds a time of the call. `unit` NULL: its causes are not known. They have to be those of all the
 * time, or nothing is known.
 */
static void call_units_add_time(struct units *units, enum cause_part part, uint64_t from_ns,
				uint64_t to_ns, const struct cause *cause, uint32_t cnt,
				enum cause_part known_as)
{
	uint64_t ns = to_ns - from_ns;

	if (known_ns(cause, cnt, known_as) == ns)
		cause_list_append(&units->causes, cause, cnt, known_as, part);
	else
		call_units_add_rest(units, part, from_ns, ns);
}

static void call_units_add_message(struct units *units, enum cause_part part,
				   const struct unit *message)
{
	call_units_add_time(units, part, message->from_ns, message->to_ns, message->cause,
			    message->cause_cnt, PART_WHOLE);
}

static void call_units_add_request(struct units *units, const struct parts *parts)
{
	const struct unit *request = parts->request, *service = parts->service;

	if (!request || request->to_ns != parts->received_ns || request->from_ns < parts->sent_ns) {
		call_units_add_rest(units, PART_REQUEST, parts->sent_ns,
				    parts->received_ns - parts->sent_ns);
		return;
	}
	call_units_add_time(units, PART_REQUEST, parts->sent_ns, request->from_ns,
			    service ? service->cause : NULL, service ? service->cause_cnt : 0,
			    PART_REQUEST);
	call_units_add_message(units, PART_REQUEST, request);
}

static void call_units_add_response(struct units *units, const struct parts *parts)
{
	const struct unit *response = parts->response;

	if (!response || response->to_ns != parts->back_ns ||
	    response->from_ns < parts->answered_ns) {
		call_units_add_rest(units, PART_RESPONSE, parts->answered_ns,
				    parts->back_ns - parts->answered_ns);
		return;
	}
	call_units_begin(units, response->sender.tid);
	span_causes_dispatch(&units->cutter, &units->more, PART_RESPONSE, &response->sender,
			     parts->answered_ns, response->from_ns);
	call_units_add_time(units, PART_RESPONSE, parts->answered_ns, response->from_ns,
			    units->more.cause, units->more.cnt, PART_RESPONSE);
	call_units_add_message(units, PART_RESPONSE, response);
}

static void call_units_add_connect(struct units *units, const struct parts *parts)
{
	const struct unit *connect = parts->connect;

	if (parts->connect_ns)
		call_units_add_time(units, PART_CONNECT, parts->sent_ns - parts->connect_ns,
				    parts->sent_ns, connect ? connect->cause : NULL,
				    connect ? connect->cause_cnt : 0, PART_CONNECT);
}

static void call_units_put_together(struct units *units, const struct parts *parts)
{
	const struct unit *service = parts->service;

	units->causes.cnt = 0;
	call_units_add_connect(units, parts);
	call_units_add_request(units, parts);
	call_units_add_time(units, PART_SERVICE, parts->received_ns, parts->answered_ns,
			    service ? service->cause : NULL, service ? service->cause_cnt : 0,
			    PART_SERVICE);
	call_units_add_response(units, parts);
	cause_list_sort(&units->causes);
}

/* The rest of the unit is known from the request, if that is known, and from the caller. */
static int call_units_hand_out(struct units *units, const struct parts *parts, struct unit *unit)
{
	unit->kind = UNIT_CALL;
	unit->from_ns = parts->sent_ns - parts->connect_ns;
	unit->to_ns = parts->back_ns;
	unit->cause = NULL;
	unit->cause_cnt = 0;
	if (units__need_causes(units, unit->from_ns, unit->to_ns)) {
		call_units_put_together(units, parts);
		unit->cause = units->causes.cause;
		unit->cause_cnt = units->causes.cnt;
	}
	return units_put(units, unit);
}

static void call_units_name_service(struct analysis *a, const struct call *call)
{
	const struct channel_book *book = a->attach->book;
	const struct call_callee *callee = call->callee;
	struct unit_service *service = &a->units->service;

	*service = (struct unit_service){
		.address = channel_book__receiver(book, call->channel),
		.nested = call->nested,
		.nested_ns = call->nested_ns,
		.are_nested_apart = call->are_nested_apart,
	};
	if (!call->callee_cnt)
		return;
	channel_book__service(book, callee->channel, service->callee);
	service->callee_calls = callee->calls;
}

/* Adds what the thread that received the request has woken in vain until the answer was back. */
static void call_units_add_vain(struct units *units, const struct call *call, struct unit *unit)
{
	struct futile_wakes *wakes = deep_events__futile(units->cutter.history->deep);
	struct unit_vain served =
		futile_wakes_take_served(wakes, call->server.tid, call->received_ns, call->back_ns);

	unit_vain_add(&unit->vain, &served);
}

static struct unit call_units_unit_of_call(struct analysis *a, const struct call *call,
					   const struct unit *request)
{
	struct unit unit = request ? *request : (struct unit){0};

	unit.channel = call->channel;
	unit.transport = call->transport;
	unit.position = call->position;
	unit.number = call->number;
	unit.opening_ns = call->opening_ns;
	unit.connect_ns = call->connect_ns;
	unit.sender = call->client;
	unit.receiver = call->server;
	if (!a->lasting.wants.has_no_identities) {
		unit.sender_pid =
			unit_process(a, &call->client, call->sent_ns, unit.sender_process);
		unit.receiver_pid =
			unit_process(a, &call->server, call->received_ns, unit.receiver_process);
		call_units_name_service(a, call);
		unit.service = &a->units->service;
	}
	unit.is_ambiguous = call->is_ambiguous || call->match == CALL_SEVERAL;
	return unit;
}

int call_units_call(struct analysis *a, const struct call *call)
{
	struct unit_store *store = a->units->store;
	const struct unit_key request = unit_key(UNIT_KEY_MESSAGE, call->channel, call->position);
	const struct unit_key service = unit_key(UNIT_KEY_SERVICE, call->channel, call->number);
	const struct unit_key connect = unit_key(UNIT_KEY_CONNECT, call->channel, call->sent_ns);
	const struct unit_key response =
		unit_key(UNIT_KEY_MESSAGE, call->back_channel, call->back_position);
	struct parts parts = {.sent_ns = call->sent_ns,
			      .received_ns = call->received_ns,
			      .answered_ns = call->answered_ns,
			      .back_ns = call->back_ns,
			      .connect_ns = call->connect_ns};
	struct unit unit;
	int err;

	/* Of several open requests it may be another one's. */
	if (a->lasting.wants.kind != UNIT_CALL || call->sent_ns > call->received_ns ||
	    call->received_ns > call->answered_ns || call->answered_ns > call->back_ns)
		return 0;
	parts.request = unit_store__find(store, request);
	parts.service = unit_store__find(store, service);
	parts.response = unit_store__find(store, response);
	parts.connect = call->connect_ns ? unit_store__find(store, connect) : NULL;
	unit = call_units_unit_of_call(a, call, parts.request);
	call_units_add_vain(a->units, call, &unit);
	err = call_units_hand_out(a->units, &parts, &unit);
	unit_store__drop(store, parts.request);
	unit_store__drop(store, parts.service);
	unit_store__drop(store, parts.response);
	unit_store__drop(store, parts.connect);
	return err;
}

/* What the only thread of the server did. */
static struct unit service_of_run(struct units *units, const struct parts *parts, uint32_t server)
{
	const struct service_part part = {
		.tid = server, .from_ns = parts->received_ns, .to_ns = parts->answered_ns};

	call_units_begin(units, server);
	if (units__need_causes(units, parts->sent_ns, parts->back_ns))
		call_units_add_span(units, PART_SERVICE, &part);
	return (struct unit){.cause = units->more.cause, .cause_cnt = units->more.cnt};
}

int call_units_stamps(struct analysis *a, const struct record_stamp *request,
		      const struct record_stamp *response, uint32_t server)
{
	struct unit_store *store = a->units->store;
	uint64_t number = request->index - a->summary.info.workload.warmup;
	const struct unit_key request_key =
		unit_key(UNIT_KEY_MESSAGE, call_units_link_of(request->client, true), number);
	const struct unit_key response_key =
		unit_key(UNIT_KEY_MESSAGE, call_units_link_of(request->client, false), number);
	struct parts parts = {.sent_ns = request->stamp_ns,
			      .received_ns = request->user_ns,
			      .answered_ns = response->stamp_ns,
			      .back_ns = response->user_ns};
	struct unit unit = {0}, service;
	int err;

	if (a->lasting.wants.kind != UNIT_CALL)
		return 0;
	service = service_of_run(a->units, &parts, server);
	parts.request = unit_store__find(store, request_key);
	parts.service = &service;
	parts.response = unit_store__find(store, response_key);
	if (parts.request)
		unit = *parts.request;
	unit.number = number + 1;
	unit.has_round = true;
	unit.client = request->client;
	unit.round = number;
	err = call_units_hand_out(a->units, &parts, &unit);
	unit_store__drop(store, parts.request);
	unit_store__drop(store, parts.response);
	return err;
}
