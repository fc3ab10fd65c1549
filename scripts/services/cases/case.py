# SPDX-License-Identifier: BSD-2-Clause
"""What the cases of scripts/services/compare share: see harness.py for what happens to them."""

import os

from comparison import client_figures, report_figures, service_of
from harness import PROGRAMS, PYTHON, TOP, Client

# {way: (words, nanoseconds, state, calls)}
PLANTED = {
    "none": ("no handler", None, None, 1000),
    "spin": ("a handler spins 500 us", 500_000, "on_cpu", 1000),
    "sleep": ("a handler sleeps 3 ms", 3_000_000, "blocked", 400),
    "lock": ("a handler waits 2 ms for a lock", 2_000_000, "blocked", 500),
}
TRUE = {
    "none": "the way there and back is the largest part",
    "spin": "most of a call is the service, on a CPU",
    "sleep": "most of a call is the service, asleep",
    "lock": "most of a call is the service, asleep until a lock is free",
}
# What a first sentence that is true has in it: the part of the call, and what the serving thread did.
SERVES, SLEEPS = r"(service|the server working).*", r"(asleep|sleeps|slept)"
SAYS = {
    "none": r"^(?!.*(the server sleeping while it handles calls|the server working)).*(request|response|wakeup|switch|CPU|send|receive)",
    "spin": "the server working",
    "sleep": "the server sleeping while it handles calls",
    "lock": "the server sleeping while it handles calls",
}
# The calls in which a handler sleeps, where its thread makes such a call.
CALLS = {"sleep": ".*nanosleep", "lock": ".*futex"}


def program(name):
    return os.path.join(PROGRAMS, name)


def configuration(name):
    """A file that the tests configure the same server with."""
    return os.path.join(TOP, "tests", "e2e", "programs", name)


class Case:
    """One server, one planted cause and one client. Classes of programs set what differs."""

    name = program = planted = true = ""
    says = ""
    service_ns = state = None
    base = None       # the case without a planted handler
    pause_us = 0
    quiet_s = 0       # from when tracing begins to the first call
    options = ()      # of attach
    explained = {}    # {difference: comparison.Explained}
    channel, transport = "", None  # of the service that is compared

    def start(self, stage):
        """Starts the server. The processes to be attached to."""
        raise NotImplementedError

    def begin_client(self, stage):
        """A client that is ready."""
        raise NotImplementedError

    def targets(self, stage, pids):
        """The processes to be attached to, when the client is ready."""
        return pids

    def figures(self, noted, summary):
        """(what the client knows, what ipctrace says)"""
        return client_figures(noted["took"]), \
            report_figures(service_of(summary, self.channel, self.transport),
                           (summary["calls"] or {}).get("open_several"))


class Served(Case):
    """A server with a planted handler, called by programs/client.py. `way` is a key of PLANTED."""

    protocol = "echo"
    argument = ""
    calls = {}  # {way: the call in which the handler sleeps}

    def __init__(self, way, **members):
        self.way = way
        self.planted, self.service_ns, self.state, self.count = PLANTED[way]
        self.true, self.says = TRUE[way], SAYS[way] + self.calls.get(way, "")
        self.base = self.key
        for name, value in members.items():
            setattr(self, name, value)
        self.name = self.key + (f"-{way}" if way != "none" else "")

    def address(self, stage):
        raise NotImplementedError

    def begin_client(self, stage):
        return Client(stage, "notes", PYTHON, program("client.py"), self.protocol, self.address(stage),
                      self.count, self.pause_us, "NOTES", self.argument)


def ways_of(made, *ways, **members):
    return [made(way, **members) for way in ways]
