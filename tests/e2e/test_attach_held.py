# SPDX-License-Identifier: BSD-2-Clause
"""A receiver that is stopped does not wait for messages in that time."""

import signal
import socket
import subprocess
import sys
import time

import attach
import tap
import test_level

RECEIVES = """
import select, socket, sys
s = socket.socket(fileno=int(sys.argv[1]))
poll, epoll = select.poll(), select.epoll()
poll.register(s, select.POLLIN)
epoll.register(s, select.EPOLLIN)
wait = {"recv": lambda: None, "poll": poll.poll, "epoll": epoll.poll}[sys.argv[2]]
print("ready", flush=True)
while True:
    wait()
    print(s.recv(100).decode(), flush=True)
"""

SENDS = """
import os, sys
print("ready", flush=True)
for line in sys.stdin:
    os.write(int(sys.argv[1]), line.strip().encode())
    print("sent", flush=True)
"""

HELD_S = 0.1


class Held(attach.AttachCase):
    """Messages are sent one by one, and each is taken before the next."""

    def begin(self, call):
        """Starts a receiver that waits in this call, and its sender."""
        ends = self.keep(*(end.detach() for end in socket.socketpair(type=socket.SOCK_DGRAM)))
        self.receiver = self.script(RECEIVES, ends[0], call)
        self.sender = self.script(SENDS, ends[1])
        attach.wait_until_waits(self.receiver)

    def script(self, text, fd, *arguments):
        return self.ready(self.spawn([sys.executable, "-c", text, fd, *arguments], pass_fds=[fd],
                                     stdin=subprocess.PIPE))

    def send(self, text):
        self.go(self.sender, line=text)
        self.assertEqual(self.sender.stdout.readline(), "sent\n")

    def take(self, text):
        self.assertEqual(self.receiver.stdout.readline(), text + "\n")
        attach.wait_until_waits(self.receiver)

    def send_while_stopped(self, text):
        self.send(text)
        time.sleep(HELD_S)
        self.receiver.send_signal(signal.SIGCONT)
        self.take(text)

    def check_stopped(self, call):
        """The first, the third and the fifth of five messages find the receiver stopped."""
        self.begin(call)
        self.stop_process(self.receiver)
        with self.attached("-p", self.receiver.pid) as attachment:
            self.send_while_stopped("0")
            for i in (1, 3):
                self.send(str(i))
                self.take(str(i))
                self.stop_process(self.receiver)
                self.send_while_stopped(str(i + 1))
        self.check_whole(attachment)
        messages = sorted(attachment.of("uds"), key=lambda m: m["seq"])
        self.assertEqual(len(messages), 5)
        for i, message in enumerate(messages):
            self.assertEqual(message["path"], "slept" if i % 2 else "blocked", (i, message))
            if i % 2:
                self.assertEqual(message["blocked_ns"], 0, message)
            else:
                self.assertGreater(message["blocked_ns"], 0.9 * HELD_S * 1e9, message)
                self.assertEqual(message["wakeup_ns"], 0, message)

    def test_recv(self):
        """stopped in a receive call"""
        self.check_stopped("recv")

    def test_poll(self):
        """stopped in poll"""
        self.check_stopped("poll")

    def test_epoll(self):
        """stopped in epoll_wait"""
        self.check_stopped("epoll")


class LightHeld(test_level.Light, Held):
    """The same where only the scheduler shows which call it is."""


if __name__ == "__main__":
    tap.main()
