# SPDX-License-Identifier: BSD-2-Clause
"""Looks for wrong components by random programs; no part of the tests, as it may go on for ever.

    PYTHONPATH=tests python3 tests/e2e/hunt_components.py FIRST COUNT [TRANSPORT...]

Each number from FIRST on stands for a reader that does other things between its receives, for its
writers, and for what else runs on its CPU: the same number gives the same ones again. The reader
notes all of its time, step after step, and with each how long the kernel's own accounts say that it
ran and waited for a CPU (programs/planned.c). So much of a message's time must be in each of its
components; too many that are not fail. The worst of the rest are shown.
"""

import bisect
import collections
import json
import os
import random
import sys
import time

import attach
import harness
import hunting
import tap
import test_attach_joins as joins
import test_level
import truth

SHOWN = ("sender_tid", "seq", "latency_ns", "path", "match", "blame", "blocked_on", "queued_ns",
         "recv_ns", *(component + "_ns" for component in attach.COMPONENTS))
STEP = ord("T")
WAITS = "WR"  # steps in which the reader waits for a message
TRANSPORTS = (*joins.STREAMS, *joins.PACKETS, "mqueue", "sysv")
ONE_WRITER = ("uds-stream", "tcp", "uds-seqpacket")  # the reader accepts one connection
LIGHT = ("uds", "uds-stream", "uds-seqpacket", "tcp")
SLEEPS = "nplerfzu"
STEPS = "snmyplerfzucb"
PRIORITY = 10
SLACK_NS = 20_000
SLACK_SHARE = 0.05
TOLERATED = 0.02  # share of the messages that a disturbance may hit that no log shows

# A user's program that takes what it can get of a CPU.
HOG = "import os\nwhile True: pass"


class Manner:
    """How the programs send and receive, and what disturbs them."""

    def __init__(self, number, transports):
        self.random = random.Random(number)
        choice, chance = self.random.choice, self.random.random
        self.transport = choice(transports)
        self.is_light = self.transport in LIGHT and chance() < 0.3
        self.size = choice((40, 64, 200, 1000))
        self.threads = choice((0, 0, 0, 0, 2, 3))
        self.writers = 1 if self.transport in ONE_WRITER else choice((1, 1, 2, 3))
        self.steps = "".join(sorted(self.random.sample(STEPS, choice((1, 1, 2, 4))),
                                    key=STEPS.index))
        if self.threads:  # a stop concerns all threads
            self.steps = self.steps.replace("z", "") or "s"
        self.mean_ns = choice((50_000, 200_000, 500_000))
        self.period_ns = choice((200_000, 500_000, 1_000_000, 2_000_000))
        self.rounds = min(1000, 800_000_000 // self.period_ns)
        self.disturber = choice(("none", "none", "spinner", "spinner", "hogs", "quota"))
        self.priority = PRIORITY if self.disturber in ("none", "spinner") else None
        self.reader_cpu = choice((attach.SERVER_CPU, attach.SERVER_CPU, None))
        if self.disturber != "none":
            self.reader_cpu = attach.SERVER_CPU
            self.steps = self.steps.replace("c", "") or "s"
        self.writer_cpu = choice((attach.CALLER_CPU, attach.CALLER_CPU, attach.SERVER_CPU))
        self.reading = self.choose_reading(number)
        self.writing = ["-n", self.rounds, "-p", self.period_ns, "-s", self.size]

    def choose_reading(self, number):
        choice = self.random.choice
        reading = ["-x", self.steps, "-o", choice((20, 50, 100)), "-d", self.mean_ns, "-S", number]
        if self.transport not in ("mqueue", "sysv"):
            reading += ["-r", choice(("block", "block", "select", "poll", "epoll", "epoll-level"))]
        if set("snm") & set(self.steps) and self.disturber != "quota":  # or it does nothing else
            reading += ["-i", choice((0, 0, 700_000, 3_000_000))]
        if self.threads:
            reading += ["-t", self.threads]
        if self.transport in joins.STREAMS:
            reading += ["-u", self.size, "-s", self.size * choice((1, 2, 4))]
        elif self.transport in ("mqueue", "sysv"):
            reading += ["-s", 8192]
        return reading

    def __str__(self):
        words = [self.transport, "light" if self.is_light else "full", *self.reading,
                 f"on {self.reader_cpu}", f"{self.writers} writers on {self.writer_cpu}",
                 *self.writing, f"priority {self.priority}", self.disturber]
        return " ".join(map(str, words))


class Range:
    """Between what and what an amount of time is."""

    def __init__(self, low=0, high=0):
        self.low, self.high = low, high

    def __add__(self, other):
        return Range(self.low + other.low, self.high + other.high)

    def add(self, low, high):
        self.low += max(0, low)
        self.high += max(0, high)

    def misses(self, got):
        """How far this is off, beyond what is tolerated; 0: it is not."""
        slack = max(SLACK_NS, SLACK_SHARE * self.high)
        return max(0, self.low - slack - got, got - self.high - slack)

    def __repr__(self):
        return f"{self.low}..{self.high}"


class Account:
    """The steps of one thread, without a gap."""

    def __init__(self, calls):
        self.calls = calls

    def at(self, instant):
        return bisect.bisect_right(self.calls.enter, instant) - 1

    def kind(self, i):
        return chr(self.calls.bytes[i] & 0xff)

    def slept(self, i):
        return self.calls.bytes[i] >> 8 & 0xff

    def preempted(self, i):
        return self.calls.bytes[i] >> 16

    def length(self, i):
        return self.calls.exit[i] - self.calls.enter[i]

    def waited(self, i):
        return min(self.calls.id[i] >> 32, self.length(i))

    def asleep(self, i):
        """A host that takes the CPU makes it longer, if there was any sleep at all."""
        if not self.slept(i):
            return 0
        on_cpu = self.calls.id[i] & 0xffffffff
        return max(0, self.length(i) - self.waited(i) - on_cpu)

    def parts(self, i):
        """(on the CPU, runnable, asleep)."""
        waited, asleep = self.waited(i), self.asleep(i)
        return self.length(i) - waited - asleep, waited, asleep

    def show(self, i):
        return (f"{self.kind(i)}{self.parts(i)} slept {self.slept(i)} preempted "
                f"{self.preempted(i)} from {self.calls.enter[i]}")


class Expected:
    """What a message's components must be, by its receiver's account of the time since `queued`."""

    def __init__(self, account, queued, recv):
        self.account = account
        self.first, self.last = account.at(queued), account.at(recv)
        self.ranges = {name: Range() for name in ("runqueue", "asleep", "blocked", "wakeup",
                                                  "busy", "receive")}
        for i in range(self.first, self.last + 1):
            begin = max(queued, account.calls.enter[i])
            end = min(recv, account.calls.exit[i])
            self.add(i, end - begin)

    def add(self, i, length):
        """So much of this step: any part of it, if it is not all."""
        account = self.account
        on_cpu, waited, asleep = account.parts(i)
        whole = on_cpu + waited + asleep
        low, high = {}, {}
        for name, value in (("on_cpu", on_cpu), ("waited", waited), ("asleep", asleep)):
            low[name], high[name] = length - (whole - value), min(value, length)
        # In a kernel without preemption, a thread that is switched to has been running since its wakeup, by
        # its own account.
        if account.slept(i) or account.preempted(i):
            low["on_cpu"], high["waited"] = 0, min(waited + on_cpu, length)
        self.ranges["runqueue"].add(low["waited"], high["waited"])
        self.ranges["asleep"].add(low["asleep"], high["asleep"])
        self.ranges["receive" if i == self.last else "busy"].add(low["on_cpu"], high["on_cpu"])
        if i > self.first or account.kind(i) not in WAITS:
            self.ranges["blocked"].add(low["asleep"], high["asleep"])
        elif account.slept(i) == 1 and i < self.last:
            self.ranges["wakeup"].add(low["asleep"], high["asleep"])
        else:
            self.ranges["blocked"].add(0, high["asleep"])
            self.ranges["wakeup"].add(0, high["asleep"])

    def path(self, queued):
        """If it is certain."""
        account, i = self.account, self.first
        on_cpu, waited, asleep = account.parts(i)
        margin = min(queued - account.calls.enter[i], account.calls.exit[i] - queued)
        if margin < SLACK_NS:
            return None
        if not waited and not asleep and not account.preempted(i):
            return "running"
        if account.kind(i) in SLEEPS and account.slept(i) == 1 and \
                margin > SLACK_NS + on_cpu + waited:
            return "blocked"
        return None

    def show(self):
        return [self.account.show(i) for i in range(self.first, self.last + 1)]


class Hunting(joins.OneWay):
    """What a test for each number does."""

    def start_disturber(self, manner, reader):
        """The spinner, or None."""
        if manner.disturber == "spinner":
            choice = manner.random.choice
            return self.spawn([self.program("spinner"), attach.SERVER_CPU,
                               choice((100_000, 400_000, 2_000_000)),
                               choice((4_370_000, 9_370_000)), 1000])
        if manner.disturber == "hogs":
            for niceness in (0, 10):
                self.spawn(["nice", "-n", niceness, sys.executable, "-c", HOG],
                           cpu=attach.SERVER_CPU)
        if manner.disturber == "quota":
            self.limit(reader)
        return None

    def limit(self, process):
        """To 15 % of a CPU."""
        group = f"/sys/fs/cgroup/cpu/ipctrace-hunt-{process.pid}"
        os.mkdir(group)
        self.addCleanup(os.rmdir, group)
        for name, value in (("cpu.cfs_period_us", 20_000), ("cpu.cfs_quota_us", 3_000),
                            ("cgroup.procs", process.pid)):
            with open(os.path.join(group, name), "w", encoding="ascii") as file:
                file.write(str(value))
        self.addCleanup(attach.discard, process)  # the group must be empty by then

    def trace_manner(self, manner):
        """(attachment, truth, spinner's tid, its spins)."""
        self.begin_logs()
        reader_at, writer_at, fds = self.ends(manner.transport)
        how = {"pass_fds": fds, "priority": manner.priority}
        reader = self.start("planned", *manner.reading, reader_at, cpu=manner.reader_cpu, **how)
        spinner = self.start_disturber(manner, reader)
        with self.attached("-p", reader.pid) as attachment:
            how["cpu"] = manner.writer_cpu
            writers = [self.start("writer", *manner.writing, writer_at, **how)
                       for _ in range(manner.writers)]
            for process in writers:
                self.join(process)
            time.sleep(0.3)  # its signals go on: it does not settle
        self.end(reader)
        spins = []
        if spinner:
            attach.end(spinner)
            spins = [tuple(map(int, line.split())) for line in spinner.stdout]
        return attachment, self.truth(), spinner.pid if spinner else None, spins

    def check_report(self, attachment):
        """The recording says what was said live."""
        report = harness.ipctrace("report", attachment.recording, "-f", "json")
        self.assertEqual((report.status, report.err), (0, ""))
        said = json.loads(report.out)
        different = [k for k in attachment.summary if attachment.summary[k] != said.get(k)]
        self.assertEqual(different, [])

    def check(self, manner):
        attachment, noted, spinner, spins = self.trace_manner(manner)
        self.check_report(attachment)
        writers = {tid for tid, kind in noted.calls if kind == truth.SEND}
        records = [r for r in attachment.of(manner.transport) if r["sender_tid"] in writers
                   and (r["receiver_tid"], STEP) in noted.calls]
        integrity = attachment.summary["integrity"]
        tap.comment({"sent": integrity["sent"], "records": len(records)}
                    | {reason: n for reason, n in integrity["incomplete"].items() if n}
                    | {k: integrity[k] for k in ("unseen_switches", "unseen_wakeups")}
                    | dict(attachment.summary["paths"]))
        if not manner.is_light:  # a call's begin is not known
            self.check_right(noted, records, attach.MATCHES)
        found = collections.defaultdict(list)
        for record in records:
            for name, off, text in self.problems(manner, record, noted, spinner, spins):
                found[name].append((off, text))
        for name, problems in found.items():
            problems.sort(key=lambda problem: -problem[0])
            tap.comment(f"{name}: {len(problems)} of {len(records)}")
            for off, text in problems[:2]:
                tap.comment(f"    {off} {text}")
        self.assertGreater(len(records), 0)
        bad = {name: len(p) for name, p in found.items() if len(p) > 2 + TOLERATED * len(records)}
        self.assertEqual(bad, {})

    def problems(self, manner, record, noted, spinner, spins):
        """(what is wrong, by how much, all of it)."""
        if record["match"] not in attach.SURE or record.get("unseen"):
            return
        queued, recv = record["queued_ns"], record["recv_ns"]
        account = Account(noted.calls[record["receiver_tid"], STEP])
        if account.at(queued) < 0:
            return
        if account.kind(account.at(recv)) != "R":
            yield "no receive", 0, record
            return
        expected = Expected(account, queued, recv)
        if record["runqueue_ns"] is None or record["switch_ns"] is None:
            return
        shown = {k: v for k, v in record.items() if v is not None and k in SHOWN}
        text = f"{shown} steps {expected.show()}"
        for name, got, expects in self.comparisons(manner, record, expected.ranges):
            if expects.misses(got):
                yield name, expects.misses(got), f"{name} {got}, not {expects}: {text}"
        path = expected.path(queued)
        if path and path != record["path"]:
            yield "path", 0, f"not {path}: {text}"
        if spinner:
            yield from self.spinner_problems(record, expected, spinner, spins, text)

    @staticmethod
    def comparisons(manner, record, ranges):
        """[(of what, so long it was, so long it must be)]."""
        got = {name: record[name + "_ns"] or 0 for name in attach.COMPONENTS}
        got["asleep"] = got["wakeup"] + got["blocked"]
        got["off"] = got["asleep"] + got["runqueue"]
        ranges["off"] = ranges["asleep"] + ranges["runqueue"]
        names = {"off", "busy", "receive", "runqueue", "asleep", "blocked", "wakeup"}
        if manner.disturber == "quota":  # the accounts do not show which thread is throttled
            names -= {"runqueue", "asleep", "blocked", "wakeup"}
        if manner.is_light:
            names.remove("busy")
            ranges["receive"] += ranges["busy"]
        for name in ("busy", "receive"):
            ranges[name].low -= got["switch"]
        return [(name, got[name], ranges[name]) for name in names]

    def spinner_problems(self, record, expected, spinner, spins, text):
        """No other thread runs while the reader is runnable and the spinner spins."""
        queued, recv = record["queued_ns"], record["recv_ns"]
        blamed = sum(b["ns"] for b in record["blame"] if b["tid"] == spinner)
        overlap = truth.overlap(queued, recv, spins)
        sleeps = any(map(expected.account.asleep, range(expected.first, expected.last + 1)))
        may = Range(0 if sleeps else overlap, overlap)
        if may.misses(blamed):
            yield "spinner", may.misses(blamed), f"spinner {blamed}, not {may}: {text}"


class Hunt(Hunting):
    """At level full."""


class LightHunt(test_level.Light, Hunting):
    """The same without system calls."""


if __name__ == "__main__":
    hunting.main(Manner, lambda manner: LightHunt if manner.is_light else Hunt, TRANSPORTS)
