# SPDX-License-Identifier: BSD-2-Clause
"""`ipctrace explain` on recordings of real runs: its rows add up, and what it refuses."""

import json
import os
import shutil
import subprocess
import tempfile
import unittest

import tap
from replay import test_recordings

PROGRAM = test_recordings.PROGRAM
UNITS = ("message", "call", "round")
TRACED = sorted(set(test_recordings.NAMES) - set(test_recordings.UNTRACED) - {"truncated", "sweep"})


def explain(name, *options):
    """Runs `explain` for a recording of this folder, or another path."""
    path = name if "/" in name else test_recordings.path_of(name)
    return subprocess.run([PROGRAM, "explain", path, *options], capture_output=True, text=True, timeout=240,
                          check=False)


def sum_of(rows):
    return sum(row["ns"] for row in rows)


class Case(unittest.TestCase):
    """Runs that must succeed, and runs that must not."""

    maxDiff = 2000

    def explained(self, name, *options):
        result = explain(name, "-f", "json", *options)
        self.assertEqual((result.returncode, result.stderr), (0, ""), (name, options))
        return json.loads(result.stdout)

    def refused(self, name, *options, status=1):
        """The line on stderr."""
        result = explain(name, *options)
        self.assertEqual((result.returncode, result.stdout, result.stderr.count("\n")), (status, "", 1),
                         result.stderr)
        return result.stderr


class Sums(Case):
    """Every nanosecond of the difference has a component, and within it a culprit."""

    def check_rows(self, explanation):
        rows = explanation["rows"]
        rounding = len(rows) + 1
        components = [row for row in rows if row["culprit"] is None]
        difference = explanation["slow"]["mean_ns"] - explanation["base"]["mean_ns"]
        self.assertAlmostEqual(explanation["difference_ns"], difference, delta=1)
        self.assertAlmostEqual(sum_of(components), difference, delta=rounding)
        for component in components:
            culprits = [row for row in rows if row["culprit"] and row["component"] == component["component"]
                        and row["part"] == component["part"]]
            self.assertTrue(culprits, component)
            self.assertAlmostEqual(sum_of(culprits), component["ns"], delta=rounding)
            for culprit in culprits:
                self.check_row(explanation, culprit)

    def check_row(self, explanation, row):
        self.assertLessEqual(row["slow_messages"], explanation["slow"]["count"])
        self.assertLessEqual(row["base_messages"], explanation["base"]["count"])
        self.assertGreaterEqual(min(row["slow_ns"], row["base_ns"]), 0)
        self.assertAlmostEqual(row["slow_ns"] - row["base_ns"], row["ns"], delta=1e-3)
        self.assertLessEqual(sum(followed["slow_ns"] for followed in row["followed"]), row["slow_ns"] + 1)

    def check_typical(self, explanation):
        typical = explanation["typical"]
        latency = typical["to_ns"] - typical["from_ns"]
        self.assertEqual(sum_of(typical["causes"]), latency)
        if explanation["unit"] == "call":
            self.assertEqual(typical["round_trip_ns"], latency)
            self.assertEqual(sum(typical[part + "_ns"] for part in ("request", "service", "response")), latency)
        else:
            self.assertEqual(typical["latency_ns"], latency)

    def check_sets(self, explanation):
        slow, base = explanation["slow"], explanation["base"]
        self.assertEqual(explanation["schema"], "ipctrace.explain/1")
        self.assertGreaterEqual(slow["min_ns"], base["max_ns"])
        self.assertEqual(sum(episode["messages"] for episode in explanation["episodes"]), slow["count"])

    def test_rows(self):
        """of every recording and kind of unit: rows add up to the difference, and causes to the latency"""
        explained = 0
        for name in TRACED:
            for unit in UNITS:
                with self.subTest(name, unit=unit):
                    result = explain(name, "-f", "json", "--unit", unit, "--slowest", "10%")
                    if result.returncode:
                        self.assertRegex(result.stderr, "it has no|not enough|is slow")
                        continue
                    explanation = json.loads(result.stdout)
                    self.check_sets(explanation)
                    self.check_rows(explanation)
                    self.check_typical(explanation)
                    explained += 1
        self.assertGreater(explained, len(TRACED))

    def test_others(self):
        """the same against all others, and against another recording"""
        for options in (("--against", "others"), ("--against", test_recordings.path_of("one-cpu"))):
            with self.subTest(options):
                explanation = self.explained("spinner", "--unit", "message", *options)
                self.check_rows(explanation)
                self.check_typical(explanation)

    def test_one_message(self):
        """any message can be explained, with the figures that ndjson has of it"""
        lines = test_recordings.report(test_recordings.path_of("spinner"), "-f", "ndjson").stdout.splitlines()
        for line in lines[1:-1:40]:
            message = json.loads(line)
            name = f"{message['channel']}/{message['seq']}"
            explanation = self.explained("spinner", "--message", name)
            typical = explanation["typical"]
            self.assertEqual((explanation["slow"]["count"], explanation["slow"]["select"]), (1, f"message {name}"))
            for key in typical.keys() & message.keys() - {"kind"}:
                self.assertEqual(typical[key], message[key], (name, key))


class Texts(Case):
    """The text leads to what was planted."""

    def test_spinner(self):
        """the first line names the real-time thread that was in the way"""
        for unit in ("message", "round"):
            text = explain("spinner", "--unit", unit, "--slowest", "3").stdout
            first = " ".join(text.splitlines()[:2])
            self.assertRegex(first, r"^In slow .* client waits for CPU 1 behind rt-spinner \(pid \d+, FIFO 99\)")
            self.assertLessEqual(max(map(len, text.splitlines())), 80)

    def test_selections(self):
        """filters leave out what does not pass, in explanations and in the messages of the report"""
        whole = self.explained("spinner", "--unit", "message")
        for options, units in ((("--client", "2"), 40), (("--round", "10-29"), 100), (("--channel", "7"), 40),
                               (("--peer", "ipctrace-server"), 200), (("--peer", "ipctrace-cl-1"), 40)):
            explanation = self.explained("spinner", "--unit", "message", *options)
            self.assertEqual((explanation["units"], whole["units"]), (units, 200), options)
            shown = test_recordings.report(test_recordings.path_of("spinner"), "-f", "ndjson", *options)
            self.assertEqual(len(shown.stdout.splitlines()), units + 2, options)

    def test_slowest_are_shown(self):
        """report --slowest shows the messages that are explained"""
        path = test_recordings.path_of("spinner")
        lines = test_recordings.report(path, "-f", "ndjson", "--slowest", "5").stdout.splitlines()
        shown = [json.loads(line)["latency_ns"] for line in lines[1:-1]]
        slow = self.explained("spinner", "--unit", "message", "--slowest", "5")["slow"]
        self.assertEqual((len(shown), min(shown), max(shown)), (slow["count"], slow["min_ns"], slow["max_ns"]))
        self.assertEqual(json.loads(lines[0])["select"], "slowest 5")

    def test_sweep(self):
        """each run of a sweep is explained"""
        sweep = self.explained("sweep", "--unit", "message")
        self.assertEqual((sweep["schema"], len(sweep["cells"])), ("ipctrace.explain_sweep/1", 2))
        self.assertEqual([cell["units"] for cell in sweep["cells"]], [10, 20])
        text = explain("sweep", "--unit", "message", "--slowest", "10%").stdout
        text = " ".join(text.split())
        self.assertRegex(text, r"In the slowest of 10 messages \([\d.]+ us\), the .* 10 messages are too few")
        self.assertIn("The 2 slow ones", text)

    def test_few_units(self):
        """of too few units the slowest one is explained, and held against none"""
        for units, options in ((1, ("--round", "3")), (19, ("--round", "3-21"))):
            explanation = self.explained("spinner", "--unit", "round", *options)
            self.assertEqual((explanation["outcome"], explanation["focus"], explanation["units"]),
                             ("too_few", "slowest", units))
            self.assertEqual((explanation["slow"]["count"], explanation["base"]["count"]), (1, 0))
            whole = sum(row["slow_ns"] for row in explanation["rows"] if row["culprit"] is None)
            self.assertAlmostEqual(whole, explanation["slow"]["mean_ns"], delta=0.01)
            self.assertIn("the only round" if units == 1 else "the slowest of 19 rounds", explanation["headline"])
        self.assertEqual(self.explained("spinner", "--unit", "round", "--round", "3-22")["outcome"], "explained")


class Refusals(Case):
    """One line says what is wrong, and what to do."""

    def test_nothing_to_explain(self):
        """no such messages, and none that is slow"""
        for name, options, words in (
                ("spinner", ("--channel", "99"), "'{}': it has no rounds of this selection"),
                ("spinner", ("--message", "7/999"), "'7/999': no such message among the 200 of '{}'"),
                ("spinner", ("--slower-than", "1s"), "is slow (slower than 1s): select more"),
                ("pipe-parts", ("--unit", "round"), "it has no rounds of this selection")):
            line = self.refused(name, *options)
            self.assertIn(words.format(test_recordings.path_of(name)), line)

    def test_no_other(self):
        """another recording without what could be compared is named, and nothing is said of the slow ones"""
        for name in ("no-trace", "pipe-parts"):
            other = test_recordings.path_of(name)
            line = self.refused("spinner", "--against", other)
            self.assertIn(f"there is nothing to compare with: '{other}' has no rounds", line)
            self.assertNotIn("are slow", line)

    def test_not_recorded(self):
        """an untraced run has no causes, and an old recording no begin"""
        for name in test_recordings.UNTRACED:
            self.assertIn("it is of an untraced run (--no-trace)", self.refused(name))
        self.assertIn("it does not say when tracing began", self.refused("spinner", "--between", "0s", "1s"))
        self.assertIn("'x': not a whole number", self.refused("spinner", "--client", "x"))

    def test_cut(self):
        """what is there of a recording that is cut is explained; the status says that the rest is missing"""
        result = explain("truncated", "--unit", "message", "--slowest", "10%")
        self.assertEqual((result.returncode, result.stderr.count("\n")), (1, 1), result.stderr)
        self.assertIn("cut short or damaged", result.stderr)
        self.assertIn("The recording breaks off", result.stdout)
        self.assertIn("In slow messages", result.stdout)

    def test_files(self):
        """a file that is missing, or no recording, and an output onto the recording itself"""
        folder = tempfile.mkdtemp(prefix="test-ipctrace-")
        self.addCleanup(shutil.rmtree, folder)
        copy = shutil.copy(test_recordings.path_of("spinner"), folder)
        self.assertIn("No such file", self.refused(os.path.join(folder, "none")))
        self.assertIn("not an ipctrace recording", self.refused("/etc/passwd"))
        self.assertIn("it is the recording that is read", self.refused(copy, "-o", copy, status=2))
        self.assertIn("No such file", self.refused(copy, "--against", os.path.join(folder, "none")))


if __name__ == "__main__":
    tap.main()
