# SPDX-License-Identifier: BSD-2-Clause
"""ZeroMQ: an io thread takes requests from the socket and gives them to the thread with the handler."""

from services_harness import PYTHON, Client, answers

from .case import Case, Served, program, ways_of

LIBRARY = ("The client's clock also has the ways between its own thread and ZeroMQ's io thread, "
           "before the first byte of a request is sent and after the last one of an answer is received.")
PUBLISHED, SUBSCRIBERS = 2000, 5


class ZeroMQ(Served):
    """The client speaks ZeroMQ's protocol itself: one thread waits in it."""

    key, program, protocol = "zeromq", "ZeroMQ REQ/REP", "zmtp"

    def start(self, stage):
        return [stage.serve(PYTHON, program("zmq_server.py"), self.address(stage), self.way,
                            ready=lambda: answers(self.address(stage))).pid]

    def address(self, stage):
        return stage.file("zmq")


class Library(ZeroMQ):
    """A client with ZeroMQ's library."""

    key, program = "zeromq-library", "ZeroMQ REQ/REP, client with the library"
    explained = {"p50_ns": LIBRARY, "p99_ns": LIBRARY}

    def begin_client(self, stage):
        return Client(stage, "notes", PYTHON, program("zmq_client.py"), self.address(stage), self.count,
                      "NOTES")


class Publisher(Case):
    """PUB to some subscribers: messages and no calls."""

    name, program = "zeromq-pub", "ZeroMQ PUB"
    planted = f"{PUBLISHED} messages, 1 ms apart, to {SUBSCRIBERS} subscribers"
    true = "nothing asks: the publisher's io thread wakes the subscribers"
    says = r"^(?!.*\bcalls?\b).*(latency|message)"

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


CASES = ways_of(ZeroMQ, "none", "spin", "sleep", "lock") + ways_of(Library, "spin") + [Publisher()]
