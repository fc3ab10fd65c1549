# SPDX-License-Identifier: BSD-2-Clause
"""Looks for wrong joins between random programs. It is no part of the tests, as it may run forever.

    PYTHONPATH=tests python3 tests/e2e/hunt_joins.py FIRST COUNT [TRANSPORT...]

Each number from FIRST on stands for a reader and its writers on a random transport, which send and receive in
random manners. The same number gives the same programs again. A wrong join that is marked as certain fails, and
so does a message that is not reported. The output shows what else is missing, and how the others are marked.
"""

import random
import time

import attach
import hunting
import tap
import test_attach_joins as joins

TRANSPORTS = (*joins.STREAMS, *joins.PACKETS, "mqueue")
ONE_WRITER = ("uds-stream", "tcp", "uds-seqpacket")  # the reader accepts one connection
READERS = ("block", "block", "select", "poll", "epoll", "epoll-level", "epoll-exclusive",
           "epoll-oneshot")


class Manner:
    """How the programs send and receive."""

    def __init__(self, number, transports):
        self.random = random.Random(number)
        choice = self.random.choice
        self.transport = choice(transports)
        self.is_stream = self.transport in joins.STREAMS
        self.is_socket = self.transport not in ("pipe", "fifo", "mqueue")
        self.size = choice((40, 64, 200, 1000))
        self.writers = 1 if self.transport in ONE_WRITER else choice((1, 1, 2, 3))
        self.is_early = self.random.random() < 0.4  # the programs are busy when tracing begins
        self.priority = choice((None, None, 10))
        self.rounds = 6000 if self.is_early else choice((200, 600, 1500))
        self.period_ns = choice((100_000, 200_000) if self.is_early else (0, 0, 50_000, 200_000))
        self.sizes = [self.size] * choice((1, 1, 2, 4))
        self.reading, self.writing = self.choose_reading(), self.choose_writing()

    def choose_reading(self):
        methods = ["receive", "receive"]
        if self.transport != "mqueue":
            methods.append("readv")
        if self.is_socket:
            methods += ["uring", "waitall" if self.is_stream else "recvmmsg"]
        method = self.random.choice(methods)
        reading = ["-m", method, "-t", self.random.choice((1, 1, 1, 2, 3, 4)),
                   "-d", self.random.choice((0, 0, 0, 20_000, 300_000))]
        if method not in ("uring", "waitall") and self.transport != "mqueue":
            reading += ["-r", self.random.choice(READERS)]
        if self.is_stream:
            reading += ["-u", self.size, "-s", self.size * self.random.choice((1, 2, 3, 100))]
        elif self.transport == "mqueue":
            reading += ["-s", 8192]
        if self.is_socket:
            reading += ["-b", 4_000_000]
        return reading

    def choose_writing(self):
        methods = ["send"] if self.transport == "mqueue" else ["send", "send", "writev"]
        if self.is_socket:
            methods += ["sendmmsg", "uring"]
        return ["-m", self.random.choice(methods), "-n", self.rounds, "-p", self.period_ns,
                "-s", ",".join(map(str, self.sizes))]

    def __str__(self):
        words = [self.transport, "reader", *self.reading, f"{self.writers} writers", *self.writing,
                 "early" if self.is_early else "late", f"priority {self.priority}"]
        return " ".join(map(str, words))


class Hunt(joins.OneWay):
    """A test for each number."""

    def trace_manner(self, manner):
        """(attachment, truth)."""
        self.begin_logs()
        reader_at, writer_at, fds = self.ends(manner.transport)
        how = {"pass_fds": fds, "priority": manner.priority}

        def start_writers():
            return [self.start("writer", *manner.writing, writer_at, **how)
                    for _ in range(manner.writers)]

        reader = self.start("reader", *manner.reading, reader_at, **how)
        if manner.is_early:
            writers = start_writers()
            time.sleep(0.1 * manner.random.random())
        with self.attached("-p", reader.pid) as attachment:
            if not manner.is_early:
                writers = start_writers()
            for process in writers:
                self.join(process)
            self.settle(reader)
        self.end(reader)
        return attachment, self.truth()

    def check(self, manner):
        attachment, noted = self.trace_manner(manner)
        records = [record | {end + "_tid": joins.owner(record, end)
                             for end in ("sender", "receiver")}
                   for record in attachment.of(manner.transport)]
        integrity = attachment.summary["integrity"]
        tap.comment({"sent": integrity["sent"], "elsewhere": integrity["elsewhere"]}
                    | {reason: n for reason, n in integrity["incomplete"].items() if n}
                    | {match: n for match, n in attachment.summary["matches"].items() if n})
        self.check_right(noted, records, attach.MATCHES)
        # The sender of a UDP datagram may be unknown if its receive was not traced.
        if not manner.is_early and manner.transport != "udp":
            self.assertEqual(integrity["sent"],
                             manner.writers * manner.rounds * len(manner.sizes))


if __name__ == "__main__":
    hunting.main(Manner, lambda manner: Hunt, TRANSPORTS)
