# SPDX-License-Identifier: BSD-2-Clause
"""
--level deep: what wakes threads and interrupts them, when a CPU leaves idle, and whose quota holds a thread
back. Each test plants one cause, and looks for its records.
"""

import bisect
import collections
import os
import resource
import signal
import socket
import subprocess
import sys
import time

import attach
import harness
import patience
import tap
from replay import records

WAKE, SWITCH, RUN, RESUME, THROTTLE, SLEEP_IN = 3, 5, 6, 7, 8, 11  # enum change_kind
TASK, IRQ = 0, 1  # enum slice_kind
IN_IRQ, IN_SOFTIRQ, UNSURE, OWN_SOFTIRQ, IS_SHOWN = 1, 2, 4, 8, 64  # enum waker_flag
STOPPED = (1 << records.CHANGE_CPU_BITS) - 2  # CALL_STOPPED
IRQ_OF_CPU = 1 << 22
NET_RX = 3
CALLS = {"x86_64": {"futex": 202, "nanosleep": 230}, "aarch64": {"futex": 98, "nanosleep": 115}}
NUMBERS = CALLS[os.uname().machine]

BEGIN = """
import os, signal, socket, sys, threading, time
end = socket.socket(fileno=int(sys.argv[1]))
print("ready", flush=True)
"""
RECEIVES = BEGIN + """
while end.recv(100):
    WORK
"""
SENDS = BEGIN + """
sys.stdin.readline()
for _ in range(int(sys.argv[2])):
    end.send(b"m")
    time.sleep(float(sys.argv[3]))
"""

# One message for each line.
SENDS_EACH = BEGIN + """
while sys.stdin.readline():
    end.send(b"m")
    print("sent", flush=True)
"""

# Another thread of the receiver holds a lock now and then, and tells its number.
LOCKS = BEGIN.replace("print", """
lock = threading.Lock()

def hold():
    while True:
        with lock:
            time.sleep(0.003)
        time.sleep(0.001)

holder = threading.Thread(target=hold, daemon=True)
holder.start()
print(holder.native_id, file=sys.stderr, flush=True)
print""") + """
while end.recv(100):
    with lock:
        pass
"""


def cpu_groups():
    """(folder of the hierarchy of the cpu controller, whether it is cgroup v2)."""
    with open("/proc/self/mountinfo", encoding="utf-8") as mounts:
        for line in mounts:
            words, kind = line.split(), line.split(" - ")[1].split()
            if kind[0] == "cgroup" and "cpu" in kind[2].split(","):
                return words[4], False
            if kind[0] == "cgroup2":
                with open(f"{words[4]}/cgroup.subtree_control", encoding="ascii") as control:
                    if "cpu" in control.read().split():
                        return words[4], True
    raise AssertionError("this machine has no control groups for CPUs")


class Deep(attach.AttachCase):
    """A receiver of datagrams is traced, and what it does is in the recording."""

    level = "deep"

    def check_attachment(self, attachment):
        if self.level != "light":  # which lacks what is checked
            super().check_attachment(attachment)

    def script(self, text, *arguments, fd, **how):
        return self.ready(self.spawn([sys.executable, "-c", text, fd, *arguments], pass_fds=[fd],
                                     stdin=subprocess.PIPE, **how))

    def pair(self, work="pass", receives=RECEIVES, sends=SENDS, count=100, pause_s=0.002, **how):
        """(receiver, sender), which waits for a line."""
        left, right = self.keep(*(end.detach() for end in socket.socketpair(
            type=socket.SOCK_DGRAM)))
        receiver = self.script(receives.replace("WORK", work), fd=left, **how)
        return receiver, self.script(sends, count, pause_s, fd=right)

    def record(self, receiver, *senders, steps=None):
        """The recording, its summary and its time lines while the senders send."""
        with self.attached("--level", self.level, "-p", receiver.pid) as attachment:
            self.go(*senders)
            if steps:
                steps()
            for sender in senders:
                self.join(sender)
        self.run, = records.read(attachment.recording)
        self.summary = attachment.summary
        self.lines = records.timelines(self.run)
        self.names = {(name["kind"], name["tid"]): name["comm"] for name in self.run.of("name")}
        self.shown = [waker for waker in self.run.of("waker") if waker.flags & IS_SHOWN]
        for waker in self.run.of("waker"):
            waker.flags &= ~IS_SHOWN
        self.wakers = {(waker["woken"], waker["wake_ns"]): waker for waker in self.run.of("waker")}

    def sleeps(self, tid, call):
        """The instants at which sleeps in this call ended."""
        line = self.lines[tid]
        return [after.at for before, after in zip(line, line[1:])
                if (before.kind, before.cpu) == (SLEEP_IN, call) and after.kind == WAKE]

    def wakers_of(self, tid, call):
        """How often each waker, as (tid, flags, number), ended a sleep of the thread in the call."""
        found = collections.Counter()
        for at in self.sleeps(tid, call):
            waker = self.wakers.get((tid, at))
            if not waker:
                raise patience.NotNear("a wakeup was skipped by the kernel, as another tracer attached")
            found[waker["tid"], waker.flags, waker["number"]] += 1
        return found


class Wakers(Deep):
    """What ended each sleep."""

    def test_thread(self):
        """a lock that another thread holds: that thread"""
        receiver, sender = self.pair(receives=LOCKS)
        holder = int(receiver.stderr.readline())
        self.record(receiver, sender)
        found = self.wakers_of(receiver.pid, NUMBERS["futex"])
        by_holder = sum(n for (tid, flags, _), n in found.items() if (tid, flags) == (holder, 0))
        patience.demand(by_holder, 20, f"wakeups by thread {holder} of {found}")
        others = {key: n for key, n in found.items()
                  if key[0] not in (holder, receiver.pid) and not key[1] & (IN_IRQ | UNSURE)}
        self.assertEqual(others, {}, "no other thread has the lock")
        self.assertIn((TASK, holder), self.names)

    def test_shown(self):
        """a thread that wakes another one shows all that it did until then"""
        receiver, sender = self.pair(receives=LOCKS)
        holder = int(receiver.stderr.readline())
        self.record(receiver, sender)
        shown = [waker for waker in self.shown if waker["tid"] == holder]
        patience.demand(len(shown), 20, f"wakeups by thread {holder}")
        for waker in shown:
            before = [change for change in self.lines[holder] if change.at <= waker["at_ns"]]
            self.assertIn(before[-1].kind, (SWITCH, RUN, RESUME), "a thread that wakes another one runs")
            self.assertEqual([change.index for change in before], list(range(len(before))))
            # Each time it slept with the lock before.
            self.assertLess(waker["at_ns"] - before[-1].at, 1_000_000_000)

    def test_every_sleep(self):
        """every sleep that ends while tracing is on has its waker"""
        receiver, sender = self.pair()
        self.record(receiver, sender)
        wakes = {(tid, change.at) for tid, line in self.lines.items() for change in line
                 if change.kind in (WAKE, THROTTLE)}
        # The kernel skips programs for some milliseconds while another tracer attaches.
        patience.demand(len(wakes & set(self.wakers)), len(wakes), "sleeps with their waker")
        for waker in self.run.of("waker"):
            self.assertLessEqual(waker["at_ns"], waker["wake_ns"])
        senders = {waker["tid"] for waker in self.wakers.values()
                   if waker["woken"] == receiver.pid and not waker.flags}
        self.assertIn(sender.pid, senders)

    def test_timer(self):
        """a pause: an interrupt, whatever ran there"""
        receiver, sender = self.pair(work="time.sleep(0.001)")
        self.record(receiver, sender)
        found = self.wakers_of(receiver.pid, NUMBERS["nanosleep"])
        patience.demand(sum(found.values()), 80, f"pauses: {found}")
        self.assertTrue(all(flags & (IN_IRQ | IN_SOFTIRQ | UNSURE) for _, flags, _ in found), found)
        timers = sum(n for (_, flags, number), n in found.items()
                     if flags & IN_IRQ and "timer" in self.names.get((IRQ, number), ""))
        # While another tracer attaches, it may be unseen which interrupt begins.
        patience.demand(timers, 0.9 * sum(found.values()), f"timers: {found} {self.names}")

    def test_own_softirq(self):
        """a datagram over the loopback device: the sender, whose send executes the softirq"""
        receiver_end = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        sender_end = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        receiver_end.bind(("127.0.0.1", 0))
        sender_end.connect(receiver_end.getsockname())
        left, right = self.keep(receiver_end.detach(), sender_end.detach())
        receiver = self.script(RECEIVES.replace("WORK", "pass"), fd=left)
        sender = self.script(SENDS, 100, 0.002, fd=right)
        self.record(receiver, sender)
        own = [waker for waker in self.run.of("waker") if waker["woken"] == receiver.pid
               and (waker["tid"], waker.flags, waker["number"]) == (sender.pid, OWN_SOFTIRQ, NET_RX)]
        patience.demand(len(own), 80, f"wakeups by the softirq of {sender.pid}")
        inside = [slice for slice in self.run.of("slice") if slice["kind"] == 2 and slice.flags]
        patience.demand(len(inside), 80, "softirqs in the sends of a traced thread")


class Interrupts(Deep):
    """Interrupts of a running thread."""

    def test_running(self):
        """a thread that computes for 50 ms, without another one that waits, has its timer's interrupts"""
        receiver, sender = self.pair(
            work="until = time.monotonic() + 0.05\n    while time.monotonic() < until: pass",
            count=30, pause_s=0.06, cpu=attach.SERVER_CPU, priority=1)
        self.record(receiver, sender)
        cpu = attach.SERVER_CPU
        slices = sorted((s for s in self.run.of("slice") if s["cpu"] == cpu), key=lambda s: s["seq"])
        numbers = [s["seq"] for s in slices]
        self.assertEqual(numbers, list(range(len(numbers))), "no number is missing")
        stretches, ends = self.stretches(receiver.pid), [s["end_ns"] for s in slices]
        long = [(begin, end) for begin, end in stretches if end - begin > 20_000_000]
        patience.demand(len(long), 5, "long stretches")
        for begin, end in long:
            inside = slices[bisect.bisect_left(ends, begin):bisect.bisect_right(ends, end)]
            timers = [s for s in inside if s["kind"] == IRQ
                      and "timer" in self.names.get((IRQ, s["tid"]), "")]
            # At least 100 a second, on any kernel that has not only this one thread to run.
            self.assertGreaterEqual(len(timers), (end - begin) // 10_000_000 - 1, (begin, end))

    def stretches(self, tid):
        """The times from each switch to a thread until it left."""
        begin, found = None, []
        for change in self.lines[tid]:
            if change.kind == SWITCH:
                begin = change.at
            elif change.kind != RUN and begin is not None:
                found.append((begin, change.at))
                begin = None
        return found


class Stopped(Deep):
    """A thread that is stopped, at each level."""

    PAUSE_S = 0.02

    def check_stopped(self):
        def stop_and_go():
            for _ in range(10):
                receiver.send_signal(signal.SIGSTOP)
                harness.wait_until(lambda: harness.is_stopped(receiver), pause_s=0.001)
                self.go(sender)
                self.assertEqual(sender.stdout.readline(), "sent\n")
                time.sleep(self.PAUSE_S)
                receiver.send_signal(signal.SIGCONT)
                time.sleep(0.005)

        receiver, sender = self.pair(sends=SENDS_EACH)
        self.record(receiver, steps=stop_and_go)
        call, = [entry for entry in self.summary["blocked_on"] if entry["call"] == "stopped"]
        patience.demand(call["messages"], 9, "messages that came to a stopped thread")
        self.assertGreaterEqual(call["ns"], 0.9 * 9 * self.PAUSE_S * 1e9)
        stops = [c for c in self.lines[receiver.pid] if (c.kind, c.cpu) == (SLEEP_IN, STOPPED)]
        self.assertGreaterEqual(len(stops), 9)

    def test_levels(self):
        """SIGSTOP: its name in blocked_on, and a number of its own in the records"""
        for level in ("deep", "full", "light"):
            with self.subTest(level):
                self.level = level
                self.check_stopped()


class Idle(Deep):
    """A CPU that is idle when a thread is woken there."""

    def test_exits(self):
        """the CPU leaves idle between the start of the wakeup and the switch to the thread"""
        receiver, sender = self.pair(pause_s=0.005)
        self.record(receiver, sender)
        switches = {(change.cpu, change.at) for change in self.lines[receiver.pid]
                    if change.kind == SWITCH}
        exits = [exit for exit in self.run.of("idle") if exit["tid"] == receiver.pid]
        for exit in exits:
            self.assertLess(exit["idle_ns"], exit["left_ns"])
            self.assertLessEqual(exit["left_ns"], exit["switch_ns"])
            self.assertIn((exit["cpu"], exit["switch_ns"]), switches)
        # None, on a busy machine. The idle thread may notice a wakeup before the CPU goes idle.
        waited = {(s["cpu"], s["end_ns"]) for s in self.run.of("slice")
                  if (s["kind"], s["tid"]) == (TASK, 0)} & switches
        recorded = {(exit["cpu"], exit["switch_ns"]) for exit in exits}
        patience.demand(len(waited & recorded), 0.8 * len(waited), "switches from idle")


class Group(Deep):
    """A thread whose control group has used up its CPU quota."""

    def make_group(self):
        """The folder of a group with a quota of 20 %, and of one in it."""
        folder, is_v2 = cpu_groups()
        group = f"{folder}/ipctrace-quota-{os.getpid()}"
        for path in (group, f"{group}/inner"):
            os.mkdir(path)
            self.addCleanup(os.rmdir, path)
        quota = {"cpu.max": "20000 100000"} if is_v2 else {"cpu.cfs_period_us": "100000",
                                                           "cpu.cfs_quota_us": "20000"}
        for name, text in quota.items():
            with open(f"{group}/{name}", "w", encoding="ascii") as file:
                file.write(text)
        return group

    def test_quota(self):
        """the group with the quota is named, not the one in it that the thread is in"""
        group = self.make_group()
        receiver, sender = self.pair(
            work="until = time.thread_time() + 0.01\n    while time.thread_time() < until: pass",
            count=60, pause_s=0.02)
        self.addCleanup(attach.discard, receiver)  # the group must be empty by then
        with open(f"{group}/inner/cgroup.procs", "w", encoding="ascii") as file:
            file.write(str(receiver.pid))
        self.record(receiver, sender)
        throttled = [c for c in self.lines[receiver.pid] if c.kind == THROTTLE]
        patience.demand(len(throttled), 1, "times at which the thread was throttled")
        texts = {bytes(record.raw[16:]).split(b"\0")[0].decode() for record in self.run.of("group")
                 if record["tid"] == receiver.pid}
        self.assertEqual(texts, {f"/{os.path.basename(group)}"})
        named = {blame["comm"] for blame in self.summary["blame"] if blame["class"] == "throttled"}
        self.assertEqual(named, {os.path.basename(group)[:15]})


class Loading(attach.AttachCase):
    """What it takes to load the programs, most of which is the verifier's time."""

    def load_s(self, level):
        """CPU time of an attach that sees nothing."""
        asleep = self.spawn(["sleep", "60"])
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        self.assertEqual(harness.ipctrace("attach", "-p", asleep.pid, "-d", "10ms", "--level", level).status, 0)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime

    def test_load(self):
        """level deep has more programs, but none in which the verifier gets lost"""
        deep, full = self.load_s("deep"), self.load_s("full")
        self.assertLess(deep, 4 * full + 0.5)


class Full(Deep):
    """Level full has none of it."""

    level = "full"

    def test_nothing(self):
        """no record of level deep"""
        receiver, sender = self.pair()
        self.record(receiver, sender)
        for kind in ("waker", "idle", "group", "stolen"):
            self.assertEqual(self.run.of(kind), [], kind)
        self.assertEqual({slice.flags for slice in self.run.of("slice")} - {0}, set())


if __name__ == "__main__":
    tap.main()
