# SPDX-License-Identifier: BSD-2-Clause
"""--overhead: what tracing does to the latency, measured by pairs of short runs."""

import harness
import tap


class Overhead(harness.TestCase):
    def test_effect(self):
        """a ratio with its interval, and the time in BPF programs; a recording keeps them"""
        path = self.file("run.ipct")
        result = harness.ipctrace("--overhead", "--pattern", "pingpong", "--messages", 400,
                                  "--period", "1ms", "--warmup", 100, "--record", path,
                                  "-f", "json")
        self.assertEqual(result.status, 0, result.err)
        summary = result.json()
        observer = summary["observer"]
        low, high = observer["traced_over_untraced_interval"]
        self.assertEqual(observer["pairs"], 10)
        self.assertLess(low, high)
        self.assertLessEqual(low, observer["traced_over_untraced"])
        self.assertLessEqual(observer["traced_over_untraced"], high)
        self.assertGreater(observer["traced_over_untraced"], 0.1)
        self.assertGreater(observer["bpf_ns_per_message"], 0)
        self.assertEqual(summary["integrity"]["matched"], 800, "only the run itself counts")
        self.assertEqual(harness.ipctrace("report", path, "-f", "json").json()["observer"], observer)

    def test_refused(self):
        """where no untraced latency is known, it is refused in one line"""
        for words in (("--no-trace",), ("--pattern", "flood")):
            result = harness.ipctrace("--overhead", *words)
            self.check_refused(result, "--overhead", status=2)


if __name__ == "__main__":
    tap.main()
