/* SPDX-License-Identifier: BSD-2-Clause */
/* Describes the JSON of explanations, and of several runs, for its schema. */
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

/* These refer to themselves. */
static const struct members culprit_row_object, cause_object;

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
static SHAPE(component_row, "A whole component.");

static const struct member culprit_rows[] = {
	{WORD, .name = "class",
	 "what it is; itself: the component's own time; others: culprits for which there was no room",
	 CULPRIT_CLASSES},
	{TEXT, .name = "comm", "its name", "it has none, or it is not known"},
	{NUMBER, .name = "tid", "the thread, or the number of the interrupt",
	 "no thread, or several threads of one name", .least = 1},
	{TEXT, .name = "scheduling", "its policy and priority", "no thread, or not known"},
	{FLAG, .name = "outside", OUTSIDE_SAYS},
};
static SHAPE(culprit, "What brought a time about.");

static const struct member stack_rows[] = {
	{WORD, .name = "state",
	 "what the thread did: it slept there, ran there at a tick of the scheduler, or left its CPU there",
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
	 "what the culprit did; inside: it ran within this time; kept: it kept the thread at work, or was served first; reader: it made no room",
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
static SHAPE(culprit_row, "One culprit of a component.");

static const struct member attribute_rows[] = {
	{WORD, .name = "name", "what units have", NAMES_OF(attribute_infos, NR_ATTRIBUTES)},
	{TEXT, .name = "value", "the value"},
	{SHARE, .name = "slow_share", "of slow units, each episode once"},
	{SHARE, .name = "base_share", "of other units, each episode once"},
	{REAL, .name = "ratio", "of these shares", "no other unit has it"},
	{REAL, .name = "ratio_low", "the lower end of its 95 % interval", ""},
	{REAL, .name = "ratio_high", "the upper end of its 95 % interval", "without a limit"},
	{REAL, .name = "p", "the probability of such a ratio by chance, corrected by Holm",
	 .limits = "{\"minimum\": 0, \"maximum\": 1}"},
	{NUMBER, .name = "slow_messages", "slow units that have it"},
	{NUMBER, .name = "base_messages", "other units that have it"},
	{NUMBER, .name = "episodes", "episodes that have it"},
	{NUMBER, .name = "same_as", "the index of an attribute that the same units have", "none"},
};
static SHAPE(attribute);

static const struct member episode_rows[] = {
	{NS, .name = "from_ns", "the instant at which it begins"},
	{NS, .name = "to_ns", "the instant at which it ends"},
	{NUMBER, .name = "messages", "slow units"},
	{NUMBER, .name = "rounds", "rounds"},
	{WORD, .name = "component", "the largest component", NAMES_OF(components, NR_COSTS)},
	{STRUCT, .name = "culprit", .of = &culprit_object},
	{NUMBER, .name = "cpu", "the CPU", "several, or not known"},
	{NS, .name = "worst_ns", "the largest latency"},
	{NS, .name = "excess_ns", "the latencies beyond the mean of the others"},
	{NS, .name = "since_begin_ns", "since tracing began", "not known"},
};
static SHAPE(episode, "Slow units that overlap or touch.");

static const struct member without_rows[] = {
	{WORD, .name = "part", "the part of the call", "a message or a round",
	 NAMES(cause_part_names)},
	{WORD, .name = "component", NAMES_OF(components, NR_COSTS)},
	{STRUCT, .name = "culprit", NULL, "the whole component", .of = &culprit_object},
	{NS, .name = "p99_ns", "the 99th percentile without it, at best"},
	{NS, .name = "p999_ns", "the 99.9th percentile without it, at best"},
};
static SHAPE(without);

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
static SHAPE(typical_message);

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
static SHAPE(typical_call);

static const struct member unit_set_rows[] = {
	{TEXT, .name = "select", "in the words of the options"},
	{NUMBER, .name = "count", "how many units"},
	{NUMBER, .name = "sampled_of", "these are a sample of so many", "they are all"},
	{REAL_NS, .name = "mean_ns", "the mean latency", "empty"},
	{NS, .name = "min_ns", "the smallest latency", "empty"},
	{NS, .name = "max_ns", "the largest latency", "empty"},
};
static SHAPE(unit_set);

static const struct member stack_counts_rows[] = {
	{NS, .name = "over_ns", "stacks of times of at least this were recorded"},
	{NUMBER, .name = "taken", "stacks that were recorded"},
	{NUMBER, .name = "lost", "stacks that were lost"},
	{NUMBER, .name = "no_room", "stacks for which there was no room"},
	{NUMBER, .name = "unknown_functions", "functions without a name"},
};
static SHAPE(stack_counts);

static const struct member explanation_rows[] = {
	{WORD, .name = "schema", WORDS("ipctrace.explain/1")},
	{WORD, .name = "outcome", "explained; or why there are no rows", NAMES(outcome_names)},
	{WORD, .name = "unit", "what is slow", NAMES(unit_kind_names)},
	{NUMBER, .name = "units", "how many passed the filters"},
	{STRUCT, .name = "slow", .of = &unit_set_object},
	{STRUCT, .name = "base", .of = &unit_set_object},
	{REAL_NS, .name = "difference_ns", "slow.mean_ns less base.mean_ns"},
	{LIST, .name = "rows",
	 "The difference, largest component first. Rows without a culprit are whole components and add up to difference_ns. The rows behind one are its culprits and add up to it.",
	 .any = ONE_OF(&component_row_object, &culprit_row_object)},
	{LIST, .name = "attributes", "Values that are more frequent among the slow ones.",
	 .of = &attribute_object},
	{NUMBER, .name = "attributes_looked_at", "how many values were tested"},
	{LIST, .name = "episodes", "Largest first.", .of = &episode_object},
	{NUMBER, .name = "episodes_count", "how many episodes there are"},
	{NS, .name = "period_ns", "the distance of episodes", "it is not regular"},
	{NUMBER, .name = "period_hits", "so many distances are this long", "it is not regular"},
	{NUMBER, .name = "period_of", "of so many", "it is not regular"},
	{NUMBER, .name = "period_episode",
	 "only the episodes with the culprit of this one are regular: its index", "all"},
	{NS, .name = "p99_ns", "the 99th percentile of all units", "no explanation"},
	{NS, .name = "p999_ns", "the 99.9th percentile of all units", "no explanation"},
	{LIST, .name = "without", "Percentiles without a culprit.", .of = &without_object},
	{STRUCT, .name = "typical", "One slow unit", "there is none",
	 .any = ONE_OF(&typical_message_object, &typical_call_object)},
	{REAL_NS, .name = "own_ns",
	 "the part of the difference that is a wait for ipctrace itself"},
	{REAL, .name = "own_share", "the same as a share of difference_ns"},
	{NUMBER, .name = "ambiguous", "units that were left out"},
	{NUMBER, .name = "not_cut", "units that lack a part of their causes"},
	{WORD, .name = "level", "how much was traced", NAMES(level_names)},
	{STRUCT, .name = "stacks", NULL, "no --stacks", .of = &stack_counts_object},
	{STRUCT, .name = "began", NULL, "not known", .of = &begin_members},
	{FLAG, .name = "truncated", "the recording is cut; only there if it is",
	 .is_optional = true},
};
SHAPE(explanation, "Why the slow ones are slow.");

static const struct member explain_sweep_rows[] = {
	{WORD, .name = "schema", WORDS("ipctrace.explain_sweep/1")},
	{TEXT, .name = "experiment", "the name of the experiment", "none"},
	{FLAG, .name = "truncated", "the recording is cut, and may have had more runs"},
	{LIST, .name = "cells", "One of each run.", .of = &explanation_object},
};
SHAPE(explain_sweep);

static const struct member sweep_rows[] = {
	{WORD, .name = "schema", WORDS("ipctrace.sweep/1")},
	{TEXT, .name = "experiment", "the name of the experiment", "none"},
	{FLAG, .name = "truncated", "the recording is cut, and may have had more runs"},
	{LIST, .name = "cells", "One of each run.", .of = &summary_members},
};
SHAPE(sweep);
