# SPDX-License-Identifier: BSD-2-Clause
"""
The least and the largest possible value of a component, by the programs' own clock readings around their calls.

    sender    g0 |-- send call --| g1
                   send   queued
    receiver             busy, asleep, starved ...   t0 |-- receive call --| t1
                                                                      recv

The instants of the kernel lie somewhere between two readings. These limits hold for every message on every
machine: a disturbance makes a bracket wider, and never wrong. So the tests check two things:

- exact: every message is inside of its bracket.
- near (patience.py): so many are so close to their limits that a mistake of 40 us would put them outside. On a
  machine that takes the CPU away too often there are fewer. In some virtual machines a call takes 40 us, so
  less cannot be known there.

The upper limit is the wider one: a wake-up of another CPU is a part of the calls around it.
"""

import collections

ABOVE_LOW_NS = 40_000
BELOW_HIGH_NS = 120_000


class Bracket(collections.namedtuple("Bracket", "low high")):
    """Limits of a time in nanoseconds, both included."""

    def has(self, got_ns):
        return self.low <= got_ns <= self.high

    def is_near(self, got_ns, above_ns=ABOVE_LOW_NS):
        """Less would be too little, and much more too much."""
        return (self.low <= got_ns <= self.low + above_ns
                and self.high - BELOW_HIGH_NS <= got_ns <= self.high)


class Way(collections.namedtuple("Way", "record given taken")):
    """A record with the log entries of its send and its receive."""

    @property
    def left_ns(self):
        """The last instant at which the message can have become visible to the receiver."""
        return max(self.given.exit_ns, self.record["queued_ns"] if self.is_inet else 0)

    @property
    def is_inet(self):
        """The network stack may deliver after the send call has returned."""
        return self.record["transport"] in ("tcp", "udp")

    @property
    def until_receive(self):
        """Limits of the time from `queued` to the receive call, if that begins after the send call."""
        return Bracket(self.taken.enter_ns - self.left_ns, self.taken.exit_ns - self.given.enter_ns)

    def until(self, low_ns, high_ns):
        """Limits of the time from `queued` to an instant between these two."""
        return Bracket(low_ns - self.left_ns, high_ns - self.given.enter_ns)

    def sum_ns(self, *components):
        """The sum of these components, as far as the kernel showed them."""
        return sum(self.record[component + "_ns"] or 0 for component in components)

    def __str__(self):
        return f"{self.record} of {self.given} to {self.taken}"
