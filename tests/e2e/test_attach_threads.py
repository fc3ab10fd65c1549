# SPDX-License-Identifier: BSD-2-Clause
"""A server that works on requests in another thread than it receives them: the states are those of the one that works."""

import socket

import attach
import patience
import tap

COUNT = 100
NEAR = 0.05  # how near a state has to be to what the program measured itself
KNOWN = 0.9  # of the calls: the state is known
OVERHEAD_NS = 200_000  # of a call, beside the work: two hand-overs, and what wakes late


class HandsOver(attach.AttachCase):
    """One request at a time, which goes from thread to thread and back."""

    answered_by_others = 1

    def trace(self, way, work):
        """The calls of the report, and how long the work took in all."""
        path = self.file(f"{way}-{work}")
        server = self.ready(self.spawn([self.program("hands_over"), way, work, path]))
        with socket.socket(socket.AF_UNIX) as client:
            client.connect(path)
            with self.attached("-p", server.pid) as attachment:
                for _ in range(COUNT):
                    client.send(b"request")
                    client.recv(100)
        count, work_ns = map(int, server.communicate(timeout=60)[0].split())
        self.assertEqual(count, COUNT)
        calls = attachment.summary["calls"]
        self.assertEqual(calls["count"], COUNT)
        return calls, work_ns / COUNT

    def check(self, way, work, *names):
        """The work is in these states, and they add up to the service."""
        calls, work_ns = self.trace(way, work)
        states = calls["service_ns"]["states_ns"]
        count = states.pop("count")
        patience.demand(count, KNOWN * COUNT, "calls whose states are known")
        if count == COUNT:
            self.assertAlmostEqual(sum(states.values()), calls["service_ns"]["mean"], delta=2)
        found_ns = sum(states[name] for name in names)
        patience.demand(found_ns, (1 - NEAR) * work_ns, f"{names}")
        patience.demand(-found_ns, -(1 + NEAR) * work_ns - OVERHEAD_NS, f"less {names}")
        service, = calls["services"]
        if count >= KNOWN * COUNT:
            self.assertEqual(service["worker"]["comm"], "worker")
        return states

    def test_condition(self):
        """a condition variable: the worker answers"""
        self.check("condition", "spin", "on_cpu", "runqueue")
        self.check("condition", "sleep", "blocked")
        self.check("condition", "lock", "blocked")

    def test_eventfd(self):
        """an eventfd, there and back"""
        states = self.check("eventfd", "spin", "on_cpu", "runqueue")
        self.assertLess(states["blocked"], OVERHEAD_NS)
        self.check("eventfd", "sleep", "blocked")

    def test_pipe(self):
        """a pipe, there and back"""
        self.check("pipe", "spin", "on_cpu", "runqueue")
        self.check("pipe", "lock", "blocked")

    def test_socketpair(self):
        """a socket pair, there and back"""
        self.check("socketpair", "spin", "on_cpu", "runqueue")
        self.check("socketpair", "sleep", "blocked")


if __name__ == "__main__":
    tap.main()
