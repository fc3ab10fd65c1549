/* SPDX-License-Identifier: BSD-2-Clause */
/* Defines the JSON of one unit of an explanation, in the fields of ndjson. */
#include "report/json/explain/explanation_json.h"

#include "insight/metrics.h"
#include "model/transport_names.h"
#include "report/json_value.h"

static const struct member waker_rows[] = {
	{NUMBER, AT(party, tid), "tid", "the thread that woke the receiver", .least = 1},
	{TEXT, AT(party, comm), "comm", "its name", "not known"},
};
static OBJECT(waker, party);

/* With the sums of its causes that follow none. */
struct told_unit {
	struct unit unit;
	uint64_t cost_ns[NR_COSTS];
	uint64_t part_ns[NR_CAUSE_PARTS];
	const struct moment *moment; /* [cnt] */
	uint32_t cnt;
};

static json_t *unit_causes_json(const struct json_place *place)
{
	const struct told_unit *told = place->of;

	return causes_json(place, &told->unit);
}

static json_t *unit_moments_json(const struct json_place *place)
{
	const struct told_unit *told = place->of;

	return moments_json(place, told->moment, told->cnt);
}

static const struct member unit_head_rows[] = {
	{NUMBER, AT(told_unit, unit.channel), "channel", "the channel"},
	{WORD, AT(told_unit, unit.transport), "transport", TRANSPORT_SAYS, "several, or not known",
	 NAMES(transport_id_names)},
	{NUMBER, AT(told_unit, unit.position), "seq", "the number of the message in its channel"},
};
static OBJECT(unit_head, told_unit);

static const struct member unit_middle_rows[] = {
	{NUMBER, AT(told_unit, unit.round), "round", "the number of the round", "it is in none",
	 IF(told_unit, unit.has_round)},
	{NUMBER, AT(told_unit, unit.client), "client", "the number of the client",
	 "it is in no round", IF(told_unit, unit.has_round), .least = 1},
	{NUMBER, AT(told_unit, unit.place), "place", "in the order of arrival in the round",
	 "it is in none", IF_SET},
	{NUMBER, AT(told_unit, unit.bytes), "bytes", "the size, in bytes"},
	{NUMBER, AT(told_unit, unit.receives), "receives", "how many receive calls took it"},
};
static OBJECT(unit_middle, told_unit);

static const struct member unit_rest_rows[] = {
	{NS, AT(told_unit, unit.from_ns), "from_ns", "the instant at which the latency begins"},
	{NS, AT(told_unit, unit.to_ns), "to_ns", "the instant at which it ends"},
	{NS, AT(told_unit, unit.since_ns), "since_ns",
	 "since the message before it in its channel was sent", "not known",
	 IF(told_unit, unit.since_ns)},
	{FLAG, AT(told_unit, unit.has_migrated), "migrated",
	 "the receiver or server was moved to another CPU meanwhile"},
	{FLAG, AT(told_unit, unit.is_ambiguous), "ambiguous",
	 "the two ends may belong to two different messages"},
	{FLAG, AT(told_unit, unit.from_interrupt), "woken_from_interrupt",
	 "the wakeup of the receiver came from an interrupt"},
	{STRUCT, AT(told_unit, unit.waker), "waker", NULL, "none, or not known",
	 IF(told_unit, unit.waker.tid), .of = &waker_object},
	{LIST, .name = "causes", "They add up to the latency.", .of = &cause_object,
	 .derive = unit_causes_json},
	{LIST, .name = "moments",
	 "What the threads at both ends did, from a millisecond before it on.",
	 .of = &moment_object, .derive = unit_moments_json},
};
static OBJECT(unit_rest, told_unit);

/* It applies, or has a time nevertheless. */
static json_t *cost_json(const struct json_place *place)
{
	uint64_t ns = *(const uint64_t *)json_value_at(place);
	enum component component = place->member->component - components;

	return json_value_integer(ns, ns || component_applies(place->info, component));
}

#define COST_NS(cost)                                                                              \
	.derive = cost_json, .component = &components[cost], AT(told_unit, cost_ns[cost])

/* One end of a unit. */
#define PARTY(role, end)                                                                           \
	{NUMBER, AT(told_unit, unit.end.tid), role "_tid", "the thread of the " role, "not known", \
	 IF_SET},                                                                                  \
		{TEXT, AT(told_unit, unit.end.comm), role "_comm", "its name", "not known"},       \
		{NUMBER,      AT(told_unit, unit.end.cpu), role "_cpu", "the CPU that it ran on",  \
		 "not known", IF(told_unit, unit.end.tid)},                                        \
	{                                                                                          \
		NUMBER, AT(told_unit, unit.end##_pid), role "_pid", "its process", "not known",    \
			IF_SET                                                                     \
	}

static const struct member message_own_rows[] = {
	PARTY("sender", sender),
	PARTY("receiver", receiver),
	{NS, TIME_FROM(told_unit, unit.from_ns, unit.to_ns), "latency_ns", "the latency"},
	{NS, COST_NS(COMPONENT_DISPATCH), "dispatch_ns", .null = ""},
	{NS, COST_NS(COMPONENT_SEND_PATH), "send_path_ns", .null = ""},
	{NS, COST_NS(COMPONENT_ROOM), "room_ns", .null = ""},
	{NS, COST_NS(COMPONENT_WAKEUP), "wakeup_ns", .null = ""},
	{NS, COST_NS(COMPONENT_RUNQUEUE), "runqueue_ns", .null = ""},
	{NS, COST_NS(COMPONENT_SWITCH), "switch_ns", .null = ""},
	{NS, COST_NS(COMPONENT_BUSY), "busy_ns", .null = ""},
	{NS, COST_NS(COMPONENT_BLOCKED), "blocked_ns", .null = ""},
	{NS, COST_NS(COMPONENT_RECEIVE), "receive_ns", "the receiver is in its receive call", ""},
	{NS, COST_NS(COMPONENT_RETURN), "return_ns", .null = ""},
	{WORD, AT(told_unit, unit.path), "path",
	 "what the receiver was doing when the message came", NAMES_OF(paths, NR_PATHS)},
};
static OBJECT(message_own, told_unit);

static const struct member call_own_rows[] = {
	PARTY("client", sender),
	PARTY("server", receiver),
	{NS, AT(told_unit, unit.from_ns), "request_sent_ns", "the instant at which it begins"},
	{NS, TIME_FROM(told_unit, unit.from_ns, unit.to_ns), "round_trip_ns", "the round trip"},
	{NS, AT(told_unit, part_ns[PART_CONNECT]), "connect_ns", "from connect() to the request"},
	{NS, AT(told_unit, part_ns[PART_REQUEST]), "request_ns", "the way to the server"},
	{NS, AT(told_unit, part_ns[PART_SERVICE]), "service_ns",
	 "the time that the server needs to answer"},
	{NS, AT(told_unit, part_ns[PART_RESPONSE]), "response_ns", "the way back"},
};
static OBJECT(call_own, told_unit);

static const struct member connection_own_rows[] = {
	PARTY("client", sender),
	PARTY("server", receiver),
	{NS, TIME_FROM(told_unit, unit.from_ns, unit.to_ns), "latency_ns", "the latency"},
	{NS, AT(told_unit, part_ns[PART_CONNECT]), "connect_ns",
	 "from connect() until it is in the queue of its listener"},
	{NS, AT(told_unit, part_ns[PART_QUEUE]), "queue_ns", "until accept() has returned it"},
};
static OBJECT(connection_own, told_unit);

#define KIND_OF_MESSAGE WORD, AT(told_unit, unit.kind), "kind", WORDS("message", NULL, "round")

static const struct member typical_message_rows[] = {
	{KIND_OF_MESSAGE},
	{NOTHING, .name = "call", "not a call"},
	{PART_OF(message_own_object)},
	{PART_OF(unit_head_object)},
	{PART_OF(unit_middle_object)},
	{PART_OF(unit_rest_object)},
};
SHAPE(typical_message);

static const struct member typical_call_rows[] = {
	{WORD, .name = "kind", WORDS("call")},
	{NUMBER, AT(told_unit, unit.number), "call", "the number of the call"},
	{PART_OF(call_own_object)},
	{PART_OF(unit_head_object)},
	{PART_OF(unit_middle_object)},
	{PART_OF(unit_rest_object)},
};
SHAPE(typical_call);

static const struct member typical_connection_rows[] = {
	{WORD, .name = "kind", WORDS("connection")},
	{NUMBER, AT(told_unit, unit.number), "connection", "the number of the connection"},
	{WORD, AT(told_unit, unit.transport), "transport", TRANSPORT_SAYS, "several, or not known",
	 NAMES(transport_id_names)},
	{PART_OF(connection_own_object)},
	{PART_OF(unit_rest_object)},
};
SHAPE(typical_connection);

/* In the order of objects. */
static const struct member message_line_rows[] = {
	{KIND_OF_MESSAGE},
	{PART_OF(unit_head_object)},
	{NOTHING, .name = "call"},
	{PART_OF(unit_middle_object)},
	{PART_OF(message_own_object)},
	{PART_OF(unit_rest_object)},
};
static OBJECT(message_line, told_unit);

static const struct member call_line_rows[] = {
	{WORD, .name = "kind", WORDS("call")},
	{PART_OF(unit_head_object)},
	{NUMBER, AT(told_unit, unit.number), "call"},
	{PART_OF(unit_middle_object)},
	{PART_OF(call_own_object)},
	{PART_OF(unit_rest_object)},
};
static OBJECT(call_line, told_unit);

/* What the unit of an explanation is written as. */
static const struct members *const shapes[NR_UNIT_KINDS] = {
	[UNIT_MESSAGE] = &message_line_object,
	[UNIT_CALL] = &call_line_object,
	[UNIT_ROUND] = &message_line_object,
	[UNIT_CONNECTION] = &typical_connection_object,
};

json_t *typical_json(const struct json_place *place)
{
	const struct explanation *explanation = place->of;
	const struct explain_typical *typical = &explanation->typical;
	struct told_unit told = {
		.unit = typical->unit, .moment = typical->moment, .cnt = typical->moment_cnt};

	for (uint32_t i = 0; i < told.unit.cause_cnt; i++) {
		const struct cause *cause = &told.unit.cause[i];

		if (cause->parent)
			continue;
		told.cost_ns[cause->cost] += cause->by.ns;
		told.part_ns[cause->part] += cause->by.ns;
	}
	return json_members(place, shapes[told.unit.kind], &told);
}
