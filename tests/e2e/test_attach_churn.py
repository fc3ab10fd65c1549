# SPDX-License-Identifier: BSD-2-Clause
"""More threads than fit: every message is joined, and memory is bounded. Uses up the machine's thread numbers."""

import json
import mmap
import re
import socket
import struct
import subprocess
import time

import attach
import harness
import patience
import tap


class Threads(attach.AttachCase):
    """
    A program whose threads come and go, each with a number that no other had. The test is its peer, and
    therefore traced, too: it must not write or read anything else.
    """

    PID_MAX = "/proc/sys/kernel/pid_max"
    KEPT = 65_536  # threads that are remembered, see src/container/lru_table.h
    STEP = 8192    # that come at a time
    LIMIT_S = 90   # then no more come, if other work has the CPUs

    def let_numbers_grow(self):
        """Sets the usual limit of most machines: with the default, numbers repeat after 32768."""
        with open(self.PID_MAX, encoding="ascii") as file:
            before = file.read()
        self.addCleanup(self.write_pid_max, before)
        self.write_pid_max(str(1 << 22))

    def write_pid_max(self, number):
        with open(self.PID_MAX, "w", encoding="ascii") as file:
            file.write(number)

    def start_churn(self):
        """
        (the program, the test's end of its socket, memory with the number of threads that may start). The
        program shares no pipe with ipctrace, as writes there would be messages of a target.
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
        self.assertTrue(process.stderr.readline().startswith("ipctrace: tracing '"))
        for line in process.stderr:
            if harness.LATE.fullmatch(line):
                continue
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
        """The same, and then ends the program and checks the report."""
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
        harness.demand_no_recursion(integrity)
        self.assertEqual((integrity["sent"], integrity["matched"]), (count, count), integrity)
        self.assertEqual((integrity["lost"], integrity["residual_ns_max"]), (0, 0), integrity)
        return seen

    def test_flat(self):
        """200,000 threads need hardly more memory than 70,000, and every message is joined"""
        self.let_numbers_grow()
        seen = self.growth(3 * self.KEPT)
        few = [kb for number, kb in seen if self.KEPT < number <= self.KEPT + 3 * self.STEP]
        many = [kb for _, kb in seen[-3:]]
        patience.demand(seen[-1][0], 2 * self.KEPT + 1, f"threads in {self.LIMIT_S} s")
        # What is remembered has found its place, and what is forgotten leaves it to the next one.
        self.assertLess(min(many), 1.4 * min(few), f"kB after so many threads: {seen}")


if __name__ == "__main__":
    tap.main()
