# SPDX-License-Identifier: BSD-2-Clause
"""--clients 1-3: one run after the other, and a table over the number of clients."""

import json

import harness
import tap

OPTIONS = ("--clients", "1-3", "--messages", 40, "--warmup", 10)


class RunMatrix(harness.TestCase):
    """Several runs in one recording, seen from all sides."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.path = f"{cls.folder}/runs.ipct"
        cls.live = harness.ipctrace(*OPTIONS, "--record", cls.path, "-f", "json")
        if cls.live.status:
            raise AssertionError(f"the run failed: {cls.live.err}")

    def messages_of_runs(self):
        """Per run, the messages that follow its header."""
        result = harness.ipctrace("report", self.path, "-f", "ndjson")
        self.check_quiet(result)
        runs = []
        for line in map(json.loads, result.out.splitlines()):
            if "schema" in line:
                runs.append([])
            elif "end" not in line:
                runs[-1].append(line)
        return runs

    def test_runs(self):
        """-f json: a summary per number of clients, each of which adds up"""
        self.check_quiet(self.live)
        matrix = self.live.json()
        self.assertEqual(matrix["schema"], "ipctrace.sweep/1")
        self.assertEqual([c["workload"]["clients"] for c in matrix["cells"]], [1, 2, 3])
        messages = self.messages_of_runs()
        self.assertEqual(len(messages), 3)
        for run, records in zip(matrix["cells"], messages):
            self.assertEqual(run["integrity"]["sent"], 40 * run["workload"]["clients"])
            self.check_every_record(records)
            self.check_summary(run, records)

    def test_report(self):
        """the recording gives the same"""
        self.assertEqual(harness.ipctrace("report", self.path, "-f", "json").json(),
                         self.live.json())

    def test_text(self):
        """the text has a row per number of clients with the figures of its run"""
        result = harness.ipctrace("report", self.path)
        self.check_quiet(result)
        details = result.out[result.out.index("-- results"):]
        rows = [line.split() for line in details.splitlines()]
        rows = [row for row in rows if len(row) > 4 and row[0] in ("1", "2", "3")]
        self.assertEqual([row[0] for row in rows][:3], ["1", "2", "3"], result.out)
        for row, run in zip(rows, self.live.json()["cells"]):
            rounds = run["rounds"]
            for ns in (rounds["first_latency_ns"]["mean"], rounds["service_time_ns"]):
                self.assertIn(f"{ns / 1000:.1f}", row)

    def test_published(self):
        """the paper's figures stand beside it"""
        text = harness.ipctrace("report", self.path, "--published").out
        for words in ("GRAME 2001", "first", "next", "service", "Pentium II 350 MHz"):
            self.assertIn(words, text)
        self.assertLessEqual(max(map(len, text.splitlines())), 80)

    def test_list(self):
        """a list of numbers is run in its order"""
        result = harness.ipctrace("--clients", "3,1", "--messages", 10, "--warmup", 2, "-f", "json")
        self.check_quiet(result)
        self.assertEqual([c["workload"]["clients"] for c in result.json()["cells"]], [3, 1])


if __name__ == "__main__":
    tap.main()
