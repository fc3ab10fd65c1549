# SPDX-License-Identifier: BSD-2-Clause
"""More connections than fit: all are counted, and memory is bounded."""

import re
import signal
import time

import attach
import harness
import patience
import tap
import truth


class Storm(attach.AttachCase):
    """5,000 connections a second, with one call each."""

    CALLERS = 2
    KB_EACH = 4  # what a connection may take until the tables are full
    KEPT = 100  # channels that the kernel may keep after a storm
    STALLED = 5000  # connections whose records the ring has room for
    FULL = 70_000  # above the largest table, which has 65,536 connections

    def stall(self, attachment, connect, count):
        """All records of these connections lie in the ring before ipctrace gets a CPU."""
        self.stop_process(attachment.process)
        try:
            connect(count)
        finally:
            attachment.process.send_signal(signal.SIGCONT)
        self.wait_until_looked_at(attachment, 2 * count)

    @staticmethod
    def wait_until_looked_at(attachment, count):
        """Waits until the lines of --interval have said so many further messages."""
        attachment.said = getattr(attachment, "said", 0) + count
        while (line := attachment.next_line()) is not None:
            said = re.fullmatch(r"ipctrace: (\d+) messages, \d+ since .*\n", line)
            if said and int(said.group(1)) >= attachment.said:
                return
        raise AssertionError(f"it ended before {attachment.said} messages: {attachment.err[-3:]}")

    def storm(self, transport, *counts, stalls=0):
        """
        ([kB at most, after each], channels that the kernel keeps) of batches of so many connections. In the
        first batches, as many as `stalls`, ipctrace gets no CPU: with what has waited for it then, memory is the
        same however late it gets one later.
        """
        connections, peaks = sum(counts), []
        self.begin_logs()
        address, _ = self.address(transport)
        service = self.start("service", "-r", "epoll", address)

        def connect(count):
            callers = [self.start("caller", "-c", "-n", count // self.CALLERS, "-p", self.CALLERS * 200_000, address)
                       for _ in range(self.CALLERS)]
            for caller in callers:
                self.join(caller)

        with self.attached("-p", service.pid, "--interval", "100ms") as attachment:
            for number, count in enumerate(counts):
                if number < stalls:
                    self.stall(attachment, connect, count)
                else:
                    connect(count)
                    self.wait_until_looked_at(attachment, 2 * count)
                peaks.append(harness.peak_kb(attachment.process))
            kept = self.channels_kept(service.pid, attachment.process.pid)
        self.end(service)
        noted = self.truth()
        self.assertEqual({e.bytes for e in noted.entries(truth.CONNECT)}, {0}, "none was refused")
        self.check_right(noted, attachment.messages)
        self.check_whole(attachment, 2 * connections)
        self.assertEqual(attachment.summary["calls"]["count"], connections)
        self.check_folded(attachment.summary["channels"], 2 * connections)
        return peaks, kept

    def channels_kept(self, service, pid):
        """The channels in the kernel, after the service has closed its last connections."""
        harness.wait_until(lambda: attach.fds_of(service) < self.KEPT / 2, limit_s=60)
        end = time.monotonic() + harness.PATIENCE * 5
        while (kept := harness.map_entries(pid, "channels")) >= self.KEPT and time.monotonic() < end:
            time.sleep(0.1)
        return kept

    def check_folded(self, channels, count):
        """A few channels by name, and how many others there were: both directions of one service."""
        self.assertLess(len(channels), 1000)
        self.assertEqual(sum(channel.get("channels") or 1 for channel in channels), count)
        self.assertLessEqual(len([c for c in channels if c["channels"] > 1]), 3, "with other")

    def check_storm(self, transport):
        (few, *_, many), _ = self.storm(transport, *[self.STALLED] * 3, stalls=3)
        more = 2 * self.STALLED
        self.assertLess(many - few, self.KB_EACH * more, f"{few} kB of 5,000 connections, {many} of 15,000")

    def test_stream(self):
        """unix streams: every call is there, and memory is bounded"""
        self.check_storm("uds-stream")

    def test_tcp(self):
        """TCP: the same"""
        self.check_storm("tcp")

    def test_long(self):
        """110,000 unix streams: all tables are full after 70,000, but for the kernel's"""
        (_, few, many), kept = self.storm("uds-stream", self.STALLED, self.FULL - self.STALLED, 40_000, stalls=1)
        self.check_kept(kept)
        # Records that wait for a late reader need memory, too. What grows does so each time.
        if many >= 1.1 * few:
            raise patience.NotNear(f"{many} kB of 110,000 connections; {few} of 70,000")

    def test_packets(self):
        """seqpackets: the kernel side keeps no channel of a connection that has ended"""
        _, kept = self.storm("uds-seqpacket", 10_000)
        self.check_kept(kept)

    def check_kept(self, kept):
        # No program sees a close in a hidden task (docs/limits.md).
        if kept >= self.KEPT:
            raise patience.NotNear(f"{kept} channels are kept of connections that have ended")


if __name__ == "__main__":
    tap.main()
