# SPDX-License-Identifier: BSD-2-Clause
"""What README.md and docs show of recordings is what the program prints of them now."""

import os
import pathlib
import shutil
import subprocess
import tempfile
import unittest

import tap

TOP = pathlib.Path(__file__).resolve().parent.parent.parent
SCRIPT = TOP / "scripts/figures"


class Figures(unittest.TestCase):
    """Nothing is traced: the recordings are those of docs/recordings."""

    def check(self, folder):
        done = subprocess.run([SCRIPT, "--check", "--folder", folder], stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, text=True)
        return done.returncode, done.stdout

    def copy(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        shutil.copy(TOP / "README.md", folder.name)
        shutil.copytree(TOP / "docs", os.path.join(folder.name, "docs"))
        return pathlib.Path(folder.name)

    def test_up_to_date(self):
        """no picture and no excerpt of a recording is outdated"""
        self.assertEqual(self.check(TOP), (0, ""))

    def test_outdated(self):
        """one that differs is named, with the command that renews it; and one that is missing"""
        folder = self.copy()
        path = folder / "docs/run.svg"
        path.write_text(path.read_text().replace("where it went", "where it was"))
        outdated = (1, "figures: outdated: docs/run.svg: run scripts/figures\n")
        self.assertEqual(self.check(folder), outdated)
        path.unlink()
        self.assertEqual(self.check(folder), outdated)

    def test_excerpt(self):
        """the same for the block after a mark"""
        folder = self.copy()
        with open(folder / "README.md", "a", encoding="utf-8") as file:
            file.write("\n<!-- output: ipctrace report docs/recordings/run.ipct --brief -->\n```\nnothing\n```\n")
        self.assertEqual(self.check(folder), (1, "figures: outdated: README.md: run scripts/figures\n"))


if __name__ == "__main__":
    tap.main()
