/* SPDX-License-Identifier: BSD-2-Clause */
/* Describes the JSON of rows, units and causes of explanations for its schema. */
#include "report/json/summary_fields.h"
#include "report/json/explain/explanation_json.h"
#include "model/explanation.h"

const char *const outcome_names[NR_EXPLAIN_OUTCOMES] = {
	[EXPLAIN_DONE] = "explained",  [EXPLAIN_NO_UNITS] = "no_units",
	[EXPLAIN_TOO_FEW] = "too_few", [EXPLAIN_NONE_SLOW] = "none_slow",
	[EXPLAIN_NO_BASE] = "no_base",
};

const char *const cause_role_names[NR_CAUSE_ROLES] = {
	[CAUSE_ITSELF] = "itself", [CAUSE_UNKNOWN] = "unknown", [CAUSE_RAN] = "ran",
	[CAUSE_INSIDE] = "inside", [CAUSE_WOKE] = "woke",       [CAUSE_KEPT] = "kept",
	[CAUSE_READER] = "reader",
};

const char *const stack_kind_names[NR_STACK_KINDS] = {
	[STACK_BLOCKED] = "slept",
	[STACK_RAN] = "ran",
	[STACK_LEFT] = "left",
};

static const char *culprit_word(uint32_t i)
{
	return i < NR_BLAME_CLASSES    ? blame_classes[i].name
	       : i == NR_BLAME_CLASSES ? "itself"
				       : "others";
}

/* Also of what has no culprit, or of culprits for which there was no room. */
#define CULPRIT_CLASSES .word_of = culprit_word, .cnt = NR_BLAME_CLASSES + 2

/* It refers to itself. */
static const struct members cause_object;

static const struct member row_rows[] = {
	{WORD, .name = "part", "the part of the call", "a message or a round",
	 NAMES(cause_part_names)},
	{WORD, .name = "component", "the component, or what the server did",
	 NAMES_OF(components, NR_COSTS)},
	{REAL_NS, .name = "ns", "the mean of the slow ones less that of the others"},
	{REAL, .name = "share", "of difference_ns"},
	{REAL_NS, .name = "slow_ns", "the mean over all slow units"},
	{REAL_NS, .name = "base_ns", "the mean over all other units"},
	{NUMBER, .name = "slow_messages", "in how many slow units it is found"},
	{NUMBER, .name = "base_messages", "in how many other units it is found"},
	{NUMBER, .name = "slow_episodes", "in how many episodes it is found"},
	{NS, .name = "largest_ns", "the most in one slow unit"},
	{NUMBER, .name = "folded", "so many threads of one name", "one", .least = 2},
};
static SHAPE(row);

static const struct member component_row_rows[] = {
	{NOTHING, .name = "culprit", "a whole component"},
	{STRUCT, .name = "", .of = &row_object},
};
SHAPE(component_row, "A whole component.");

static const struct member culprit_rows[] = {
	{WORD, .name = "class",
	 "what it is; itself: the component's own time; others: culprits for which there was no "
	 "room",
	 CULPRIT_CLASSES},
	{TEXT, .name = "comm", "its name", "it has none, or it is not known"},
	{NUMBER, .name = "tid", "the thread, or the number of the interrupt",
	 "no thread, or several threads of one name", .least = 1},
	{TEXT, .name = "scheduling", "its policy and priority", "no thread, or not known"},
	{FLAG, .name = "outside", OUTSIDE_SAYS},
};
SHAPE(culprit, "What brought a time about.");

static const struct member stack_rows[] = {
	{WORD, .name = "state",
	 "what the thread did: it slept there, ran there at a tick of the scheduler, or left its "
	 "CPU there",
	 NAMES(stack_kind_names)},
	{NUMBER, .name = "count", "how often"},
	{TEXTS, .name = "kernel", "the functions in the kernel, innermost first"},
	{TEXTS, .name = "user", "the functions of the program, innermost first"},
	{FLAG, .name = "kernel_is_cut", "further callers in the kernel are not known"},
	{FLAG, .name = "user_is_cut", "further callers in the program are not known"},
};
static SHAPE(stack);

static const struct member manner_rows[] = {
	{WORD, .name = "role",
	 "what the culprit did; inside: it ran within this time; kept: it kept the thread at work, "
	 "or was served first; reader: it made no room",
	 NAMES(cause_role_names)},
	{TEXT, .name = "call", "the system call that was slept in", "no sleep, or not known"},
	{FLAG, .name = "from_interrupt", "an interrupt ended the sleep"},
	{NUMBER, .name = "cpu", "the CPU", "several, or not known"},
};
static SHAPE(manner);

static const struct member culprit_row_rows[] = {
	{STRUCT, .name = "culprit", .of = &culprit_object},
	{STRUCT, .name = "", .of = &row_object},
	{STRUCT, .name = "", .of = &manner_object},
	{LIST, .name = "stacks", "The most frequent stacks of the slow units.",
	 .of = &stack_object},
	{LIST, .name = "followed", "What the culprit did in this time.", .of = &culprit_row_object},
};
SHAPE(culprit_row, "One culprit of a component.");

static const struct member cause_rows[] = {
	{WORD, .name = "part", "the part of the call", "a message or a round",
	 NAMES(cause_part_names)},
	{WORD, .name = "component", NAMES_OF(components, NR_COSTS)},
	{STRUCT, .name = "culprit", .of = &culprit_object},
	{NS, .name = "ns", "how long"},
	{NS, .name = "from_ns", "the instant at which it began first"},
	{NUMBER, .name = "of_tid", "the thread whose time it is", "not known"},
	{LIST, .name = "followed", "what the culprit did in this time", .of = &cause_object},
	{STRUCT, .name = "", .of = &manner_object},
};
static SHAPE(cause);

static const struct member moment_rows[] = {
	{NS, .name = "from_ns", "the instant at which it begins"},
	{NS, .name = "to_ns", "the instant at which it ends"},
	{NUMBER, .name = "tid", "the thread"},
	{WORD, .name = "state", "what the thread did", NAMES_OF(components, NR_COSTS)},
	{STRUCT, .name = "culprit", .of = &culprit_object},
	{STRUCT, .name = "", .of = &manner_object},
};
static SHAPE(moment);

static const struct member waker_rows[] = {
	{NUMBER, .name = "tid", "the thread that woke the receiver", .least = 1},
	{TEXT, .name = "comm", "its name", "not known"},
};
static SHAPE(waker);

static const struct member unit_rows[] = {
	{NUMBER, .name = "channel", "the channel"},
	{WORD, .name = "transport", TRANSPORT_SAYS, "several, or not known",
	 NAMES(transport_id_names)},
	{NUMBER, .name = "seq", "the number of the message in its channel"},
	{NUMBER, .name = "round", "the number of the round", "it is in none"},
	{NUMBER, .name = "client", "the number of the client", "it is in no round", .least = 1},
	{NUMBER, .name = "place", "in the order of arrival in the round", "it is in none",
	 .least = 1},
	{NUMBER, .name = "bytes", "the size, in bytes"},
	{NUMBER, .name = "receives", "how many receive calls took it"},
	{NS, .name = "from_ns", "the instant at which the latency begins"},
	{NS, .name = "to_ns", "the instant at which it ends"},
	{NS, .name = "since_ns", "since the message before it in its channel was sent",
	 "not known"},
	{FLAG, .name = "migrated", "the receiver or server was moved to another CPU meanwhile"},
	{FLAG, .name = "ambiguous", "the two ends may belong to two different messages"},
	{FLAG, .name = "woken_from_interrupt", "the wakeup of the receiver came from an interrupt"},
	{STRUCT, .name = "waker", NULL, "none, or not known", .of = &waker_object},
	{LIST, .name = "causes", "They add up to the latency.", .of = &cause_object},
	{LIST, .name = "moments",
	 "What the threads at both ends did, from a millisecond before it on.",
	 .of = &moment_object},
};
static SHAPE(unit);

static const struct member typical_message_rows[] = {
	{WORD, .name = "kind", WORDS("message", "round")},
	{NOTHING, .name = "call", "not a call"},
	{NUMBER, .name = "sender_tid", "the thread of the sender", "not known", .least = 1},
	{TEXT, .name = "sender_comm", "its name", "not known"},
	{NUMBER, .name = "sender_cpu", "the CPU that it ran on", "not known"},
	{NUMBER, .name = "sender_pid", "its process", "not known", .least = 1},
	{NUMBER, .name = "receiver_tid", "the thread of the receiver", "not known", .least = 1},
	{TEXT, .name = "receiver_comm", "its name", "not known"},
	{NUMBER, .name = "receiver_cpu", "the CPU that it ran on", "not known"},
	{NUMBER, .name = "receiver_pid", "its process", "not known", .least = 1},
	{NS, .name = "latency_ns", "the latency"},
	{NS, .name = "dispatch_ns", "from the stamp to the begin of the send call", ""},
	{NS, .name = "send_path_ns",
	 "the send call, until the receiver can see the message, less room", ""},
	{NS, .name = "room_ns", "the sender, or its data, waits for room at the receiver", ""},
	{NS, .name = "wakeup_ns", "the receiver sleeps until it is woken up", ""},
	{NS, .name = "runqueue_ns", "the receiver is runnable and waits for a CPU", ""},
	{NS, .name = "switch_ns", "the scheduler switches to the receiver", ""},
	{NS, .name = "busy_ns", "the receiver runs, outside of the receive call of this message",
	 ""},
	{NS, .name = "blocked_ns", "the receiver sleeps for another reason", ""},
	{NS, .name = "receive_ns", "the receiver is in its receive call", ""},
	{NS, .name = "return_ns",
	 "from the end of the receive call to the receiver's own clock reading", ""},
	{WORD, .name = "path", "what the receiver was doing when the message came",
	 NAMES_OF(paths, NR_PATHS)},
	{STRUCT, .name = "", .of = &unit_object},
};
SHAPE(typical_message);

static const struct member typical_call_rows[] = {
	{WORD, .name = "kind", WORDS("call")},
	{NUMBER, .name = "call", "the number of the call"},
	{NUMBER, .name = "client_tid", "the thread of the client", "not known", .least = 1},
	{TEXT, .name = "client_comm", "its name", "not known"},
	{NUMBER, .name = "client_cpu", "the CPU that it ran on", "not known"},
	{NUMBER, .name = "client_pid", "its process", "not known", .least = 1},
	{NUMBER, .name = "server_tid", "the thread of the server", "not known", .least = 1},
	{TEXT, .name = "server_comm", "its name", "not known"},
	{NUMBER, .name = "server_cpu", "the CPU that it ran on", "not known"},
	{NUMBER, .name = "server_pid", "its process", "not known", .least = 1},
	{NS, .name = "request_sent_ns", "the instant at which the round trip begins"},
	{NS, .name = "round_trip_ns", "the round trip"},
	{NS, .name = "request_ns", "the way to the server"},
	{NS, .name = "service_ns", "the time that the server needs to answer"},
	{NS, .name = "response_ns", "the way back"},
	{STRUCT, .name = "", .of = &unit_object},
};
SHAPE(typical_call);
