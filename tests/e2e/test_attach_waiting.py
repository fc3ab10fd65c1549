# SPDX-License-Identifier: BSD-2-Clause
"""Receivers that sleep for something else than the message that is there: the time is not called their wakeup."""

import os
import socket
import sys
import time

import attach
import near
import patience
import tap
import test_attach_joins
import test_attach_shared

SOCKET_STREAMS = test_attach_joins.SOCKET_STREAMS
PRIORITY = test_attach_joins.PRIORITY
NEAR_NS, BULK, LEAST = 100_000, 0.9, 60


class Waiting(test_attach_joins.OneWay):
    """Receives that wait for more than what is there: for five messages, 0.5 ms each."""

    def check_waits(self, transport, reading, component):
        """
        A message has waited for the rest, until the last one was sent that its receive took: here,
        and not in `wakeup`. Waits do not count during which a CPU was taken away, or the reader did
        something else for long.
        """
        control = near.Control(self, PRIORITY)
        attachment, pairs = self.check_stream(
            transport, reading, ["-s", 20, "-n", 1000, "-p", 500_000], priority=PRIORITY)
        control.end()
        self.check_whole(attachment, 1000)
        last = {receive: send for send, receive, _ in pairs}
        records = sorted(attachment.messages, key=lambda m: m["send_ns"])
        waits = [(record, last[receive].enter_ns - send.exit_ns,
                  last[receive].exit_ns - send.enter_ns)
                 for record, (send, receive, _) in zip(records, pairs)
                 if self.awake_ns(record) < 2 * NEAR_NS
                 and control.is_quiet(send.enter_ns, receive.exit_ns)]
        near.check_share((self.is_right(component, *wait) for wait in waits if wait[1] > 400_000),
                         BULK, LEAST, component)

    @staticmethod
    def awake_ns(record):
        """A reader may also wake up for each message before the last. Then it does not wait."""
        return sum(record[name + "_ns"] or 0 for name in ("runqueue", "switch", "busy", "receive"))

    def is_right(self, component, record, at_least, at_most):
        """Whether the component is as long as the wait, and `wakeup` has nothing of it."""
        return (at_least - self.awake_ns(record) - NEAR_NS < record[component + "_ns"]
                < at_most + NEAR_NS and record["wakeup_ns"] < NEAR_NS)

    def test_least(self):
        """SO_RCVLOWAT: a reader that is woken when five messages are there"""
        for transport in SOCKET_STREAMS:
            for reader in ("block", "poll"):
                with self.subTest(transport, reader=reader):
                    # TCP does not report data either to a reader that it does not wake.
                    self.check_waits(transport, ["-l", 100, "-r", reader],
                                     "blocked" if transport == "uds-stream" else "send_path")

    def test_all(self):
        """MSG_WAITALL: one that takes five, in parts"""
        for transport in SOCKET_STREAMS:
            with self.subTest(transport):
                self.check_waits(transport, ["-m", "waitall", "-s", 100], "blocked")

    def check_shared(self, transport, **allowed):
        attachment, noted = self.trace(
            transport, ["-t", 3, "-m", "waitall", "-s", 80, "-u", 40],
            ["-s", 40, "-n", 600, "-p", 200_000])
        self.check_right(noted, attachment.of(transport), (*attach.SURE, "ambiguous"))
        # In the end each may wait with a message, for another one.
        self.check_whole(attachment, 600, not_received=3, **allowed)

    def test_all_shared(self):
        """MSG_WAITALL of several threads, which get parts in turns"""
        for transport in SOCKET_STREAMS:
            with self.subTest(transport):
                self.check_shared(transport)


class WaitingBefore(Waiting):
    """The same of a connection that they wait on before tracing begins."""

    test_least = None  # its rest is taken when the connection ends, which this one does not

    def ends(self, transport):
        return self.fd_ends(*connected(transport))

    def test_all_shared(self):
        """MSG_WAITALL of several threads that wait when tracing begins"""
        self.check_shared("tcp")
        # Without a position in the receive, it is unknown whether the stream was empty.
        self.check_shared("uds-stream", unknown_start=600)


# HOW A B: two descriptors. It waits for B alone, and takes what is in both then.
LOOKS_AWAY = """
import os, select, sys
how, a, b = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
waiting = select.poll() if how == "poll" else select.epoll()
for fd in (a, b):
    waiting.register(fd, select.POLLIN)
print("ready", flush=True)
while True:
    if how != "watch":
        waiting.unregister(a)
    while True:
        at = [fd for fd, _ in waiting.poll()]
        if b in at:
            break
        os.read(a, 100)
    text = os.read(b, 100)
    if text == b"end":
        break
    if how != "watch":
        waiting.register(a, select.POLLIN)
    while a in [fd for fd, _ in waiting.poll(0)]:
        os.read(a, 100)
"""


def udp_pair():
    """(descriptor to read from, one to write to)."""
    reader, writer = (socket.socket(socket.AF_INET, socket.SOCK_DGRAM) for _ in range(2))
    reader.bind(("127.0.0.1", 0))
    writer.connect(reader.getsockname())
    return reader.detach(), writer.detach()


def connected(transport):
    return udp_pair() if transport == "udp" else test_attach_shared.connected(transport)


class Looks(attach.AttachCase):
    """An event loop that does not watch a descriptor for a while."""

    PAUSE_S, ROUNDS = 0.02, 15
    TIMER_NS = 20_000

    def test(self):
        """a message that arrives meanwhile did not wake it: it sleeps for another reason"""
        for transport in ("uds-stream", "tcp", "udp", "pipe"):
            for how in ("watch", "unregister", "poll"):
                with self.subTest(transport, how=how):
                    self.check_loop(transport, how)

    def test_beside_timers(self):
        """the loop sleeps for another reason while timers wake other threads, also in the middle of a send"""
        self.start_timers()
        for transport in ("uds-stream", "tcp", "udp", "pipe"):
            with self.subTest(transport):
                self.check_loop(transport, "poll")

    def start_timers(self):
        """A thread on each CPU that sleeps for a moment, again and again."""
        self.ready(self.spawn([self.program("control"), 1, self.TIMER_NS, 10 ** 9]))

    def write(self, fd, data):
        """When the loop sleeps: (begin, end) of this."""
        attach.wait_until_waits(self.loop)
        begin_ns = time.monotonic_ns()
        os.write(fd, data)
        return begin_ns, time.monotonic_ns()

    def check_loop(self, transport, how):
        fds = self.keep(*connected(transport), *connected("uds-stream"))
        self.loop = self.ready(self.spawn([sys.executable, "-c", LOOKS_AWAY, how, fds[0], fds[2]],
                                          pass_fds=fds))
        written = []
        with self.attached("-p", self.loop.pid) as attachment:
            for _ in range(self.ROUNDS):
                early = self.write(fds[1], b"early!!")
                time.sleep(self.PAUSE_S)
                written.append((early, self.write(fds[3], b"late")))
            self.write(fds[3], b"end")
            self.join(self.loop)
        messages = sorted((m for m in attachment.messages if m["bytes"] == 7),
                          key=lambda m: m["send_ns"])
        self.assertEqual(len(messages), self.ROUNDS)
        expected = "slept" if how == "watch" else "blocked"
        for message, (early, late) in zip(messages, written):
            self.assertTrue(early[0] <= message["send_ns"] <= early[1], (message, early))
            if message["path"] not in ("slept", "blocked"):
                continue  # something held up the loop on its way to sleep
            if (transport, message["path"]) == ("pipe", "slept") and how != "watch":
                # docs/limits.md, "poll, select and epoll": an interrupt woke a thread that polls.
                raise patience.NotNear("another thread woke meanwhile: it is not seen that the channel was not watched")
            self.assertEqual(message["path"], expected, message)
            if how == "watch":
                self.assertEqual(message["blocked_ns"], 0, message)
            else:
                self.assertGreaterEqual(message["blocked_ns"], late[0] - early[1], message)
        near.check_share((m["path"] == expected for m in messages), 0.9, self.ROUNDS, "asleep")
        near.check_share((m["wakeup_ns"] < self.PAUSE_S / 4 * 1e9 for m in messages), 0.5,
                         self.ROUNDS, "wakeup")


if __name__ == "__main__":
    tap.main()
