# SPDX-License-Identifier: BSD-2-Clause
"""Memory does not grow with the length of a run."""

import harness
import patience
import tap

CLIENTS = 10
PERIOD = "1ms"
MOST = 1.15


class Memory(harness.TestCase):
    """
    Two runs that differ in their length only. Records that wait for a late reader need memory, too: then both are
    measured again, as what grows with the length of a run does so each time.
    """

    def peak_of(self, messages):
        """kB at most, of a run of so many messages in all, all of which are matched."""
        process = harness.start("--clients", CLIENTS, "--messages", messages // CLIENTS, "--period",
                                PERIOD, "--cpus", "one", "-f", "json", "-o",
                                self.file("report.json"))
        peak = harness.peak_kb_of(process, limit_s=120)
        self.check_quiet(harness.finish(process))
        with open(self.file("report.json"), encoding="utf-8") as report:
            result = harness.Result(0, report.read(), "")
        harness.demand_kept_up(result.json())
        self.check_integrity(result.json())
        self.assertEqual(result.json()["integrity"]["matched"], messages)
        return peak

    def test_flat(self):
        """200,000 messages need at most 15 % more memory than 20,000"""
        short, long = self.peak_of(20_000), self.peak_of(200_000)
        self.assertGreater(short, 1000, "kB: it was measured")
        if long >= MOST * short:
            raise patience.NotNear(f"{long} kB after 200,000 messages, {short} kB after 20,000")


if __name__ == "__main__":
    tap.main()
