# SPDX-License-Identifier: BSD-2-Clause
"""Datagrams that find no room in the receive buffer: they are counted as dropped, and the receiver is named."""

import json
import subprocess
import sys

import attach
import harness
import patience
import tap

COUNT, SIZE = 1000, 500

# The receiver has a small buffer, and takes 200 us for each datagram. It notes how many it received.
PROGRAM = """
import json, os, socket, sys, time
notes, count, size = sys.argv[1], *map(int, sys.argv[2:])

def name(comm):
    with open("/proc/self/comm", "w", encoding="ascii") as file:
        file.write(comm)

end = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
end.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1)
end.bind(("127.0.0.1", 0))
child = os.fork()
if not child:
    name("slow-receiver")
    received = 0
    while len(end.recv(size)) == size:
        received += 1
        until = time.monotonic() + 200e-6
        while time.monotonic() < until:
            pass
    with open(notes, "w", encoding="ascii") as file:
        json.dump(received, file)
    os._exit(0)
name("fast-sender")
sender = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
sender.connect(end.getsockname())
end.close()
print(child, flush=True)
sys.stdin.readline()
for _ in range(count):
    sender.send(bytes(size))
while True:  # a receiver that waits for a CPU has taken the "end" before the next one comes
    time.sleep(1)
    if os.waitpid(child, os.WNOHANG) != (0, 0):
        break
    sender.send(b"end")
"""


class Drops(attach.AttachCase):
    """A receiver that is too slow for its buffer."""

    def test_full(self):
        """a burst of datagrams for a slow receiver"""
        notes = self.file("notes")
        sender = self.spawn([sys.executable, "-c", PROGRAM, notes, str(COUNT), str(SIZE)],
                            stdin=subprocess.PIPE)
        receiver = int(sender.stdout.readline())
        with self.attached("-p", receiver, stop=False) as attachment:
            sender.communicate("go\n", timeout=60)
        with open(notes, encoding="ascii") as file:
            received = json.load(file)
        patience.demand(COUNT - received, 0.2 * COUNT, "datagrams that found no room")
        integrity = attachment.summary["integrity"]
        ends = integrity["sent"] - COUNT  # most of these are dropped, too
        self.assertGreaterEqual(ends, 1)
        self.assertEqual(integrity["dropped"], integrity["incomplete"]["not_received"], integrity)
        self.assertEqual(integrity["matched"], received + 1, integrity)
        self.assertEqual(integrity["sent"], integrity["matched"] + integrity["dropped"], integrity)
        channel, = attachment.summary["channels"]
        self.assertEqual(channel["dropped"], integrity["dropped"])
        report = harness.ipctrace("report", attachment.recording).out
        text = " ".join(report.split())
        self.assertRegex(text, r"\d+ % of the messages were dropped by the kernel, most of them at the socket of "
                               r"slow-receiver \(pid \d+\) on 127\.0\.0\.1:\d+ > 127\.0\.0\.1:\d+: datagrams find no "
                               r"room when a receive buffer is full\.")


if __name__ == "__main__":
    tap.main()
