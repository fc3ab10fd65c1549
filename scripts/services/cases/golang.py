# SPDX-License-Identifier: BSD-2-Clause
"""Go: HTTP, and net/rpc whose clients have a connection each, or share one."""

import os
import shutil

from comparison import Explained
from harness import Client, answers, free_port

from .case import SAYS, Served, program, ways_of

CALLERS = 4
RUNTIME = ("The client's clock also has the ways between its routines: its runtime gives an answer from the "
           "thread that polls to the one that waits.")


LATE = Explained("Go's timers end up to a millisecond late: its scheduler waits by whole milliseconds.", 1, 1.15)
PAIRED = ("Several requests are open, and which answer belongs to which is not known: ipctrace marks these calls. "
          + RUNTIME)


def build(stage):
    # Debian's own first: it comes with the standard library compiled.
    go = shutil.which("go", path="/usr/bin:" + os.environ["PATH"])
    env = os.environ | {"GO111MODULE": "off", "GOTOOLCHAIN": "local", "GOFLAGS": "",
                        "GOCACHE": os.path.join(stage.shared, "go-cache"),
                        "GOPATH": os.path.join(stage.shared, "go-path")}
    return stage.build("served-go", go or "go", "build", "-o", "OUT", program("served.go"), env=env)


class Http(Served):
    """A client of one thread and one connection."""

    key, program, protocol = "go-http", "Go HTTP", "http"
    explained = {"service_ns": LATE}
    server = "http"

    def start(self, stage):
        self.port = free_port()
        self.go = build(stage)
        return [stage.serve(self.go, self.server, self.port, self.way, ready=lambda: answers(self.port)).pid]

    def address(self, stage):
        return self.port


class Rpc(Http):
    """Four routines, each with a connection of its own."""

    key, program, server = "go-rpc", f"Go net/rpc, {CALLERS} clients with a connection each", "rpc"
    sharing = "own"
    explained = Http.explained | {"p50_ns": Explained(RUNTIME, 0.7, 1), "p99_ns": Explained(RUNTIME, 0.7, 1)}

    def begin_client(self, stage):
        return Client(stage, "notes", self.go, "call", self.port, self.sharing, CALLERS,
                      self.count // CALLERS, "NOTES")


class Shared(Rpc):
    key, program = "go-rpc-shared", f"Go net/rpc, {CALLERS} clients share a connection"
    sharing = "shared"
    explained = {"count": Explained("The first requests, until crossing answers show that several are open, are taken "
                                    "for parts of one.", 0.98, 1),
                 "p50_ns": Explained(PAIRED, 0.4, 1.2), "p99_ns": Explained(PAIRED, 0.4, 1.2)}


class Alone(Rpc):
    key, program = "go-rpc-alone", "Go net/rpc, one client"

    def begin_client(self, stage):
        return Client(stage, "notes", self.go, "call", self.port, "own", 1, self.count, "NOTES")


# Routines go from thread to thread by ways that cannot always be followed: a report that says so is right.
PARTLY = "|known for only"
NONE = {"true": "the way there and back, and the work of Go's own scheduler", "says": r"request|response|service|the server working"}
SHARING = {"true": f"{CALLERS} requests are open at a time: the parts of a call are not known", "says": r"\bcalls?\b"}


def planted(made, *ways):
    return [made(way, says=SAYS[way] + PARTLY) for way in ways]


CASES = [
    *ways_of(Http, "none", **NONE), *planted(Http, "spin", "sleep", "lock"),
    *ways_of(Alone, "none", **NONE), *planted(Alone, "spin"),
    *ways_of(Rpc, "none", **NONE), *planted(Rpc, "sleep"),
    *ways_of(Shared, "none", "sleep", service_ns=None, **SHARING),
]
