# SPDX-License-Identifier: BSD-2-Clause
"""More messages and connections than fit: all are counted, and memory is bounded."""

import json
import os
import re
import signal
import time

import attach
import harness
import patience
import tap
import truth


class Flood(attach.AttachCase):
    """Messages come faster than they are taken: there is always one more in the ring."""

    PAIRS = 3
    FEW, MANY = 1000, 900_000  # messages: that fit into the ring, and that do not
    # Sends so many at each SIGUSR1, and makes a file when they have been taken: nothing else is traced.
    PAIR = """
import os, signal, socket, sys
counts, folder = list(map(int, sys.argv[2:])), sys.argv[1]
near, far = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGUSR1})
if os.fork():
    far.close()
    print("ready", flush=True)
    for i, count in enumerate(counts):
        signal.sigwait({signal.SIGUSR1})
        for _ in range(count):
            near.send(b"x")
        near.send(b"end")
        near.recv(8)
        open(f"{folder}/taken-{i}", "w").close()
    signal.pause()
else:
    near.close()
    while message := far.recv(8):
        if message == b"end":
            far.send(b"x")
"""

    def flood(self, cpu):
        """Process ids of a writer and a reader that do nothing else."""
        read, write = os.pipe()
        ends = [self.spawn(["dd", "bs=16", "if=/dev/zero"], cpu=cpu, stdout=write),
                self.spawn(["dd", "bs=16", "of=/dev/null"], cpu=cpu, stdin=read)]
        for fd in (read, write):
            os.close(fd)
        return [end.pid for end in ends]

    def test_time_is_over(self):
        """a flooded attach ends when its time is over, and has room for all messages that are pending"""
        pids = [pid for i in range(self.PAIRS)
                for pid in self.flood(attach.CPUS[i % len(attach.CPUS)])]
        result = harness.ipctrace("attach", "-d", "500ms", "-p", ",".join(map(str, pids)),
                                  "-f", "json")
        self.assertEqual(result.status, 0, result.err)
        integrity = json.loads(result.out)["integrity"]
        # What one drain finds is pending until the next one has ended, and a drain finds no more than a full ring. Two
        # of 16 MiB have 349,525 messages (a SEND and a RECEIVE have 48 bytes each), and 1,048,576 may be pending.
        self.assertEqual(integrity["incomplete"]["overflow"], 0, integrity)

    def test_what_the_ring_had_no_room_for_was_sent(self):
        """messages whose both records were lost are counted, and why"""
        counts = self.FEW, self.MANY, self.FEW
        pair = self.ready(self.spawn(["python3", "-c", self.PAIR, self.logs, *counts]))
        attachment = attach.Attachment(self, ["-p", pair.pid])
        attachment.wait_until_tracing()
        for i, count in enumerate(counts):
            if count == self.MANY:
                attachment.process.send_signal(signal.SIGSTOP)
            pair.send_signal(signal.SIGUSR1)
            harness.wait_until(lambda: os.path.exists(f"{self.logs}/taken-{i}"), limit_s=60)
            attachment.process.send_signal(signal.SIGCONT)
            time.sleep(1)  # until the ring has been drained
        attachment.process.send_signal(signal.SIGINT)
        while attachment.next_line(60) is not None:
            pass
        self.assertEqual(attachment.process.wait(), 0, attachment.err)
        with open(attachment.output, encoding="utf-8") as file:
            summary = json.load(file)
        integrity = summary["integrity"]
        self.assertGreater(integrity["lost"], 0, integrity)
        self.assertGreater(integrity["incomplete"]["not_recorded"], 0, integrity)
        # And two more each time: the end of the others, and its answer.
        self.assertEqual(integrity["sent"], sum(counts) + 2 * len(counts),
                         (integrity, summary["channels"]))


class Storm(attach.AttachCase):
    """5,000 connections a second, with one call each."""

    CALLERS = 2
    KB_EACH = 4  # what a connection may take until the tables are full
    KEPT = 100  # channels that the kernel may keep after a storm
    STALLED = 5000  # connections whose records the ring has room for

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
        """100,000 unix streams: all tables are full after 60,000, but for the kernel's"""
        (_, few, many), kept = self.storm("uds-stream", self.STALLED, 55_000, 40_000, stalls=1)
        self.check_kept(kept)
        # Records that wait for a late reader need memory, too. What grows does so each time.
        if many >= 1.1 * few:
            raise patience.NotNear(f"{many} kB of 100,000 connections; {few} of 60,000")

    def test_packets(self):
        """seqpackets: the kernel side keeps no channel of a connection that has ended"""
        _, kept = self.storm("uds-seqpacket", 10_000)
        self.check_kept(kept)

    def check_kept(self, kept):
        self.assertLess(kept, self.KEPT, "channels of connections that have ended")


if __name__ == "__main__":
    tap.main()
