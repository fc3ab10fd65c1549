# SPDX-License-Identifier: BSD-2-Clause
"""What summaries have of calls, services, channels and chains."""

from schema_parts import words
from schema_parts.common import STAT, TRANSPORT, stat
from schema_parts.shape import array, integer, members, ns, null, real, real_ns, ref, text, word

STATES = null(members({
    "count": integer("calls whose service could be cut", least=1),
    "on_cpu": real_ns("the serving threads ran"),
    "runqueue": real_ns("they waited for a CPU"),
    "blocked": real_ns("they slept"),
    "wakeup": real_ns("the work was handed on, and the next thread was not runnable yet"),
}, "Means of what serving threads did"), "not known")

ANSWER_PARTS = null(members({
    "count": integer("calls with such an answer", least=1),
    "between_ns": real_ns("from the send of the first message to that of the last, in the mean"),
    "states_known_pct": null(real("the share of this time of which it is known what the server did, in percent"), "no time"),
    "states_ns": STATES,
    "blocked_on": null(ref("slept_calls"), "a run"),
}, "Answers of several messages: what the server did between the first one and the last one."), "none")

SERVICE_MEMBERS = {
    "service": null(ref("process", "the server"), "not known"),
    "channel": null(text("the name that clients know it by")),
    "transport": TRANSPORT,
    "client": null(ref("process", "the client"), "several"),
    "count": integer("calls"),
    "open_several": integer("calls that are in no other figure, as several were open on a connection"),
    "ambiguous": integer("calls with an ambiguous request or answer"),
    "guessed": integer("calls for which it is a guess which end serves"),
    "per_second": null(real("calls in each second"), "not known"),
    "round_trip_ns": STAT,
    "service_ns": STAT,
    "states_ns": STATES,
    "states_known_pct": null(real("calls whose service could be cut, in percent"), "no calls"),
    "clients": null(integer("how many clients", least=1), "several"),
    "request_ns": STAT,
    "response_ns": STAT,
    "blocked_on": null(ref("slept_calls"), "a run"),
    "worker": null(ref("end", "the thread that did most in most calls"), "not known"),
    "worker_calls": integer("in so many calls"),
    "nests": integer("calls in whose services others were made"),
    "nested_ns": null(real_ns("for how long these were open, in the mean"), "none"),
    "callee": null(text("mostly of this service"), "none"),
    "callees": array(members({
        "service": text("its name"),
        "calls": integer("calls to it"),
        "open_ns": ns("for how long at least one of them was open in each service, in all"),
    }), "the services that were called, the largest first"),
    "nested": integer("calls that were made in the service of a call"),
    "inside": null(text("mostly of this service"), "none"),
    "answer_parts": ANSWER_PARTS,
}

SERVICE = members(SERVICE_MEMBERS, "The calls of one client of one service.")

WHOLE_SERVICE = members({
    **SERVICE_MEMBERS,
    "processes": integer("how many processes of one program serve under the name", least=1),
}, "The calls of all clients of one service, but for those to itself.")

CALLS = members({
    "count": integer("calls of round_trip_ns"),
    "guessed": null(integer("calls for which it is a guess which end serves"), "a run"),
    "ambiguous": null(integer("calls with an ambiguous request or answer"), "a run"),
    "unasked": null(integer("messages of a server that belong to no call"), "a run"),
    "round_trip_ns": STAT,
    "request_ns": STAT,
    "service_ns": stat("The time that the server needs to answer.", states_ns=STATES),
    "response_ns": STAT,
    "from_due_ns": null(STAT, "no fixed rate"),
    "blocked_on": null(ref("slept_calls"), "a run"),
    "service_not_cut": null(members({
        "another_thread": integer("another thread answered"),
        "history_lost": integer("records are missing"),
    }, "Calls whose service could not be cut, by reason"), "not traced"),
    "service_blame": null(array(ref("blame_entry"), "what ran while serving threads waited for a CPU"), "not known"),
    "response_first_ns": null(STAT, "a run"),
    "open_several": null(STAT, "a run"),
    "unbalanced": null(integer("calls with several requests open, of which some had no counterpart: neither in "
                               "these figures nor in open_several"), "a run"),
    "undecided": null(integer("messages that may be parts of an answer, or not"), "a run"),
    "in_parts": null(integer("calls whose request consists of several messages"), "a run"),
    "services": null(array(ref("service"), "most calls first"), "a run"),
    "whole_services": null(array(ref("whole_service"), "the same services, each with all its clients and processes"), "a run"),
    "begin_at": word(("stamp", "send", "queued"), "the instant at which a round trip begins"),
    "end_at": word(("user", "recv", "taken"), "the instant at which it ends"),
    "answer_parts": ANSWER_PARTS,
}, "Requests and their answers.")

CHANNEL = members({
    "id": null(integer("its number"), "several channels"),
    "transport": TRANSPORT,
    "name": null(text("its name")),
    "channels": integer("so many channels are counted here", least=1),
    "sender": null(ref("process"), "several"),
    "receiver": null(ref("process"), "several"),
    "messages": integer("matched messages"),
    "bytes": integer("their bytes"),
    "calls": integer("calls whose request used this channel"),
    "awake": integer("messages that found their receiver awake"),
    "dropped": integer("datagrams that the kernel dropped while they were sent"),
    "latency_ns": STAT,
    "components_ns": null(ref("means"), "no messages"),
})


def hop_time(says, when=""):
    shape = members({"mean": real_ns("the mean"), "max": ns("the largest")}, says)
    return null(shape, when) if when else shape


CHAIN = members({
    "hops": array(members({
        "from": ref("end"),
        "to": ref("end"),
        "channel": null(integer("the channel"), "several"),
        "transport": TRANSPORT,
        "name": null(text("the name of the channel")),
        "latency_ns": hop_time("From send to receive."),
        "handled_ns": hop_time("From the receive to the next send", "the last hop"),
    }), "In their order."),
    "count": integer("how often"),
    "cycle_ns": STAT,
}, "Messages that went on from process to process.")
