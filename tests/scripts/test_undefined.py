# SPDX-License-Identifier: BSD-2-Clause
"""
The analysis, the model and the reports do nothing that C leaves undefined.

clang's sanitizer finds more than gcc's, which `make SAN=1` uses: for example an offset of zero bytes to NULL.
It needs no library, because undefined behaviour ends the test with SIGILL. The objects stay in the build
folder, so that a later run compiles only what has changed.
"""

import concurrent.futures
import glob
import os
import re
import shutil
import subprocess
import unittest

import tap

TOP = os.path.abspath(os.path.join(os.path.dirname(os.path.abspath(__file__)), "../.."))
PROGRAM = os.path.abspath(os.environ.get("IPCTRACE_PROGRAM", os.path.join(TOP, "build/ipctrace")))
BUILD = os.path.join(os.path.dirname(PROGRAM), "undefined")
CLANG = shutil.which("clang-14") or "clang"
FLAGS = "-O0 -g0 -fsanitize=undefined -fsanitize-undefined-trap-on-error"
LIBRARIES = ["-lcmocka", "-ljansson", "-lseccomp", "-lprotobuf-c", "-lm"]
INCLUDED = re.compile(r'^#include "(.*)"$', re.MULTILINE)
# The tests of these folders may include these headers. The code also needs these sources.
KNOWN = re.compile(r"(analysis|container|insight|model|report|bpf)/|util/clock.h$")
NEEDED = ["src/util/duration.c", "src/util/interpreter.c", "src/util/plain.c", "src/report/perfetto/trace.pb-c.c"]

# These take long, and other tests run the same code.
LONG = {"tests/unit/analysis/test_analysis_random.c",
        "tests/unit/analysis/attach/test_round_detector.c"}


def read(path):
    with open(os.path.join(TOP, path), encoding="utf-8") as file:
        return file.read()


def knows_others(path):
    """Whether a file of the unit tests needs code of other folders."""
    for name in INCLUDED.findall(read(path)):
        helper = os.path.join("tests/unit", name)
        if os.path.exists(os.path.join(TOP, helper)):
            if not path.endswith(name[:-1] + "c") and knows_others(helper):
                return True
        elif not KNOWN.match(name):
            return True
    return False


def object_of(path):
    return os.path.join(BUILD, path[:-1] + "o")


def run(*command):
    return subprocess.run(command, cwd=TOP, capture_output=True, text=True)


def run_each(function, items):
    """The results of a function for each item, on all CPUs."""
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        return list(pool.map(function, items))


class Undefined(unittest.TestCase):
    """The unit tests, built such that undefined behaviour ends them."""

    def compile(self, paths):
        """make knows the headers of each source, and compiles what has changed."""
        environment = {name: value for name, value in os.environ.items()
                       if name not in ("MAKEFLAGS", "MAKELEVEL", "MFLAGS", "SAN", "CPPFLAGS")}
        done = subprocess.run(["make", f"-j{os.cpu_count()}", f"B={BUILD}", f"CC={CLANG}", f"CFLAGS={FLAGS}",
                               *map(object_of, paths)], cwd=TOP, env=environment, capture_output=True,
                              text=True)
        self.assertEqual(done.returncode, 0, done.stderr)

    def problem_of(self, test):
        """Why a test program fails; None if it passes."""
        program = os.path.join(BUILD, test[:-2])
        done = run(CLANG, "-pie", "-o", program, object_of(test), self.archive, *LIBRARIES)
        if not done.returncode:
            done = run(program)
        return f"{test[:-2]}: {done.stdout}{done.stderr}" if done.returncode else None

    def test_analysis_model_report(self):
        """the unit tests of analysis, model and report run into no undefined behaviour"""
        files = [os.path.relpath(path, TOP)
                 for folder in ("src/analysis", "src/container", "src/insight", "src/model", "src/report", "tests/unit")
                 for path in glob.glob(f"{TOP}/{folder}/**/*.c", recursive=True)]
        tests = [path for path in files if os.path.basename(path).startswith("test_")]
        wanted = [path for path in tests if path not in LONG and not knows_others(path)]
        self.assertGreater(len(wanted), 30)
        helpers = [path for path in files if path.startswith("tests/unit/") and path not in tests
                   and not knows_others(path)]
        code = NEEDED + [path for path in files if path.startswith("src/")] + helpers
        self.compile(code + wanted)
        self.archive = os.path.join(BUILD, "code.a")
        if os.path.exists(self.archive):
            os.remove(self.archive)
        self.assertEqual(run("ar", "rcs", self.archive, *map(object_of, code)).returncode, 0)
        problems = list(filter(None, run_each(self.problem_of, wanted)))
        self.assertEqual(problems, [])


if __name__ == "__main__":
    tap.main()
