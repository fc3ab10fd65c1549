# SPDX-License-Identifier: BSD-2-Clause
"""Several senders have messages in one queue when tracing begins, and go on sending."""

import fcntl
import os
import signal
import socket
import time

import attach
import harness
import patience
import tap
import truth

SIZE = 40  # bytes of every message
KINDS = {"uds": socket.SOCK_DGRAM, "uds-seqpacket": socket.SOCK_SEQPACKET,
         "uds-stream": socket.SOCK_STREAM}


class Backlog(attach.AttachCase):
    """
    A reader that is stopped when tracing begins, then receives the backlog and keeps up for a while. The ids
    in the messages show what each of its receives took.
    """

    WRITERS, READS_S = 3, 0.6
    HELD_UP_NS = 50_000_000  # without a CPU for so long: half of what a queue of several senders must be quiet for
    # (period of each writer, pause of the reader before each receive). The second: there is never room for all writers,
    # of which half a million messages would show no more.
    PACES_NS = ((300_000, 0), (0, 20_000))

    def own(self, transport):
        """(address of the reader, of all writers, what they inherit): each writer has a socket."""
        address, fds = self.address(transport)
        return address, address, fds

    def shared(self, transport):
        """The same where all of them write to one end of a pair."""
        if transport == "pipe":
            fds = os.pipe()
            # A hundred messages, as many as a socket has. Each waits through all that the reader does for those before.
            fcntl.fcntl(fds[1], fcntl.F_SETPIPE_SZ, 4096)
        else:
            fds = [end.detach() for end in socket.socketpair(type=KINDS[transport])]
        return self.fd_ends(*fds)

    def trace(self, ends, period_ns, pause_ns):
        """(attachment, truth, instants between which its reader reads)."""
        self.begin_logs()
        reader_at, writer_at, fds = ends
        reader = self.start("reader", "-s", SIZE, "-d", pause_ns, reader_at, pass_fds=fds)
        writers = [self.start("writer", "-s", SIZE, "-p", period_ns, writer_at, pass_fds=fds)
                   for _ in range(self.WRITERS)]
        time.sleep(0.02)
        self.stop_process(reader)
        time.sleep(0.03)
        with self.attached("-p", reader.pid) as attachment:
            reads_ns = time.monotonic_ns()
            reader.send_signal(signal.SIGCONT)
            time.sleep(self.READS_S)
            until_ns = time.monotonic_ns()
            # The flood ends before its report is made and checked.
            attachment.process.send_signal(signal.SIGINT)
            attachment.process.wait(harness.PATIENCE * 30)
            self.end(*writers, reader)
        return attachment, self.truth(), (reads_ns, until_ns)

    def check_backlog(self, transport, ends, period_ns, pause_ns):
        """None is joined wrongly, and of the second half of the time all are joined."""
        attachment, noted, (reads_ns, until_ns) = self.trace(ends(transport), period_ns, pause_ns)
        records = attachment.of(transport)
        self.check_right(noted, records, (*attach.SURE, "ambiguous"))
        half_ns = (reads_ns + until_ns) / 2
        taken = sum(half_ns <= entry.enter_ns and entry.exit_ns <= until_ns
                    for entry in noted.entries(truth.RECEIVE))
        joined = sum(half_ns <= record["recv_ns"] <= until_ns for record in records)
        patience.demand(taken, 101, "messages in the second half")
        held_up_ns = max(noted.longest_gap_ns(kind, reads_ns, until_ns) for kind in (truth.SEND, truth.RECEIVE))
        if joined < 0.99 * taken and held_up_ns > self.HELD_UP_NS:
            raise patience.NotNear(f"a thread had no CPU for {held_up_ns} ns")
        self.assertGreaterEqual(joined, 0.99 * taken, attachment.summary["integrity"])

    def check_all(self, transports, ends):
        for transport in transports:
            for period_ns, pause_ns in self.PACES_NS:
                with self.subTest(transport, period_ns=period_ns):
                    self.check_backlog(transport, ends, period_ns, pause_ns)

    def test_own(self):
        """unix datagrams, from a socket of each"""
        self.check_all(["uds"], self.own)

    def test_shared(self):
        """one end of a pair of unix sockets, or of a pipe, that all of them write to"""
        self.check_all((*KINDS, "pipe"), self.shared)


if __name__ == "__main__":
    tap.main()
