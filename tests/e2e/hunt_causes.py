# SPDX-License-Identifier: BSD-2-Clause
"""
Plants known causes of slow messages. `ipctrace explain` must name each in its first row, or as the first of
what sets the slow ones apart, with its time within 10 % of the truth.

    PYTHONPATH=tests:tests/e2e IPCTRACE_PLANTED=20 python3 tests/e2e/hunt_causes.py [Planted.test_lock...]

plants each of them 20 times. It needs a quiet machine: other programs are causes, too. It also needs tracefs
in /sys/kernel/tracing. A time at which the planted cause did not hit most of the slow messages, as its own notes
show, is planted again.
"""

import bisect
import collections
import contextlib
import functools
import os
import re
import signal
import sys

import attach
import harness
import patience
import tap

PLANTED = int(os.environ.get("IPCTRACE_PLANTED", "1"))
NEAR = 0.1  # of the difference
DISTURBED_MAX = 5 + PLANTED
COUNT = 1500
AFTER_NS = 40_000_000
BANDWIDTH = "/sys/fs/cgroup/cpu"


def overlap(spans, begin_ns, end_ns):
    """For how long any of the sorted spans, which do not overlap one another, covers this time."""
    at = max(0, bisect.bisect_right(spans, (begin_ns, 0)) - 1)
    total = 0
    for begin, end in spans[at:]:
        if begin >= end_ns:
            break
        total += max(0, min(end, end_ns) - max(begin, begin_ns))
    return total


def merged(spans):
    """Sorted, without overlaps."""
    result = []
    for begin, end in sorted(spans):
        if result and begin <= result[-1][1]:
            result[-1] = (result[-1][0], max(end, result[-1][1]))
        else:
            result.append((begin, end))
    return result


def check_sums(case, explanation):
    """Components add up to the difference, and culprits to their component, but for 1 ns of rounding each."""
    rows = explanation["rows"]
    whole = [row for row in rows if row["culprit"] is None and not row.get("depth")]
    case.assertAlmostEqual(sum(row["ns"] for row in whole), explanation["difference_ns"], delta=len(rows) + 1)
    case.assertAlmostEqual(explanation["slow"]["mean_ns"] - explanation["base"]["mean_ns"],
                           explanation["difference_ns"], delta=1)


class KernelWorkers:
    """Keeps the kernel's unbound workers on one CPU, and learns from ftrace when workers run there."""

    MASK = "/sys/devices/virtual/workqueue/cpumask"
    TRACE = "/sys/kernel/tracing/instances"
    EVENTS = ("sched/sched_switch", "sched/sched_waking")
    WAKING = re.compile(r" (\d+)\.(\d{6}): sched_waking: comm=kworker/\S+ pid=(\d+)")
    SWITCH = re.compile(r"\[(\d+)\].* (\d+)\.(\d{6}): sched_switch: prev_comm=(\S+) prev_pid=(\d+)"
                        r".*next_comm=(\S+)")

    def __init__(self, cpu):
        self.cpu = cpu
        self.trace = os.path.join(self.TRACE, f"ipctrace-planted-{os.getpid()}")

    def set(self, name, text):
        with open(os.path.join(self.trace, name), "w", encoding="ascii") as file:
            file.write(text)

    def __enter__(self):
        with open(self.MASK, encoding="ascii") as file:
            self.mask = file.read()
        os.mkdir(self.trace)
        self.set("trace_clock", "mono")
        for event in self.EVENTS:
            self.set(f"events/{event}/enable", "1")
        self.set(self.MASK, f"{1 << self.cpu:x}")
        return self

    def __exit__(self, *why):
        self.set(self.MASK, self.mask)
        for event in self.EVENTS:
            self.set(f"events/{event}/enable", "0")
        with open(os.path.join(self.trace, "trace"), encoding="ascii") as file:
            self.lines = file.readlines()
        os.rmdir(self.trace)

    def spans(self):
        """(begin, end) in which a worker had the CPU, in nanoseconds of CLOCK_MONOTONIC."""
        def ns(seconds, microseconds):
            return (int(seconds) * 1_000_000 + int(microseconds)) * 1000

        result, begin_ns, woken_ns = [], None, {}
        for line in self.lines:
            if waking := self.WAKING.search(line):
                woken_ns[waking[3]] = ns(waking[1], waking[2])
            switch = self.SWITCH.search(line)
            if not switch or int(switch[1]) != self.cpu:
                continue
            at_ns = ns(switch[2], switch[3])
            if switch[4].startswith("kworker/"):
                # ftrace does not show switches from the idle task: the worker ran as soon as it was woken.
                begin_ns = begin_ns or woken_ns.get(switch[5], at_ns)
                result.append((begin_ns, at_ns))
            begin_ns = at_ns if switch[6].startswith("kworker/") else None
        return merged(result)


def planted(test):
    """Plants a cause so often as is asked for. Each time must find it, unless other causes were at work."""
    @functools.wraps(test)
    def often(self):
        found = disturbed = 0
        while found < PLANTED:
            try:
                test(self)
                found += 1
            except patience.NotNear as why:
                disturbed += 1
                tap.comment(f"planted again: {why}")
                if disturbed > DISTURBED_MAX:
                    raise
            self.doCleanups()
            self.remove_all_but(())
            self.setUp()
        tap.comment(f"found {found} of {PLANTED}, and {disturbed} were disturbed: {test.__doc__}")

    often.is_patient = True
    return often


class Planted(attach.AttachCase):
    """Each test makes messages slow for one cause."""

    def explained(self, cause, *options, count=COUNT, setting=contextlib.nullcontext):
        """(explanation of the slow messages, messages, spans in which the cause was at work)"""
        noted = self.file("noted")
        slowed = self.spawn([self.program("slowed"), cause, attach.SERVER_CPU, attach.CALLER_CPU, count, noted])
        pid = int(slowed.stdout.readline().split()[1])
        with setting(pid), self.attached("--level", "deep", "-p", pid, stop=False) as traced:
            os.kill(pid, signal.SIGUSR1)
            self.join(slowed)
        with open(noted, encoding="ascii") as file:
            spans = merged(tuple(map(int, line.split())) for line in file)
        self.last_recording = traced.recording
        return self.explain(traced.recording, *options), traced.messages, spans

    def explain(self, recording, *options):
        result = harness.ipctrace("explain", recording, "-f", "json", *options)
        self.check_quiet(result)
        explanation = result.json()
        check_sums(self, explanation)
        text = harness.ipctrace("explain", recording, *options)
        self.check_quiet(text)
        tap.comment("\n".join(text.out.splitlines()[:3]))
        return explanation

    @staticmethod
    def first_culprit(explanation, component=None):
        """The first row with a culprit, of that component if there is one."""
        return next(row for row in explanation["rows"] if row["culprit"] and component in (None, row["component"]))

    def check_first(self, explanation, components, **culprit):
        """The first row is of one of these components, and its first culprit is this one. Returns it."""
        self.assertIn(explanation["rows"][0]["component"], components, explanation["rows"][:4])
        row = self.first_culprit(explanation)
        self.assertEqual({key: row["culprit"][key] for key in culprit}, culprit, explanation["rows"][:4])
        return row

    def check_share(self, explanation, row_ns, truth_ns):
        """The rows have as much of the difference as the truth says, within 10 % of it."""
        share, truth = (ns / explanation["difference_ns"] for ns in (row_ns, truth_ns))
        self.assertLess(abs(share - truth), NEAR, f"{share:.2f} of the difference, in truth {truth:.2f}")

    def true_excess(self, messages, spans, count):
        """How much longer the cause was at work in the slowest `count` messages than in the middle half."""
        ranked = sorted(messages, key=lambda m: m["latency_ns"])
        slow, middle = ranked[-count:], ranked[len(ranked) // 4:-(len(ranked) // 4)]
        means = [sum(overlap(spans, m["queued_ns"], m["recv_ns"]) for m in some) / len(some)
                 for some in (slow, middle)]
        return means[0] - means[1]

    def hits(self, messages, spans, at_least_ns=1):
        """How many messages the cause hit for so long."""
        hits = sum(overlap(spans, m["queued_ns"], m["recv_ns"]) >= at_least_ns for m in messages)
        patience.demand(hits, 3, "messages that the cause has hit")
        return hits

    def demand_hits(self, messages, spans, count):
        """Of the slowest messages, most were sent while the cause was at work, or the machine is too noisy."""
        slowest = sorted(messages, key=lambda m: -m["latency_ns"])[:count]
        right = sum(overlap(spans, m["send_ns"], m["recv_ns"]) > 0 for m in slowest)
        patience.demand(right, count / 2, f"of the slowest {count} messages, those that the cause has hit")

    def check_most(self, explanation, **culprit):
        """Over all components, this culprit has most of the difference."""
        totals = collections.Counter()
        for row in explanation["rows"]:
            if row["culprit"]:
                totals[row["culprit"]["class"], row["culprit"]["comm"]] += row["ns"]
        first = dict(zip(("class", "comm"), totals.most_common(1)[0][0]))
        self.assertEqual({key: first[key] for key in culprit}, culprit, totals.most_common(4))

    def check_runner(self, cause, components, *names, at_least_ns=100_000, count=COUNT,
                     setting=contextlib.nullcontext, **culprit):
        """
        The cause takes the CPU, the lock or the time of the receiver: the first row names it. With
        `names` the first culprits have these names, and share its time.
        """
        explained, messages, spans = self.explained(cause, count=count, setting=setting)
        count = self.hits(messages, spans, at_least_ns)
        explained = self.explain(self.last_recording, "--slowest", count)
        truth_ns = self.true_excess(messages, spans, count)
        patience.demand(truth_ns / explained["difference_ns"], 0.6, "share of the planted cause")
        first = self.check_first(explained, components, **culprit)
        rows = [first]
        if names:
            culprits = [row for row in explained["rows"] if row["culprit"]]
            rows = culprits[:len(names)]
            self.assertEqual({row["culprit"]["comm"] for row in rows}, set(names))
        self.check_share(explained, sum(row["ns"] for row in rows), truth_ns)

    @planted
    def test_spinner(self):
        """a thread of SCHED_RR has the receiver's CPU for 300 us of every 100 ms"""
        self.check_runner("spinner", ["runqueue"], count=2 * COUNT, comm="rt-spinner", **{"class": "task"})

    @planted
    def test_hogs(self):
        """two threads take turns on the receiver's CPU"""
        self.check_runner("hogs", ["runqueue"], "hog-a", "hog-b", at_least_ns=200_000)

    @planted
    def test_busy(self):
        """the receiver has work for another process"""
        self.check_runner("busy", ["busy"], comm="elsewhere")

    @planted
    def test_lock(self):
        """the receiver waits for a lock that another thread holds"""
        self.check_runner("lock", ["blocked"], comm="lock-holder")

    @planted
    def test_stop(self):
        """a signal stops the receiver"""
        self.check_runner("stop", ["blocked", "stopped"], comm="stopper")

    @planted
    def test_flood(self):
        """a softirq handles a flood of datagrams on the receiver's CPU"""
        explained, messages, spans = self.explained("flood")
        # What the softirq has not handled yet keeps it busy after the flood.
        spans = merged((begin, end + AFTER_NS) for begin, end in spans)
        count = len(spans)
        self.demand_hits(messages, spans, count)
        explained = self.explain(self.last_recording, "--slowest", count)
        self.check_most(explained, comm="net_rx", **{"class": "softirq"})

    @planted
    def test_handler(self):
        """the server takes 2 ms for the requests of one of its two clients"""
        explained, messages, spans = self.explained("handler", count=COUNT // 2)
        explained = self.explain(self.last_recording, "--slowest", len(spans))
        self.assertEqual(explained["unit"], "call")
        self.assertEqual((explained["rows"][0]["part"], explained["rows"][0]["component"]),
                         ("service", "on_cpu"), explained["rows"][:4])
        names = {attribute["name"]: attribute["value"] for attribute in explained["attributes"][:1]}
        self.assertIn("client-b", names.get("client", ""), explained["attributes"][:4])
        self.check_share(explained, explained["rows"][0]["ns"],
                         sum(end - begin for begin, end in spans) / len(spans))

    @planted
    def test_last_client(self):
        """a client is the last one in the server's loop"""
        path = self.file("run.ipct")
        run = self.measure("--clients", 5, "--messages", 300, "--cpus", f"server={attach.CALLER_CPU},clients="
                           f"{attach.SERVER_CPU}", record=path)
        explained = self.explain(path, "--unit", "message", "--slowest", "20%")
        last = max(range(1, 6), key=lambda client: sum(
            m["latency_ns"] for m in run.messages if m["client"] == client))
        first = explained["attributes"][0]
        self.assertIn((first["name"], first["value"]), [("client", str(last)), ("place", "5")],
                      explained["attributes"][:4])

    @planted
    def test_idle(self):
        """the receiver's CPU is idle now and then"""
        explained, messages, spans = self.explained("idle", count=2 * COUNT)
        count = self.hits(messages, spans)
        self.demand_hits(messages, spans, count)
        explained = self.explain(self.last_recording, "--slowest", count)
        self.check_most(explained, **{"class": "idle"})

    @planted
    def test_throttled(self):
        """bandwidth control holds the group of the receiver back"""
        group = os.path.join(BANDWIDTH, f"ipctrace-planted-{os.getpid()}")
        os.mkdir(group)
        self.addCleanup(os.rmdir, group)
        explained, messages, _ = self.explained("burner", setting=lambda pid, at=group: self.limited(at, pid))
        explained = self.explain(self.last_recording, "--slowest", "2%")
        first = self.check_first(explained, ["runqueue"], **{"class": "throttled"})
        self.assertEqual(first["culprit"]["comm"], os.path.basename(group)[:15])
        ranked = sorted(messages, key=lambda m: -m["latency_ns"])[:explained["slow"]["count"]]
        truth = sum(b["ns"] for m in ranked for b in m["blame"] if b["class"] == "throttled")
        self.check_share(explained, first["ns"], truth / len(ranked))
        self.assertGreater(first["share"], 1 - NEAR)

    @planted
    def test_kworker(self):
        """a worker of the kernel frees memory on the receiver's CPU"""
        with KernelWorkers(attach.SERVER_CPU) as workers:
            explained, messages, _ = self.explained("kworker")
        spans = workers.spans()
        count = self.hits(messages, spans, 200_000)
        explained = self.explain(self.last_recording, "--slowest", count)
        truth_ns = self.true_excess(messages, spans, count)
        patience.demand(truth_ns / explained["difference_ns"], 0.6, "share of the planted cause")
        first = self.check_first(explained, ["runqueue"], **{"class": "kthread"})
        self.assertEqual(first["culprit"]["comm"], "kworker")
        self.check_share(explained, sum(row["ns"] for row in explained["rows"] if row["culprit"] and
                                        row["culprit"]["comm"] == "kworker"), truth_ns)

    @contextlib.contextmanager
    def limited(self, group, pid):
        """The process and its children have nine tenths of a CPU, and are out of it at the end."""
        for name, text in (("cpu.cfs_period_us", 100_000), ("cpu.cfs_quota_us", 90_000)):
            with open(os.path.join(group, name), "w", encoding="ascii") as file:
                file.write(str(text))
        with open(f"/proc/{pid}/task/{pid}/children", encoding="ascii") as file:
            children = file.read().split()
        for member in [pid, *filter(self.is_burner, children)]:
            with open(os.path.join(group, "cgroup.procs"), "w", encoding="ascii") as file:
                file.write(str(member))
        yield
        harness.wait_until(lambda: not os.path.exists(f"/proc/{pid}"))

    @staticmethod
    def is_burner(pid):
        with open(f"/proc/{pid}/comm", encoding="ascii") as file:
            return file.read() == "burner\n"


if __name__ == "__main__":
    sys.exit(tap.main())
