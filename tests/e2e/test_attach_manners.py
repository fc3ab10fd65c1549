# SPDX-License-Identifier: BSD-2-Clause
"""Unusual manners of sending, receiving and waiting: joined rightly, or said not to be certain."""

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
import truth

ASYNC = ["-m", "uring-async"]
SQPOLL = test_attach_joins.SQPOLL
URING = test_attach_joins.URING
SOCKET_STREAMS = test_attach_joins.SOCKET_STREAMS
MAYBE = (*URING, "ambiguous")
PRIORITY = test_attach_joins.PRIORITY
GROUP = "239.255.77.1"
NEAR_NS, BULK, LEAST = 100_000, 0.9, 60


class Uring(test_attach_joins.OneWay):
    """io_uring whose threads do the work, and on pipes."""

    def test_async(self):
        """sockets: threads of io_uring's send and receive"""
        for transport in SOCKET_STREAMS:
            for reading, writing in (([], ASYNC), (ASYNC, []), (ASYNC, ASYNC)):
                with self.subTest(transport, reading=reading, writing=writing):
                    attachment, _ = self.check_stream(transport, reading, [
                        *writing, "-n", 200, "-p", 300_000], URING)
                    self.check_whole(attachment, 200)
                    for end, how in (("receiver", reading), ("sender", writing)):
                        workers = {m[end + "_comm"][:8] for m in attachment.messages}
                        self.assertEqual(workers == {"iou-wrk-"}, bool(how), workers)

    def test_async_packets(self):
        """datagrams: threads of io_uring's send and receive"""
        for transport in ("uds", "uds-seqpacket", "udp"):
            with self.subTest(transport):
                attachment, noted = self.trace(transport, [*ASYNC, "-b", 4_000_000],
                                               [*ASYNC, "-n", 300, "-p", 300_000])
                self.check_whole(attachment, 300)
                records = [record | {end + "_tid": test_attach_joins.owner(record, end)
                                     for end in ("sender", "receiver")}
                           for record in attachment.of(transport)]
                sure = [record for record in records if record["match"] in URING]
                self.assertEqual(noted.wrong(sure)[:3], [])
                if transport != "udp":
                    patience.demand(len(sure), 300, "messages that are sure")

    def test_two(self):
        """two threads of io_uring's that send one after the other: none is ambiguous"""
        for transport in (*SOCKET_STREAMS, "pipe"):
            with self.subTest(transport):
                attachment, _ = self.check_stream(transport, [], [
                    "-m", "uring-async-two", "-n", 200, "-p", 300_000], URING, may_begin_anew=True)
                self.check_whole(attachment, 200)
                self.demand_threads(attachment.messages, "sender")

    def test_pipe(self):
        """a pipe that is written to, or read, by io_uring"""
        for method in ("uring", "uring-async", "uring-sqpoll"):
            how = ["-m", method]
            for reading, writing in (([], how), (how, []), (how, how)):
                with self.subTest(reading=reading, writing=writing):
                    attachment, _ = self.check_stream("pipe", reading, [
                        *writing, "-n", 200, "-p", 300_000], URING)
                    self.check_whole(attachment, 200)

    def test_pipe_mixed(self):
        """two writers of a pipe, one of them by io_uring"""
        self.begin_logs()
        reader_at, writer_at, fds = self.ends("pipe")
        reader = self.start("reader", "-s", 64, reader_at, pass_fds=fds)
        with self.attached("-p", reader.pid) as attachment:
            writers = [self.start("writer", "-m", method, "-n", 300, "-p", 1_000_000, writer_at,
                                  pass_fds=fds) for method in ("uring", "send")]
            for process in writers:
                self.join(process)
            self.settle(reader)
        self.end(reader)
        records = attachment.of("pipe")
        self.check_right(self.truth(), records, MAYBE)
        patience.demand(len(records), 501, f"messages; {attachment.summary['integrity']}")


class Groups(test_attach_joins.OneWay):
    """One send of UDP that reaches several sockets: a quick reader's, and a slow one's."""

    MESSAGES = 300

    def trace_group(self, first, last):
        """(attachment to these of the two readers, truth)."""
        self.begin_logs()
        address = f"udp:{GROUP}:{attach.free_port()}"
        readers = [self.start("reader", "-b", 4_000_000, "-d", pause_ns, address)
                   for pause_ns in (0, 700_000)]
        targets = ",".join(str(reader.pid) for reader in readers[first:last])
        with self.attached("-p", targets) as attachment:
            self.run_to_end("writer", "-n", self.MESSAGES, "-p", 300_000, address)
            for reader in readers:
                self.settle(reader)
        self.end(*readers)
        return attachment, self.truth()

    def test_multicast(self):
        """each reader of a group has a copy of its own: none is taken for another message"""
        for first, last in ((0, 1), (1, 2), (0, 2)):
            with self.subTest(first=first, last=last):
                attachment, noted = self.trace_group(first, last)
                self.assertEqual(len(noted.entries(truth.RECEIVE)), 2 * self.MESSAGES)
                self.check_right(noted, attachment.of("udp"))
                self.check_whole(attachment)
                # What a reader takes before it is traced is unknown.
                patience.demand(len(attachment.messages), 0.9 * (last - first) * self.MESSAGES,
                                f"messages: {attachment.summary['integrity']}")


class Packets(test_attach_joins.OneWay):
    """A pipe of packets (O_DIRECT): a read takes one, and what it has no room for is lost."""

    def ends(self, transport):
        return self.fd_ends(*os.pipe2(os.O_DIRECT))

    def check_packets(self, reading, writing, **how):
        attachment, noted = self.trace("pipe", reading, writing, **how)
        records = attachment.of("pipe")
        self.check_right(noted, records)
        return attachment, noted

    def test_whole(self):
        """packets that are read as a whole"""
        attachment, _ = self.check_packets([], ["-s", "64,300,20", "-n", 100, "-p", 300_000])
        self.check_whole(attachment, 300)

    def test_cut(self):
        """packets of which only a part is read"""
        for priority in (None, PRIORITY):
            with self.subTest(priority=priority):
                attachment, _ = self.check_packets(["-s", 40], [
                    "-s", "50,10", "-n", 200, "-p", 300_000], priority=priority)
                self.check_whole(attachment, 400)

    def test_long(self):
        """a write that is longer than a packet makes several packets"""
        attachment, pairs = self.check_stream("pipe", [], ["-s", "10000,100", "-n", 100, "-p",
                                                           300_000])
        self.check_whole(attachment, 200)
        self.assertEqual({count for _, _, count in pairs}, {1, 3})

    def test_readers(self):
        """several readers"""
        attachment, noted = self.trace("pipe", ["-s", 40, "-t", 3], [
            "-s", "50,10", "-n", 300, "-p", 200_000])
        self.demand_first_alone(attachment, noted)
        self.check_right(noted, attachment.of("pipe"), (*attach.SURE, "ambiguous"))
        self.check_whole(attachment, 600)


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


class SharedReaders(test_attach_joins.OneWay):
    """Several threads that watch one socket, of which one is woken and maybe another one reads."""

    def test_packets(self):
        """datagrams"""
        for transport in ("uds", "udp"):
            for reader in ("epoll-oneshot", "epoll-exclusive", "epoll-level"):
                with self.subTest(transport, reader=reader):
                    attachment, noted = self.trace(
                        transport, ["-t", 3, "-r", reader, "-b", 4_000_000],
                        ["-n", 300, "-p", 200_000], 2)
                    records = attachment.of(transport)
                    self.check_right(noted, records, (*attach.SURE, "ambiguous"))
                    self.check_whole(attachment, 600)

    def test_streams(self):
        """streams"""
        for transport in ("uds-stream", "tcp", "pipe"):
            for reader in ("epoll-oneshot", "epoll-exclusive"):
                with self.subTest(transport, reader=reader):
                    attachment, noted = self.trace(
                        transport, ["-t", 3, "-r", reader, "-s", 40, "-u", 40],
                        ["-s", 40, "-n", 400, "-p", 200_000])
                    if transport == "pipe":
                        self.demand_first_alone(attachment, noted)
                    self.check_right(noted, attachment.of(transport), (*attach.SURE, "ambiguous"))
                    # If two threads took bytes of TCP at once, one may have the other's position.
                    self.check_whole(attachment, 400, not_received=8 if transport == "tcp" else 0)


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
