# SPDX-License-Identifier: BSD-2-Clause
"""ipctrace itself gets no CPU for seconds: its run waits, and no record is lost."""

import os
import signal
import time

import harness
import patience
import tap

# Without pauses, the ring buffer would be full after this time at the rate of these runs.
STOPPED_S = 4


class NoCpu(harness.TestCase):
    """Patterns that are faster than a reader that is stopped."""

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

    def test_stopped(self):
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
