# SPDX-License-Identifier: BSD-2-Clause
"""The page of the architecture shows the rooms of the sources as they are."""

import glob
import os
import re
import unittest

import script
import tap

TOP = os.path.abspath(script.ROOT)
PAGE = "docs/architecture.md"
CONTRIBUTING_LINES_MAX = 150


def read(path):
    with open(os.path.join(TOP, path), encoding="utf-8") as file:
        return file.read()


class Rooms(unittest.TestCase):
    def test_figure(self):
        """the figure is what scripts/maintain/rooms draws from the include table"""
        rooms = script.load("scripts/maintain/rooms")
        self.assertEqual(rooms.draw(read("docs/includes.md")), read("docs/rooms.svg"), "run scripts/maintain/rooms")

    def test_lines(self):
        """no line stands for what others stand for, and every include has a way"""
        rooms = script.load("scripts/maintain/rooms")
        below = rooms.read_table("| `src/a` | `src/b/x` `src/c` |\n| `src/b` | `src/b/x` `src/c` |\n| `src/c` |  |\n")
        self.assertEqual(below, {"src/a": {"src/b", "src/c"}, "src/b": {"src/c"}, "src/c": set()})
        self.assertEqual(rooms.lines_of(below), [("src/a", "src/b"), ("src/b", "src/c")])
        self.assertEqual(rooms.floors_of(below), [["src/c"], ["src/b"], ["src/a"]])

    def test_page(self):
        """the page names every folder of src and bpf, and no other"""
        named = set(re.findall(r"^    ((?:src|bpf)/\w+)/", read(PAGE), re.MULTILINE))
        there = {os.path.relpath(path, TOP).rstrip("/") for top in ("src", "bpf") for path in glob.glob(f"{TOP}/{top}/*/")}
        self.assertEqual(named, there)

    def test_places(self):
        """the files that the page and the recipes name are there"""
        files = {os.path.relpath(path, TOP) for folder in ("src", "bpf", "scripts", "tests", "docs", "vmlinux")
                 for path in glob.glob(f"{TOP}/{folder}/**/*", recursive=True)}
        for page in (PAGE, "docs/to-add.md"):
            for name in re.findall(r"`([a-z][\w./-]*\.(?:c|h|py|md|css))`", read(page)):
                if "NAME" not in name:
                    with self.subTest(page, name=name):
                        self.assertTrue(any(path == name or path.endswith("/" + name) for path in files))

    def test_contributing(self):
        """what a contributor reads first is short"""
        self.assertLessEqual(len(read("CONTRIBUTING.md").splitlines()), CONTRIBUTING_LINES_MAX)


if __name__ == "__main__":
    tap.main()
