# SPDX-License-Identifier: BSD-2-Clause
"""Queues with several readers or writers, of which one gets no CPU after its call: what others do meanwhile comes behind."""

import sys

import attach
import tap
import test_attach_joins
import truth

PERIOD_NS = 5_000_000
PRIORITY = 50
STARVED_NS = 200_000_000  # at least; twice what is waited for records that come late

BUSY = """
import time
until = time.monotonic() + 0.5
while time.monotonic() < until:
    pass
"""


class Readers(test_attach_joins.OneWay):
    """Two readers of a queue, one of which has to wait behind others with what it was handed."""

    def starve(self):
        """Two that leave others no CPU, and switch between each other, so that records get out."""
        spinner = self.spawn([self.program("spinner"), attach.SERVER_CPU, 1_000_000, 4_000_000, 300])
        self.join(self.spawn([sys.executable, "-c", BUSY], cpu=attach.SERVER_CPU, priority=PRIORITY))
        self.join(spinner)

    def check_starved(self, transport):
        reader_at, writer_at, _ = self.ends(transport)
        readers = [self.start("reader", "-s", 8192, reader_at, cpu=cpu)
                   for cpu in (attach.CALLER_CPU, attach.SERVER_CPU)]
        for reader in readers:  # one on its way to sleep leaves it open what the queue has
            self.settle(reader)
        with self.attached("-p", f"{readers[0].pid},{readers[1].pid}") as attachment:
            writer = self.start("writer", "-p", PERIOD_NS, writer_at, cpu=attach.CALLER_CPU)
            self.starve()
            self.end(writer)
            for reader in readers:  # either may have been handed the last message
                self.settle(reader)
        self.end(*readers)
        noted = self.truth()
        received = [entry for entry in noted.entries(truth.RECEIVE) if entry.tid == readers[1].pid]
        self.assertGreater(max(entry.exit_ns - entry.enter_ns for entry in received), STARVED_NS)
        self.demand_first_alone(attachment, noted)
        self.check_right(noted, attachment.of(transport), (*attach.SURE, "ambiguous"))
        self.check_whole(attachment, len(noted.entries(truth.SEND)))

    def test_mqueue(self):
        """a POSIX queue"""
        self.check_starved("mqueue")

    def test_sysv(self):
        """a System V queue"""
        self.check_starved("sysv")


class Writers(test_attach_joins.OneWay):
    """Three writers of a queue, each of which may lose the CPU before its message is counted."""

    def test_mqueue(self):
        """a POSIX queue: never wrong, and what is not sure says so"""
        attachment, noted = self.trace("mqueue", ["-s", 8192], ["-n", 500, "-s", 40], 3)
        records = attachment.of("mqueue")
        self.check_right(noted, records, (*attach.SURE, "ambiguous"))
        # What came in another order than it was counted in contradicts itself, and is incomplete. Where counting
        # begins anew, both ends of a message may stay without the other: its receive is counted as well.
        integrity = attachment.summary["integrity"]
        self.assertEqual(integrity["sent"] - integrity["incomplete"]["no_send"], 1500, integrity)
        self.assertIn("exact", {m["match"] for m in records})


if __name__ == "__main__":
    tap.main()
