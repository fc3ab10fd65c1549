# SPDX-License-Identifier: BSD-2-Clause
"""Programs come and go, and so does ipctrace: nothing is joined wrongly, or left behind."""

import bisect
import collections
import os
import signal
import time

import attach
import harness
import patience
import tap
import truth
from replay import records

SPIN_NS = 50_000  # the service works so long for each request, so that it is always busy
STREAMS = ("tcp", "pipe", "fifo", "uds-stream")
PACKETS = ("uds", "uds-seqpacket")
PRIORITY = 10     # programs with it are not delayed by others
BUFFER = 65_536   # bytes that a socket holds
TRACED_MS = 40
IN_FLIGHT = 0.2   # the largest share of messages without a receive, when tracing lasts some milliseconds


class UnderLoad(attach.AttachCase):
    """Attaches to a busy server and detaches, again and again."""

    CALLERS = 3

    def start_load(self, transport, reader):
        """(service, callers) that run until end(), with all connections made."""
        address, _ = self.address(transport)
        service = self.start("service", "-r", reader, address)
        files = 3 + 1 + (reader == "epoll") + (0 if transport == "uds" else self.CALLERS)
        callers = [self.start("caller", "-o", "spin", "-d", SPIN_NS, address)
                   for _ in range(self.CALLERS)]
        harness.wait_until(lambda: attach.fds_of(service.pid) == files)
        return service, callers

    def check_times(self, transport, times, reader="epoll"):
        service, callers = self.start_load(transport, reader)
        files = attach.fds_of(service.pid)
        attachments = []
        for _ in range(times):
            begin_ns = time.monotonic_ns()
            attachment = attach.Attachment(self, ["-d", f"{TRACED_MS}ms", "-p", service.pid])
            attachment.wait_until_tracing()
            attachment.wait()
            attachments.append((attachment, begin_ns, time.monotonic_ns()))
        self.assertEqual(attach.fds_of(service.pid), files, "open files")
        self.end(*callers)  # each of them had an answer to each of its requests
        self.end(service)
        records, sent, blind = [], 0, []
        for attachment, begin_ns, end_ns in attachments:  # they are read when the CPUs are free again
            self.assertEqual(attachment.read().status, 0, attachment.err)
            self.check_attachment(attachment)
            integrity = attachment.summary["integrity"]
            # At the end, one message of each caller may be on its way. On a busy machine there are only a few messages,
            # and they may be over before it is known what the stream contained at first.
            # A receive of each caller may have begun before tracing.
            received = (integrity["matched"] + integrity["incomplete"]["unknown_start"]
                        + min(self.CALLERS, integrity["incomplete"]["not_traced"]))
            self.assertGreaterEqual(received + self.CALLERS,
                                    (1 - IN_FLIGHT) * integrity["sent"], integrity)
            if not attachment.messages:
                blind.append((begin_ns, end_ns))
            sent += integrity["sent"]
            records += attachment.messages
        noted = self.truth()
        for begin_ns, end_ns in blind:
            self.assertGreater(self.longest_pause(noted, service, begin_ns, end_ns),
                               0.75 * TRACED_MS * 1e6, "ns; an attachment that saw no messages")
        self.check_right(noted, records)
        patience.demand(len(records), 0.9 * sent, "messages of those sent")
        self.assertGreater(len(records), times)

    @staticmethod
    def longest_pause(noted, service, begin_ns, end_ns):
        """The longest time in which the service took nothing, by its own notes."""
        taken = noted.calls[service.pid, truth.RECEIVE].exit
        at = [begin_ns, *taken[bisect.bisect(taken, begin_ns):bisect.bisect(taken, end_ns)], end_ns]
        return max(after - before for before, after in zip(at, at[1:]))

    def test_stream(self):
        """unix streams, a hundred times"""
        self.check_times("uds-stream", 100)

    def test_datagrams(self):
        """unix datagrams, ten times"""
        self.check_times("uds", 10, "block")

    def test_tcp(self):
        """TCP, ten times"""
        self.check_times("tcp", 10, "poll")


class Backlog(attach.AttachCase):
    """Messages lie in the queue when tracing begins, and their senders are unknown."""

    def trace(self, transport, reading, writing, priority, full):
        """
        (attachment, truth) of a reader that does not read when tracing begins. With `full`, the writer waits
        for room then.
        """
        self.begin_logs()
        reader_at, writer_at, fds = self.ends(transport)
        reader = self.start("reader", *reading, reader_at, pass_fds=fds, priority=priority)
        writer = self.start("writer", *writing, writer_at, pass_fds=fds, priority=priority)
        time.sleep(0.03)
        reader.send_signal(signal.SIGSTOP)
        time.sleep(0.05)
        if full:
            attach.wait_until_waits(writer)
        with self.attached("-p", reader.pid) as attachment:
            time.sleep(0.02)
            self.let_read(reader)
            reader.send_signal(signal.SIGSTOP)
            time.sleep(0.02)
        reader.send_signal(signal.SIGCONT)
        self.end(writer, reader)
        return attachment, self.truth()

    @staticmethod
    def let_read(reader):
        """For a while, in which it has the CPU for long enough, or has slept for many messages."""
        def has_read():
            return (attach.cpu_ns_of(reader.pid) > cpu_ns + 50_000_000
                    or attach.switches_of(reader.pid) > switches + 100)

        cpu_ns, switches = attach.cpu_ns_of(reader.pid), attach.switches_of(reader.pid)
        reader.send_signal(signal.SIGCONT)
        time.sleep(0.1)
        harness.wait_until(has_read, limit_s=30)

    def check_backlog(self, transports, reading, writing, least, priority=None, full=False):
        for transport in transports:
            with self.subTest(transport):
                attachment, noted = self.trace(transport, reading, writing, priority, full)
                if transport in PACKETS:
                    self.check_right(noted, attachment.messages)
                    self.check_senders(attachment)
                else:
                    self.check_in_turn(truth.stream_pairs(noted.entries(truth.SEND),
                                                          noted.entries(truth.RECEIVE)),
                                       attachment.messages)
                patience.demand(len(attachment.messages), least + 1, "messages")

    def check_senders(self, attachment):
        """The reader comes first and need not know the sender. All other records of a channel name the same."""
        senders = collections.defaultdict(set)
        for record in records.read(attachment.recording)[0].of("channel"):
            senders[record["channel"]].add(record["sender"])
        for named in senders.values():
            self.assertLessEqual(len(named - {0}), 1, senders)
        self.assertTrue(any(named - {0} for named in senders.values()), senders)

    def test_backlog(self):
        """whatever was sent before is not taken for what was sent later"""
        self.check_backlog(STREAMS + PACKETS, ["-s", 48, "-b", BUFFER],
                           ["-s", 48, "-p", 500_000, "-b", BUFFER], 50)

    def test_full(self):
        """the writer waits for room when tracing begins"""
        # TCP's own buffers hold more messages than the reader takes while it is traced.
        self.check_backlog(STREAMS + PACKETS, ["-s", 48, "-b", BUFFER],
                           ["-s", 48, "-p", 5_000, "-b", BUFFER], 50, full=True)

    def test_part(self):
        """a part of a message has been sent and received when tracing begins"""
        # Else, of so few large messages none may come when others have the CPUs.
        self.check_backlog(STREAMS, ["-s", 10_000],
                           ["-s", 1_000_000, "-p", 3_000_000], 5, PRIORITY)


class Processes(attach.AttachCase):
    """A traced process exits, is killed, becomes another program, forks."""

    QUEUED = 150  # messages: every queue has room for them, and every 10 ms they last for 1.5 s

    def check_op(self, op, count):
        """(attachment, truth) of a service that is asked for this so many times."""
        self.begin_logs()
        address, _ = self.address("uds-stream")
        service = self.start("service", address)
        with self.attached("-p", service.pid, stop=op != "exit") as attachment:
            self.run_to_end("caller", "-n", count, "-o", op, address)
            if op == "exec":  # it has the connection and nothing else, and so ends with it
                service.wait(harness.PATIENCE * 10)
        if op == "fork":
            self.end(service)
        self.join(service)
        noted = self.truth()
        # A child may send before its parent is back from its own send.
        matches = (*attach.SURE, "ambiguous") if op == "fork" else attach.SURE
        self.check_right(noted, attachment.messages, matches)
        self.check_whole(attachment, 2 * count)
        self.assertEqual(attachment.summary["calls"]["count"], count)
        return attachment, noted

    def test_exit(self):
        """its only target exits: the report comes by itself"""
        self.check_op("exit", 1)

    def test_exec(self):
        """ten times another program in the same process, with the same connection"""
        attachment, _ = self.check_op("exec", 10)
        self.assertEqual(len({m["receiver_tid"] for m in attachment.messages}), 2)

    def test_fork(self):
        """each request goes to a child of the process that had the one before"""
        attachment, noted = self.check_op("fork", 8)
        servers = {entry.tid for entry in noted.entries(truth.SERVICE)}
        self.assertEqual(len(servers), 8)
        self.assertEqual(servers, {m["receiver_tid"] for m in attachment.messages
                                   if m["receiver_tid"] in servers})

    def test_killed(self):
        """killed while messages lie in its queue: they are sent, and not received"""
        for transport in ("uds", "uds-stream", "uds-seqpacket", "tcp", "fifo"):
            with self.subTest(transport):
                integrity = self.check_killed(transport, 10_000_000)
                self.assertGreater(integrity["matched"], 0, integrity)

    def test_killed_before(self):
        """killed before its first receive: all messages are sent, and not received"""
        for transport in ("uds", "tcp", "fifo"):
            with self.subTest(transport):
                integrity = self.check_killed(transport, 0)
                self.assertEqual(integrity["matched"], 0, integrity)

    def check_killed(self, transport, period_ns):
        """The integrity of messages to a reader that is stopped before it has taken all, and then killed."""
        self.begin_logs()
        address, _ = self.address(transport)
        reader = self.start("reader", "-u", 64, "-s", 64, address)
        with self.attached("-p", reader.pid, stop=False) as attachment:
            if not period_ns:
                stopped_ns = self.stop_process(reader)
            before = attach.switches_of(reader.pid)
            writer = self.start("writer", "-n", self.QUEUED, "-p", period_ns, address)
            if period_ns:
                # It sleeps before the connection and each message.
                self.wait_for_switches(reader, before + 4)
                stopped_ns = self.stop_process(reader)
            self.join(writer)
            reader.kill()
            reader.wait()
        integrity = attachment.summary["integrity"]
        sends = self.truth().entries(truth.SEND)
        self.assertEqual((len(sends), integrity["sent"]), (self.QUEUED,) * 2, integrity)
        self.assertEqual(integrity["matched"] + integrity["incomplete"]["not_received"], self.QUEUED,
                         integrity)
        unread = sum(entry.enter_ns > stopped_ns for entry in sends)
        self.assertTrue(0 < unread <= self.QUEUED - integrity["matched"],
                        f"{unread} unread: {integrity}")
        return integrity

    def test_pid_again(self):
        """a process that gets the number of a traced one that has ended is not traced"""
        address, _ = self.address("uds-stream")
        service = self.start("service", address)
        other = self.start("service", self.address("uds-stream")[0])
        with self.attached("-p", f"{service.pid},{other.pid}") as attachment:
            self.end(other)
            pid = other.pid
            unseen, _ = self.address("uds-stream")
            stranger = self.start("service", unseen)  # not traced
            caller = self.start_as(pid, "caller", "-n", 100, unseen)
            self.join(caller)
            seen = self.start("caller", "-n", 20, address)
            self.join(seen)
        self.end(stranger, service)
        if seen.pid == pid:
            raise patience.NotNear(f"other programs set the next number of a process, too: {pid} was given again")
        self.check_whole(attachment, 40)
        self.assertNotIn(pid, {m[end] for m in attachment.messages
                               for end in ("sender_tid", "receiver_tid")})

    def start_as(self, pid, *command):
        """A program with this process number, unless others on this machine fork too often."""
        for _ in range(100):
            with open("/proc/sys/kernel/ns_last_pid", "w", encoding="ascii") as last:
                last.write(str(pid - 1))
            process = self.start(*command)
            if process.pid == pid:
                return process
            process.kill()
            process.communicate()
            if os.path.exists(f"/proc/{pid}"):
                break
        raise patience.NotNear(f"others fork too often, so that no process got the number {pid}")


if __name__ == "__main__":
    tap.main()
