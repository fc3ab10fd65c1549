# SPDX-License-Identifier: BSD-2-Clause
"""A server that works on requests in another thread than it receives them: the states are those of the one that works."""

import socket

import attach
import patience
import tap

COUNT = 100
NEAR = 0.05  # how near the states of a call have to be to what the worker measured itself
KNOWN = 0.9  # of the calls: the states are known, if the hand-over woke the worker
MOST = 0.8  # of these calls: the states are near
OVERHEAD_NS = 200_000  # of a call, beside the work: two hand-overs, and what wakes late
PRIORITY = 10  # other programs are not in the way


class HandsOver(attach.AttachCase):
    """One request at a time, which goes from thread to thread and back."""

    answered_by_others = 1

    def trace(self, way, work, priority=None, serves="worker"):
        """[(call, its work in ns, how long the worker slept in it)] of the calls whose states are known."""
        path = self.file(f"{way}-{work}")
        server = self.ready(self.spawn([self.program("hands_over"), way, work, path], priority=priority))
        with socket.socket(socket.AF_UNIX) as client:
            client.connect(path)
            with self.attached("-p", server.pid) as attachment:
                for _ in range(COUNT):
                    client.send(b"request")
                    client.recv(100)
        requests = [tuple(map(int, line.split())) for line in server.communicate(timeout=60)[0].splitlines()]
        calls = sorted(attachment.calls, key=lambda call: call["call"])
        self.assertEqual((len(calls), len(requests)), (COUNT, COUNT))
        known = [(call, work_ns, asleep_ns) for call, (_, work_ns, asleep_ns) in zip(calls, requests)
                 if call["blocked_ns"] is not None]
        patience.demand(len(known), KNOWN * sum(woken for woken, _, _ in requests), "calls whose states are known")
        service, = attachment.summary["calls"]["services"]
        if serves:
            self.assertEqual(service["worker"]["comm"], serves)
        return known

    def check_near(self, found, what):
        """
        Of most (least found, most found, planted), what is found is what was planted and a hand-over. They differ by
        what other threads decide: how long a woken thread waits for a CPU before it measures itself.
        """
        good = [(1 - NEAR) * planted <= most and least <= (1 + NEAR) * planted + OVERHEAD_NS
                for least, most, planted in found]
        patience.demand(sum(good), MOST * len(good), f"calls with {what} as planted")

    def check_busy(self, way, **how):
        """The worker spins, or waits for a CPU if others take it."""
        known = self.trace(way, "spin", **how)
        self.check_near([(call["on_cpu_ns"], call["on_cpu_ns"] + call["runqueue_ns"], work_ns)
                         for call, work_ns, _ in known],
                        "time on a CPU or waiting for one")
        return known

    def check_asleep(self, way, work, **how):
        """The worker sleeps as long as it says itself. Behind others it would wait for longer than that."""
        known = self.trace(way, work, PRIORITY, **how)
        patience.demand(sum(asleep_ns for _, _, asleep_ns in known), 0.5 * sum(work_ns for _, work_ns, _ in known),
                        "ns asleep")
        self.check_near([(call["blocked_ns"], call["blocked_ns"], asleep_ns) for call, _, asleep_ns in known],
                        "time blocked")

    def check_rarely_asleep(self, way):
        """Where the worker takes the receiver's CPU before that one sleeps, the receiver waits for the CPU."""
        known = self.check_busy(way, serves=None)
        patience.demand(-sum(call["blocked_ns"] for call, _, _ in known[1:]), -OVERHEAD_NS * len(known), "ns blocked")

    def test_condition(self):
        """a condition variable: the worker answers"""
        self.check_busy("condition")
        self.check_asleep("condition", "sleep")
        self.check_asleep("condition", "lock")

    def test_eventfd(self):
        """an eventfd, there and back"""
        known = self.check_busy("eventfd")
        self.assertLess(sum(call["blocked_ns"] for call, _, _ in known), OVERHEAD_NS * len(known))
        self.check_asleep("eventfd", "sleep")

    def test_rearm(self):
        """a worker that wakes the receiver by rearming an eventfd that is always readable"""
        self.check_rarely_asleep("rearm")
        self.check_asleep("rearm", "sleep", serves=None)

    def test_park(self):
        """a worker that wakes the receiver where that one also sleeps without a request"""
        self.check_rarely_asleep("park")
        self.check_asleep("park", "sleep", serves=None)

    def test_result(self):
        """a worker that wakes the receiver elsewhere: it may have had a lock that the receiver waits for"""
        known = self.trace("result", "spin", serves="hands_over")
        self.check_near([(call["on_cpu_ns"], call["blocked_ns"] + call["runqueue_ns"] + OVERHEAD_NS, work_ns)
                         for call, work_ns, _ in known], "time blocked or waiting for a CPU")
        self.assertLess(sum(call["on_cpu_ns"] for call, _, _ in known), OVERHEAD_NS * len(known))

    def test_pipe(self):
        """a pipe, there and back"""
        self.check_busy("pipe")
        self.check_asleep("pipe", "lock")

    def test_socketpair(self):
        """a socket pair, there and back"""
        self.check_busy("socketpair")
        self.check_asleep("socketpair", "sleep")


if __name__ == "__main__":
    tap.main()
