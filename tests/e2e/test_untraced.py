# SPDX-License-Identifier: BSD-2-Clause
"""--no-trace: the same workload without tracing, also without privileges."""

import signal

import harness
import tap


class Untraced(harness.TestCase):
    """The clients' own stamps are all there is."""

    def check_untraced(self, summary, clients, messages):
        self.check_integrity(summary | {"integrity": summary["integrity"] | {"residual_ns_max": 0}})
        self.assertEqual(summary["integrity"]["sent"], clients * messages)
        self.assertFalse(summary["traced"])
        self.assertIsNone(summary["components_ns"])
        self.assertIsNone(summary["integrity"]["residual_ns_max"])
        self.assertEqual(summary["blame"], [])
        self.assertEqual(summary["rounds"]["complete"], messages)
        self.assertGreater(summary["rounds"]["service_time_ns"], 0)

    def test_root(self):
        """as root: latencies and rounds, but no components"""
        path = self.file("run.ipct")
        result = harness.ipctrace("--no-trace", "--clients", 5, "--messages", 50, "--warmup", 10,
                                  "-f", "json", "--record", path)
        self.check_quiet(result)
        self.check_untraced(result.json(), 5, 50)
        self.assertEqual(harness.ipctrace("report", path, "-f", "json").json(), result.json())

    def test_no_programs(self):
        """no BPF program is loaded"""
        process = harness.start("--no-trace", "--messages", 10000)
        harness.wait_for_rounds(process, 1)
        held = harness.held_bpf(process.pid)
        process.send_signal(signal.SIGINT)
        self.check_quiet(harness.finish(process))
        self.assertEqual(held, set())

    def test_nobody(self):
        """as a user without any privilege with --policy other"""
        self.program_for_all()
        result = harness.ipctrace("--no-trace", "--policy", "other", "--clients", 3, "--messages",
                                  50, "--warmup", 10, "-f", "json", uid=harness.NOBODY)
        self.check_quiet(result)
        self.check_untraced(result.json(), 3, 50)

    def test_messages(self):
        """-f ndjson has nothing to say of an untraced run, and says that"""
        result = harness.ipctrace("--no-trace", "--messages", 20, "--warmup", 5, "-f", "ndjson")
        self.check_refused(result, "use text or json", status=2)

    def test_nothing_left(self):
        """the socket directory is gone afterwards"""
        self.check_quiet(harness.ipctrace("--no-trace", "--messages", 5, "--warmup", 0, env=harness.AS_STRANGER))
        self.assertEqual(harness.left_directories(), [])


if __name__ == "__main__":
    tap.main()
