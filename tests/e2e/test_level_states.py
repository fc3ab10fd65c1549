# SPDX-License-Identifier: BSD-2-Clause
"""--level light reports the states of a receiver as they are known, and as --level full reports them."""

import bisect
import collections
import operator

import attach
import patience
import tap
import test_attach as answers
import test_level
import truth
from replay import records


class KnownAnswers(test_level.Light, attach.AttachCase):
    """A service that was blocked, starved, or asleep on its channel when the request came."""

    addresses = answers.KnownAnswers.addresses
    starve = answers.KnownAnswers.starve
    ways_of = staticmethod(answers.KnownAnswers.ways_of)
    spent = staticmethod(answers.KnownAnswers.spent)
    check_inside = answers.KnownAnswers.check_inside
    check_busy = answers.KnownAnswers.check_busy
    check_blocked = answers.KnownAnswers.check_blocked
    check_blocked_on = answers.KnownAnswers.check_blocked_on
    check_starved = answers.KnownAnswers.check_starved
    check_latency = answers.KnownAnswers.check_latency
    trace = answers.KnownAnswers.trace

    def check_transport(self, transport):
        attachment, noted, tids, (spinner, spins) = self.trace(transport)
        count = 2 * sum(count for _, count in answers.JOBS.values())
        self.check_whole(attachment, count)
        self.check_right(noted, attachment.messages)
        ways = self.ways_of(noted, attachment.messages)
        self.check_latency(ways)
        asked = {job: [way for way in ways if way.given.tid == tid] for job, tid in tids.items()}
        # What a service runs before its receive call cannot be distinguished from the call.
        self.check_busy(asked["busy"], noted, "receive")
        self.check_blocked(asked["block"], noted, noted.by_id(truth.SEND),
                           ("wakeup", "blocked", "runqueue", "switch", "receive"))
        self.check_starved(asked["starve"], spinner, spins)
        self.check_asleep([way for way in ways if way.taken.tid == tids["sleep"]])

    @staticmethod
    def check_asleep(ways):
        """A caller that was in its receive call long before the answer slept there."""
        early = [way.record["path"] for way in ways
                 if way.given.enter_ns - way.taken.enter_ns > answers.SLEEP_NS / 2]
        patience.demand(len(early), len(ways) / 2, "early callers")
        patience.demand(early.count("slept"), attach.BULK * len(early), "callers asleep")


def known_answers(transport):
    def test(self):
        self.check_transport(transport)
    test.__doc__ = f"{transport}: busy, blocked and starved as it is known"
    return test


for name in test_level.TRANSPORTS:
    setattr(KnownAnswers, "test_" + name.replace("-", "_"), patience.patient(known_answers(name)))


AT = operator.attrgetter("at")
SLEEPS = (1, 9, 10, 11, 12, 13)  # one event, called by what it waits for and by what was seen before it


def kind_of(change):
    return "sleep" if change.kind in SLEEPS else change.kind


class Both(attach.AttachCase):
    """The same messages, traced at both levels at the same time."""

    STRAY = 0.01  # of the messages: what happens between the one's stamp of an event and the other's
    NEAR_NS = 3000
    LONGEST_NS = 100_000  # between the two stamps of one event

    def traced_at_both(self, transport, asking, answering):
        """[(record of level full, of level light)]"""
        self.begin_logs()
        address, _ = self.address(transport)
        service = self.start("service", *answering, address)
        light = attach.Attachment(self, ["--level", "light", "-p", service.pid])
        light.wait_until_tracing()
        with self.attached("-p", service.pid) as full:
            self.run_to_end("caller", *asking, address)
        light.stop()
        self.assertEqual(light.status, 0, light.err)
        self.end(service)
        self.changes = [records.timelines(records.read(attachment.recording)[0]) for attachment in (full, light)]
        ways = [sorted(attachment.messages, key=lambda m: (m["sender_tid"], m["seq"]))
                for attachment in (full, light)]
        self.assertEqual(*[[(m["sender_tid"], m["receiver_tid"], m["bytes"]) for m in way]
                           for way in ways])
        return list(zip(*ways))

    def crosses_a_change(self, full, light):
        """
        Whether the receiver changed its state as the message arrived, so that the two had stamps of both events in
        either order. Each tells the truth then:

            receiver  falls asleep:  full ........ light
            message   arrives:          full .. light           asleep at full, running at light
        """
        first, last = sorted((full["queued_ns"], light["queued_ns"]))
        ours, theirs = (changes[full["receiver_tid"]] for changes in self.changes)
        for change in ours[bisect.bisect_left(ours, first - self.LONGEST_NS, key=AT):
                           bisect.bisect_right(ours, last + self.LONGEST_NS, key=AT)]:
            same = min((other.at for other in theirs if kind_of(other) == kind_of(change)),
                       key=lambda at: abs(at - change.at), default=change.at)
            if min(change.at, same) <= last and max(change.at, same) >= first:
                return True
        return False

    def far_apart(self, pairs):
        """How often one event, the arrival of a message in the queue, has two stamps that are not near. The machine
        can take the CPU away between the programs of the two: for interrupts, or for another machine."""
        return sum(abs(full["queued_ns"] - light["queued_ns"]) > self.NEAR_NS for full, light in pairs)

    def check_agreement(self, transport, asking, answering):
        pairs = self.traced_at_both(transport, asking, answering)
        alike = (1 - self.STRAY) * len(pairs)
        paths = collections.Counter((full["path"], light["path"]) for full, light in pairs)
        crossings = sum(full["path"] != light["path"] and self.crosses_a_change(full, light) for full, light in pairs)
        patience.demand(sum(n for (full, light), n in paths.items() if full == light), alike - crossings,
                        f"paths {paths}, {crossings} of them crossed a change")
        alike -= 2 * self.far_apart(pairs)  # a component lies between two events
        for component in ("wakeup_ns", "runqueue_ns", "blocked_ns"):
            patience.demand(sum(abs((full[component] or 0) - (light[component] or 0)) <= self.NEAR_NS
                            for full, light in pairs), alike, component)


def agreement(transport, how, asking, answering):
    def test(self):
        self.check_agreement(transport, asking, answering)
    test.__doc__ = f"{transport}, {how}: both levels report the same states of the receivers, for the same time"
    return test


# A test each: one that the machine disturbed is measured again alone.
for name in test_level.TRANSPORTS:
    for how, asking, answering in (("blocking", ["-n", 1000], []),
                                   ("epoll", ["-n", 500], ["-r", "epoll"]),
                                   ("slow", ["-n", 200, "-o", "sleep", "-d", 300_000], [])):
        setattr(Both, f"test_{name.replace('-', '_')}_{how}",
                patience.patient(agreement(name, how, asking, answering)))


if __name__ == "__main__":
    tap.main()
