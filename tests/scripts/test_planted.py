# SPDX-License-Identifier: BSD-2-Clause
"""tests/planted: its mistakes fit the sources as they are now."""

import importlib.machinery
import importlib.util
import os
import shutil
import tempfile
import unittest

import tap

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../..")


def load_planted():
    """The program as a module: its name has no ending."""
    loader = importlib.machinery.SourceFileLoader("planted", os.path.join(ROOT, "tests/planted"))
    planted = importlib.util.module_from_spec(importlib.util.spec_from_loader("planted", loader))
    loader.exec_module(planted)
    return planted


class Planted(unittest.TestCase):
    def test_table(self):
        """each mistake changes its line, and is undone"""
        planted = load_planted()
        self.assertGreaterEqual(len(planted.MISTAKES), 10)
        with tempfile.TemporaryDirectory(prefix="test-ipctrace-") as copy:
            for folder in ("bpf", "src"):
                shutil.copytree(os.path.join(ROOT, folder), os.path.join(copy, folder))
            for name, (path, *_) in planted.MISTAKES.items():
                with self.subTest(name):
                    self.check(planted, copy, name, os.path.join(copy, path))

    def check(self, planted, copy, name, path):
        with open(path, encoding="utf-8") as file:
            before = file.read()
        undo = planted.plant(copy, name)
        with open(path, encoding="utf-8") as file:
            self.assertNotEqual(file.read(), before)
        planted.write(*undo)
        with open(path, encoding="utf-8") as file:
            self.assertEqual(file.read(), before)


if __name__ == "__main__":
    tap.main()
