# SPDX-License-Identifier: BSD-2-Clause
"""Two programs that do one thing after the other, so that what became of each message is known."""

import os
import socket
import subprocess
import sys

import attach
import tap
import test_level

BEGINNING = """
import os, select, socket, sys, time
print("ready", flush=True)
sys.stdin.readline()
"""


class Steps(attach.AttachCase):
    """Scripts that begin together, when they are traced."""

    def script(self, text, *fds):
        """A process that runs it, once it is told to. `fds` are its sys.argv[1:]."""
        return self.ready(self.spawn([sys.executable, "-c", BEGINNING + text, *fds], pass_fds=fds,
                                     stdin=subprocess.PIPE))

    def trace(self, target, *others):
        """The attachment to the first of these scripts; all of them run to their end."""
        with self.attached("-p", target.pid) as attachment:
            for process in (*others, target):
                process.stdin.write("\n")
                process.stdin.flush()
            for process in (target, *others):
                self.join(process)
        return attachment

    def keep(self, *fds):
        """Closes them at the end."""
        for fd in fds:
            self.addCleanup(os.close, fd)
        return fds


# It looks for messages, and pauses if there is none.
LOOKS = """
fd, count = socket.socket(fileno=int(sys.argv[1])), 0
fd.setblocking(False)
while count < 20:
    try:
        count += len(fd.recv(1))
    except BlockingIOError:
        PAUSE
"""

SENDS_NOW_AND_THEN = """
for _ in range(20):
    os.write(int(sys.argv[1]), b"m")
    time.sleep(0.013)
"""


class Pauses(Steps):
    """A pause that is made of a call that could watch channels, but watches none."""

    def check_pause(self, pause):
        ends = self.keep(*(end.detach() for end in socket.socketpair(type=socket.SOCK_DGRAM)))
        attachment = self.trace(self.script(LOOKS.replace("PAUSE", pause), ends[0]),
                                self.script(SENDS_NOW_AND_THEN, ends[1]))
        self.check_whole(attachment, 20)
        paths = attachment.summary["paths"]
        self.assertEqual(paths["slept"], 0, paths)
        self.assertGreater(paths["blocked"], 10, paths)

    def test_select(self):
        """select"""
        self.check_pause("select.select([], [], [], 0.03)")

    def test_poll(self):
        """poll"""
        self.check_pause("select.poll().poll(30)")


class LightPauses(test_level.Light, Pauses):
    """The same where only the scheduler tells which call it is."""


if __name__ == "__main__":
    tap.main()
