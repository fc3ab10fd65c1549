# SPDX-License-Identifier: BSD-2-Clause
"""Memory does not grow with the length of a run."""

import harness
import tap

CLIENTS = 10
PERIOD = "1ms"
TRIES = 6  # a run of which clients are dropped or stamps are lost is none for this test


class Memory(harness.TestCase):
    """Two runs that differ in their length only."""

    def peak_of(self, messages):
        """kB at most, of a run of so many messages in all; None if not all of them count."""
        process = harness.start("--clients", CLIENTS, "--messages", messages // CLIENTS, "--period",
                                PERIOD, "--cpus", "one", "-f", "json", "-o",
                                self.file("report.json"))
        peak = harness.peak_kb_of(process, limit_s=120)
        self.check_quiet(harness.finish(process))
        with open(self.file("report.json"), encoding="utf-8") as report:
            result = harness.Result(0, report.read(), "")
        integrity = result.json()["integrity"]
        if integrity["losses"]["stamps"] or any(c["left"] for c in result.json()["clients"]):
            return None
        self.check_integrity(result.json())
        self.assertEqual(integrity["matched"], messages)
        return peak

    def whole_peak_of(self, messages):
        """The same; a run in which the machine was too busy is repeated."""
        for _ in range(TRIES):
            peak = self.peak_of(messages)
            if peak:
                return peak
        raise AssertionError(f"in {TRIES} runs not all messages counted: the machine is too busy")

    def test_flat(self):
        """200,000 messages need at most 15 % more memory than 20,000"""
        short, long = self.whole_peak_of(20_000), self.whole_peak_of(200_000)
        self.assertGreater(short, 1000, "kB: it was measured")
        self.assertLess(long, 1.15 * short, f"kB after 200,000 messages; {short} after 20,000")


if __name__ == "__main__":
    tap.main()
