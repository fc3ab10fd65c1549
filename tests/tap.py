# SPDX-License-Identifier: BSD-2-Clause
"""Runs the unittest cases of a program and prints TAP (Test Anything Protocol)."""

import sys
import traceback
import unittest


class TapResult(unittest.TestResult):
    """Prints a TAP line for each test, and the reason of a failure as comments below."""

    def __init__(self):
        super().__init__()
        self.number = 0
        self.problems = []

    def startTest(self, test):
        super().startTest(test)
        self.problems = []

    def stopTest(self, test):
        super().stopTest(test)
        self.number += 1
        word = "not ok" if self.problems else "ok"
        emit(f"{word} {self.number} - {title_of(test)}")
        for problem in self.problems:
            comment(problem)

    def addFailure(self, test, err):
        super().addFailure(test, err)
        self.note(test, err)

    def addError(self, test, err):
        super().addError(test, err)
        self.note(test, err)

    def addSubTest(self, test, subtest, err):
        super().addSubTest(test, subtest, err)
        if err:
            self.problems.append(f"in {subtest._subDescription()}:\n{reason_of(err)}")

    def addSkip(self, test, reason):
        super().addSkip(test, reason)
        self.problems.append(f"skipped, which counts as failed: {reason}")

    def note(self, test, err):
        """A failure outside of a test, in a class's set-up, is a comment only: it is no test."""
        if isinstance(test, unittest.TestCase):
            self.problems.append(reason_of(err))
        else:
            comment(f"{test}:\n{reason_of(err)}")


def title_of(test):
    """The first line of a test's docstring, which says what must hold."""
    return test.shortDescription() or test.id()


def reason_of(err):
    """The message of a failed assertion and its place; the whole trace of any other error."""
    kind, value, trace = err
    frames = [f for f in traceback.extract_tb(trace) if "unittest" not in f.filename]
    if issubclass(kind, AssertionError) and frames:
        places = [f"{f.filename.rsplit('/', 1)[-1]}:{f.lineno}" for f in frames]
        return f"{value}\n({', '.join(places)})"
    return "".join(traceback.format_exception(kind, value, trace))


def comment(text):
    """Prints every line as a TAP comment."""
    for line in str(text).rstrip().splitlines():
        emit(f"# {line}")


def emit(line):
    """Prints at once, so that the output of a killed program shows how far it came."""
    print(line, flush=True)


def main():
    """Runs every case of the program, or those named as arguments (Class or Class.test)."""
    loader = unittest.TestLoader()
    module = sys.modules["__main__"]
    names = sys.argv[1:]
    if names:
        suite = loader.loadTestsFromNames(names, module)
    else:
        suite = loader.loadTestsFromModule(module)
    emit(f"1..{suite.countTestCases()}")
    result = TapResult()
    suite.run(result)
    sys.exit(0 if result.wasSuccessful() else 1)
