# SPDX-License-Identifier: BSD-2-Clause
"""Members of a run with real-time priorities keep all CPUs. No record is lost, and no message waits for ipctrace."""

import os
import signal
import time

import harness
import hunt_losses
import patience
import tap
from patience import NotNear

# Without pauses, the ring buffer would be full after this time at the rate of these runs.
STOPPED_S = 4


class FullSpeed(harness.TestCase):
    """Each pattern, as fast as it can."""

    def check_run(self, *options, messages):
        """Every message of the run is matched. Returns the observer."""
        result = harness.ipctrace(*options, "--warmup", 100, "-f", "json")
        summary = result.json()
        harness.demand_no_recursion(summary["integrity"])
        self.assertEqual(summary["integrity"]["lost"], 0)
        # A client of push whose queue is full, for want of a CPU, leaves. No other client may.
        harness.demand_kept_up(summary)
        self.check_quiet(result)
        self.check_nothing_is_lost(summary)
        self.assertEqual(summary["integrity"]["sent"], messages)
        return summary["observer"]

    def check_nothing_is_lost(self, summary):
        integrity, observer = summary["integrity"], summary["observer"]
        self.assertEqual((integrity["lost"], integrity["matched"]), (0, integrity["sent"]), integrity)
        self.assertEqual(observer["pauses"] > 0, observer["paused_ns"] > 0, observer)
        self.assertEqual(integrity["residual_ns_max"], 0)
        counts = {stat["count"] for stat in summary["components_ns"].values() if stat}
        self.assertEqual(counts, {integrity["matched"]})

    def check_waits(self, observer):
        """A slice of the reader is 1 ms. An interrupt or the host may lengthen it."""
        if observer["longest_wait_ns"] >= hunt_losses.LONGEST_NS:
            raise NotNear(f"a message waited {observer['longest_wait_ns']} ns for ipctrace")

    def test_requests(self):
        """request: four clients and their server have both CPUs for seconds"""
        self.check_waits(self.check_run("--pattern", "request", "--transport", "uds-stream", "--clients", 4,
                                        "--messages", 60_000, messages=480_000))

    def test_shared_memory(self):
        """pingpong over shared memory: the workload itself records its messages"""
        self.check_waits(self.check_run("--pattern", "pingpong", "--transport", "shm", "--clients", 4,
                                        "--messages", 60_000, messages=480_000))

    def test_flood(self):
        """flood: also messages that are recorded in shared memory, more than the analysis can join at once"""
        self.check_waits(self.check_run("--pattern", "flood", "--transport", "uds", "--clients", 2,
                                        "--messages", 300_000, messages=600_000))
        self.check_run("--pattern", "flood", "--transport", "shm", "--clients", 4, "--messages", 400_000,
                       messages=1_600_000)

    def test_push(self):
        """push: rounds follow one another faster than they are read"""
        self.check_waits(self.check_run("--pattern", "push", "--transport", "uds-stream", "--clients", 4, "--period",
                                        "20us", "--messages", 40_000, messages=160_000))

    def stopped(self, *options):
        """The summary of an endless run whose ipctrace, and no member, gets no CPU for some seconds."""
        process = harness.start(*options, "--messages", 1_000_000_000, "-f", "json")
        time.sleep(1)
        process.send_signal(signal.SIGSTOP)
        time.sleep(STOPPED_S)
        process.send_signal(signal.SIGCONT)
        time.sleep(1)
        os.kill(process.pid, signal.SIGINT)
        result = harness.finish(process)
        return result.json()

    def test_no_cpu(self):
        """a reader without a CPU is waited for, however long that takes"""
        for options in (("--pattern", "pingpong", "--transport", "pipe", "--clients", 2),
                        ("--pattern", "flood", "--transport", "uds", "--clients", 2),
                        ("--pattern", "push", "--transport", "pipe", "--clients", 2, "--period", "50us")):
            with self.subTest(options=options):
                summary = self.stopped(*options)
                harness.demand_no_recursion(summary["integrity"])
                self.assertEqual(summary["integrity"]["lost"], 0)
                harness.demand_kept_up(summary)
                self.check_nothing_is_lost(summary)
                # A run of push that all clients have left does not pause.
                patience.demand(summary["observer"]["paused_ns"], (STOPPED_S - 2) * 1e9, "ns of pauses")


if __name__ == "__main__":
    tap.main()
