# SPDX-License-Identifier: BSD-2-Clause
"""ZeroMQ: an io thread takes requests from the socket and gives them to the thread with the handler."""

from comparison import Explained
from harness import PYTHON, Client, answers

from .case import CALLS, SERVES, Case, Served, program, ways_of

LIBRARY = ("The client's clock also has the ways between its own thread and ZeroMQ's io thread, "
           "before the first byte of a request is sent and after the last one of an answer is received.")
HANDED = Explained("The io thread wakes the handler's thread and is woken by it: two hand-offs are in the service.",
                   1, 1.2)
PUBLISHED, SUBSCRIBERS = 2000, 5


class ZeroMQ(Served):
    """The client speaks ZeroMQ's protocol itself: one thread waits in it."""

    key, program, protocol = "zeromq", "ZeroMQ REQ/REP", "zmtp"
    calls = CALLS
    explained = {"service_ns": HANDED}

    def start(self, stage):
        return [stage.serve(PYTHON, program("zmq_server.py"), self.address(stage), self.way,
                            ready=lambda: answers(self.address(stage))).pid]

    def address(self, stage):
        return stage.file("zmq")


class Library(ZeroMQ):
    """A client with ZeroMQ's library."""

    key, program = "zeromq-library", "ZeroMQ REQ/REP, client with the library"
    explained = ZeroMQ.explained | {"p50_ns": Explained(LIBRARY, 0.85, 1), "p99_ns": Explained(LIBRARY, 0.7, 1)}

    def begin_client(self, stage):
        return Client(stage, "notes", PYTHON, program("zmq_client.py"), self.address(stage), self.count,
                      "NOTES")


class Publisher(Case):
    """PUB to some subscribers: messages and no calls."""

    name, program = "zeromq-pub", "ZeroMQ PUB"
    planted = f"{PUBLISHED} messages, 1 ms apart, to {SUBSCRIBERS} subscribers"
    true = "the subscribers, with two threads each, are woken one after the other and share the CPUs"
    says = r"^(?!.*\bcalls?\b).*(wakeup|waiting for a CPU|switch|dispatch)"

    def start(self, stage):
        self.client = Client(stage, "notes", PYTHON, program("zmq_pub.py"), stage.file("zmq"), PUBLISHED,
                             SUBSCRIBERS, "NOTES")
        return [self.client.process.pid]

    def begin_client(self, stage):
        return self.client

    def figures(self, noted, summary):
        """The bytes that the subscribers know of: ZeroMQ may send several messages at once."""
        sent = sum(one["bytes"] for one in summary["channels"] if one["transport"] == "uds-stream")
        return {"count": noted["bytes"], "p50_ns": None, "p99_ns": None}, \
            {"count": sent, "p50_ns": None, "p99_ns": None, "service_ns": None, "states_ns": {},
             "known_pct": None, "what": "bytes"}


NONE = ZeroMQ("none", true="most of a call is the service: the hand-offs between ZeroMQ's io thread and the handler's",
              says=SERVES)
CASES = [NONE] + ways_of(ZeroMQ, "spin", "sleep", "lock") + ways_of(Library, "spin") + [Publisher()]
