# SPDX-License-Identifier: BSD-2-Clause
"""
Datagrams that find no room in the receive buffer: they are counted as dropped, and the receiver, the reason and the
buffer are named.
"""

import json
import os
import subprocess
import sys
import unittest.mock

import attach
import harness
import patience
import tap
from replay import records

DROP_LATER = 1  # enum drop_flag
COUNT, SIZE = 1000, 500
BUFFER = 2304  # the least of Linux (SOCK_MIN_RCVBUF)

# Sends to a port whose socket is closed; every other send fails, as the one before was refused.
NOBODY = """
import os, socket, sys
closed = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
closed.bind(("127.0.0.1", 0))
sender = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
sender.connect(closed.getsockname())
print(os.getpid(), flush=True)
sys.stdin.readline()
sender.send(b"first")
closed.recv(10)
closed.close()
sent = 0
while sent < 20:
    try:
        sender.send(b"lost")
        sent += 1
    except ConnectionRefusedError:
        pass
"""

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


# Before PROGRAM: packets of the loopback device of its own network go to another CPU (RPS), where a softirq drops them.
ON_ANOTHER_CPU = """
import ctypes, os, subprocess
libc = ctypes.CDLL(None)
NEW_NETWORK, NEW_MOUNTS, PRIVATE = 0x40000000, 0x20000, 0x44000
assert libc.unshare(NEW_NETWORK | NEW_MOUNTS) == 0
assert libc.mount(b"none", b"/", None, PRIVATE, None) == 0
assert libc.mount(b"none", b"/sys", b"sysfs", 0, None) == 0
subprocess.run(["ip", "link", "set", "lo", "up"], check=True)
cpus = sorted(os.sched_getaffinity(0))
with open("/sys/class/net/lo/queues/rx-0/rps_cpus", "w", encoding="ascii") as file:
    file.write(f"{1 << cpus[-1]:x}")
os.sched_setaffinity(0, cpus[:1])
"""

# The receiver never reads, and ends: its datagrams were visible, and the kernel discards them with the socket.
CLOSED = """
import os, socket, sys
end = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
end.bind(("127.0.0.1", 0))
sender = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
sender.connect(end.getsockname())
print(os.getpid(), flush=True)
sys.stdin.readline()
for _ in range(20):
    sender.send(b"unread")
end.close()
"""


class Drops(attach.AttachCase):
    """A receiver that is too slow for its buffer."""

    def flood(self, *options, before=""):
        """(attachment, datagrams that were received) of a burst of datagrams for a slow receiver"""
        notes = self.file("notes")
        sender = self.spawn([sys.executable, "-c", before + PROGRAM, notes, str(COUNT), str(SIZE)],
                            stdin=subprocess.PIPE)
        receiver = int(sender.stdout.readline())
        with self.attached("-p", receiver, *options, stop=False) as attachment:
            sender.communicate("go\n", timeout=60)
        with open(notes, encoding="ascii") as file:
            received = json.load(file)
        patience.demand(COUNT - received, 0.2 * COUNT, "datagrams that found no room")
        return attachment, received

    def test_full(self):
        """each of them is accounted for, with its reason"""
        self.check_full(*self.flood())

    def test_later(self):
        """the same outside of the send call"""
        attachment, received = self.flood(before=ON_ANOTHER_CPU)
        self.check_full(attachment, received)
        run, = records.read(attachment.recording)
        later = [drop for drop in run.of("drop") if drop.flags & DROP_LATER]
        patience.demand(len(later), 0.2 * COUNT, "datagrams that were dropped after their send call")
        self.assertEqual({drop["tid"] for drop in later}, {0})
        with unittest.mock.patch.dict(os.environ, IPCTRACE_WITHOUT="drop_reason"):
            self.check_reason(self.flood(before=ON_ANOTHER_CPU)[0])

    def test_closed(self):
        """what a program never reads was not dropped"""
        sender = self.spawn([sys.executable, "-c", CLOSED], stdin=subprocess.PIPE)
        with self.attached("-p", int(sender.stdout.readline()), stop=False) as attachment:
            sender.communicate("go\n", timeout=60)
        integrity = attachment.summary["integrity"]
        self.assertGreaterEqual(integrity["sent"] + integrity["elsewhere"], 20)
        self.assertEqual(integrity["dropped"], 0)
        run, = records.read(attachment.recording)
        self.assertEqual(run.of("drop"), [])

    def check_full(self, attachment, received):
        integrity = attachment.summary["integrity"]
        ends = integrity["sent"] - COUNT  # most of these are dropped, too
        self.assertGreaterEqual(ends, 1)
        self.demand_events(attachment, integrity["incomplete"]["not_received"])
        self.assertEqual(integrity["dropped"], integrity["incomplete"]["not_received"], integrity)
        self.assertEqual(integrity["matched"], received + 1, integrity)
        self.assertEqual(integrity["sent"], integrity["matched"] + integrity["dropped"], integrity)
        channel, = attachment.summary["channels"]
        self.assertEqual(channel["dropped"], integrity["dropped"])
        report = harness.ipctrace("report", attachment.recording).out
        text = " ".join(report.split())
        self.assertRegex(text, r"\d+ % of the messages were dropped by the kernel, most of them at the socket of "
                               r"slow-receiver \(pid \d+\) on 127\.0\.0\.1:\d+ > 127\.0\.0\.1:\d+: its "
                               rf"receive buffer was full \({BUFFER} bytes\)\.")
        self.check_reason(attachment)

    @staticmethod
    def demand_events(attachment, not_received):
        """No BPF program sees what happens in a hidden task (docs/limits.md): those drops have no record."""
        run, = records.read(attachment.recording)
        patience.demand(len(run.of("drop")), not_received, "drops that a program saw")

    def check_reason(self, attachment):
        drops = attachment.summary["drops"]
        dropped = attachment.summary["integrity"]["dropped"]
        self.assertEqual({name: count for name, count in drops["reasons"].items() if count}, {"buffer_full": dropped})
        self.assertEqual((drops["channel_reason"], drops["channel_count"], drops["buffer_bytes"]),
                         ("buffer_full", dropped, BUFFER))

    def test_older(self):
        """the same on a kernel whose kfree_skb has no reason"""
        with unittest.mock.patch.dict(os.environ, IPCTRACE_WITHOUT="drop_reason"):
            self.check_reason(self.flood()[0])

    def test_not_shown(self):
        """on a kernel that does not show the reason either way it is not known"""
        with unittest.mock.patch.dict(os.environ, IPCTRACE_WITHOUT="drop_reason,udp_fail_queue_rcv_skb"):
            attachment = self.flood()[0]
        dropped = attachment.summary["integrity"]["dropped"]
        self.assertEqual(attachment.summary["drops"]["reasons"]["unknown"], dropped)
        report = harness.ipctrace("report", attachment.recording).out
        self.assertIn("datagrams find no room when", " ".join(report.split()))

    def test_no_socket(self):
        """nothing is bound to the port any more"""
        sender = self.spawn([sys.executable, "-c", NOBODY], stdin=subprocess.PIPE)
        with self.attached("-p", int(sender.stdout.readline()), stop=False) as attachment:
            sender.communicate("go\n", timeout=60)
        reasons = attachment.summary["drops"]["reasons"]
        self.assertEqual((reasons["no_socket"], sum(reasons.values())), (20, 20))


if __name__ == "__main__":
    tap.main()
