# SPDX-License-Identifier: BSD-2-Clause
"""tests/planted: its mistakes fit the sources as they are now."""

import os
import shutil
import tempfile
import unittest

import script
import tap


class Planted(unittest.TestCase):
    def test_table(self):
        """each mistake changes its line, and is undone"""
        planted = script.load("tests/planted")
        self.assertGreaterEqual(len(planted.MISTAKES), 10)
        with tempfile.TemporaryDirectory(prefix="test-ipctrace-") as copy:
            for folder in ("bpf", "src"):
                shutil.copytree(os.path.join(script.ROOT, folder), os.path.join(copy, folder))
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
