# SPDX-License-Identifier: BSD-2-Clause
"""Two programs that take turns, so that the path of each message is known."""

import collections
import ctypes
import itertools
import json
import os
import socket
import subprocess
import sys
import time

import attach
import patience
import tap
import test_level
import truth

# Scripts note their calls: begin, end, and how many bytes these sent or took.
BEGINNING = """
import json, os, select, socket, sys, time
calls = []

def note(call, *arguments):
    begin = time.monotonic_ns()
    result = call(*arguments)
    end = time.monotonic_ns()
    if result is None:
        result = arguments[-1]
    calls.append((begin, end, result if isinstance(result, int) else len(result)))
    return result

print("ready", flush=True)
sys.stdin.readline()
"""

# It stays until the test ends it.
ENDING = """
with open(sys.argv[-1], "w") as file:
    json.dump(calls, file)
sys.stdin.readline()
"""


class Steps(attach.AttachCase):
    """Scripts that start together, when they are traced."""

    def script(self, text, *arguments):
        """A process that runs it after go(). Numbers in its arguments are descriptors."""
        name = self.file(f"calls-{time.monotonic_ns()}")
        process = self.ready(self.spawn(
            [sys.executable, "-c", BEGINNING + text + ENDING, *arguments, name],
            pass_fds=[fd for fd in arguments if isinstance(fd, int)], stdin=subprocess.PIPE))
        self.names[process.pid] = name
        return process

    def setUp(self):
        super().setUp()
        self.names = {}

    def calls_of(self, process):
        """The calls that it logged."""
        with open(self.names[process.pid], encoding="utf-8") as file:
            return [truth.Entry(process.pid, None, *call, None) for call in json.load(file)]

    def step(self, process):
        """Lets a process run until it waits."""
        self.go(process)
        attach.wait_until_waits(process)

    def trace(self, target, *others, steps=None):
        """
        The attachment to the first of these scripts; all of them run to their end, which is when
        those that are no target have ended. Unless `steps` does it, they begin together.
        """
        with self.attached("-p", target.pid) as attachment:
            if steps:
                steps()
            else:
                self.go(*others, target)
            said = [self.join(process) for process in (*others, target)]
        self.said = said[-1:] + said[:-1]
        return attachment

    def make_queue(self):
        """The name of a POSIX queue."""
        name = f"/ipctrace-{os.getpid()}"
        libc = ctypes.CDLL(None)
        self.keep(libc.mq_open(name.encode(), os.O_RDWR | os.O_CREAT, 0o600, None))
        self.addCleanup(libc.mq_unlink, name.encode())
        return name


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

OTHERS = """
others = select.poll()
others.register(os.pipe()[0], select.POLLIN)
"""

# An epoll knows the socket, but no thread waits in it.
WATCHES = OTHERS + """
watch = select.epoll()
watch.register(int(sys.argv[1]), select.EPOLLIN)
"""

SENDS_NOW_AND_THEN = """
for _ in range(20):
    os.write(int(sys.argv[1]), b"m")
    time.sleep(0.013)
"""


def demand_blocked(paths):
    """Most messages arrive while the receiver pauses."""
    patience.demand(paths["blocked"], 11, f"blocked of {paths}")


def demand_none_slept(paths):
    """
    Where only wakeups show that no thread watches the channel, an interrupt that wakes any polling thread of the
    machine as a message becomes visible hides it: docs/limits.md, "poll, select and epoll".
    """
    patience.demand(paths.total() - paths["slept"], paths.total(), f"not slept of {paths}")


class Pauses(Steps):
    """A pause that is made of a call that could watch channels, but watches none."""

    def check_pause(self, pause):
        paths = self.paths_with(pause)
        self.assertEqual((paths.total(), paths["slept"]), (20, 0), paths)
        demand_blocked(paths)

    def paths_with(self, pause, before=""):
        """How many messages take each path if the receiver looks for them, with such pauses."""
        ends = self.keep(*(end.detach() for end in socket.socketpair(type=socket.SOCK_DGRAM)))
        attachment = self.trace(self.script(before + LOOKS.replace("PAUSE", pause), ends[0]),
                                self.script(SENDS_NOW_AND_THEN, ends[1]))
        self.demand_known_start(attachment)
        self.check_whole(attachment)
        return collections.Counter(m["path"] for m in attachment.of("uds"))

    def test_select(self):
        """select"""
        self.check_pause("select.select([], [], [], 0.03)")

    def test_poll(self):
        """poll"""
        self.check_pause("select.poll().poll(30)")

    def test_others(self):
        """poll for others, while an epoll that no thread waits in watches the socket"""
        paths = self.paths_with("others.poll(30)", WATCHES)
        self.assertEqual(paths.total(), 20, paths)
        demand_none_slept(paths)
        demand_blocked(paths)


# The same with a POSIX queue.
LOOKS_INTO_QUEUE = """
import ctypes
libc, data = ctypes.CDLL(None), ctypes.create_string_buffer(8192)
queue, count = libc.mq_open(sys.argv[1].encode(), os.O_RDONLY | os.O_NONBLOCK), 0
while count < 20:
    if libc.mq_receive(queue, data, 8192, None) < 0:
        others.poll(30)
    else:
        count += 1
"""

SENDS_INTO_QUEUE = """
import ctypes
libc = ctypes.CDLL(None)
queue = libc.mq_open(sys.argv[1].encode(), os.O_WRONLY)
for _ in range(20):
    libc.mq_send(queue, b"m", 1, 0)
    time.sleep(0.013)
"""


class QueuePauses(Steps):
    """Queues can be watched, too."""

    def test_others(self):
        """poll for others than the queue"""
        name = self.make_queue()
        attachment = self.trace(self.script(OTHERS + LOOKS_INTO_QUEUE, name),
                                self.script(SENDS_INTO_QUEUE, name))
        paths = collections.Counter(m["path"] for m in attachment.of("mqueue"))
        demand_none_slept(paths)
        demand_blocked(paths)


class LightPauses(test_level.Light, Pauses):
    """The same where only the scheduler shows which call it is."""


# FD or FIFO: what each message is followed by is a pause.
SENDS = """
fd = int(sys.argv[1]) if sys.argv[1].isdigit() else os.open(sys.argv[1], os.O_RDWR)
for i in range(40):
    note(os.write, fd, b"message %2d" % i)
    time.sleep(0.02)
"""


class InTurn(Steps):
    """One sends and one takes: what is sent first is taken first."""

    def check_reported(self, messages, sends, receives, fewest):
        """At least so many of them are reported, and all of these correctly."""
        self.check_in_turn(truth.stream_pairs(sends, receives), messages)
        self.assertGreaterEqual(len(messages), fewest, "messages that are reported")


class Pipes(InTurn):
    """What is read from a pipe, and by which process."""

    def trace_pipe(self, transport, sender, receiver, fewest):
        """The messages of the one to the other."""
        attachment = self.trace(sender, receiver)
        messages = [m for m in attachment.of(transport) if m["sender_tid"] == sender.pid]
        self.check_reported(messages, self.calls_of(sender), self.calls_of(receiver), fewest)
        return messages

    def test_other_calls(self):
        """preadv2 and pwritev2, at no offset, in turn with read and write"""
        ends = self.keep(*os.pipe())
        sender = self.script(SENDS.replace("note(os.write, fd, b\"message %2d\" % i)", """
    if i % 5 == 3:
        note(os.pwritev, fd, [b"message %2d" % i], -1)
    else:
        note(os.write, fd, b"message %2d" % i)
"""), ends[1])
        self.trace_pipe("pipe", sender, self.script("""
for i in range(40):
    if i % 7 == 2:
        note(os.preadv, int(sys.argv[1]), [bytearray(10)], -1)
    else:
        note(os.read, int(sys.argv[1]), 10)
""", ends[0]), 40)

    def check_late(self, takes):
        """An unknown reader of a FIFO has read something before it is woken for more."""
        path = self.file("fifo")
        if not os.path.exists(path):
            os.mkfifo(path)
        sender = self.script(SENDS, path)
        self.trace_pipe("fifo", sender, self.script("""
time.sleep(0.07)
fd = os.open(sys.argv[1], os.O_RDONLY)
taken = len(note(os.read, fd, 100))
while taken < 400:
""" + takes, path), 15)

    def test_late(self):
        """a FIFO's reader that comes later, and has taken what is there before it sleeps"""
        self.check_late("    taken += len(note(os.read, fd, 10))")

    def test_late_poll(self):
        """a FIFO's reader that comes later, has read before, and sleeps in select"""
        self.check_late("    select.select([fd], [], []); taken += len(note(os.read, fd, 10))")

    def test_parts(self):
        """a message that does not find room at once is queued when its last byte is"""
        ends = self.keep(*os.pipe())
        sender = self.script("""
for _ in range(5):
    note(os.write, int(sys.argv[1]), bytes(100_000))
    time.sleep(0.02)
""", ends[1])
        for message in self.trace_pipe("pipe", sender, self.script("""
for _ in range(5):
    taken = len(note(os.read, int(sys.argv[1]), 30_000))
    time.sleep(0.05)
    while taken < 100_000:
        taken += len(note(os.read, int(sys.argv[1]), 100_000 - taken))
""", ends[0]), 5):
            # The sender may wait for a CPU before it waits for room.
            self.assertGreaterEqual(message["send_path_ns"] + message["room_ns"], 50_000_000, message)
            patience.demand(message["room_ns"], 50_000_000, f"ns of room of {message}")


class Counters(InTurn):
    """Eventfds, which count what has not been read yet."""

    RINGS = """
for _ in range(30):
    time.sleep(0.02)
    note(os.eventfd_write, int(sys.argv[1]), 1)
"""

    def trace_two(self, flags, first, second):
        """
        The messages, in order: a ring that lets its reader be known, two that wait for it together,
        and those one by one.
        """
        self.keep(fd := os.eventfd(0, flags))
        sender = self.script(f"""
note(os.eventfd_write, int(sys.argv[1]), 1)
sys.stdin.readline()
note(os.eventfd_write, int(sys.argv[1]), {first})
note(os.eventfd_write, int(sys.argv[1]), {second})
sys.stdin.readline()
""" + self.RINGS, fd)
        reader = self.script(f"""
taken = note(os.eventfd_read, int(sys.argv[1]))
sys.stdin.readline()
while taken < {1 + first + second + 30}:
    taken += note(os.eventfd_read, int(sys.argv[1]))
""", fd)

        def steps():
            self.step(reader)
            self.step(sender)
            attach.wait_until_waits(reader)
            self.step(sender)
            self.step(reader)
            self.step(sender)

        attachment = self.trace(sender, reader, steps=steps)
        messages = sorted(attachment.of("eventfd"), key=lambda m: m["send_ns"])
        self.assertEqual([m["bytes"] for m in messages[:4]], [1, first, second, 1])
        self.check_reported(messages, self.calls_of(sender), self.calls_of(reader), 33)
        return messages

    def test_merged(self):
        """two rings that one read takes are two messages"""
        messages = self.trace_two(0, 3, 2)
        self.assertEqual(messages[1]["recv_ns"], messages[2]["recv_ns"])

    def test_semaphore(self):
        """one that is counted down: two rings are taken one by one"""
        messages = self.trace_two(os.EFD_SEMAPHORE, 1, 1)
        self.assertLess(messages[1]["recv_ns"], messages[2]["recv_ns"])

    def test_begun(self):
        """one that has been counted up before"""
        self.keep(fd := os.eventfd(1))
        sender, reader = self.script(self.RINGS, fd), self.script("""
taken = 0
while taken < 31:
    taken += note(os.eventfd_read, int(sys.argv[1]))
""", fd)
        attachment = self.trace(sender, reader)
        before = truth.Entry(0, None, 0, 0, 1, None)
        self.check_reported(attachment.of("eventfd"), [before, *self.calls_of(sender)],
                        self.calls_of(reader), 5)

    def test_closed(self):
        """one that is closed before it is read, and others in its place"""
        attachment = self.trace(self.script("""
for i in range(20):
    fd = os.eventfd(0)
    os.eventfd_write(fd, 1)
    time.sleep(0.002)
    if i:
        os.eventfd_read(fd)
    os.close(fd)
    time.sleep(0.02)
"""))
        # Each is taken before the next is sent.
        messages = sorted(attachment.of("eventfd"), key=lambda m: m["send_ns"])
        self.assertLessEqual({m["match"] for m in messages}, set(attach.SURE))
        wrong = [m for m, later in itertools.pairwise(messages) if m["recv_ns"] >= later["send_ns"]]
        self.assertEqual(wrong[:2], [], f"{len(wrong)} of {len(messages)} are joined wrongly")
        self.assertGreaterEqual(len(messages), 15)


# NAME PRIORITY: of every other message; those are longer by one. It waits after the first two.
SENDS_BY_PRIORITY = """
import ctypes
libc = ctypes.CDLL(None)
queue = libc.mq_open(sys.argv[1].encode(), os.O_RDWR)
for i in range(10):
    libc.mq_send(queue, b"low", 3, int(sys.argv[2]))
    time.sleep(0.01)
    libc.mq_send(queue, b"high", 4, 7)
    if not i:
        sys.stdin.readline()
    time.sleep(0.04)
"""

# NAME ASKS: says how many bytes each receive has taken, its start and its end.
TAKES_BY_PRIORITY = """
import ctypes
libc = ctypes.CDLL(None)
queue = libc.mq_open(sys.argv[1].encode(), os.O_RDWR)
data, priority = ctypes.create_string_buffer(8192), ctypes.c_uint()
asks = ctypes.byref(priority) if sys.argv[2] == "asks" else None
time.sleep(0.02)
for _ in range(10):
    for pause_s in (0.01, 0.04):
        begin = time.monotonic_ns()
        size = libc.mq_receive(queue, data, 8192, asks)
        print(size, begin, time.monotonic_ns())
        time.sleep(pause_s)
"""


class Priorities(Steps):
    """A POSIX queue whose later messages overtake others."""

    def trace_queue(self, low, asks):
        """The messages; every one is of a send and a receive of the same size."""
        def steps():
            self.step(sender)
            self.go(reader, sender)

        name = self.make_queue()
        sender = self.script(SENDS_BY_PRIORITY, name, str(low))
        reader = self.script(TAKES_BY_PRIORITY, name, asks)
        attachment = self.trace(sender, reader, steps=steps)
        messages = attachment.of("mqueue")
        for size in (3, 4):
            said = [list(map(int, line.split())) for line in self.said[1].splitlines()]
            received = [call for number, *call in said if number == size]
            taken = sorted(m["recv_ns"] for m in messages if m["bytes"] == size)
            # The first receive is not reported: no send has woken its thread, so it is not traced yet.
            self.assertIn(len(taken), (0, 9, 10))
            for at_ns, (begin_ns, end_ns) in zip(reversed(taken), reversed(received)):
                self.assertTrue(begin_ns <= at_ns <= end_ns, f"{begin_ns} {at_ns} {end_ns}")
        return messages

    def test_two(self):
        """of two priorities, each in its order"""
        messages = self.trace_queue(2, "asks")
        self.assertEqual(len(messages), 19)
        self.assertLessEqual({m["match"] for m in messages}, set(attach.SURE))

    def test_not_asked(self):
        """of two, to a receiver that does not ask which: not reported"""
        self.assertEqual(self.trace_queue(2, "does not"), [])

    def test_one(self):
        """of one, to a receiver that does not ask which"""
        self.assertEqual(len(self.trace_queue(7, "does not")), 19)


if __name__ == "__main__":
    tap.main()
