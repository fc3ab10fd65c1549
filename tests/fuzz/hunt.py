#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""
Forges recordings whose checksums are right, and looks at them with a sanitized program.

    hunt.py BUILD_DIR [--seconds S] [--seed N] [--out DIR]    forges recordings at random
    hunt.py BUILD_DIR --all [--valgrind]                      each command on each recording as it is
    hunt.py BUILD_DIR --shrink FILE OUT COMMAND...            leaves out records while the finding stays

A finding is a crash, a message of a sanitizer, a hang, output without end, or output that its format forbids. The
first of each kind is kept in DIR (BUILD_DIR/fuzz): the recording, and beside it the command and what was wrong.
The same seed gives the same recordings and commands.
"""

import argparse
import os
import random
import sys
import tempfile
import time

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

from fuzz import commands, forge, judge, mutate  # pylint: disable=wrong-import-position

TESTS = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
FOLDERS = ("replay", "page", "fuzz/seeds")
LIMIT_S = 5
SANITIZED, VALGRIND_SLOWER = 3, 40
VALGRIND = ("valgrind", "-q", "--error-exitcode=99", "--suppressions=" + os.path.join(TESTS, "fuzz/valgrind.supp"))


def recordings():
    """Those of the tests."""
    return sorted(os.path.join(TESTS, folder, name) for folder in FOLDERS
                  for name in os.listdir(os.path.join(TESTS, folder)) if name.endswith(".ipct"))


class Findings:
    """One file of each kind."""

    def __init__(self, folder, program):
        self.folder = folder
        self.program = program
        self.counts = {}

    def add(self, kind, details, command, data):
        self.counts[kind] = self.counts.get(kind, 0) + 1
        if self.counts[kind] > 1:
            return
        os.makedirs(self.folder, exist_ok=True)
        path = os.path.join(self.folder, f"{len(self.counts):03}.ipct")
        with open(path, "wb") as file:
            file.write(data)
        line = " ".join((self.program, command[0], path, *command[1:]))
        with open(path + ".txt", "w", encoding="utf-8", errors="replace") as file:
            file.write(f"{line}\n{kind}\n{details}\n")
        print(f"{kind}\n    {line}\n    {details[:300].strip()}", flush=True)

    def status(self):
        for kind, count in sorted(self.counts.items()):
            print(f"{count:5} x {kind}")
        return 1 if self.counts else 0


class Forger:
    """Recordings like those of the tests, from a seed."""

    def __init__(self, paths):
        self.paths = paths
        self.cells = {}

    def of(self, path, read):
        key = path, read.__name__
        if key not in self.cells:
            self.cells[key] = read(path)
        return self.cells[key]

    def make(self, seed):
        """(bytes, command)"""
        chance = random.Random(seed)
        # These have more kinds of records than a run.
        path = chance.choice((chance.choice(self.paths),
                              chance.choice([path for path in self.paths if "attach" in path or "seeds" in path])))
        if chance.randrange(6) == 0 and self.of(path, forge.coded_blocks):
            data = mutate.coded_of(chance, self.of(path, forge.coded_blocks))
        else:
            data = mutate.records_of(chance, self.of(path, forge.read),
                                     lambda: self.of(chance.choice(self.paths), forge.read))
        return data, commands.chosen(chance)


def fuzz(options, look):
    findings, forger = Findings(options.out, look.program), Forger(recordings())
    end, number = time.monotonic() + options.seconds, 0
    with tempfile.NamedTemporaryFile(suffix=".ipct") as file:
        while time.monotonic() < end:
            seed = f"{options.seed}/{number}"
            data, command = forger.make(seed)
            file.seek(0)
            file.truncate()
            file.write(data)
            file.flush()
            wrong = look.problem(command, file.name)
            if wrong:
                findings.add(wrong[0], f"seed {seed}\n{wrong[1]}", command, data)
            number += 1
    print(f"{number} recordings with seed {options.seed}, {sum(findings.counts.values())} findings")
    return findings.status()


def look_at_all(options, look):
    findings, number = Findings(options.out, look.program), 0
    for path in recordings():
        with open(path, "rb") as file:
            data = file.read()
        for command in commands.every():
            wrong = look.problem(command, path)
            if wrong:
                findings.add(wrong[0], f"{path}\n{wrong[1]}", command, data)
            number += 1
    print(f"{number} commands")
    return findings.status()


def shrink(options, look):
    """Leaves out ever smaller parts, as long as the kind of the finding stays the same."""
    source, target, *command = options.shrink
    cells = [cell.copy() for cell in forge.read(source)]

    def kind_of():
        with open(target, "wb") as file:
            file.write(forge.file_bytes(cells))
        return (look.problem(command, target) or (None,))[0]

    kind = kind_of()
    print(kind)
    for cell in cells if kind else []:
        size = len(cell.raws)
        while size:
            at = 0
            while at < len(cell.raws):
                part = cell.raws[at:at + size]
                del cell.raws[at:at + size]
                if kind_of() != kind:
                    cell.raws[at:at] = part
                    at += size
            size //= 2
    kind_of()
    return 0 if kind else 1


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("build")
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--out")
    parser.add_argument("--all", action="store_true")
    parser.add_argument("--valgrind", action="store_true")
    parser.add_argument("--shrink", nargs=argparse.REMAINDER)
    options = parser.parse_args()
    options.out = options.out or os.path.join(options.build, "fuzz")
    look = judge.Judge(os.path.join(options.build, "ipctrace"),
                       LIMIT_S * (VALGRIND_SLOWER if options.valgrind else SANITIZED),
                       VALGRIND if options.valgrind else ())
    if options.shrink:
        return shrink(options, look)
    return look_at_all(options, look) if options.all else fuzz(options, look)


if __name__ == "__main__":
    sys.exit(main())
