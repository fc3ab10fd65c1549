# SPDX-License-Identifier: BSD-2-Clause
"""Every send is joined to the receive that took it, which the ids in the messages prove."""

import ctypes
import os
import re
import uuid

import attach
import patience
import tap
import truth

SOCKET_STREAMS = ("uds-stream", "tcp")
STREAMS = SOCKET_STREAMS + ("pipe", "fifo")
PACKETS = ("uds", "uds-seqpacket", "udp")

# What io_uring does outside of a call has no begin that can be traced.
URING = (*attach.SURE, "approximate")
SQPOLL = ["-m", "uring-sqpoll"]

# Where the reader has to be asleep mostly, on a machine that is busy, too.
PRIORITY = 10
HELD_UP_NS = 50_000_000  # without a CPU for so long: half of what a queue of several senders must be quiet for


def owner(record, end):
    """The thread at one end of a message; for a thread of io_uring, the thread that it works for."""
    of_kernel = re.fullmatch("iou-(?:sqp|wrk)-([0-9]+)", record[end + "_comm"])
    return int(of_kernel[1]) if of_kernel else record[end + "_tid"]


def remove_queue(name):
    """The kernel keeps a message queue until it is removed."""
    ctypes.CDLL(None).mq_unlink(name.encode())


def make_sysv_queue():
    """
    Its number. It holds 200 messages of 40 bytes: where more than 640 lie behind each message of a type, nothing
    shows what the queue had of this type before.
    """
    libc, limits = ctypes.CDLL(None, use_errno=True), (ctypes.c_ulong * 16)()  # struct msqid64_ds
    queue = libc.msgget(0, 0o1600)  # IPC_PRIVATE, IPC_CREAT
    of_bytes = 11  # msg_qbytes
    if queue < 0 or libc.msgctl(queue, 2, limits) < 0:  # IPC_STAT
        raise OSError(ctypes.get_errno(), "a System V queue cannot be made")
    limits[of_bytes] = 8000
    if libc.msgctl(queue, 1, limits) < 0:  # IPC_SET
        raise OSError(ctypes.get_errno(), f"the limit of queue {queue} cannot be set")
    return queue


def remove_sysv_queue(queue):
    """The kernel keeps this one, too."""
    ctypes.CDLL(None).msgctl(queue, 0, None)  # IPC_RMID


class OneWay(attach.AttachCase):
    """Writers, and a reader that is attached to."""

    def ends(self, transport):
        """(address of the reader, of the writers, what all inherit)."""
        if transport == "mqueue":
            name = f"/ipctrace-{uuid.uuid4().hex[:8]}"
            self.addCleanup(remove_queue, name)
            return f"mqueue:{name}", f"mqueue:{name}", ()
        if transport == "sysv":
            queue = make_sysv_queue()
            self.addCleanup(remove_sysv_queue, queue)
            return f"sysv:{queue}", f"sysv:{queue}", ()
        if transport in ("eventfd", "futex"):
            fd, = self.keep(os.eventfd(0, 0) if transport == "eventfd" else os.memfd_create("word"))
            if transport == "futex":
                os.ftruncate(fd, 4096)
            return f"{transport}:{fd}", f"{transport}:{fd}", (fd,)
        return super().ends(transport)

    def trace(self, transport, reading=(), writing=(), writers=1, priority=None):
        """(attachment, truth) of writers that run to their end."""
        self.begin_logs()
        reader_at, writer_at, fds = self.ends(transport)
        reader = self.start("reader", *reading, reader_at, pass_fds=fds, priority=priority)
        with self.attached("-p", reader.pid) as attachment:
            for process in [self.start("writer", *writing, writer_at, pass_fds=fds,
                                       priority=priority) for _ in range(writers)]:
                self.join(process)
            self.settle(reader)
        self.end(reader)
        return attachment, self.truth()

    @staticmethod
    def demand_first_alone(attachment, noted):
        """
        With several readers, what was in the channel before follows from the first receive, if that comes after the
        end of its send and before the next send. Later, each reader may hold a message that is not counted yet.
        """
        first, second = noted.entries(truth.SEND)[:2]
        received_ns = min(entry.exit_ns for entry in noted.entries(truth.RECEIVE))
        is_unknown = attachment.summary["integrity"]["incomplete"]["unknown_start"] > 0
        if is_unknown and not first.exit_ns < received_ns < second.enter_ns:
            raise patience.NotNear("the first message was not received before the next one was sent")

    @staticmethod
    def demand_threads(records, end):
        """Several threads have sent these messages, or received them: one can be quicker than all others."""
        patience.demand(len({record[end + "_tid"] for record in records}), 2, f"{end} threads")

    def check_stream(self, transport, reading, writing, matches=attach.SURE, priority=None,
                     may_begin_anew=False):
        """
        (attachment, [(send, receive, number of receives)]) of a stream whose messages are all reported. With
        `may_begin_anew`, a stream whose positions were counted again from a new start is measured again: a
        busy machine may delay a sender before its send is counted.
        """
        attachment, noted = self.trace(transport, reading, writing, priority=priority)
        sends, receives = noted.entries(truth.SEND), noted.entries(truth.RECEIVE)
        pairs = truth.stream_pairs(sends, receives)
        self.assertEqual(len(pairs), len(sends), "the reader has taken everything")
        records = sorted((m for m in attachment.of(transport)
                          if owner(m, "sender") == sends[0].tid != owner(m, "receiver")),
                         key=lambda m: m["send_ns"])
        if may_begin_anew and attachment.summary["integrity"]["incomplete"]["unknown_start"]:
            raise patience.NotNear(f"counting began anew: {attachment.summary['integrity']}")
        self.assertEqual(len(records), len(pairs), attachment.summary["integrity"])
        for record, (send, receive, count) in zip(records, pairs):
            text = f"{record} of {send} to {receive}"
            self.assertEqual((record["bytes"], record["receives"]), (send.bytes, count), text)
            self.assertIn(record["match"], (*matches, "ambiguous"), text)
            self.assertTrue(send.enter_ns <= record["send_ns"] <= send.exit_ns, text)
            self.assertTrue(receive.enter_ns <= record["recv_ns"] <= receive.exit_ns, text)
        patience.demand(sum(record["match"] in matches for record in records), len(records), "matches")
        return attachment, pairs


class Streams(OneWay):
    """The bytes of one writer arrive in order, so their numbers show which receive took them."""

    def test_several_in_one(self):
        """10, 20 and 30 bytes that one read takes"""
        for transport in STREAMS:
            with self.subTest(transport):
                attachment, pairs = self.check_stream(transport, ["-r", "poll", "-d", 1_000_000],
                                                      ["-s", "10,20,30", "-n", 100, "-p", 3_000_000])
                self.check_whole(attachment, 300)
                together = len({receive for _, receive, _ in pairs})
                patience.demand(149 - together, 0, f"{together} reads took 300 messages: fewer than 150")

    def test_one_in_several(self):
        """100 bytes that ten reads take"""
        for transport in STREAMS:
            with self.subTest(transport):
                attachment, pairs = self.check_stream(transport, ["-s", 10],
                                                      ["-s", 100, "-n", 200, "-p", 500_000])
                self.check_whole(attachment, 200)
                self.assertEqual({count for _, _, count in pairs}, {10})

    def test_across(self):
        """reads that take an end, several whole messages and a beginning"""
        for transport in STREAMS:
            with self.subTest(transport):
                attachment, pairs = self.check_stream(transport, ["-s", 170, "-d", 100_000],
                                                      ["-s", "10,100,33,57", "-n", 200])
                self.check_whole(attachment, 800)
                self.assertGreater(max(count for _, _, count in pairs), 1)

    def test_partial_sends(self):
        """a send that does not block and finds room for a part only: what it sent is a message"""
        for transport in STREAMS:
            with self.subTest(transport):
                attachment, pairs = self.check_stream(transport, ["-s", 20_000, "-d", 20_000],
                                                      ["-s", 900_000, "-n", 5, "-N"])
                self.check_whole(attachment, len(pairs))
                self.assertGreater(len(pairs), 5, "sends that 5 were cut into")

    def test_vectors(self):
        """writev and readv"""
        for transport in STREAMS:
            with self.subTest(transport):
                attachment, _ = self.check_stream(transport, ["-m", "readv", "-s", 50],
                                                  ["-m", "writev", "-s", "20,200", "-n", 200])
                self.check_whole(attachment, 400)

    def test_sendfile(self):
        """sendfile"""
        for transport in STREAMS:
            with self.subTest(transport):
                attachment, _ = self.check_stream(transport, [], ["-m", "sendfile", "-s", 500,
                                                                  "-n", 200, "-p", 200_000])
                self.check_whole(attachment, 200)

    def test_long_sendfile(self):
        """sendfile of a megabyte is one message, though it goes in pieces"""
        for transport in SOCKET_STREAMS:
            with self.subTest(transport):
                attachment, _ = self.check_stream(transport, [], [
                    "-m", "sendfile", "-s", "1000000,300,200000", "-n", 10, "-p", 5_000_000])
                self.check_whole(attachment, 30)

    def test_uring(self):
        """io_uring: a send, and a receive that waits for what is sent"""
        for transport in SOCKET_STREAMS:
            with self.subTest(transport):
                attachment, _ = self.check_stream(transport, ["-m", "uring"], [
                    "-m", "uring", "-n", 200, "-p", 200_000], URING)
                self.check_whole(attachment, 200)

    def test_uring_linked(self):
        """io_uring: a chain of sends, and of receives, with one call"""
        for transport in SOCKET_STREAMS:
            with self.subTest(transport):
                attachment, _ = self.check_stream(
                    transport, ["-m", "uring-linked"],
                    ["-m", "uring-linked", "-s", "20,30,40", "-n", 200, "-p", 300_000],
                    URING)
                self.check_whole(attachment, 600)

    def test_uring_multishot(self):
        """io_uring: one receive for all, while the reader is in other calls"""
        for transport in SOCKET_STREAMS:
            for delay_ns in (0, 500_000):
                with self.subTest(transport, delay_ns=delay_ns):
                    attachment, _ = self.check_stream(
                        transport, ["-m", "uring-multishot", "-d", delay_ns],
                        ["-n", 300, "-p", 200_000], URING, PRIORITY)
                    self.check_whole(attachment, 300)
                    approximate = attachment.summary["matches"]["approximate"]
                    if delay_ns:
                        patience.demand(approximate, 101, "messages that came during a sleep of the reader")

    def test_uring_sqpoll(self):
        """io_uring: a thread of the kernel's own that sends, and one that receives"""
        for transport in SOCKET_STREAMS:
            for reading, writing in (([], SQPOLL), (SQPOLL, []), (SQPOLL, SQPOLL)):
                with self.subTest(transport, reading=reading, writing=writing):
                    attachment, _ = self.check_stream(transport, reading, [
                        *writing, "-n", 200, "-p", 300_000], URING)
                    self.check_whole(attachment, 200)
                    matches = attachment.summary["matches"]
                    self.assertEqual(matches["approximate"], 200, matches)

    def test_splice(self):
        """splice out of a pipe, and into one"""
        for transport in SOCKET_STREAMS:
            for reading, writing in ((["-m", "splice"], []), ([], ["-m", "splice"])):
                with self.subTest(transport, reading=reading, writing=writing):
                    self.check_stream(transport, reading, [*writing, "-s", 500, "-n", 200, "-p",
                                                           200_000])

    def test_readers(self):
        """readers that wait in select and pselect, in poll, and in epoll for an edge or a level"""
        for transport in STREAMS:
            for reader in ("select", "pselect", "poll", "epoll", "epoll-level"):
                with self.subTest(transport, reader=reader):
                    attachment, _ = self.check_stream(transport, ["-r", reader],
                                                      ["-n", 200, "-p", 500_000],
                                                      priority=PRIORITY)
                    self.check_whole(attachment, 200)
                    paths = attachment.summary["paths"]
                    patience.demand(paths["slept"], 101, f"slept of {paths}")


class Packets(OneWay):
    """Messages with boundaries, each of which carries its id."""

    def check_packets(self, transport, reading, writing, writers=1, matches=attach.SURE):
        """Every message that the reader took is there, once, and joined to its send."""
        attachment, noted = self.trace(transport, reading, writing, writers)
        records = attachment.of(transport)
        self.check_right(noted, records, matches)
        self.assertEqual(len(records), len(noted.entries(truth.RECEIVE)))
        self.check_whole(attachment, len(noted.entries(truth.SEND)))
        return attachment, noted

    def test_three_writers(self):
        """three writers at once on one socket"""
        for transport in ("uds", "udp"):
            for reader in ("block", "epoll"):
                with self.subTest(transport, reader=reader):
                    attachment, _ = self.check_packets(transport, ["-r", reader, "-b", 4_000_000],
                                                       ["-n", 1500, "-s", 40], 3)
                    senders = {m["sender_tid"] for m in attachment.messages}
                    self.assertEqual((len(attachment.messages), len(senders)), (4500, 3))

    def test_threads(self):
        """three writers at once, and four threads that read the same socket"""
        for transport in ("uds",):
            with self.subTest(transport):
                attachment, _ = self.check_packets(transport, ["-t", 4, "-b", 4_000_000],
                                                   ["-n", 1500, "-s", 40], 3)
                self.demand_threads(attachment.messages, "receiver")

    def test_uring_threads(self):
        """four threads that read the same socket by io_uring: never wrong, for want of knowledge"""
        attachment, noted = self.trace("uds", ["-t", 4, "-m", "uring", "-b", 4_000_000],
                                       ["-n", 1500, "-s", 40], 3)
        records = attachment.of("uds")
        self.check_right(noted, records, (*attach.SURE, *URING, "ambiguous"))
        self.demand_threads(records, "receiver")
        self.check_whole(attachment, 4500)

    def test_shared(self):
        """four threads that read one UDP socket at once: what one of them did not see is ambiguous"""
        for period_ns in (0, 300_000):
            with self.subTest(period_ns=period_ns):
                attachment, noted = self.trace("udp", ["-t", 4, "-b", 4_000_000],
                                               ["-n", 500, "-s", 40, "-p", period_ns], 3)
                records = attachment.of("udp")
                self.check_right(noted, records, (*attach.SURE, "ambiguous"))
                self.demand_threads(records, "receiver")
                self.check_whole(attachment, 1500, not_received=3)
                if period_ns:
                    sure = [m for m in records if m["match"] in attach.SURE]
                    patience.demand(len(sure), 1001, "messages that did not overlap")

    def test_sysv(self):
        """three writers at once on one System V queue, each with a type of its own"""
        attachment, noted = self.trace("sysv", ["-s", 8192], ["-n", 500, "-s", 40], 3)
        self.check_right(noted, attachment.of("sysv"))
        self.check_whole(attachment, 1500)
        self.assertEqual(len({m["channel"] for m in attachment.messages}), 3)
        self.assertRegex(attachment.channels("sysv")[0]["name"], "^queue [0-9]+$")

    def test_empty(self):
        """messages of no bytes: each is one, and the end of a connection is none"""
        for transport in PACKETS:
            for reader in ("block", "epoll-level"):
                with self.subTest(transport, reader=reader):
                    attachment, noted = self.trace(
                        transport, ["-e", 800, "-b", 4_000_000, "-r", reader],
                        ["-s", "64,0,20,0", "-n", 200, "-p", 200_000])
                    self.check_in_order(attachment, transport, noted)
                    self.check_whole(attachment, 800)

    def check_in_order(self, attachment, transport, noted):
        """The messages of one writer arrive in order, with an id or without."""
        sends, receives = noted.entries(truth.SEND), noted.entries(truth.RECEIVE)
        records = sorted(attachment.of(transport), key=lambda m: m["send_ns"])
        self.assertEqual((len(receives), len(records)), (len(sends),) * 2,
                         attachment.summary["integrity"])
        for record, send, receive in zip(records, sends, receives):
            text = f"{record} of {send} to {receive}"
            self.assertEqual((send.bytes, record["bytes"]), (receive.bytes, send.bytes), text)
            self.assertIn(receive.id, (send.id, 0), text)
            self.assertTrue(send.enter_ns <= record["send_ns"] <= send.exit_ns, text)
            self.assertTrue(receive.enter_ns <= record["recv_ns"] <= receive.exit_ns, text)
            self.assertIn(record["match"], attach.SURE, text)

    def test_uring(self):
        """io_uring: one at a time, as they come, and by a thread of the kernel's own"""
        for transport in PACKETS:
            for method in ("uring", "uring-multishot", "uring-sqpoll"):
                with self.subTest(transport, method=method):
                    sending = SQPOLL if method == "uring-sqpoll" else ["-m", "uring"]
                    attachment, noted = self.trace(
                        transport, ["-m", method, "-b", 4_000_000],
                        [*sending, "-n", 300, "-p", 300_000])
                    self.check_whole(attachment, 300)
                    records = [record | {end + "_tid": owner(record, end)
                                         for end in ("sender", "receiver")}
                               for record in attachment.of(transport)]
                    self.assertEqual(len(records), 300)
                    sure = [record for record in records if record["match"] in URING]
                    self.assertEqual(noted.wrong(sure)[:3], [])
                    # A receive outside of any call is not searched for its datagram.
                    if transport != "udp":
                        patience.demand(len(sure), 300, "messages that are sure")

    def test_many_with_one_call(self):
        """sendmmsg and recvmmsg: a call for several messages"""
        for transport in PACKETS:
            for reading in ([], ["-m", "recvmmsg"]):
                with self.subTest(transport, reading=reading):
                    attachment, _ = self.check_packets(
                        transport, [*reading, "-b", 4_000_000],
                        ["-m", "sendmmsg", "-s", "10,20,30,40", "-n", 100, "-p", 500_000])
                    self.assertEqual(len(attachment.messages), 400)

    def test_vectors(self):
        """writev and readv"""
        for transport in PACKETS:
            with self.subTest(transport):
                self.check_packets(transport, ["-m", "readv"],
                                   ["-m", "writev", "-s", "20,200", "-n", 100, "-p", 200_000])

    def test_peek(self):
        """a peek takes no message"""
        for transport in PACKETS:
            with self.subTest(transport):
                _, noted = self.check_packets(transport, ["-k"], ["-n", 200, "-p", 200_000])
                self.assertEqual(len(noted.entries(truth.PEEK)), 200)

    def test_truncated(self):
        """a message of which only a part is taken is taken, and has the size that was sent"""
        for transport in PACKETS:
            with self.subTest(transport):
                attachment, noted = self.check_packets(transport, ["-s", 20],
                                                       ["-n", 200, "-p", 200_000])
                self.assertEqual({e.bytes for e in noted.entries(truth.RECEIVE)}, {20})
                self.assertEqual({m["bytes"] for m in attachment.messages}, {64})

    def test_dropped(self):
        """UDP that finds no room: each message is received, or not, as its reader has noted"""
        attachment, noted = self.trace("udp", ["-b", 5000, "-d", 200_000],
                                       ["-n", 1000, "-s", 40, "-p", 50_000], priority=PRIORITY)
        records = attachment.of("udp")
        self.check_right(noted, records)
        sent, received = noted.entries(truth.SEND), noted.entries(truth.RECEIVE)
        self.assertEqual((len(sent), attachment.summary["integrity"]["sent"]), (1000, 1000))
        patience.demand(len(received), 101, "messages of 1000 that were received")
        patience.demand(len(sent) - len(received), 101, "messages of 1000 that were dropped")
        self.assertEqual(len(records), len(received))

    def test_one_pipe(self):
        """three writers on one pipe: what overlaps is ambiguous, and nothing else"""
        for period_ns in (0, 300_000):
            with self.subTest(period_ns=period_ns):
                attachment, noted = self.trace("pipe", ["-s", 40, "-u", 40],
                                               ["-n", 1000, "-s", 40, "-p", period_ns], 3)
                records = attachment.of("pipe")
                self.check_right(noted, records, (*attach.SURE, "ambiguous"))
                held_up_ns = noted.longest_gap_ns(truth.SEND)
                if attachment.summary["integrity"]["incomplete"]["unknown_start"] and held_up_ns > HELD_UP_NS:
                    raise patience.NotNear(f"a writer had no CPU for {held_up_ns} ns")
                self.check_whole(attachment, 3000)
                if period_ns:
                    sure = [m for m in records if m["match"] in attach.SURE]
                    patience.demand(len(sure), 1001, "messages that did not overlap")


class Rings(OneWay):
    """Messages without bytes: an eventfd that is counted up, a futex that is woken."""

    def check_rung(self, transport):
        attachment, noted = self.trace(transport, [], ["-n", 200, "-p", 1_000_000],
                                       priority=PRIORITY)
        sends, receives = noted.entries(truth.SEND), noted.entries(truth.RECEIVE)
        pairs = truth.stream_pairs(sends, receives)
        self.assertEqual(len(pairs), 200)
        # On a futex, only a wait that another thread ended is a message.
        woken = {e.enter_ns for e in noted.entries(truth.WOKEN) if e.bytes == 1}
        alone = [(send, receive, count) for send, receive, count in pairs if receive.bytes == 1
                 and (transport != "futex" or receive.enter_ns in woken)]
        patience.demand(len(alone), 151, "messages that found the reader asleep")
        records = {m["recv_ns"]: m for m in attachment.of(transport)
                   if m["match"] in ("exact", "resynced")}
        for send, receive, _ in alone:
            mine = [m for at, m in records.items() if receive.enter_ns <= at <= receive.exit_ns]
            self.assertEqual(len(mine), 1, f"{send} to {receive}")
            self.assertEqual((mine[0]["sender_tid"], mine[0]["receiver_tid"]),
                             (send.tid, receive.tid))
            self.assertTrue(send.enter_ns <= mine[0]["send_ns"] <= send.exit_ns, mine)

    def test_eventfd(self):
        """an eventfd"""
        self.check_rung("eventfd")

    def test_futex(self):
        """a futex in shared memory"""
        self.check_rung("futex")


if __name__ == "__main__":
    tap.main()
