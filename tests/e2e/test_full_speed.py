# SPDX-License-Identifier: BSD-2-Clause
"""Members of a run with real-time priorities keep all CPUs. No record is lost, and no message waits for ipctrace."""

import harness
import hunt_losses
import tap
from patience import NotNear


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


if __name__ == "__main__":
    tap.main()
