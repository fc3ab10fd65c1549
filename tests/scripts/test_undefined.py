# SPDX-License-Identifier: BSD-2-Clause
"""
The analysis, the model and the reports do nothing that C leaves undefined.

clang's sanitizer knows more of that than gcc's, which `make SAN=1` uses: an offset to NULL, even of
zero bytes. It needs no library of its own here, because what is undefined ends the test (SIGILL).
"""

import concurrent.futures
import glob
import os
import re
import shutil
import subprocess
import tempfile
import unittest

import tap

TOP = os.path.abspath(os.path.join(os.path.dirname(os.path.abspath(__file__)), "../.."))
CLANG = shutil.which("clang-14") or "clang"
FLAGS = ["-O0", "-std=gnu11", "-D_GNU_SOURCE", "-I.", "-Isrc", "-Ibpf", "-Itests/unit",
         "-fsanitize=undefined", "-fsanitize-undefined-trap-on-error"]
LIBRARIES = ["-lcmocka", "-ljansson", "-lm"]
INCLUDED = re.compile(r'^#include "(.*)"$', re.MULTILINE)
# What the tests of these include, and what these need beside themselves.
KNOWN = re.compile(r"(analysis|model|report|bpf)/|util/clock.h$")
NEEDED = ["src/util/plain.c"]

# What these go through takes long, and others go through the same code.
LONG = {"tests/unit/analysis/test_analysis_random.c", "tests/unit/analysis/test_flow.c",
        "tests/unit/analysis/attach/test_round_detector.c"}


def read(path):
    with open(os.path.join(TOP, path), encoding="utf-8") as file:
        return file.read()


def knows_others(path):
    """Whether a file of the unit tests needs more than these three."""
    for name in INCLUDED.findall(read(path)):
        helper = os.path.join("tests/unit", name)
        if os.path.exists(os.path.join(TOP, helper)):
            if not path.endswith(name[:-1] + "c") and knows_others(helper):
                return True
        elif not KNOWN.match(name):
            return True
    return False


class Undefined(unittest.TestCase):
    """The unit tests, built such that they end there."""

    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory(prefix="test-ipctrace-")
        cls.addClassCleanup(folder.cleanup)
        cls.folder = folder.name

    def run_each(self, function, items):
        """What a function of each comes to, on all CPUs."""
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            return list(pool.map(function, items))

    def compile(self, path):
        """The object's path."""
        target = os.path.join(self.folder, path.replace("/", "-")[:-1] + "o")
        done = subprocess.run([CLANG, *FLAGS, "-c", "-o", target, path], cwd=TOP,
                              capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        return target

    def problem_of(self, test):
        """What is wrong with a program of tests; nothing: it passes."""
        name = test[:-2]
        program = os.path.join(self.folder, name.replace("/", "-"))
        done = subprocess.run([CLANG, "-o", program, self.compile(test), self.archive, *LIBRARIES],
                              cwd=TOP, capture_output=True, text=True)
        if not done.returncode:
            done = subprocess.run([program], capture_output=True, text=True)
        return f"{name}: {done.stdout}{done.stderr}" if done.returncode else None

    def test_analysis_model_report(self):
        """nothing that is undefined happens in their unit tests"""
        files = [os.path.relpath(path, TOP)
                 for folder in ("src/analysis", "src/model", "src/report", "tests/unit")
                 for path in glob.glob(f"{TOP}/{folder}/**/*.c", recursive=True)]
        tests = [path for path in files if os.path.basename(path).startswith("test_")]
        wanted = [path for path in tests if path not in LONG and not knows_others(path)]
        self.assertGreater(len(wanted), 30)
        helpers = [path for path in files if path.startswith("tests/unit/") and path not in tests
                   and not knows_others(path)]
        code = NEEDED + [path for path in files if path.startswith("src/")]
        self.archive = os.path.join(self.folder, "code.a")
        subprocess.run(["ar", "rcs", self.archive, *self.run_each(self.compile, code + helpers)],
                       check=True)
        problems = list(filter(None, self.run_each(self.problem_of, wanted)))
        self.assertEqual(problems, [])


if __name__ == "__main__":
    tap.main()
