# SPDX-License-Identifier: BSD-2-Clause
"""Explanations: ipctrace.explain/1 and ipctrace.explain_sweep/1."""

from schema_parts import words
from schema_parts.common import LEVEL, TRANSPORT
from schema_parts.shape import array, const, document, either, flag, integer, members, none, ns, null, real, real_ns, \
    ref, share, signed, text, value, word

SCHEMA = "ipctrace.explain/1"
SWEEP_SCHEMA = "ipctrace.explain_sweep/1"

PART = null(word(words.PARTS, "the part of the call"), "a message or a round")
MANNER = {
    "role": word(words.ROLES, "what the culprit did; inside: it ran within this time; kept: it kept the thread at "
                              "work, or was served first; reader: it made no room"),
    "call": null(text("the system call that was slept in"), "no sleep, or not known"),
    "from_interrupt": flag("an interrupt ended the sleep"),
    "cpu": null(integer("the CPU"), "several, or not known"),
}


def unit_set(says):
    return members({
        "select": null(text("in the words of the options")),
        "count": integer("how many units"),
        "sampled_of": null(integer("these are a sample of so many"), "they are all"),
        "mean_ns": null(real_ns("the mean latency"), "empty"),
        "min_ns": null(ns("the smallest latency"), "empty"),
        "max_ns": null(ns("the largest latency"), "empty"),
    }, says)


ROW = {
    "part": PART,
    "component": word(words.COSTS, "the component, or what the server did"),
    "ns": real_ns("the mean of the slow ones less that of the others"),
    "share": real("of difference_ns"),
    "slow_ns": real_ns("the mean over all slow units"),
    "base_ns": real_ns("the mean over all other units"),
    "slow_messages": integer("in how many slow units it is found"),
    "base_messages": integer("in how many other units it is found"),
    "slow_episodes": integer("in how many episodes it is found"),
    "largest_ns": ns("the most in one slow unit"),
    "folded": null(integer("so many threads of one name", least=2), "one"),
}

STACK = members({
    "state": word(words.STACK_STATES, "what the thread did: it slept there, ran there at a tick of the scheduler, "
                                      "or left its CPU there"),
    "count": integer("how often"),
    "kernel": array(null(text(), "it has no name"), "the functions in the kernel, innermost first"),
    "user": array(null(text(), "it has no name"), "the functions of the program, innermost first"),
    "kernel_is_cut": flag("further callers in the kernel are not known"),
    "user_is_cut": flag("further callers in the program are not known"),
})

ATTRIBUTE = members({
    "name": word(words.ATTRIBUTES, "what units have"),
    "value": null(text("the value")),
    "slow_share": share("of slow units, each episode once"),
    "base_share": share("of other units, each episode once"),
    "ratio": null(real("of these shares"), "no other unit has it"),
    "ratio_low": null(real("the lower end of its 95 % interval")),
    "ratio_high": null(real("the upper end of its 95 % interval"), "without a limit"),
    "p": value("number", "the probability of such a ratio by chance, corrected by Holm", minimum=0, maximum=1),
    "slow_messages": integer("slow units that have it"),
    "base_messages": integer("other units that have it"),
    "episodes": integer("episodes that have it"),
    "same_as": null(integer("the index of an attribute that the same units have"), "none"),
})

EPISODE = members({
    "from_ns": ns("the instant at which it begins"),
    "to_ns": ns("the instant at which it ends"),
    "messages": integer("slow units"),
    "rounds": integer("rounds"),
    "component": word(words.COSTS, "the largest component"),
    "culprit": ref("culprit"),
    "cpu": null(integer("the CPU"), "several, or not known"),
    "worst_ns": ns("the largest latency"),
    "excess_ns": signed("the latencies beyond the mean of the others, in ns"),
    "since_begin_ns": null(ns("since tracing began"), "not known"),
}, "Slow units that overlap or touch.")

WITHOUT = members({
    "part": PART,
    "component": word(words.COSTS),
    "culprit": null(ref("culprit"), "the whole component"),
    "p99_ns": ns("the 99th percentile without it, at best"),
    "p999_ns": ns("the 99.9th percentile without it, at best"),
})

CAUSE = members({
    "part": PART,
    "component": word(words.COSTS),
    "culprit": ref("culprit"),
    "ns": ns("how long"),
    "from_ns": ns("the instant at which it began first"),
    "of_tid": null(integer("the thread whose time it is"), "not known"),
    "followed": array(ref("cause"), "what the culprit did in this time"),
} | MANNER)

MOMENT = members({
    "from_ns": ns("the instant at which it begins"),
    "to_ns": ns("the instant at which it ends"),
    "tid": integer("the thread"),
    "state": word(words.COSTS, "what the thread did"),
    "culprit": ref("culprit"),
} | MANNER)


def party(role):
    return {f"{role}_tid": null(integer(f"the thread of the {role}", least=1), "not known"),
            f"{role}_comm": null(text("its name"), "not known"),
            f"{role}_cpu": null(integer("the CPU that it ran on"), "not known"),
            f"{role}_pid": null(integer("its process", least=1), "not known")}


def unit(kind, ends, times):
    """A unit in the fields of ndjson, as far as they are known."""
    call = integer("the number of the call") if "client" in ends else none("not a call")
    return members({
        "kind": kind,
        "channel": integer("the channel"),
        "transport": TRANSPORT,
        "seq": integer("the number of the message in its channel"),
        "call": call,
        "round": null(integer("the number of the round"), "it is in none"),
        "client": null(integer("the number of the client", least=1), "it is in no round"),
        "place": null(integer("in the order of arrival in the round", least=1), "it is in none"),
        "bytes": integer("the size, in bytes"),
        "receives": integer("how many receive calls took it"),
        **party(ends[0]), **party(ends[1]),
        **times,
        "from_ns": ns("the instant at which the latency begins"),
        "to_ns": ns("the instant at which it ends"),
        "since_ns": null(ns("since the message before it in its channel was sent"), "not known"),
        "migrated": flag("the receiver or server was moved to another CPU meanwhile"),
        "ambiguous": flag("the two ends may belong to two different messages"),
        "woken_from_interrupt": flag("the wakeup of the receiver came from an interrupt"),
        "waker": null(members({"tid": integer("the thread that woke the receiver", least=1),
                               "comm": null(text("its name"), "not known")}), "none, or not known"),
        "causes": array(ref("cause"), "They add up to the latency."),
        "moments": array(ref("moment"), "What the threads at both ends did, from a millisecond before it on."),
    })


TYPICAL_CALL = unit(const("call"), ("client", "server"), {
    "request_sent_ns": ns("the instant at which the round trip begins"),
    "round_trip_ns": ns("the round trip"),
    "request_ns": ns("the way to the server"),
    "service_ns": ns("the time that the server needs to answer"),
    "response_ns": ns("the way back"),
})

TYPICAL_MESSAGE = unit(word(("message", "round")), ("sender", "receiver"), {
    "latency_ns": ns("the latency"),
    **{f"{name}_ns": null(ns(words.COMPONENT_SAYS[name])) for name in words.COMPONENTS},
    "path": word(words.PATHS, "what the receiver was doing when the message came"),
})

EXPLANATION = members({
    "schema": const(SCHEMA),
    "outcome": word(words.OUTCOMES, "explained; or why there are no rows"),
    "unit": word(words.UNITS, "what is slow"),
    "units": integer("how many passed the filters"),
    "slow": unit_set("The slow ones."),
    "base": unit_set("What they are compared with."),
    "difference_ns": real_ns("slow.mean_ns less base.mean_ns"),
    "rows": array(either("component_row", "culprit_row"),
                  "The difference, largest component first. Rows without a culprit are whole components and add up "
                  "to difference_ns. The rows behind one are its culprits and add up to it."),
    "attributes": array(ref("attribute"), "Values that are more frequent among the slow ones."),
    "attributes_looked_at": integer("how many values were tested"),
    "episodes": array(ref("episode"), "Largest first."),
    "episodes_count": integer("how many episodes there are"),
    "period_ns": null(ns("the distance of episodes"), "it is not regular"),
    "period_hits": null(integer("so many distances are this long"), "it is not regular"),
    "period_of": null(integer("of so many"), "it is not regular"),
    "period_episode": null(integer("only the episodes with the culprit of this one are regular: its index"), "all"),
    "p99_ns": null(ns("the 99th percentile of all units"), "no explanation"),
    "p999_ns": null(ns("the 99.9th percentile of all units"), "no explanation"),
    "without": array(ref("without"), "Percentiles without a culprit."),
    "typical": null(either("typical_message", "typical_call", says="One slow unit"), "there is none"),
    "own_ns": real_ns("the part of the difference that is a wait for ipctrace itself"),
    "own_share": real("the same as a share of difference_ns"),
    "ambiguous": integer("units that were left out"),
    "not_cut": integer("units that lack a part of their causes"),
    "level": LEVEL,
    "stacks": null(members({
        "over_ns": ns("stacks of times of at least this were recorded"),
        "taken": integer("stacks that were recorded"),
        "lost": integer("stacks that were lost"),
        "no_room": integer("stacks for which there was no room"),
        "unknown_functions": integer("functions without a name"),
    }), "no --stacks"),
    "began": null(ref("begin"), "not known"),
    "truncated": flag("the recording is cut; only there if it is"),
}, "Why the slow ones are slow.", optional=("truncated",))

DEFINITIONS = {
    "component_row": members({"culprit": none("a whole component")} | ROW, "A whole component."),
    "culprit_row": members({"culprit": ref("culprit")} | ROW | MANNER | {
        "stacks": array(ref("stack"), "The most frequent stacks of the slow units."),
        "followed": array(ref("culprit_row"), "What the culprit did in this time."),
    }, "One culprit of a component."),
    "stack": STACK, "attribute": ATTRIBUTE, "episode": EPISODE, "without": WITHOUT, "cause": CAUSE,
    "moment": MOMENT, "typical_call": TYPICAL_CALL, "typical_message": TYPICAL_MESSAGE,
    "explanation": EXPLANATION,
}

SWEEP = members({
    "schema": const(SWEEP_SCHEMA),
    "experiment": null(text("the name of the experiment"), "none"),
    "truncated": flag("the recording is cut, and may have had more runs"),
    "cells": array(ref("explanation"), "One of each run."),
})


def schema(definitions):
    return document(SCHEMA, "ipctrace explain -f json: why the slow ones are slow.", EXPLANATION, definitions)


def sweep_schema(definitions):
    return document(SWEEP_SCHEMA, "ipctrace explain -f json of a recording of several runs.", SWEEP, definitions)
