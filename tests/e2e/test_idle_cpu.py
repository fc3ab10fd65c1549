# SPDX-License-Identifier: BSD-2-Clause
"""--level deep: a thread waits for a CPU while another one idles, which it may not use; and while none idles."""

import os
import subprocess
import sys

import attach
import harness
import patience
import tap
import test_level_deep
import test_reserve

# A real-time thread has the CPU for 5 ms of 10.
BURSTS = """
import ctypes, os, sys, time
ctypes.CDLL(None).prctl(15, b"bursts", 0, 0, 0)
os.sched_setaffinity(0, {int(sys.argv[1])})
os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(10))
while True:
    until = time.thread_time() + 0.005
    while time.thread_time() < until: pass
    time.sleep(0.005)
"""
OTHER_CPU = str(min(os.sched_getaffinity(0) - {int(attach.SERVER_CPU)}))
IDLES = 0.7  # of the time: then it surely idled in many of the waits


def idle_s(cpu):
    """For how long the kernel says that the CPU has been idle."""
    with open("/proc/stat", encoding="ascii") as lines:
        words = next(line.split() for line in lines if line.startswith(f"cpu{cpu} "))
    return int(words[4]) / os.sysconf("SC_CLK_TCK")


class IdleCpu(test_level_deep.Deep):
    """A receiver that may use one CPU waits there behind a real-time thread."""

    def rows(self, *beside):
        """(rows of its waits for the CPU, share of the time in which the other CPU was idle)."""
        receiver, sender = self.pair(count=250, pause_s=0.004, cpu=attach.SERVER_CPU)
        os.sched_setaffinity(sender.pid, {int(OTHER_CPU)})
        for text, cpu in beside:
            self.spawn([sys.executable, "-c", text, cpu], stdout=subprocess.DEVNULL)
        with self.attached("--level", "deep", "-p", receiver.pid) as attachment:
            began = os.times().elapsed, idle_s(OTHER_CPU)
            self.go(sender)
            self.join(sender)
            passed_s = os.times().elapsed - began[0]
            idle = (idle_s(OTHER_CPU) - began[1]) / passed_s
        result = harness.ipctrace("explain", attachment.recording, "-f", "json", "--unit", "message",
                                  "--slowest", "20%")
        self.check_quiet(result)
        rows = result.json()["rows"]
        waits = [row for row in rows if row["component"] == "runqueue" and row["culprit"]
                 and row["culprit"]["comm"] == "bursts"]
        patience.demand(sum(row["slow_messages"] for row in waits), 10, f"messages that waited: {rows[:6]}")
        return waits, idle

    def test_forbidden(self):
        """the waits have the other CPU, which idled, as far as the kernel's own count says so"""
        waits, idle = self.rows((BURSTS, attach.SERVER_CPU))
        named = [row for row in waits if row["reason"] == "idle_cpu_forbidden"]
        for row in named:
            self.assertIn(row["idle_cpu"], (int(OTHER_CPU), None))
        self.assertEqual([row for row in waits if row["reason"] not in (None, "idle_cpu_forbidden")], [])
        if idle >= IDLES:
            patience.demand(sum(row["slow_ns"] for row in named), 0.5 * sum(row["slow_ns"] for row in waits),
                            f"time of waits while CPU {OTHER_CPU} idled, which it did for {idle:.0%}")

    def test_busy(self):
        """the other CPU is busy all the time: no wait has a reason"""
        waits, _ = self.rows((BURSTS, attach.SERVER_CPU), (test_reserve.SPINS, OTHER_CPU))
        self.assertEqual([row for row in waits if row["reason"]], [])


if __name__ == "__main__":
    tap.main()
