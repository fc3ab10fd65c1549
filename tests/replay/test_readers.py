# SPDX-License-Identifier: BSD-2-Clause
"""Other programs read CSV, ndjson and hgrm, and find the figures of the summary again."""

import subprocess
import tempfile

import tap
from replay import again, test_recordings
from replay.test_recordings import NAMES, UNTRACED, path_of

TRACED = [name for name in NAMES if name not in UNTRACED]


class Case(test_recordings.Case):
    def output(self, name, *options):
        return self.show(path_of(name), *options, is_cut=name == "truncated")


class Again(Case):
    """The figures of -f json, from single messages."""

    def test_ndjson(self):
        """the messages of ndjson give every figure of the summary again"""
        for name in TRACED:
            runs, end = again.read_ndjson(self.output(name, "-f", "ndjson"))
            summaries = self.summaries(path_of(name), is_cut=name == "truncated")
            with self.subTest(name):
                self.assertEqual(len(runs), len(summaries))
                self.assertEqual(end["messages"], sum(len(run["messages"]) for run in runs))
                for summary, run in zip(summaries, runs):
                    again.Again(self, summary, run["messages"]).check()

    def test_csv(self):
        """so do the rows of CSV"""
        for name in TRACED:
            runs, is_cut = again.read_csv(self.output(name, "-f", "csv"))
            summaries = self.summaries(path_of(name), is_cut=name == "truncated")
            with self.subTest(name):
                self.assertEqual((len(runs), is_cut), (len(summaries), name == "truncated"))
                for summary, messages in zip(summaries, runs):
                    again.Again(self, summary, messages).check()

    def test_same(self):
        """a row of CSV has all that a line of ndjson has, in the same order"""
        for name in TRACED:
            rows, _ = again.read_csv(self.output(name, "-f", "csv"))
            lines, _ = again.read_ndjson(self.output(name, "-f", "ndjson"))
            with self.subTest(name):
                for messages, run in zip(rows, lines):
                    self.assertEqual(list(messages[0]), run["header"]["fields"])
                    for got, expected in zip(messages, run["messages"]):
                        got["blocked_on"] = got["blocked_on"] or None  # a run does not know it
                        self.assertEqual(got, expected)

    def test_selected(self):
        """options that select messages select the same rows and lines"""
        for options in (("--slowest", "5"), ("--client", "1"), ("--slower-than", "100us")):
            with self.subTest(options):
                rows, _ = again.read_csv(self.output("one-cpu", "-f", "csv", *options))
                lines, _ = again.read_ndjson(self.output("one-cpu", "-f", "ndjson", *options))
                self.assertEqual([m["seq"] for m in rows[0]], [m["seq"] for m in lines[0]["messages"]])
                self.assertTrue(rows[0])


class Percentiles(Case):
    def values(self, name, unit):
        """The latencies of all units, from single messages."""
        if unit == "message":
            return self.latencies(name)
        messages = again.read_ndjson(self.output(name, "-f", "ndjson"))[0][0]["messages"]
        if unit == "round":
            rounds = {}
            for m in messages:
                rounds.setdefault(m["round"], []).append(m["user_ns"] - m["stamp_ns"])
            size = max(len(latencies) for latencies in rounds.values())
            return [max(latencies) for latencies in rounds.values() if len(latencies) == size]
        ends = {(m["client"], m["round"]): m["user_ns"] for m in messages if not m["to_server"]}
        return [ends[m["client"], m["round"]] - m["stamp_ns"] for m in messages
                if m["to_server"] and (m["client"], m["round"]) in ends]

    def latencies(self, name, *options):
        messages = again.read_ndjson(self.output(name, "-f", "ndjson", *options))[0][0]["messages"]
        return [m["latency_ns"] for m in messages]

    def test_hgrm(self):
        """each line of hgrm has the value of its rank, and counts the values up to it"""
        for name in TRACED:
            if name in ("sweep", "truncated"):
                continue
            summary = self.summaries(path_of(name))[0]
            for unit, stat in (("message", summary["latency_ns"]),
                               ("call", (summary["calls"] or {}).get("round_trip_ns")),
                               ("round", (summary["rounds"] or {}).get("last_latency_ns"))):
                if stat:
                    with self.subTest(name, unit=unit):
                        text = self.output(name, "-f", "hgrm", "--unit", unit)
                        again.check_hgrm(self, text, stat, self.values(name, unit))

    def test_unit(self):
        """without --unit it shows what explain explains"""
        for name, unit in (("tcp-request", "round trip of calls"), ("one-cpu", "last latency of rounds"),
                           ("fifo-flood", "latency of messages"), ("no-trace", "last latency of rounds")):
            with self.subTest(name):
                self.assertIn(f"#[ipctrace: {unit}, in milliseconds]\n", self.output(name, "-f", "hgrm"))

    def test_several(self):
        """several runs are refused before anything is written"""
        result = test_recordings.report(path_of("sweep"), "-f", "hgrm")
        self.assertEqual((result.returncode, result.stdout, result.stderr.count("\n")), (1, "", 1))
        self.assertIn("these are several", result.stderr)

    def test_run(self):
        """--run shows one of them: in JSON as it is among all, and in formats that show one run"""
        runs = self.summaries(path_of("sweep"))
        for number, run in enumerate(runs, 1):
            with self.subTest(run=number):
                options = ("--run", str(number))
                self.assertEqual(self.summaries(path_of("sweep"), options=options), [run])
                again.check_hgrm(self, self.output("sweep", "-f", "hgrm", "--unit", "message", *options),
                                 run["latency_ns"], self.latencies("sweep", *options))
                self.assertTrue(self.output("sweep", "-f", "svg", *options).startswith("<svg"))
        result = test_recordings.report(path_of("sweep"), "--run", str(len(runs) + 1))
        self.assertEqual((result.returncode, result.stdout), (1, ""))
        self.assertIn(f"has runs 1 to {len(runs)}", result.stderr)


class Tools(Case):
    """Programs that people have."""

    def test_cut(self):
        """cut and awk need no knowledge of quotes"""
        with tempfile.NamedTemporaryFile(suffix=".csv") as file:
            test_recordings.report(path_of("one-cpu"), "-f", "csv", "-o", file.name)
            text = subprocess.run(
                ["awk", "-F,", 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next } '
                 '{ sum += $at["latency_ns"] } END { print NR - 1, sum }', file.name],
                capture_output=True, text=True, check=True).stdout
            summary = self.summaries(path_of("one-cpu"))[0]
            count, total = map(int, text.split())
            self.assertEqual(count, summary["latency_ns"]["count"])
            self.assertEqual(again.printed(total / count), summary["latency_ns"]["mean"])


if __name__ == "__main__":
    tap.main()
