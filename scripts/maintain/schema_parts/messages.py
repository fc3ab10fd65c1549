# SPDX-License-Identifier: BSD-2-Clause
"""The lines of `-f ndjson`: ipctrace.messages/1."""

from schema_parts import words
from schema_parts.common import HOST_REF, LEVEL, TRANSPORT
from schema_parts.shape import array, const, document, either, flag, integer, members, ns, null, ref, text, word

SCHEMA = "ipctrace.messages/1"

# Every message has these. The others can lack: null.
ALWAYS_KNOWN = ("wakeup", "blocked", "receive")


def component(name):
    shape = ns(words.COMPONENT_SAYS[name])
    return shape if name in ALWAYS_KNOWN else null(shape)


def components(*names):
    return {f"{name}_ns": component(name) for name in names}


def party(role):
    return {f"{role}_tid": integer(f"the thread of the {role}; 0: an interrupt"),
            f"{role}_comm": null(text("its name"), "not known"),
            f"{role}_cpu": integer("the CPU that it ran on")}


MESSAGE = members({
    "channel": integer("the channel"),
    "transport": TRANSPORT,
    "seq": integer("the number of the message in its channel"),
    "round": null(integer("the number of its round or exchange, from 0"), "it is in none"),
    "client": null(integer("the number of its client", least=1), "it is in no round"),
    "bytes": integer("its size, in bytes"),
    "receives": integer("how many receive calls took it"),
    **party("sender"), **party("receiver"),
    "send_ns": null(ns("the instant at which the send call began"), "level light"),
    "latency_ns": ns("the latency"),
    **components(*(name for name in words.COMPONENTS if name != "room")),
    "path": word(words.PATHS, "what the receiver was doing when the message came"),
    "match": word(words.MATCHES, "how send and receive were joined"),
    "blame": array(ref("message_blame"), "What ran while the receiver waited for a CPU, longest first. Adds up to "
                                         "runqueue_ns."),
    "stamp_ns": null(ns("the instant at which the server read its clock"), "it has no stamp"),
    "queued_ns": ns("the instant at which the receiver could see the message"),
    "recv_ns": null(ns("the instant at which the receive call ended"), "level light"),
    "user_ns": null(ns("the instant at which the receiver read its clock"), "it has no stamp"),
    "to_server": null(flag("the client sent it to the server"), "an attach"),
    "due_ns": null(ns("the instant at which its exchange was due to begin"), "no fixed rate"),
    "blocked_on": null(array(ref("message_sleep"), "The system calls that the receiver slept in. Adds up to "
                                                   "blocked_ns."), "a run"),
    "taken_ns": null(ns("the instant at which the kernel handed the message over"), "not level light"),
    "unseen": array(word(("runqueue", "switch")), "components that lack a part, which another component has",
                    uniqueItems=True),
    **components("room"),
    "kind": const("message"),
}, "A message. Its components add up to latency_ns; dispatch_ns of an attach lies before it.")


def state(says):
    return null(ns(says), "not known")


CALL = members({
    "kind": const("call"),
    "call": null(integer("the number of the call"), "several were open"),
    "parent": null(integer("the call in whose service it was made", least=1), "none"),
    "channel": integer("the channel of the request"),
    "transport": TRANSPORT,
    "client_tid": integer("the thread that sent the request"),
    "client_comm": null(text("its name"), "not known"),
    "server_tid": integer("the thread that received the request"),
    "server_comm": null(text("its name"), "not known"),
    "request_sent_ns": ns("the instant at which the round trip begins"),
    "round_trip_ns": ns("the round trip, which is request, service and response"),
    "request_ns": ns("the way to the server"),
    "service_ns": ns("the time that the server needs to answer"),
    "response_ns": ns("the way back, to the last part of the answer"),
    "response_first_ns": ns("the way back, to the first part of the answer"),
    "on_cpu_ns": state("the serving threads ran"),
    "runqueue_ns": state("they waited for a CPU"),
    "blocked_ns": state("they slept"),
    "wakeup_ns": state("another thread had handed on the work, and the next one was not runnable yet"),
    "threads": null(integer("through how many threads the service went"), "not known"),
    "worker_tid": null(integer("the thread that had it longest"), "not known"),
    "nested": integer("how many calls were made in its service"),
    "nested_ns": ns("for how long at least one of these was open"),
    "requests": integer("the messages of the request"),
    "answers": integer("the messages of the answer"),
    "match": word(words.CALL_MATCHES, "how sure it is that the answer belongs to the request"),
    "guessed": flag("it is a guess which end serves"),
    "ambiguous": flag("its request or answer is ambiguous"),
}, "A request and its answer, in an attach.")

HEADER = members({
    "schema": const(SCHEMA),
    "version": null(text("of the ipctrace that recorded")),
    "host": HOST_REF,
    "workload": null(ref("workload"), "an attach"),
    "fields": array(text(), "the members of a message, in their order", uniqueItems=True),
    "level": LEVEL,
    "slower_than_ns": null(ns("only slower messages are shown"), "all are"),
    "began": null(ref("begin"), "not known"),
    "select": null(text("the options that select messages, in words"), "all are shown"),
    "condition": null(text("the recording has only what is around messages that fulfil this"), "it has all"),
}, "The first line of each run.")

END = members({
    "end": const(SCHEMA),
    "truncated": flag("the output lacks messages, because a run failed or a recording is cut"),
    "runs": integer("headers", least=1),
    "messages": integer("messages"),
    "incomplete": integer("messages that are not shown, because they have no components"),
    "lost": integer("records that were lost"),
    "calls": integer("calls"),
}, "The last line. An output without it is not whole.")

DEFINITIONS = {
    "message_blame": members({
        "class": word(words.BLAME_CLASSES, "what it is; server: the sender of the message"),
        "comm": null(text("its name"), "it has none, or it is not known"),
        "tid": integer("the thread, or the number of the interrupt; 0: no thread"),
        "ns": ns("for how long it had the CPU"),
    }),
    "message_sleep": members({
        "call": text("the system call; or 'no call', 'stopped', 'others'"),
        "ns": ns("for how long"),
    }),
    "message": MESSAGE,
    "call": CALL,
    "header": HEADER,
    "last": END,
}


def schema(definitions):
    return document(SCHEMA, "One line of -f ndjson, or what --on-slow hands to its command.",
                    either("header", "message", "call", "last"), definitions)
