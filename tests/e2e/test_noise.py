#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""scripts/maintain/beside makes the noise that it promises, for as long as its command runs."""

import os
import signal
import subprocess
import sys

import harness
import patience
import tap

BESIDE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../scripts/maintain/beside")
GAP_NS = 1_000_000
STOLEN_NS = 100_000_000  # no interrupt takes so long, but a host does
# Spins at the highest priority and prints how often its CPU was taken away for longer than GAP_NS, and the longest.
SPIN = f"""
import os, time
os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(99))
end = last = time.monotonic_ns()
end += 500_000_000
gaps = longest = 0
while last < end:
    now = time.monotonic_ns()
    gaps += now - last > {GAP_NS}
    longest = max(longest, now - last)
    last = now
print(gaps, longest)
"""


def start(*arguments):
    return subprocess.Popen([BESIDE, *arguments], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                            text=True, env=harness.environment())


class Noise(harness.TestCase):
    def test_interrupts(self):
        """interrupts keep even a thread of the highest priority from its CPU"""
        before = harness.living_bpf()
        noise = start("-l", "4000", "-s", "50", "interrupts", sys.executable, "-c", SPIN)
        out, _ = noise.communicate()
        gaps, longest_ns = map(int, out.split())
        if longest_ns > STOLEN_NS:
            raise patience.NotNear(f"another one took the CPU for {longest_ns} ns of half a second")
        self.assertGreaterEqual(gaps, 10, "thefts in half a second")
        harness.wait_until_nothing_left(before)

    def test_status(self):
        """its exit status is that of the command, beside each noise"""
        for noise in ("stress", "interrupts"):
            self.assertEqual(start(noise, "sh", "-c", "exit 7").wait(), 7, noise)
        self.assertEqual(start("cannons", "true").wait(), 2)

    def test_killed(self):
        """the noise ends with the script, even if that is killed"""
        before = harness.living_bpf()
        for noise in ("stress", "interrupts"):
            script = start(noise, "sh", "-c", "echo begun; sleep 0.5")
            self.assertEqual(script.stdout.readline(), "begun\n")
            os.kill(script.pid, signal.SIGKILL)
            script.wait()
            harness.wait_until_nothing_left(before)


if __name__ == "__main__":
    tap.main()
