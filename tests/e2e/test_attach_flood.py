# SPDX-License-Identifier: BSD-2-Clause
"""More messages than fit: all are counted."""

import json
import os
import signal
import time

import attach
import harness
import tap


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


if __name__ == "__main__":
    tap.main()
