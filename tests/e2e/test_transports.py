# SPDX-License-Identifier: BSD-2-Clause
"""Every transport under every pattern: all that was sent is matched and adds up to the nanosecond."""

import harness
import patience
import tap

STREAMS = ("uds-stream", "tcp", "tcp6", "pipe", "fifo")
MESSAGES = ("uds", "uds-seqpacket", "udp", "udp6", "mqueue", "sysv")
DOORBELLS = ("shm", "eventfd", "signal", "signal-std")
TRANSPORTS = STREAMS + MESSAGES + DOORBELLS
PATTERNS = ("push", "pingpong", "request", "flood")
SIZES = (1, 64, 1500, 65536)

# What the running kernel lets through as one message is less than the largest size.
SHORT = {"udp": 65536, "udp6": 65536, "mqueue": 65536, "sysv": 65536}

CLIENTS, COUNT, WARMUP = 2, 150, 20

# A client may wait for a CPU for some ticks, beside other tests for 200 ms, and its queue must last that long. A
# pipe holds only 64 messages of 1500 bytes, and four of the largest.
PERIOD, PERIOD_OF_LARGEST = "3ms", "24ms"
PERIOD_IN_PIPE = {1500: "8ms", 65536: "64ms"}
PIPES = ("pipe", "fifo")


class Transports(harness.TestCase):
    """Each test is one pattern or one way to receive, over all transports."""

    def options(self, transport, pattern, size=64, policy="other"):
        period = PERIOD_OF_LARGEST if size >= SIZES[-1] else PERIOD
        if transport in PIPES:
            period = PERIOD_IN_PIPE.get(size, PERIOD)
        options = ["--transport", transport, "--pattern", pattern, "--size", size, "--clients", CLIENTS,
                   "--messages", COUNT, "--warmup", WARMUP, "--policy", policy]
        return options + (["--period", period] if pattern == "push" else [])

    def directions(self, pattern):
        """How many directions of a link carry messages."""
        return 2 if pattern in ("pingpong", "request") else 1

    def check_run(self, transport, pattern, *more, size=64, policy="other"):
        """Runs, and expects every message to be there, once, and whole."""
        run = self.measure_links(*self.options(transport, pattern, size, policy), *more)
        summary = run.summary
        count = CLIENTS * COUNT * self.directions(pattern)
        self.assertEqual((summary["integrity"]["sent"], len(run.messages)), (count, count))
        self.assertEqual(summary["integrity"]["corrupt"], 0)
        self.assertEqual({m["transport"] for m in run.messages}, {transport})
        for client in range(1, CLIENTS + 1):
            for to_server in {m["to_server"] for m in run.messages}:
                numbers = [m["round"] for m in run.messages
                           if (m["client"], m["to_server"]) == (client, to_server)]
                self.assertEqual(sorted(numbers), list(range(COUNT)), f"client {client}'s messages")
        if self.directions(pattern) == 2:
            self.check_calls(summary)
        return run

    def check_calls(self, summary):
        """Every exchange is a call, whose parts add up."""
        calls = summary["calls"]
        self.assertEqual(calls["count"], CLIENTS * COUNT)
        parts = sum(calls[part + "_ns"]["mean"] for part in ("request", "service", "response"))
        self.assert_near(parts, calls["round_trip_ns"]["mean"], "parts of the calls")

    def check_refused(self, *arguments):
        """Bad usage, with the value that can't be and what to do."""
        result = harness.ipctrace(*arguments)
        self.assertEqual((result.status, result.out), (2, ""))
        return result.err

    def check_pattern(self, pattern):
        for transport in TRANSPORTS:
            for size in SIZES:
                with self.subTest(transport=transport, size=size):
                    if size >= SHORT.get(transport, size + 1):
                        error = self.check_refused(*self.options(transport, pattern, size))
                        self.assertIn(f"--size {size}", error)
                    else:
                        run = self.check_run(transport, pattern, size=size)
                        self.assertEqual({m["bytes"] for m in run.messages}, {size})
            with self.subTest(transport=transport, threads=True):
                self.check_run(transport, pattern, "--threads")

    def test_push(self):
        """push over every transport, in four sizes, to processes and to threads"""
        self.check_pattern("push")

    def test_pingpong(self):
        """pingpong over every transport"""
        self.check_pattern("pingpong")

    def test_request(self):
        """request over every transport"""
        self.check_pattern("request")

    def test_flood(self):
        """flood over every transport"""
        self.check_pattern("flood")

    def test_readers(self):
        """receivers that wait in poll and epoll wait for the message all the same"""
        for transport in TRANSPORTS:
            for reader in ("poll", "epoll"):
                with self.subTest(transport=transport, reader=reader):
                    if transport in ("shm", "sysv", "signal", "signal-std"):
                        error = self.check_refused(*self.options(transport, "pingpong"),
                                                   "--reader", reader)
                        self.assertIn("--reader", error)
                        continue
                    run = self.check_run(transport, "push", "--reader", reader)
                    paths = run.summary["paths"]
                    # On a busy machine, many a message finds its receiver still waiting for a CPU.
                    asleep = paths["slept"] + paths["blocked"]
                    patience.demand(paths["slept"], 0.9 * asleep, f"slept of {paths}")
                    self.check_run(transport, "request", "--reader", reader)

    def test_parts_of_a_message(self):
        """one message in several reads"""
        for transport in STREAMS:
            with self.subTest(transport):
                run = self.check_run(transport, "pingpong", "--read-size", 100, size=1500)
                self.assertLessEqual({m["receives"] for m in run.messages}, {15, 16, 17})

    def test_several_messages(self):
        """several messages in one read"""
        for transport in STREAMS:
            with self.subTest(transport):
                run = self.check_run(transport, "flood", "--read-size", 65536, "--cpus", "one")
                ends = {(m["channel"], m["recv_ns"]) for m in run.messages}
                self.assertLess(len(ends), len(run.messages), "reads that completed a message")

    def test_one_cpu(self):
        """real-time threads on one CPU"""
        for transport in TRANSPORTS:
            with self.subTest(transport):
                self.check_run(transport, "push", "--cpus", "one", policy="rr")
                self.check_run(transport, "pingpong", "--cpus", "one", policy="rr")

    def test_connect(self):
        """a connection for every message; what has no connections says so"""
        for transport in TRANSPORTS:
            with self.subTest(transport):
                if transport in ("uds-stream", "uds-seqpacket", "tcp", "tcp6"):
                    run = self.check_run(transport, "connect")
                    self.assertGreater(run.summary["flow"]["messages_per_second"], 0)
                else:
                    self.assertIn("--pattern connect",
                                  self.check_refused(*self.options(transport, "connect")))

    def test_kernel(self):
        """the kernel's own tick: no call sends, the wake-up carries the message"""
        count = CLIENTS * COUNT
        run = self.measure_links(*self.options("kernel", "push"))
        self.assertEqual(run.summary["integrity"]["sent"], count)
        self.assertEqual({m["dispatch_ns"] for m in run.messages}, {0})

    def test_kernel_refused(self):
        """the kernel can only push"""
        error = self.check_refused(*self.options("kernel", "pingpong"))
        self.assertIn("push", error)

    def test_merged_signals(self):
        """standard signals merge: fewer are delivered than are sent, and no message is lost"""
        # A client that is not interrupted by the server sends until its ring is full.
        run = self.check_run("signal-std", "flood", "--cpus", "one", "--client-priority", 20,
                             "--server-priority", 10, policy="fifo")
        flow = run.summary["flow"]
        signals = flow["signals"]
        self.assertLess(signals["delivered"], signals["sent"])
        self.assertEqual(signals["delivered"] + signals["merged"], signals["sent"])
        self.assertEqual(flow["messages"], CLIENTS * COUNT)


if __name__ == "__main__":
    tap.main()
