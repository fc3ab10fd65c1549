# SPDX-License-Identifier: BSD-2-Clause
"""Several threads at one end of a channel: their order is known, or the messages are `ambiguous`."""

import collections
import fcntl
import json
import os
import socket
import subprocess
import sys
import time

import attach
import patience
import tap
import test_attach_joins

F_SETPIPE_SZ = 1031
PAGE = 4096

# FD FILE LETTER SIZE PAUSE_MS COUNT: every byte of its messages is its letter. With a line, it begins.
WRITES = """
import json, os, sys, time
fd, name, letter = int(sys.argv[1]), sys.argv[2], sys.argv[3].encode()
size, pause_s, count = int(sys.argv[4]), int(sys.argv[5]) / 1e3, int(sys.argv[6])
entries = []
print("ready", flush=True)
sys.stdin.readline()
for _ in range(count):
    begin = time.monotonic_ns()
    assert os.write(fd, letter * size) == size
    entries.append((begin, time.monotonic_ns(), size))
    time.sleep(pause_s)
with open(name, "w") as file:
    json.dump(entries, file)
"""

# FD FILE SIZE PAUSE_MS: reads once, and goes on with a line. It notes how many bytes of each letter each read
# returned, until the end.
READS = """
import collections, json, os, sys, time
fd, name, size, pause_s = int(sys.argv[1]), sys.argv[2], int(sys.argv[3]), int(sys.argv[4]) / 1e3
entries, data = [], b""
print("ready", flush=True)
while b"." not in data:
    begin = time.monotonic_ns()
    data = os.read(fd, size)
    if not entries:
        sys.stdin.readline()
    entries.append((begin, time.monotonic_ns(), collections.Counter(data.decode())))
    time.sleep(pause_s)
with open(name, "w") as file:
    json.dump(entries, file)
"""

# PATH LOGDIR: with a line, three datagrams from a new socket, and with another one twenty more. It is
# there until no line comes any more.
SENDS = """
import os, socket, struct, sys, time
print("ready", flush=True)
sys.stdin.readline()
outbox, entries = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM), []

def send(number):
    head = struct.pack("II", os.getpid(), number)
    begin = time.monotonic_ns()
    outbox.sendto(head, sys.argv[1])
    entries.append(struct.pack("QQII", begin, time.monotonic_ns(), 8, ord("S")) + head)

for number in range(1, 4):
    send(number)
print("sent", flush=True)
sys.stdin.readline()
for number in range(4, 24):
    send(number)
    time.sleep(0.002)
with open(f"{sys.argv[2]}/{os.getpid()}", "wb") as file:
    file.write(b"".join(entries))
sys.stdin.readline()
"""


def connected(transport):
    """(descriptor to read from, one to write to)."""
    if transport == "pipe":
        return os.pipe()
    if transport == "uds-stream":
        return [end.detach() for end in socket.socketpair()]
    with socket.create_server(("127.0.0.1", 0)) as server:
        writer = socket.create_connection(server.getsockname())
        return server.accept()[0].detach(), writer.detach()


def receives_of(letter, sends, receives):
    """The receive that takes the last byte of each send, in their order."""
    ends, taken = [], 0
    for receive in receives:
        taken += receive[2].get(letter, 0)
        ends.append(taken)
    sent, found = 0, []
    for send in sends:
        sent += send[2]
        found.append(next(r for r, end in zip(receives, ends) if end >= sent))
    return found


class Ending(test_attach_joins.OneWay):
    """Three writers of a pipe that is always full, when tracing ends."""

    def test_pipe(self):
        """
        some wait for room at the end, and writers that start later get in before them: these are not counted,
        and shift the positions of the others
        """
        for _ in range(5):
            self.begin_logs()
            reader_at, writer_at, fds = self.ends("pipe")
            fcntl.fcntl(fds[0], F_SETPIPE_SZ, PAGE)
            reader = self.start("reader", "-s", 40, "-d", 1, reader_at, pass_fds=fds)
            writers = [self.start("writer", "-s", 40, writer_at, pass_fds=fds) for _ in range(3)]
            with self.attached("-p", reader.pid) as attachment:
                # It pauses before each read.
                self.wait_for_switches(reader, attach.switches_of(reader.pid) + 300, 0.002)
            self.end(*writers, reader)
            records = attachment.of("pipe")
            self.check_right(self.truth(), records, (*attach.SURE, "ambiguous"))
            # While one writer or another is held up all the time, no moment is quiet, and no start is found.
            unknown_start = attachment.summary["integrity"]["incomplete"]["unknown_start"]
            self.assertGreater(len(records) + unknown_start, 100)
            patience.demand(len(records), 101, f"messages, and {unknown_start} unknown")


class Parts(attach.AttachCase):
    """Two writers of one stream, one of which puts its message there in parts, for want of room."""

    LONG, SHORT = 600_000, 1000  # bytes

    def start_script(self, script, fd, *arguments):
        """(process, the file that it writes to at its end)."""
        name = self.file(f"entries-{time.monotonic_ns()}")
        return self.ready(self.spawn([sys.executable, "-c", script, fd, name, *arguments],
                                     pass_fds=(fd,), stdin=subprocess.PIPE)), name

    def end_script(self, process, name):
        """The entries that it logged."""
        self.join(process)
        with open(name, encoding="utf-8") as file:
            return json.load(file)

    def trace(self, transport):
        """(attachment, {tid: (sends, receives of their last bytes)}, tid of the writer that was alone)."""
        read_from, write_to = self.keep(*connected(transport))
        reader = self.start_script(READS, read_from, PAGE, 1)
        alone = self.start_script(WRITES, write_to, "c", self.SHORT, 1, 20)
        long = self.start_script(WRITES, write_to, "a", self.LONG, 0, 1)
        short = self.start_script(WRITES, write_to, "b", self.SHORT, 3, 40)
        with self.attached("-p", reader[0].pid) as attachment:
            os.write(write_to, b"-")
            attach.wait_until_waits(reader[0])  # for a line, as it has read this
            self.go(alone[0])
            noted = [self.end_script(*alone)]
            self.go(long[0])
            attach.wait_until_waits(long[0])  # for room, behind what has not been read yet
            self.go(short[0], reader[0])
            noted += [self.end_script(*long), self.end_script(*short)]
            os.write(write_to, b".")
            receives = self.end_script(*reader)
        return attachment, {
            process.pid: (sends, receives_of(letter, sends, receives))
            for (process, _), letter, sends in zip((alone, long, short), "cab", noted)
        }, alone[0].pid

    def wrong(self, message, pairs):
        """The problem of a message, or None."""
        for send, receive in zip(*pairs):
            if send[0] <= message["send_ns"] <= send[1]:
                right = receive[0] <= message["recv_ns"] <= receive[1]
                return None if right else (message, send, receive)
        return message, "no such send"

    def check_shared(self, transport):
        attachment, pairs, alone = self.trace(transport)
        messages = [m for m in attachment.of(transport) if m["sender_tid"] in pairs]
        counts = collections.Counter(m["match"] for m in messages)
        # What contradicts itself, because it is received before it is sent, is incomplete.
        integrity = attachment.summary["integrity"]
        self.assertEqual(len(messages), 61 - integrity["incomplete"]["order"], integrity)
        sure = [m for m in messages if m["match"] in attach.SURE]
        wrong = [problem for m in sure if (problem := self.wrong(m, pairs[m["sender_tid"]]))]
        self.assertEqual(wrong[:2], [], f"{len(wrong)} of {counts} are joined wrongly")
        self.assertEqual({m["match"] for m in messages if m["sender_tid"] == alone}, {"exact"})

    def test_unix(self):
        """a unix stream"""
        self.check_shared("uds-stream")

    def test_pipe(self):
        """a pipe"""
        self.check_shared("pipe")

    def test_tcp(self):
        """TCP, where every send has its own place"""
        self.check_shared("tcp")


class Moved(attach.AttachCase):
    """An untraced reader moves to another CPU in the middle of its first receive."""

    def test(self):
        """its messages were sent by a target, and none is taken for another message"""
        path = self.file("inbox")
        reader = self.start("moved", f"uds:{path}", stdin=subprocess.PIPE)
        sender = self.ready(self.spawn([sys.executable, "-c", SENDS, path, self.logs],
                                       stdin=subprocess.PIPE))
        with self.attached("-p", sender.pid) as attachment:
            self.go(sender)
            self.assertEqual(sender.stdout.readline(), "sent\n")
            self.go(reader)
            attach.wait_until_waits(reader)
            self.go(sender)
            attach.wait_until_waits(sender)
            self.settle(reader)
            self.join(sender)
        self.end(reader)
        records = attachment.of("uds")
        self.check_right(self.truth(), records)
        # The start of the first receive was not traced.
        self.check_whole(attachment, not_traced=1)
        self.assertGreaterEqual(len(records), 22)


if __name__ == "__main__":
    tap.main()
