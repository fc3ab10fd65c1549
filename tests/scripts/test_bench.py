# SPDX-License-Identifier: BSD-2-Clause
"""The arithmetic of scripts/bench: known figures, and missing figures are named."""

import os
import sys
import unittest

import tap

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../scripts/bench"))

import table
from measure import median_of


def rounds(**figures):
    """Rounds from the figures of each variant."""
    return [dict(zip(figures, one)) for one in zip(*figures.values())]


class Arithmetic(unittest.TestCase):
    def test_rounds(self):
        """ratio and added time are taken within a round, not between medians"""
        of = table.evaluate(rounds(untraced=[100, 200, 300], ipctrace=[150, 220, 630]))
        self.assertEqual(of["ipctrace"]["ratio"]["median"], 1.5)
        self.assertEqual(of["ipctrace"]["added_ns"]["median"], 50)
        self.assertEqual(of["ipctrace"]["ns"]["median"], 220)
        self.assertEqual(of["untraced"]["ns"]["median"], 200)
        self.assertNotIn("ratio", of["untraced"])

    def test_floor(self):
        """added time is put in relation to that of the empty programs"""
        of = table.evaluate(rounds(untraced=[100] * 3, null=[120] * 3, strace=[180] * 3))
        self.assertEqual(of["strace"]["added_over_null"], 4.0)
        self.assertNotIn("added_over_null", of["null"])

    def test_floor_of_light(self):
        """for level light the empty programs are fewer"""
        of = table.evaluate(rounds(**{
            table.UNTRACED: [100] * 3, table.NULL: [140] * 3,
            table.NULL_LIGHT: [110] * 3, table.LIGHT: [130] * 3, "ipctrace": [180] * 3}))
        self.assertEqual(of[table.LIGHT]["added_over_null"], 3.0)
        self.assertEqual(of["ipctrace"]["added_over_null"], 2.0)
        self.assertNotIn("added_over_null", of[table.NULL_LIGHT])

    def test_no_floor(self):
        """without empty programs, or if they cost nothing, there is no such relation"""
        without = table.evaluate(rounds(untraced=[100], strace=[180]))
        free = table.evaluate(rounds(untraced=[100], null=[100], strace=[180]))
        self.assertIsNone(without["strace"]["added_over_null"])
        self.assertIsNone(free["strace"]["added_over_null"])

    def test_missing(self):
        """a variant that failed in one round counts in the others, one that never ran is left out"""
        of = table.evaluate([{"untraced": 100, "perf": 150}, {"untraced": 100}, {"perf": 9}])
        self.assertEqual(of["perf"]["runs"], 1)
        self.assertEqual(of["perf"]["ratio"]["median"], 1.5)
        self.assertNotIn("perf", table.evaluate([{"perf": 9}]))

    def test_interval(self):
        """an interval holds its median, is the value itself if all are alike, and is the same again"""
        values = [3, 1, 4, 1, 5, 9, 2, 6]
        of = median_of(values)
        self.assertLessEqual(of["low"], of["median"])
        self.assertLessEqual(of["median"], of["high"])
        self.assertLess(of["low"], of["high"])
        self.assertEqual(of, median_of(values))
        self.assertEqual(set(median_of([7, 7, 7]).values()), {7})


class Table(unittest.TestCase):
    def report(self):
        return {
            "variants": ["untraced", "null", "ipctrace"],
            "works": {
                "pipe": table.evaluate(rounds(untraced=[2000], null=[2200], ipctrace=[2500])),
                "tcp": table.evaluate(rounds(untraced=[4000], null=[4400])),
            },
            "not_possible": {"trace-cmd": "cannot enable ftrace"},
        }

    def test_markdown(self):
        """every variant has a row with a cell for each work, and what was not possible is named"""
        lines = table.markdown(self.report()).splitlines()
        tables = [line for line in lines if line.startswith("|")]
        self.assertEqual({line.count("|") for line in tables}, {4})
        self.assertIn("| untraced | 2.00 us | 4.00 us |", lines)
        self.assertIn("| ipctrace | ×1.25 [1.25, 1.25] | - |", lines)
        self.assertIn("| ipctrace | 500 [500, 500], ×2.5 | - |", lines)
        self.assertIn("Not possible here: trace-cmd: cannot enable ftrace", lines)


if __name__ == "__main__":
    tap.main()
