# SPDX-License-Identifier: BSD-2-Clause
"""--slower-than with --record: the time around slow messages is kept, and the statistics are of all."""

import json
import os

import harness
import patience
import tap

WORKLOAD = ("run", "--clients", 3, "--messages", 200, "--warmup", 10, "--period", "2ms")


class Slower(harness.TestCase):
    """The messages of a live run, and those of its recording."""

    def record(self, limit, *arguments):
        """The recording, and what was said meanwhile."""
        path = self.file(f"{limit}.ipct")
        result = harness.ipctrace(*arguments[:1], "--slower-than", limit, "--record", path,
                                  *arguments[1:])
        self.check_quiet(result)
        return path, result

    def report(self, path, *arguments):
        result = harness.ipctrace("report", path, *arguments)
        self.check_quiet(result)
        return result.out

    def check_same(self, path, live):
        """The report of the recording is that of the run, but for what only the recording shows."""
        recorded = json.loads(self.report(path, "-f", "json"))
        for cells in zip(recorded.get("cells", [recorded]), live.json().get("cells", [live.json()])):
            for cell in cells:
                for name in "windows", "window_messages", "shortened", "triggers":
                    (cell["recording_keeps"] or {}).pop(name, None)
            self.assertEqual(*cells)

    def messages(self, path, *options):
        headers, messages = harness.read_ndjson(self.report(path, "-f", "ndjson", *options))
        self.assertEqual(len(headers), 1)
        return messages

    def test_summary(self):
        """a report of the recording is the report of the run, with all that was sent"""
        path, live = self.record("1us", *WORKLOAD, "-f", "json")
        self.check_same(path, live)
        self.check_integrity(live.json())
        self.assertEqual(live.json()["integrity"]["sent"], 600)
        slow = self.messages(path, "--slower-than", "1us")
        keeps = live.json()["recording_keeps"]
        self.assertEqual((keeps["slower_than_ns"], keeps["messages"], keeps["statistics"]), (1000, len(slow), True))
        self.assertTrue(slow, "no message takes less than a microsecond")

    def test_messages(self):
        """the recording has the messages that were shown, to the letter, and their neighbours"""
        self.record("1us", *WORKLOAD, "-f", "json")
        latencies = sorted(m["latency_ns"] for m in self.messages(self.file("1us.ipct")))
        middle = f"{latencies[len(latencies) // 2]}ns"
        path, live = self.record(middle, *WORKLOAD, "-f", "ndjson")
        self.assertEqual(self.report(path, "-f", "ndjson", "--slower-than", middle), live.out)
        self.check_every_record(self.messages(path))
        kept, slow = len(self.messages(path)), len(self.messages(path, "--slower-than", middle))
        patience.demand(slow, 1, "messages slower than half of the run before")
        patience.demand(600 - slow, 1, "messages faster than half of the run before")
        self.assertGreater(kept, slow)

    def test_none(self):
        """where nothing is slow, the recording is short and says how many there were"""
        path, live = self.record("1000s", *WORKLOAD)
        self.assertEqual(self.report(path), live.out)
        self.assertIn("statistics of all: 0 of 600", " ".join(live.out.split()))
        self.assertEqual(self.messages(path), [])
        self.record("1ns", *WORKLOAD)
        self.assertLess(os.path.getsize(path), os.path.getsize(self.file("1ns.ipct")))

    def test_several_runs(self):
        """every one of several runs keeps its own"""
        path, live = self.record("1us", "run", "--clients", "1,2", "--messages", 50, "--warmup", 5,
                                 "--period", "2ms", "-f", "json")
        self.check_same(path, live)
        self.assertEqual([run["integrity"]["sent"] for run in live.json()["cells"]], [50, 100])

    def test_attach(self):
        """an attach keeps them too"""
        path, live = self.record("1ns", "attach", "-f", "json", "--", "sh", "-c",
                                 "for i in 1 2 3 4 5; do echo $i; sleep 0.1; done | cat >/dev/null")
        self.check_same(path, live)
        self.assertGreater(live.json()["integrity"]["matched"], 0)
        self.assertEqual(len(self.messages(path)), live.json()["integrity"]["matched"])

    def test_untraced(self):
        """an untraced run, of which no message is seen, is recorded whole"""
        path, live = self.record("1us", *WORKLOAD, "--no-trace", "-f", "json")
        self.assertIsNone(live.json()["recording_keeps"])
        self.assertEqual(json.loads(self.report(path, "-f", "json")), live.json())


if __name__ == "__main__":
    tap.main()
