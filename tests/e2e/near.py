# SPDX-License-Identifier: BSD-2-Clause
"""
What a test may ask of a machine that interrupts, a host or other programs take CPUs from.

A check is *exact* if it holds for every message, always: sums, order, counts, names. It fails at
once. A check is *near* if it holds only while nobody steals the CPU: it is asked only of messages
for whose time there is evidence that nobody did, it needs a least number of those, and the whole
measurement gets TRIES tries. The evidence is what the programs have noted of their own calls, or a
Control.
"""

import bisect
import functools

import harness
from patience import NotNear, TRIES

# A thread that watches a CPU takes a few per cent of it, and sees what is longer than this.
PERIOD_NS, LATE_NS = 100_000, 50_000


def tried(measure):
    """A method that measures and checks: again, from the beginning, if only a near check fails."""
    @functools.wraps(measure)
    def measure_again(*arguments, **how):
        for _ in range(TRIES - 1):
            try:
                return measure(*arguments, **how)
            except NotNear:
                pass
        return measure(*arguments, **how)

    return measure_again


def check_share(good, share, least, what):
    """
    So large a share of messages, which are True or False here, must be right; and at least so many
    must be there at all.
    """
    good = list(good)
    if len(good) < least:
        raise NotNear(f"{what}: only {len(good)} were undisturbed, {least} are needed")
    if sum(good) < share * len(good):
        raise NotNear(f"{what}: {sum(good)} of {len(good)} are near, {share:.0%} are wanted")


class Control:
    """
    Watches all CPUs, from when it is made until end(), and knows when one was stolen from the
    threads of a priority: by an interrupt, by the host, or by other threads of at least this
    priority.
    """

    def __init__(self, case, priority):
        """The process is cleaned up by the test case."""
        self.process = case.ready(
            case.spawn([case.program("control"), priority, PERIOD_NS, LATE_NS]))
        self.thefts, self.begins = [], []

    def end(self):
        """Returns itself. What was stolen can be asked for from now on."""
        self.process.terminate()
        out, err = self.process.communicate(timeout=harness.PATIENCE * 10)
        if self.process.returncode or err:
            raise AssertionError(f"the control has failed: {err}")
        thefts = sorted(tuple(map(int, line.split())) for line in out.splitlines())
        for begin_ns, end_ns in thefts:  # of several CPUs: they may overlap
            if self.thefts and begin_ns <= self.thefts[-1][1]:
                begin_ns, last_ns = self.thefts.pop()
                end_ns = max(end_ns, last_ns)
            self.thefts.append((begin_ns, end_ns))
        self.begins = [begin_ns for begin_ns, _ in self.thefts]
        return self

    def is_quiet(self, begin_ns, end_ns):
        """Whether all CPUs were there for their threads in this time, by CLOCK_MONOTONIC."""
        before = bisect.bisect_right(self.begins, end_ns)
        return not before or self.thefts[before - 1][1] < begin_ns
