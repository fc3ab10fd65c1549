# SPDX-License-Identifier: BSD-2-Clause
"""Threads that change their name or their priority while they are traced."""

import os
import socket
import subprocess
import sys

import attach
import tap

MESSAGES = 60
CHANGE_AT = 20
TURN_S = 0.01

# The receiver of a message that is sent before a turn waits until the turn is over.
TURNS = """
import ctypes, os, sys, time
fd = int(sys.argv[1])
print("ready", flush=True)
sys.stdin.readline()
for i in range(MESSAGES):
    if i == CHANGE_AT:
        begin = time.monotonic_ns()
        # The name last: a preemption between the two calls must not show the new name at the old priority.
        os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(50))
        ctypes.CDLL(None).prctl(15, b"rtnow", 0, 0, 0)
        change = begin, time.monotonic_ns()
    os.write(fd, b"m")
    end = time.monotonic() + TURN_S
    while time.monotonic() < end:
        pass
    time.sleep(TURN_S)
with open(sys.argv[2], "w") as file:
    file.write("%d %d" % change)
"""

RECEIVES = """
import ctypes, os, socket, sys, time
s = socket.socket(fileno=int(sys.argv[1]))
print("ready", flush=True)
for i in range(MESSAGES):
    if i == CHANGE_AT:
        ctypes.CDLL(None).prctl(15, b"other", 0, 0, 0)
    s.recv(1)
"""


class Names(attach.AttachCase):
    """A sender that keeps the receiver's CPU for a while after each message."""

    def script(self, text, fd, *arguments):
        for name in ("MESSAGES", "CHANGE_AT", "TURN_S"):
            text = text.replace(name, str(globals()[name]))
        return self.ready(self.spawn([sys.executable, "-c", text, fd, *arguments],
                                     cpu=attach.SERVER_CPU, pass_fds=[fd], stdin=subprocess.PIPE))

    def trace(self):
        """(attachment, sender, when its change began and ended); the receiver is a target, too."""
        ends = [end.detach() for end in socket.socketpair(type=socket.SOCK_DGRAM)]
        for fd in ends:
            self.addCleanup(os.close, fd)
        receiver = self.script(RECEIVES, ends[0])
        sender = self.script(TURNS, ends[1], self.file("change"))
        with self.attached("-p", f"{receiver.pid},{sender.pid}") as attachment:
            sender.stdin.write("\n")
            sender.stdin.flush()
            self.join(sender)
            self.join(receiver)
        self.demand_known_start(attachment)
        self.check_whole(attachment)
        with open(self.file("change"), encoding="utf-8") as file:
            begin_ns, end_ns = map(int, file.read().split())
        return attachment, sender, begin_ns, end_ns

    def test_change(self):
        """blame has the name and the priority of its time, and messages the name"""
        attachment, sender, begin_ns, end_ns = self.trace()
        messages = sorted(attachment.of("uds"), key=lambda m: m["seq"])
        self.assertEqual(len(messages), MESSAGES)
        for i, message in enumerate(messages):
            # The sender takes its name before it sends this one, the receiver while it comes.
            self.assertEqual(message["sender_comm"] == "rtnow", i >= CHANGE_AT, (i, message))
            if i != CHANGE_AT:
                self.assertEqual(message["receiver_comm"] == "other", i > CHANGE_AT, (i, message))
            if message["recv_ns"] > begin_ns and message["queued_ns"] < end_ns:
                continue  # it still waited when the sender took its name
            for blame in message["blame"]:
                if blame["tid"] == sender.pid:
                    self.assertEqual(blame["comm"] == "rtnow", i >= CHANGE_AT, (i, message))
        blamed = {blame["comm"]: blame for blame in attachment.summary["blame"]
                  if blame["tid"] == sender.pid}
        self.assertEqual(blamed["rtnow"]["scheduling"], "FIFO 50")
        self.assertGreater(blamed["rtnow"]["messages"], (MESSAGES - CHANGE_AT) / 2)
        del blamed["rtnow"]
        self.assertEqual(len(blamed), 1, "names before")
        self.assertRegex(blamed.popitem()[1]["scheduling"], "^nice ")


if __name__ == "__main__":
    tap.main()
