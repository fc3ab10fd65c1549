# SPDX-License-Identifier: BSD-2-Clause
"""scripts/causes: its causes, and how it judges what an explanation says."""

import os
import re
import tempfile
import unittest

import script
import tap


class Causes(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.script = script.load("scripts/causes")
        cls.causes = cls.script.causes()

    def test_causes(self):
        """each has a public report, words to look for, and says what is planted"""
        self.assertGreaterEqual(len(self.causes), 20)
        reports = [cause.report for cause in self.causes.values()]
        self.assertEqual(len(set(reports)), len(reports))
        for cause in self.causes.values():
            with self.subTest(cause.name):
                self.assertRegex(cause.report, r"^[\w.-]+/[\w.-]+#\d+$")
                self.assertRegex(cause.function.__doc__, r"^\w[^|\n]+$")
                self.assertIsNone(re.search(cause.sentence, ""))
                self.assertIsNone(re.search(cause.lines, ""))

    def test_judge(self):
        """right by the first sentence, partly by the lines below it"""
        cause = self.causes["file-lock"]
        self.assertEqual(self.script.judge(cause, "the server sleeps in flock", ""), "right")
        self.assertEqual(self.script.judge(cause, "the server sleeps", "in flock"), "partly")
        self.assertEqual(self.script.judge(cause, "the server sleeps", "in futex"), "wrong")

    def test_table(self):
        """the table takes the place of an earlier one, and says which runs were right"""
        cause = self.causes["fsync"]
        found = [{"verdict": "right", "sentence": "a | b", "named": False},
                 {"verdict": "partly", "sentence": "c | d", "named": True}]
        with tempfile.TemporaryDirectory(prefix="test-ipctrace-") as folder:
            path = os.path.join(folder, "causes.md")
            with open(path, "w", encoding="utf-8") as file:
                file.write(f"before\n{self.script.BEGIN}old\n{self.script.END}after\n")
            self.script.write_table(path, [(cause, found)])
            with open(path, encoding="utf-8") as file:
                text = file.read()
        self.assertNotIn("old", text)
        self.assertTrue(text.startswith("before\n") and text.endswith("after\n"))
        self.assertIn("| c \\| d | right, partly; said with the cure, too |\n", text)


if __name__ == "__main__":
    tap.main()
