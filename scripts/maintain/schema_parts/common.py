# SPDX-License-Identifier: BSD-2-Clause
"""Definitions that several schemas share: the machine, the workload, and distributions."""

from schema_parts import words
from schema_parts.shape import array, const, flag, integer, members, ns, null, real, real_ns, ref, share, signed, \
    text, value, word

STAT_NUMBERS = {"min": "the smallest", "mean": "the mean", "stddev": "the standard deviation of all values",
                "p50": "half of all values are at most this", "p90": "90 % are at most this",
                "p99": "99 % are at most this", "p999": "99.9 % are at most this", "max": "the largest"}


def number_of(name):
    kind = real if name in ("mean", "stddev") else integer
    return null(kind(f"{STAT_NUMBERS[name]}, in ns"))


def stat(says="A distribution in ns. A percentile is at most 1/1024 too high.", **more):
    """Without any value, all numbers are null; else none is."""
    none_of = {name: {"type": "null"} for name in STAT_NUMBERS}
    some_of = {name: {"type": "number"} for name in STAT_NUMBERS}
    return members({"count": integer("how many values")} | {name: number_of(name) for name in STAT_NUMBERS} | more,
                   says) | {
        "if": {"properties": {"count": const(0)}},
        "then": {"properties": none_of}, "else": {"properties": some_of}}


def means(says):
    """The mean of each component."""
    return members({name: null(real_ns(words.COMPONENT_SAYS[name])) for name in words.COMPONENTS}, says)


def process(**more):
    return members({
        "pid": null(integer("its process", least=1), "not known"),
        "tid": null(integer("the thread that was at this end last", least=1), "not known"),
        "comm": null(text("its name"), "not known"),
        "outside": flag("it is outside of the tracer's PID namespace, and its number is not its own"),
    } | more)


def blame(says, **more):
    return members({
        "class": word(words.BLAME_CLASSES, "what it is; server: the sender of the message"),
        "comm": null(text("its name"), "it has none, or it is not known"),
        "tid": integer("the thread, or the number of the interrupt; 0: no thread"),
        "ns": ns("for how long it had the CPU"),
    } | more, says)


def waits(what, says):
    """The system calls that threads slept in."""
    return array(members({
        "call": text("the system call; or 'no call', 'stopped', 'others'"),
        "ns": ns("for how long"),
        what: integer(f"in how many {what}"),
        "share": share("of all of these sleeps"),
    }), says)


HOST = members({
    "kernel": null(text("the release of the kernel")),
    "arch": null(text("the architecture, as uname has it")),
    "cpus": integer("how many CPUs are online"),
    "preemption": null(text("the preemption model of the kernel")),
    "clocksource": null(text("the clock source of the kernel")),
    "virtual": null(text("the hypervisor; yes: it has no name; no: not a virtual machine")),
}, "The machine that was traced. null: not known.")

WORKLOAD = members({
    "transport": word(words.TRANSPORTS, "what carries the messages"),
    "pattern": word(words.PATTERNS, "the order of sends and answers"),
    "clients": integer("how many clients", least=1),
    "messages": integer("per client, after the warm-up", least=1),
    "warmup": integer("messages per client before these, in no statistic"),
    "period_ns": ns("the time from tick to tick; 0: each exchange begins when the last one ends"),
    "size": integer("of one message, in bytes", least=1),
    "policy": word(words.POLICIES, "the scheduling policy"),
    "server_priority": null(integer("rr and fifo: the priority of the server")),
    "client_priority": null(integer("rr and fifo: the priority of the clients")),
    "cpus": text("where threads may run: free, one, spread, or server=LIST,clients=LIST"),
    "handler": null(text("what the server does with a request")),
    "load": null(text("what else the machine does"), "nothing"),
    "threads": flag("clients are threads of one process"),
    "reader": word(words.READERS, "the system call in which a receiver waits"),
    "read_size": null(integer("bytes that one receive on a byte stream asks for"), "size"),
    "run": null(integer("the number of this repetition", least=1), "there is only one"),
}, "What a run does.")

BEGIN = members({
    "utc": text("the instant as a date in UTC"),
    "unix_ns": integer("the instant in ns since 1970"),
    "monotonic_ns": ns("the same instant of CLOCK_MONOTONIC, the clock of all messages"),
    "utc_offset_s": signed("local time less UTC on the machine that recorded, in seconds"),
}, "When tracing began.")

DEFINITIONS = {name: value("string", "", enum=list(set_)) for set_, name in words.SHARED.items()} | {
    "stat": stat(),
    "host": HOST,
    "workload": WORKLOAD,
    "begin": BEGIN,
    "means": means("The mean of each component, in ns. null: it is not known, or does not apply."),
    "end": process(),
    "process": process(script=null(text("what it executes, if it is an interpreter"))),
    "blame": blame("What ran while a receiver waited for a CPU.",
                   outside=flag("a thread outside of the tracer's PID namespace")),
    "slept_messages": waits("messages", "The system calls that receivers slept in, longest first."),
    "slept_calls": waits("calls", "The system calls that serving threads slept in, longest first."),
    "slept_sleeps": waits("sleeps", "The system calls that a reader slept in, longest first."),
    "culprit": members({
        "class": word(words.CULPRIT_CLASSES, "what it is; itself: the component's own time; others: culprits for "
                                             "which there was no room"),
        "comm": null(text("its name"), "it has none, or it is not known"),
        "tid": null(integer("the thread, or the number of the interrupt", least=1),
                    "no thread, or several threads of one name"),
        "scheduling": null(text("its policy and priority"), "no thread, or not known"),
        "outside": flag("a thread outside of the tracer's PID namespace"),
    }, "What brought a time about."),
}

TRANSPORT = null(word(words.TRANSPORTS, "what carries the messages"), "several, or not known")
LEVEL = word(words.LEVELS, "how much was traced")
HOST_REF = ref("host")
STAT = ref("stat")
