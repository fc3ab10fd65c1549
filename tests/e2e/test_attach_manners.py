# SPDX-License-Identifier: BSD-2-Clause
"""Unusual manners of sending, receiving and waiting: joined rightly, or said not to be certain."""

import os

import attach
import patience
import tap
import test_attach_joins
import truth

ASYNC = ["-m", "uring-async"]
URING = test_attach_joins.URING
SOCKET_STREAMS = test_attach_joins.SOCKET_STREAMS
MAYBE = (*URING, "ambiguous")
PRIORITY = test_attach_joins.PRIORITY
GROUP = "239.255.77.1"


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
                patience.demand(-attachment.summary["integrity"]["elsewhere"], 0,
                                "datagrams that the softirq of another thread put into the queue")
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


if __name__ == "__main__":
    tap.main()
