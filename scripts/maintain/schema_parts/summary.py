# SPDX-License-Identifier: BSD-2-Clause
"""The results of a run or an attach: ipctrace.summary/1 and ipctrace.sweep/1."""

from schema_parts import words
from schema_parts.common import HOST_REF, LEVEL, STAT, TRANSPORT, blame, means, stat
from schema_parts.shape import array, const, counters, document, flag, integer, members, ns, null, real, real_ns, ref, \
    share, text, value, word
from schema_parts.traffic import CALLS, CHAIN, CHANNEL, SERVICE, WHOLE_SERVICE

SCHEMA = "ipctrace.summary/1"
SWEEP_SCHEMA = "ipctrace.sweep/1"

INTEGRITY = members({
    "sent": integer("messages that were sent"),
    "matched": integer("messages of the statistics: their send is joined with their receive, and they add up"),
    "incomplete": counters(words.INCOMPLETE, "The others, by reason."),
    "lost": integer("records that were lost"),
    "residual_ns_max": null(ns("by how much components miss the latency, at most"), "not traced"),
    "unseen_switches": integer("messages of which no program saw the begin of a switch"),
    "unseen_wakeups": integer("messages of which no program saw a wakeup"),
    "losses": counters(words.LOSSES, "The lost records, by reason."),
    "truncated": flag("the end is missing"),
    "corrupt": null(integer("messages with a wrong number or wrong contents"), "contents are not checked"),
    "elsewhere": null(integer("ends whose other end is on another machine, or is not known"), "a run"),
    "dropped": null(integer("datagrams that the kernel dropped while they were sent"), "a run"),
    "notifications": null(integer("writes to an eventfd that nothing reads: they wake threads"), "a run"),
})

OBSERVER = members({
    "bpf_ns_per_message": null(real_ns("the time in BPF programs for each message"), "no --overhead"),
    "traced_over_untraced": null(real("the latency of traced runs divided by that of untraced ones"), "no --overhead"),
    "traced_over_untraced_interval": null(array(null(real()), "its 95 % interval", minItems=2, maxItems=2),
                                          "no --overhead"),
    "pairs": null(integer("pairs of runs that were compared"), "no --overhead"),
    "level": null(LEVEL, "not traced"),
    "reader_policy": null(word(words.READER_POLICIES, "how ipctrace itself gets a CPU"), "not known"),
    "reader_hurried_ns": null(ns("for how long it came before other threads"), "not known"),
    "start_ns": null(ns("from the start until sends were counted"), "not known"),
    "runqueue_share": null(share("the part of all waiting for a CPU in which ipctrace itself had the CPU"),
                           "not traced"),
    "longest_wait_ns": null(ns("the longest time that one message or call waited for a CPU behind ipctrace itself"),
                            "not traced"),
    "pauses": null(integer("how often the workload paused, between two exchanges or rounds, so that no record is lost"),
                   "an attach"),
    "paused_ns": null(ns("for how long in all"), "an attach"),
})


def rounds_stat(says):
    return stat(f"{says}. A percentile is at most 1/1024 too high.",
                components_ns=null(means("the mean of each component"), "none"))


MISSED = members({
    "late": integer("rounds that began more than 1.5 periods after the one before"),
    "skipped": integer("periods without a start because of these"),
    "unfinished": integer("complete rounds whose last latency is longer than the period"),
    "causes": array(members({
        "missed": word(("late", "unfinished")),
        "component": null(word(words.COMPONENTS, "the longest part; of a late round, what the sender did"), "not known"),
        "blame": null(members({
            "class": word(words.BLAME_CLASSES),
            "comm": null(text("its name"), "it has none, or it is not known"),
            "tid": null(integer("the thread", least=1), "several of that name"),
            "outside": flag("a thread outside of the tracer's PID namespace"),
        }, "What had the CPU"), "no wait for a CPU"),
        "count": integer("rounds"),
    }), "Most rounds first."),
})

ROUNDS = members({
    "count": integer("rounds"),
    "complete": integer("rounds in which each client has its message: those of the statistics"),
    "given_up": null(integer("messages that could not be assigned to a round"), "a run"),
    "tick_ns": null(ns("the theoretical tick"), "an attach"),
    "first_latency_ns": rounds_stat("The latency of the client that gets its message first"),
    "next_latency_ns": rounds_stat("The time from the receive of one client to that of the next one"),
    "last_latency_ns": STAT,
    "service_time_ns": null(real_ns("the mean of the last latency plus one standard deviation"), "no complete round"),
    "efficiency_pct": null(real("the service time in percent of tick or period"), "not regular"),
    "orders": array(members({
        "first": array(integer(least=1), "the clients in the order of arrival, at most eight"),
        "rounds": integer("rounds with this order"),
    }), "Most frequent first."),
    "orders_other": integer("rounds of further orders"),
    "period_ns": null(ns("an attach: the time from start to start"), "not regular, or a run"),
    "start_distance_ns": null(STAT, "a run"),
    "missed": null(MISSED, "there is no period"),
})

PEAKS = members({
    "count": integer("latencies beyond range_ns"),
    "per_second": null(real("how many in each second"), "less than a second"),
    "min_ns": null(ns("the smallest"), "there is none"),
    "max_ns": null(ns("the largest"), "there is none"),
    "causes": array(members({"component": word(words.COMPONENTS, "the largest component"),
                             "count": integer("peaks")})),
    "largest": null(members({
        "latency_ns": ns("its latency"),
        "at_ns": ns("since the first stamp after the warm-up"),
        "client": null(integer("its client", least=1), "none"),
        "component": null(word(words.COMPONENTS, "its largest component"), "not traced"),
        "component_ns": null(ns("the time of this component"), "not traced"),
        "blame": null(ref("blame"), "no wait for a CPU"),
        "since_begin_ns": null(ns("since tracing began"), "not known"),
    }, "The largest one"), "there is none"),
})

CLIENT = members({
    "client": integer("its number", least=1),
    "tid": integer("its thread"),
    "comm": null(text("its name"), "not known"),
    "latency_ns": STAT,
    "components_ns": null(ref("means"), "no messages, or not traced"),
    "position_mean": null(value("number", "its mean place in the order of arrival, from 1", minimum=1),
                          "no complete round"),
    "left": null(members({
        "reason": word(words.LEFT_REASONS + ("?",), "why"),
        "detail": integer("send_failed: the errno; signal: its number; exit: the status"),
        "round": integer("rounds until then"),
    }, "It left before its last message"), "it did not leave early"),
    "time_ns": null(ns("the time of all of its messages"), "not known"),
    "gap_ns": null(ns("the longest time between two of its messages"), "not known"),
})

KEEPS = members({
    "slower_than_ns": null(ns("--slower-than"), "not given"),
    "messages": null(integer("messages that were slower"), "no --slower-than"),
    "statistics": flag("the recording has the statistics of all messages"),
    "condition": null(text("what a message fulfils whose time is kept")),
    "keep_ns": ns("from this time before such a message on"),
    "windows": null(integer("times that are kept"), "not known"),
    "shortened": null(integer("windows that are shorter, for lack of memory"), "not known"),
    "window_messages": null(integer("messages in windows"), "not known"),
    "triggers": null(array(members({
        "kind": word(("message", "call")),
        "channel": integer("its channel"),
        "seq": integer("its number in the channel"),
        "tid": integer("its thread"),
        "quantity": word(words.QUANTITIES, "what was over its limit"),
        "value_ns": ns("its value"),
        "at_ns": ns("when"),
    }), "the first ones that fulfilled the condition"), "not known"),
})

ENDED = members({
    "by": null(word(words.ENDS, "what ended it"), "not known"),
    "early": flag("before its planned end"),
    "signal": null(integer("the number of the signal"), "no signal"),
    "done": null(integer("how much of the plan was done"), "an attach"),
    "planned": null(integer("the plan"), "an attach"),
    "unit": null(word(words.END_UNITS, "of both numbers"), "an attach"),
})

ROOM = members({
    "reader": null(ref("process"), "several receivers"),
    "messages": integer("messages that waited for room at it"),
    "ns": ns("for how long"),
    "share": share("of all waiting for room"),
    "states_ns": members({
        "on_cpu": ns("the reader ran"), "runqueue": ns("it waited for a CPU"), "blocked": ns("it slept"),
        "unknown": ns("not known"),
    }, "What the reader did meanwhile."),
    "blocked_on": null(ref("slept_sleeps"), "a run"),
})

FOUND = members({
    "targets": integer("targets that still ran at the end"),
    "connections": integer("their open local channels"),
    "services": integer("names under which others can reach them"),
    "elsewhere": integer("their connections to other machines"),
    "transport": null(word(words.TRANSPORTS), "no name"),
    "name": null(text("the first of these names"), "they have none"),
    "now": null(members({"pid": integer("the process that has this name now", least=1),
                         "comm": null(text("its name"), "not known")}), "none"),
})

CHOICE = members({
    "wanted": text("what the option says"),
    "matched": integer("messages with a process that it names"),
    "others": integer("messages without"),
    "names": integer("names of processes of these, if nothing matched"),
    "seen": array(members({
        "pid": null(integer("the process", least=1), "several"),
        "comm": text("its name"),
        "messages": integer("its messages"),
    }, "A process that was met instead.")),
})

STEAL = members({
    "ns": ns("for how long the host took CPUs away"),
    "share": null(real("of the time of all CPUs")),
    "cpus": array(members({"cpu": integer("the CPU"), "ns": ns("for how long"), "span_ns": ns("of this time")})),
})

FLOW = members({
    "messages": integer("messages of all links after the warm-up"),
    "bytes": integer("their bytes"),
    "seconds": real("from the first to the last message, in seconds"),
    "messages_per_second": null(real()),
    "bytes_per_second": null(real()),
    "signals": null(members({"sent": integer(), "delivered": integer(),
                             "merged": integer("sent while one was pending")}), "no signals"),
})

FAIRNESS = members({
    "shortest_ns": ns("the shortest time that a client took for all of its messages"),
    "longest_ns": ns("the longest time"),
    "spread": real("their difference as a share of the mean"),
    "gap_ns": ns("the longest time between two messages of a client"),
    "client": null(integer("the client of this gap", least=1), "none"),
})

TRACING = members({
    "began": null(ref("begin"), "not known"),
    "duration_ns": null(ns("for how long an attach traced"), "not known, or a run"),
    "messages_per_second": null(real("sends in each second of this time"), "not known"),
    "calls_per_second": null(real("calls in each second of this time"), "not known"),
    "untraced": null(members({
        "count": integer("processes", least=1),
        "named": array(members({"pid": integer("its process ID"), "comm": text("its name")}), "the first ones", maxItems=3),
    }, "Children of targets that have sockets or pipes, and were no targets when tracing began"),
                     "there are none, a run, or an older recording"),
})

SUMMARY = members({
    "schema": const(SCHEMA),
    "version": null(text("of the ipctrace that recorded")),
    "host": HOST_REF,
    "mode": word(words.MODES),
    "workload": null(ref("workload"), "an attach"),
    "integrity": INTEGRITY,
    "observer": OBSERVER,
    "latency_ns": STAT,
    "components_ns": null(members({name: null(STAT, "not known") for name in words.COMPONENTS},
                                  "The distribution of each component"), "not traced"),
    "paths": null(counters(words.PATHS, "What receivers were doing when the data came"), "not traced"),
    "rounds": null(ref("rounds"), "none"),
    "calls": null(ref("calls"), "none"),
    "range_ns": members({"medium": null(real_ns("the mean of the range"), "not known"),
                         "width": null(real_ns("two standard deviations"), "not known")}),
    "peaks": ref("peaks"),
    "blame": array(ref("blame_entry"), "What ran while receivers waited for a CPU, longest first."),
    "clients": array(ref("client")),
    "channels": array(ref("channel"), "The channels of an attach, most messages first."),
    "tick": members({"lateness_ns": STAT, "skipped": integer("ticks that were skipped")},
                    "How late the server read its clock after a tick was due."),
    "server_left": null(members({
        "reason": word(words.LEFT_REASONS + ("?",), "why"),
        "detail": integer("signal: its number; exit: the status"),
    }, "The server ended before its last round"), "it did not"),
    "traced": flag("false: --no-trace"),
    "duration_s": null(real("from the first to the last message, in seconds")),
    "flow": null(FLOW, "not known"),
    "fairness": null(FAIRNESS, "fewer than two clients"),
    "from_due_ns": null(STAT, "no fixed rate"),
    "load": null(members({
        "name": null(text("the load")),
        "count": null(integer("how often it did its work"), "not known"),
        "ended": flag("it ended before the workload"),
    }, "What else the machine did"), "nothing"),
    "matches": null(counters(words.MATCHES, "How messages were joined"), "not traced"),
    "target": null(text("what was attached to, in words"), "a run"),
    "blocked_on": null(ref("slept_messages"), "a run"),
    "recording_keeps": null(KEEPS, "the recording keeps everything"),
    "ended": ENDED,
    "room": null(array(ROOM, "the receivers that messages waited for to make room"), "not known"),
    "tracing": TRACING,
    "found": null(FOUND, "not looked for"),
    "choices": null(members({
        "peer": null(CHOICE, "not given"),
        "server": null(CHOICE, "not given"),
        "client": null(CHOICE, "not given"),
    }, "What the options of these names met."), "none of them is given"),
    "steal": null(STEAL, "not known"),
    "chains": array(ref("chain"), "Messages that went on from process to process."),
    "chains_other": null(integer("chains for which there was no room"), "a run"),
    "explanation": ref("explanation", "with --explain"),
}, "The results of a run or an attach.", optional=("explanation",))

ENTRY = blame(
    "A thread or an interrupt that ran while others waited, or several of one class.",
    outside=flag("a thread outside of the tracer's PID namespace"),
    messages=null(integer("how many messages, or calls, waited for it"), "several threads"),
    folded=null(integer("so many threads are counted here", least=1), "this one alone"),
    share=share("of all waiting"),
    scheduling=null(text("its policy and priority"), "no thread, or not known"),
    pid=null(integer("its process", least=1), "the thread is the first one of its process, or it is not known"),
    process=null(text("the name of that process")),
    relation=null(word(words.RELATIONS, "what it has to do with the targets of an attach"), "no user thread, or a run"),
    script=null(text("what it executes, if it is an interpreter")),
    worst_ns=null(ns("the longest time that one message waited for it"), "not known"),
    worst_cpu=null(integer("the CPU of this wait"), "several, or not known"))

DEFINITIONS = {
    "summary": SUMMARY, "rounds": ROUNDS, "calls": CALLS, "peaks": PEAKS, "client": CLIENT, "blame_entry": ENTRY,
    "channel": CHANNEL, "chain": CHAIN, "service": SERVICE, "whole_service": WHOLE_SERVICE,
}

SWEEP = members({
    "schema": const(SWEEP_SCHEMA),
    "experiment": null(text("the name of the experiment"), "none"),
    "truncated": flag("the recording is cut, and may have had more runs"),
    "cells": array(ref("summary"), "One of each run."),
})


def schema(definitions):
    return document(SCHEMA, "-f json: the results of a run or an attach.", SUMMARY, definitions)


def sweep_schema(definitions):
    return document(SWEEP_SCHEMA, "-f json of several runs, or of an experiment.", SWEEP, definitions)
