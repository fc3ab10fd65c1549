# SPDX-License-Identifier: BSD-2-Clause
"""
Checks of measured times on a machine where interrupts, a host or other programs take CPUs away.

A check is *exact* if it holds for every message on every machine: sums, order, counts, names. It fails at
once. A check is *near* if it holds only while its threads have the CPU. It covers only messages during which
the logs of the programs, or a Control, show no disturbance. It needs a least number of those; a test whose
measurement has fewer is repeated (patience.py).
"""

import bisect

import harness
from patience import NotNear

# A thread that watches a CPU takes a few per cent of it, and detects disturbances longer than LATE_NS. An idle
# CPU of a virtual machine often needs 100 us to run a thread, which is no disturbance.
PERIOD_NS, LATE_NS = 100_000, 150_000


def check_share(good, share, least, what):
    """At least this share of the messages (True: right) must be right, of at least so many."""
    good = list(good)
    if len(good) < least:
        raise NotNear(f"{what}: only {len(good)} were undisturbed, {least} are needed")
    if sum(good) < share * len(good):
        raise NotNear(f"{what}: {sum(good)} of {len(good)} are near, {share:.0%} are wanted")


class Control:
    """
    Watches all CPUs until end(), and records when one was taken from the threads of a priority: by an
    interrupt, by the host, or by another thread of at least this priority.
    """

    def __init__(self, case, priority):
        """The test case ends the process."""
        self.process = case.ready(
            case.spawn([case.program("control"), priority, PERIOD_NS, LATE_NS]))
        self.thefts, self.begins = [], []

    def end(self):
        """Ends the watch. is_quiet() works from now on. Returns itself."""
        self.process.terminate()
        out, err = self.process.communicate(timeout=harness.PATIENCE * 10)
        if self.process.returncode or err:
            raise AssertionError(f"the control failed: {err}")
        thefts = sorted(tuple(map(int, line.split())) for line in out.splitlines())
        for begin_ns, end_ns in thefts:  # of several CPUs: they may overlap
            if self.thefts and begin_ns <= self.thefts[-1][1]:
                begin_ns, last_ns = self.thefts.pop()
                end_ns = max(end_ns, last_ns)
            self.thefts.append((begin_ns, end_ns))
        self.begins = [begin_ns for begin_ns, _ in self.thefts]
        return self

    def is_quiet(self, begin_ns, end_ns):
        """Whether no CPU was taken away in this time, by CLOCK_MONOTONIC."""
        before = bisect.bisect_right(self.begins, end_ns)
        return not before or self.thefts[before - 1][1] < begin_ns
