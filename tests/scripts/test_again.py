# SPDX-License-Identifier: BSD-2-Clause
"""scripts/maintain/again: a mirror that fails for a moment does no harm, and one that is gone is reported."""

import os
import subprocess
import tempfile
import unittest

import tap

SCRIPTS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../scripts/maintain")

# Fails until it has been called so many times.
FETCHES = """
echo x >>tries
tries=$(wc -l <tries)
echo "try $tries"
[ $tries -gt $0 ] || { echo "E: no route to $tries" >&2; exit 7; }
"""


class Again(unittest.TestCase):
    """The script with a sleep that only notes its length."""

    def setUp(self):
        self.folder = tempfile.TemporaryDirectory(prefix="test-ipctrace-")
        self.addCleanup(self.folder.cleanup)
        sleep = os.path.join(self.folder.name, "sleep")
        with open(sleep, "w", encoding="ascii") as file:
            file.write('#!/bin/sh\necho "$1" >>pauses\n')
        os.chmod(sleep, 0o755)

    def fetch(self, failures):
        """(status, output, errors, pauses) of a command that fails so many times."""
        path = f"{self.folder.name}:{os.environ['PATH']}"
        done = subprocess.run([f"{SCRIPTS}/again", "sh", "-c", FETCHES, str(failures)],
                              cwd=self.folder.name, env=os.environ | {"PATH": path},
                              capture_output=True, text=True)
        pauses = os.path.join(self.folder.name, "pauses")
        if not os.path.exists(pauses):
            return done.returncode, done.stdout, done.stderr, []
        with open(pauses, encoding="ascii") as file:
            return done.returncode, done.stdout, done.stderr, list(map(int, file))

    def test_at_once(self):
        """a command that succeeds at once prints nothing more"""
        self.assertEqual(self.fetch(0), (0, "", "", []))

    def test_later(self):
        """a command that succeeds at its third try reports two errors, and the pauses grow"""
        status, out, err, pauses = self.fetch(2)
        self.assertEqual((status, out, len(pauses)), (0, "", 2))
        self.assertLess(pauses[0], pauses[1])
        self.assertEqual([line for line in err.splitlines() if line.startswith("E: ")],
                         ["E: no route to 1", "E: no route to 2"])
        self.assertNotIn("try 3", err)

    def test_never(self):
        """a command that never succeeds is given up with its whole output and its status"""
        status, out, err, pauses = self.fetch(9)
        self.assertEqual((status, out, len(pauses)), (7, "", 3))
        self.assertIn("try 4\nE: no route to 4\n", err)
        self.assertIn("failed with status 7 for the fourth time", err)


if __name__ == "__main__":
    tap.main()
