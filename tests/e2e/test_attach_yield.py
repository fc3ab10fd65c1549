# SPDX-License-Identifier: BSD-2-Clause
"""The reader of records takes no CPU from others, unless records would be lost; then the report says so."""

import glob
import os
import sys
import time

import attach
import harness
import patience
import tap

CONTROLLER = "/sys/fs/cgroup/cpu/tasks"  # of cgroup v1
GROUPS = ("/sys/fs/cgroup/cpu/ipctrace-*", "/sys/fs/cgroup/ipctrace-*")
BUSY = "while True: pass"


WEIGHTS = {"cpu.idle": "1\n", "cpu.weight": "1\n", "cpu.shares": "2\n"}  # the first that a kernel has


def own_groups(pid):
    return {path for pattern in GROUPS for path in glob.glob(pattern.replace("*", str(pid)))}


def has_least_weight(group):
    name = next(name for name in WEIGHTS if os.path.exists(f"{group}/{name}"))
    with open(f"{group}/{name}", encoding="ascii") as weight:
        return weight.read() == WEIGHTS[name]


class Yield(attach.AttachCase):
    """A reader and a writer of datagrams; ipctrace is attached to the reader."""

    def exchange(self, *arguments, count=200, period_ns=100_000, during=lambda _: None):
        address, _ = self.address("uds")
        self.begin_logs()
        reader = self.start("reader", address)
        with self.attached("-p", reader.pid, *arguments) as attachment:
            writer = self.start("writer", "-n", count, "-p", period_ns, address)
            during(attachment.process.pid)
            self.join(writer, 120)
            self.settle(reader)
        self.end(reader)
        self.check_whole(attachment, count)
        return attachment.summary

    def test_idle(self):
        """by default it is SCHED_IDLE, in a group of the least weight of its own, which is gone afterwards"""
        def check(pid):
            def yields():
                groups = own_groups(pid)
                return os.sched_getscheduler(pid) == os.SCHED_IDLE and \
                    len(groups) == os.path.exists(CONTROLLER) and all(map(has_least_weight, groups))

            harness.wait_until(yields)  # it may hurry now and then
            pids.append(pid)

        pids = []
        observer = self.exchange(during=check)["observer"]
        self.assertEqual(own_groups(pids[-1]), set())
        self.assertEqual(observer["reader_policy"], "idle")
        self.assertGreater(observer["start_ns"], 0)

    def test_chosen(self):
        """--reader-policy other leaves its priority alone, a list of CPUs pins it"""
        def is_ordinary(pid):
            self.assertEqual(os.sched_getscheduler(pid), os.SCHED_OTHER)
            self.assertEqual(own_groups(pid), set())

        def is_pinned(pid):
            is_ordinary(pid)
            self.assertEqual(os.sched_getaffinity(pid), {attach.SERVER_CPU})

        for policy, word, check in (("other", "other", is_ordinary),
                                    (attach.SERVER_CPU, "cpus", is_pinned)):
            with self.subTest(policy):
                observer = self.exchange("--reader-policy", policy, during=check)["observer"]
                self.assertEqual((observer["reader_policy"], observer["reader_hurried_ns"]), (word, 0))

    def test_killed(self):
        """the group that a killed ipctrace has left is removed by the next one"""
        address, _ = self.address("uds")
        reader = self.start("reader", address)
        killed = attach.Attachment(self, ("-p", reader.pid))
        killed.wait_until_tracing()
        left = own_groups(killed.process.pid)
        killed.process.kill()
        killed.finish()
        if own_groups(killed.process.pid) != left:
            raise patience.NotNear("another ipctrace has removed the group already")
        with self.attached("-p", reader.pid):
            self.assertEqual(own_groups(killed.process.pid), set())
        self.end(reader)

    def test_hurries(self):
        """with two busy threads for each CPU no record is lost, as the reader hurries, and says for how long"""
        for cpu in attach.CPUS * 2:
            self.spawn([sys.executable, "-c", BUSY], cpu=cpu)
        count = 100_000
        summary = self.exchange(count=count, period_ns=20_000)
        self.assertGreater(summary["observer"]["reader_hurried_ns"], 0)
        self.assertEqual((summary["integrity"]["lost"], summary["integrity"]["matched"]), (0, count))

    def sleep_on(self, cpu):
        """A process that has used no other CPU since it was named so."""
        def is_there():
            with open(f"/proc/{target.pid}/stat", encoding="ascii") as stat:
                fields = stat.read().split()
            return fields[1:3] == ["(sleep)", "S"] and int(fields[38]) == cpu

        target = self.spawn(["sleep", "1000"], cpu=cpu)
        harness.wait_until(is_there)
        return target

    def cpus_while_it_starts(self, pid):
        """The CPUs that its reader may use, one set after the other, and what it says."""
        attachment = attach.Attachment(self, ("-p", pid))
        cpus = [os.sched_getaffinity(attachment.process.pid)]
        end = time.monotonic() + 30 * harness.PATIENCE
        while not any("tracing '" in line for line in attachment.err):
            now = os.sched_getaffinity(attachment.process.pid)
            if now != cpus[-1]:
                cpus.append(now)
            if attachment.lines.empty():
                self.assertLess(time.monotonic(), end, attachment.err)
                time.sleep(0.001)
            else:
                self.assertIsNotNone(attachment.next_line(), attachment.err)
        said = "".join(attachment.err)
        attachment.stop()
        self.assertEqual(attachment.status, 0, attachment.err)
        return cpus, said

    def test_keeps_off(self):
        """it starts on a CPU that the target does not use, unless it would have to wait there"""
        target = self.sleep_on(attach.SERVER_CPU)
        every, others = set(attach.CPUS), set(attach.CPUS) - {attach.SERVER_CPU}
        expected = [every, others, every] if others else [every]
        for busy_cpus in ((), others):
            for cpu in busy_cpus:
                busy = self.spawn([sys.executable, "-c", BUSY], cpu=cpu)
                harness.wait_until(lambda pid=busy.pid: attach.cpu_ns_of(pid) > 100_000_000)
            cpus, said = self.cpus_while_it_starts(target.pid)
            patience.demand(len(cpus), len(expected), "sets of CPUs, seen while it started")
            self.assertEqual(cpus, expected)
        patience.demand("until it had to wait" in said, bool(others), "starts that had to wait")

    def test_workload(self):
        """the processes of a run have the priorities that they are given"""
        def policies():
            return [os.sched_getscheduler(child) for child in harness.children_of(process.pid)]

        for policy, number in (("other", os.SCHED_OTHER), ("rr", os.SCHED_RR)):
            with self.subTest(policy):
                process = harness.start("--policy", policy, "--pattern", "push", "--clients", 5,
                                        "--messages", 300)
                harness.wait_for_rounds(process, 5)
                self.assertEqual(set(policies()), {number})
                self.assertEqual({os.getpriority(os.PRIO_PROCESS, child)
                                  for child in harness.children_of(process.pid)}, {0})
                self.assertEqual(harness.finish(process).status, 0)

    def test_own_class(self):
        """what waits for ipctrace itself is blamed on a class of its own"""
        def count_own():
            blame = [blame for blame in summary["blame"] if blame["class"] == "ipctrace"]
            self.assertEqual({b["comm"] for b in blame} | {"ipctrace"}, {"ipctrace"})
            return sum(b["messages"] for b in blame)

        summary = self.measure("--policy", "other", "--cpus", "one", "--reader-policy",
                               attach.SERVER_CPU, "--pattern", "flood", "--messages", 80_000).summary
        patience.demand(count_own(), 1, "messages behind ipctrace")
        self.assertGreater(summary["observer"]["runqueue_share"], 0)


if __name__ == "__main__":
    tap.main()
