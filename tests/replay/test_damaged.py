# SPDX-License-Identifier: BSD-2-Clause
"""
Recordings that were cut short, forged or are good but unusual: every report of them ends, and is valid. In
tests/fuzz/seeds each is what once broke a report, or what tests/fuzz/hunt.py forges others from.
"""

import os
import random
import tempfile
import time
import unittest

import tap
from fuzz import commands, forge, hunt, judge
from replay import records

PROGRAM = os.environ.get("IPCTRACE_PROGRAM", "build/ipctrace")
SEEDS = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "fuzz/seeds")
LIMIT_S = 60  # how long one report may take on a busy machine
FORGED_S = 8
BROKEN = {"endless-hgrm": ("report", "-f", "hgrm", "--unit", "call"), "no-points": ("report", "-f", "html"),
          "second-watermark": ("report", "-f", "text")}


class Damaged(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.judge = judge.Judge(PROGRAM, LIMIT_S)

    def look(self, command, path):
        self.assertIsNone(self.judge.problem(command, path), f"{' '.join(command)} {path}")

    def test_broken(self):
        """what once broke a report does so no more, in no format"""
        for name, command in BROKEN.items():
            path = os.path.join(SEEDS, f"{name}.ipct")
            for other in (command, *(("report", *shown) for shown in commands.PLAIN + commands.OF_MESSAGES),
                          *(("report", *shown) for shown in commands.OF_UNITS), ("explain", "-f", "json")):
                self.look(other, path)

    def test_some(self):
        """a format or figure and a selection at random, of each recording"""
        chance = random.Random(1)
        for path in hunt.recordings():
            for command in chance.sample(list(commands.every()), 4):
                self.look(command, path)

    def test_heap(self):
        """no report has memory that nothing was written to: with other contents of it, it is the same"""
        for path in hunt.recordings():
            for command in (("report", "-f", "html"), ("report", "-f", "json"), ("explain", "-f", "json")):
                shown = {self.judge.output(command, path, {"MALLOC_PERTURB_": value}) for value in ("1", "170")}
                self.assertEqual(len(shown), 1, f"{' '.join(command)} {path}")

    def test_forged(self):
        """recordings that were forged at random"""
        forger, end, number = hunt.Forger(hunt.recordings()), time.monotonic() + FORGED_S, 0
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "forged.ipct")
            while time.monotonic() < end:
                data, command = forger.make(f"test/{number}")
                with open(path, "wb") as file:
                    file.write(data)
                self.assertIsNone(self.judge.problem(command, path), f"seed test/{number}: {' '.join(command)}")
                number += 1

    def test_forge(self):
        """what is taken apart and put together again has the same records"""
        for path in hunt.recordings():
            with tempfile.NamedTemporaryFile() as file:
                file.write(forge.file_bytes(forge.read(path)))
                file.flush()
                for before, after in zip(records.read(path), records.read(file.name), strict=True):
                    self.assertEqual([r.raw for r in before.all], [r.raw for r in after.all])


if __name__ == "__main__":
    tap.main()
