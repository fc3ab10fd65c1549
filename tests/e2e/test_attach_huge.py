# SPDX-License-Identifier: BSD-2-Clause
"""Messages whose length needs more than thirty bits."""

import os
import select
import subprocess
import sys

import attach
import harness
import tap

# Bit 30 of the length is set, as it is of every length from here to the most that a call may take.
HUGE = (1 << 30) + 4096

# Connects two ends, sends or receives once, and prints how much that was.
STREAM = """
import mmap, socket, sys
way, family, address, size = sys.argv[1], sys.argv[2], sys.argv[3], int(sys.argv[4])
kind = socket.AF_UNIX if family == "uds-stream" else socket.AF_INET
name = address if family == "uds-stream" else ("127.0.0.1", int(address))
end = socket.socket(kind)
if way == "receive":
    end.bind(name)
    end.listen()
    print("ready", flush=True)
    end = end.accept()[0]
    print(end.recv_into(mmap.mmap(-1, size), size, socket.MSG_WAITALL), flush=True)
else:
    end.connect(name)
    print(end.send(memoryview(mmap.mmap(-1, size))), flush=True)
sys.stdin.readline()
"""

# Writes and reads one value after the other, which are on its command line.
COUNTER = """
import os, sys
values = [int(word) for word in sys.argv[2:]]
fd = int(sys.argv[1])
print("ready", flush=True)
sys.stdin.readline()
for value in values:
    assert int.from_bytes(os.read(fd, 8), "little") == value
    print("read", flush=True)
sys.stdin.readline()
"""


class Huge(attach.AttachCase):
    """A bit of a length is not taken for a flag."""

    def talk(self, script, *arguments, **how):
        """A running script that waits for a line on stdin before it ends."""
        return self.spawn([sys.executable, "-c", script, *arguments], stdin=subprocess.PIPE, **how)

    def check_one(self, attachment, transport, sizes):
        """Each message is there, with its length, and is certain."""
        integrity = attachment.summary["integrity"]
        self.demand_known_start(attachment)
        self.assertEqual(integrity["sent"], integrity["matched"], integrity["incomplete"])
        self.assertEqual([(m["bytes"], m["match"]) for m in attachment.of(transport)],
                         [(size, "exact") for size in sizes])

    def line_of(self, process):
        """Where a line is read before its write has ended, it is not known what was in the pipe before."""
        self.assertTrue(select.select([process.stdout], [], [], harness.PATIENCE * 60)[0], "a line")
        attach.wait_until_waits(process)
        return process.stdout.readline()

    def check_stream(self, transport, address):
        receiver = self.ready(self.talk(STREAM, "receive", transport, address, HUGE))
        with self.attached("-p", receiver.pid) as attachment:
            sender = self.talk(STREAM, "send", transport, address, HUGE)
            for end in (sender, receiver):
                self.assertEqual(self.line_of(end), f"{HUGE}\n")
                self.go(end)
                self.join(end)
        self.check_one(attachment, transport, [HUGE])

    def test_unix_stream(self):
        """a receive of more than 1 GiB from a unix stream (MSG_WAITALL)"""
        self.check_stream("uds-stream", self.file("huge"))

    def test_tcp(self):
        """a receive of more than 1 GiB from a TCP connection (MSG_WAITALL)"""
        self.check_stream("tcp", attach.free_port())

    def test_eventfd(self):
        """an eventfd whose counter needs bits 30 and 31"""
        values = [1 << 30, 1 << 31, 0xC000_0000, 5]
        fd = os.eventfd(0)
        self.addCleanup(os.close, fd)
        reader = self.ready(self.talk(COUNTER, fd, *values, pass_fds=(fd,)))
        with self.attached("-p", f"{reader.pid},{os.getpid()}") as attachment:
            self.go(reader)
            for value in values:
                os.eventfd_write(fd, value)
                self.assertEqual(self.line_of(reader), "read\n")
            self.go(reader)
            self.join(reader)
        self.check_one(attachment, "eventfd", values)


if __name__ == "__main__":
    tap.main()
