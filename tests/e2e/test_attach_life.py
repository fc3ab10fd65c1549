# SPDX-License-Identifier: BSD-2-Clause
"""Programs come and go, and so does ipctrace: nothing is joined wrongly, or left behind."""

import bisect
import json
import mmap
import os
import re
import signal
import socket
import struct
import subprocess
import time

import attach
import harness
import tap
import truth

SPIN_NS = 50_000  # of the service for each request: it is always busy
STREAMS = ("tcp", "pipe", "fifo", "uds-stream")
PACKETS = ("uds", "uds-seqpacket")
PRIORITY = 10     # of programs that others must not hold up
TRACED_MS = 40
IN_FLIGHT = 0.2   # of the messages at most, when tracing lasts for some milliseconds


class UnderLoad(attach.AttachCase):
    """To a server in the middle of its work, and away from it, again and again."""

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
        records, sent, blind = [], 0, []
        for _ in range(times):
            begin_ns = time.monotonic_ns()
            with self.attached("-d", f"{TRACED_MS}ms", "-p", service.pid, stop=False) as attachment:
                pass
            integrity = attachment.summary["integrity"]
            # Of few messages those may be most that are on their way at the end, one of each caller.
            self.assertGreaterEqual(integrity["matched"] + self.CALLERS,
                                    (1 - IN_FLIGHT) * integrity["sent"], integrity)
            if not attachment.messages:
                blind.append((begin_ns, time.monotonic_ns()))
            sent += integrity["sent"]
            records += attachment.messages
        self.assertEqual(attach.fds_of(service.pid), files, "open files")
        self.end(*callers)  # each of them had an answer to each of its requests
        self.end(service)
        noted = self.truth()
        for begin_ns, end_ns in blind:
            self.assertGreater(self.longest_pause(noted, service, begin_ns, end_ns),
                               0.75 * TRACED_MS * 1e6, "ns; an attachment that saw no messages")
        self.check_right(noted, records)
        self.assertGreater(len(records), 0.9 * sent)
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


class Flood(attach.AttachCase):
    """Messages come faster than they are taken: there is always one more in the ring."""

    PAIRS = 3
    FEW, MANY = 1000, 900_000  # messages: that fit into the ring, and that do not
    # Sends so many at each SIGUSR1, and makes a file when they have been taken: nothing else is traced.
    PAIR = """
import os, signal, socket, sys
counts, folder = list(map(int, sys.argv[2:])), sys.argv[1]
near, far = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGUSR1})
if os.fork():
    far.close()
    print("ready", flush=True)
    for i, count in enumerate(counts):
        signal.sigwait({signal.SIGUSR1})
        for _ in range(count):
            near.send(b"x")
        near.send(b"end")
        near.recv(8)
        open(f"{folder}/taken-{i}", "w").close()
    signal.pause()
else:
    near.close()
    while message := far.recv(8):
        if message == b"end":
            far.send(b"x")
"""

    def flood(self, cpu):
        """Process ids of a writer and a reader that do nothing else."""
        read, write = os.pipe()
        ends = [self.spawn(["dd", "bs=16", "if=/dev/zero"], cpu=cpu, stdout=write),
                self.spawn(["dd", "bs=16", "of=/dev/null"], cpu=cpu, stdin=read)]
        for fd in (read, write):
            os.close(fd)
        return [end.pid for end in ends]

    def test_time_is_over(self):
        """it ends when its time is over, and had room for all of them"""
        pids = [pid for i in range(self.PAIRS)
                for pid in self.flood(attach.CPUS[i % len(attach.CPUS)])]
        result = harness.ipctrace("attach", "-d", "500ms", "-p", ",".join(map(str, pids)),
                                  "-f", "json")
        self.assertEqual(result.status, 0, result.err)
        integrity = json.loads(result.out)["integrity"]
        self.assertEqual(integrity["incomplete"]["overflow"], 0, integrity)

    def test_what_the_ring_had_no_room_for_was_sent(self):
        """messages whose both records were lost are counted, and why"""
        counts = self.FEW, self.MANY, self.FEW
        pair = self.ready(self.spawn(["python3", "-c", self.PAIR, self.logs, *counts]))
        attachment = attach.Attachment(self, ["-p", pair.pid])
        attachment.wait_until_tracing()
        for i, count in enumerate(counts):
            if count == self.MANY:
                attachment.process.send_signal(signal.SIGSTOP)
            pair.send_signal(signal.SIGUSR1)
            harness.wait_until(lambda: os.path.exists(f"{self.logs}/taken-{i}"), limit_s=60)
            attachment.process.send_signal(signal.SIGCONT)
            time.sleep(1)  # until the ring has been drained
        attachment.process.send_signal(signal.SIGINT)
        while attachment.next_line(60) is not None:
            pass
        self.assertEqual(attachment.process.wait(), 0, attachment.err)
        with open(attachment.output, encoding="utf-8") as file:
            summary = json.load(file)
        integrity = summary["integrity"]
        self.assertGreater(integrity["lost"], 0, integrity)
        self.assertGreater(integrity["incomplete"]["not_recorded"], 0, integrity)
        # And two more each time: the end of the others, and its answer.
        self.assertEqual(integrity["sent"], sum(counts) + 2 * len(counts),
                         (integrity, summary["channels"]))


class Backlog(attach.AttachCase):
    """Messages lie in the queue when tracing begins, and their senders are unknown."""

    def ends(self, transport):
        """(address of the reader, of the writer, what both inherit)."""
        if transport != "pipe":
            address, fds = self.address(transport)
            return address, address, fds
        fds = os.pipe()
        for fd in fds:
            self.addCleanup(os.close, fd)
        return *(f"fd:{fd},{fd}" for fd in fds), fds

    def trace(self, transport, reading, writing, priority):
        """(attachment, truth) of a reader that does not read when tracing begins."""
        self.begin_logs()
        reader_at, writer_at, fds = self.ends(transport)
        reader = self.start("reader", *reading, reader_at, pass_fds=fds, priority=priority)
        writer = self.start("writer", *writing, writer_at, pass_fds=fds, priority=priority)
        time.sleep(0.03)
        reader.send_signal(signal.SIGSTOP)
        time.sleep(0.05)
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

    def check_backlog(self, transports, reading, writing, least, priority=None):
        for transport in transports:
            with self.subTest(transport):
                attachment, noted = self.trace(transport, reading, writing, priority)
                if transport in PACKETS:
                    self.check_right(noted, attachment.messages)
                else:
                    self.check_in_turn(truth.stream_pairs(noted.entries(truth.SEND),
                                                          noted.entries(truth.RECEIVE)),
                                       attachment.messages)
                self.assertGreater(len(attachment.messages), least)

    def test_backlog(self):
        """whatever was sent before is not taken for what was sent later"""
        self.check_backlog(STREAMS + PACKETS, ["-s", 48], ["-s", 48, "-p", 500_000], 50)

    def test_full(self):
        """the writer waits for room when tracing begins"""
        self.check_backlog(STREAMS + PACKETS, ["-s", 48], ["-s", 48, "-p", 5_000], 50)

    def test_part(self):
        """a part of a message has been sent and received when tracing begins"""
        # Else, of so few large messages none may come when others have the CPUs.
        self.check_backlog(STREAMS, ["-s", 10_000],
                           ["-s", 1_000_000, "-p", 3_000_000], 5, PRIORITY)


class Processes(attach.AttachCase):
    """A traced process exits, is killed, becomes another program, forks."""

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
                integrity = self.check_killed(transport, 20_000_000)
                self.assertGreater(integrity["matched"], 0, integrity)

    def test_killed_before(self):
        """the same of a reader that never received anything from their sender"""
        for transport in ("uds", "tcp", "fifo"):
            with self.subTest(transport):
                integrity = self.check_killed(transport, 0)
                self.assertEqual(integrity["matched"], 0, integrity)

    def check_killed(self, transport, period_ns):
        """The integrity of 30 messages, the later of which their reader has no time to take."""
        self.begin_logs()
        address, _ = self.address(transport)
        reader = self.start("reader", "-u", 64, "-s", 64, address)
        with self.attached("-p", reader.pid, stop=False) as attachment:
            if not period_ns:
                stopped_ns = self.stop_process(reader)
            before = attach.switches_of(reader.pid)
            writer = self.start("writer", "-n", 30, "-p", period_ns, address)
            if period_ns:
                self.wait_for_sleeps(reader, before + 4)
                stopped_ns = self.stop_process(reader)
            self.join(writer)
            reader.kill()
            reader.wait()
        integrity = attachment.summary["integrity"]
        sends = self.truth().entries(truth.SEND)
        self.assertEqual((len(sends), integrity["sent"]), (30, 30), integrity)
        self.assertEqual(integrity["matched"] + integrity["incomplete"]["not_received"], 30,
                         integrity)
        unread = sum(entry.enter_ns > stopped_ns for entry in sends)
        self.assertTrue(0 < unread <= 30 - integrity["matched"], f"{unread} unread: {integrity}")
        return integrity

    @staticmethod
    def wait_for_sleeps(process, count):
        """Of a reader that sleeps before it accepts a connection, and before each message."""
        def has_slept():
            return attach.switches_of(process.pid) >= count

        harness.wait_until(has_slept)

    @staticmethod
    def stop_process(process):
        """The instant from which on it does nothing any more."""
        process.send_signal(signal.SIGSTOP)
        harness.wait_until(lambda: harness.is_stopped(process))
        return time.monotonic_ns()

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
            self.run_to_end("caller", "-n", 20, address)
        self.end(stranger, service)
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
        raise AssertionError(f"in 100 tries, no process got the number {pid}")


class Storm(attach.AttachCase):
    """5,000 connections a second, with one call each."""

    CALLERS = 2

    def storm(self, transport, *counts):
        """
        ([kB at most, after each], channels that the kernel keeps) of so many connections, one batch
        after the other.
        """
        connections, peaks = sum(counts), []
        self.begin_logs()
        address, _ = self.address(transport)
        service = self.start("service", "-r", "epoll", address)
        with self.attached("-p", service.pid) as attachment:
            for count in counts:
                callers = [self.start("caller", "-c", "-n", count // self.CALLERS, "-p",
                                      self.CALLERS * 200_000, address)
                           for _ in range(self.CALLERS)]
                for caller in callers:
                    self.join(caller)
                peaks.append(harness.peak_kb(attachment.process))
            kept = harness.map_entries(attachment.process.pid, "channels")
        self.end(service)
        noted = self.truth()
        self.assertEqual({e.bytes for e in noted.entries(truth.CONNECT)}, {0}, "none was refused")
        self.check_right(noted, attachment.messages)
        self.check_whole(attachment, 2 * connections)
        self.assertEqual(attachment.summary["calls"]["count"], connections)
        self.check_folded(attachment.summary["channels"], 2 * connections)
        return peaks, kept

    def check_folded(self, channels, count):
        """A few channels by name, and how many others there were."""
        self.assertLess(len(channels), 1000)
        self.assertEqual(sum(channel.get("channels") or 1 for channel in channels), count)
        self.assertEqual([c["name"] for c in channels].count("other"), 1)

    def check_storm(self, transport):
        (few,), _ = self.storm(transport, 2000)
        (many,), _ = self.storm(transport, 10_000)
        self.assertLess(many, 1.25 * few, f"kB of 10,000 connections; {few} of 2,000")

    def test_stream(self):
        """unix streams: every call is there, and memory is bounded"""
        self.check_storm("uds-stream")

    def test_tcp(self):
        """TCP: the same"""
        self.check_storm("tcp")

    def test_long(self):
        """100,000 unix streams: all tables are full after 60,000, but for the kernel's"""
        (few, many), kept = self.storm("uds-stream", 60_000, 40_000)
        self.check_kept(kept)
        self.assertLess(many, 1.1 * few, f"kB of 100,000 connections; {few} of 60,000")

    def test_packets(self):
        """seqpackets: the kernel side keeps no channel of a connection that has ended"""
        _, kept = self.storm("uds-seqpacket", 10_000)
        self.check_kept(kept)

    def check_kept(self, kept):
        self.assertLess(kept, 100, "channels of connections that have ended")


class Threads(attach.AttachCase):
    """
    A program whose threads come and go, each with a number that no other had. We are its peer, and so
    traced, too: what else we write and read is nobody's business.
    """

    PID_MAX = "/proc/sys/kernel/pid_max"
    KEPT = 65_536  # threads that are remembered, see src/analysis/container/lru_table.h
    STEP = 8192    # that come at a time
    LIMIT_S = 90   # then no more come, if other work has the CPUs

    def let_numbers_grow(self):
        """As on most machines: else every number would be used again after 32768."""
        with open(self.PID_MAX, encoding="ascii") as file:
            before = file.read()
        self.addCleanup(self.write_pid_max, before)
        self.write_pid_max(str(1 << 22))

    def write_pid_max(self, number):
        with open(self.PID_MAX, "w", encoding="ascii") as file:
            file.write(number)

    def start_churn(self):
        """
        The program, our end of its socket, and what raises the number of threads that may come. With
        ipctrace it shares no pipe: what is said there would be a target's messages.
        """
        leave = self.file("allowed")
        with open(leave, "wb") as file:
            file.write(bytes(8))
        ours, its = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self.addCleanup(ours.close)
        with its:
            churn = self.spawn([self.program("churn"), leave], stdin=its,
                               stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        with open(leave, "r+b") as file:
            allowed = mmap.mmap(file.fileno(), 8)
        self.addCleanup(allowed.close)
        return churn, ours, allowed

    def raise_allowed(self, process, ours, allowed, threads):
        """
        [(threads so far, kB of memory)]. New threads come when all messages of the earlier ones have been
        reported. The memory is read when nothing is under way: what gathers while other programs have the
        CPUs does not count.
        """
        others = socket.socketpair()
        for end in others:
            self.addCleanup(end.close)
        seen, number, until = [], 0, time.monotonic() + self.LIMIT_S
        for line in process.stderr:
            said = re.fullmatch(r"ipctrace: (\d+) messages, (\d+) since .*\n", line)
            self.assertTrue(said, line)
            if not number:
                ours.send(b"go")
            elif int(said.group(1)) <= number or int(said.group(2)):
                continue
            else:
                seen.append((number, harness.anonymous_kb(process)))
            if number == threads or time.monotonic() > until:
                return seen
            others[0].send(b"is not read")
            number += self.STEP
            allowed[:] = struct.pack("q", number)

    def growth(self, threads):
        """The same, of a program that is ended then, when the report has been checked."""
        churn, ours, allowed = self.start_churn()
        report = self.file("churn.json")
        process = harness.start("attach", "-f", "json", "-o", report, "--interval", "50ms", "-p",
                                churn.pid)
        self.addCleanup(attach.discard, process)
        seen = self.raise_allowed(process, ours, allowed, threads)
        attach.discard(churn)
        process.stderr.read()
        self.assertEqual(process.wait(), 0)
        with open(report, encoding="utf-8") as file:
            integrity = json.load(file)["integrity"]
        count = seen[-1][0] + 1
        self.assertEqual((integrity["sent"], integrity["matched"]), (count, count), integrity)
        self.assertEqual((integrity["lost"], integrity["residual_ns_max"]), (0, 0), integrity)
        return seen

    def test_flat(self):
        """200,000 threads need hardly more memory than 70,000, and every message is joined"""
        self.let_numbers_grow()
        seen = self.growth(3 * self.KEPT)
        few = [kb for number, kb in seen if self.KEPT < number <= self.KEPT + 3 * self.STEP]
        many = [kb for _, kb in seen[-3:]]
        self.assertGreater(seen[-1][0], 2 * self.KEPT, f"threads in {self.LIMIT_S} s")
        # What is remembered has found its place, and what is forgotten leaves it to the next one.
        self.assertLess(min(many), 1.4 * min(few), f"kB after so many threads: {seen}")


if __name__ == "__main__":
    tap.main()
