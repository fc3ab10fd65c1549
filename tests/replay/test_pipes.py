# SPDX-License-Identifier: BSD-2-Clause
"""A recording that can be read only once is reported like any other: from a pipe, a FIFO or a socket."""

import os
import shutil
import signal
import socket
import subprocess
import tempfile
import threading
import unittest

import tap
from replay import test_recordings

NAME = "spinner"


def run(*arguments, **how):
    return subprocess.run([test_recordings.PROGRAM, *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          check=False, timeout=300, **how)


def feed(path, data):
    """Writes to a FIFO, whose reader may leave early."""
    def write():
        try:
            with open(path, "wb") as fifo:
                fifo.write(data)
        except BrokenPipeError:
            pass

    thread = threading.Thread(target=write, daemon=True)
    thread.start()
    return thread


class Pipes(unittest.TestCase):
    """Both commands that read recordings."""

    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="test-ipctrace-")
        self.addCleanup(shutil.rmtree, self.folder)
        self.fifo = os.path.join(self.folder, "fifo")
        os.mkfifo(self.fifo)
        self.path = test_recordings.path_of(NAME)
        with open(self.path, "rb") as file:
            self.data = file.read()

    def check(self, result, expected):
        self.assertEqual((result.returncode, result.stderr), (0, b""))
        self.assertEqual(result.stdout, expected.stdout)

    def test_stdin(self):
        """standard input, by each of its names"""
        for command in (("report",), ("report", "-f", "html"), ("report", "-f", "ndjson"), ("explain",)):
            expected = run(*command, self.path)
            for name in ("-", "/dev/stdin", "/dev/fd/0", "/proc/self/fd/0"):
                with self.subTest(command, name=name):
                    self.check(run(*command, name, input=self.data), expected)
            with open(self.path, "rb") as file:
                self.check(run(*command, "-", stdin=file), expected)

    def test_socket(self):
        """a socket, which has no path"""
        for name in ("-", "/dev/stdin"):
            ours, its = socket.socketpair()

            def send(ours=ours):
                ours.sendall(self.data)
                ours.close()

            thread = threading.Thread(target=send)
            thread.start()
            with its:
                self.check(run("report", name, stdin=its), run("report", self.path))
            thread.join()

    def test_fifo(self):
        """a FIFO, also as the other recording"""
        for command in (("report",), ("explain",)):
            writer = feed(self.fifo, self.data)
            self.check(run(*command, self.fifo), run(*command, self.path))
            writer.join()
        feed(self.fifo, self.data)
        result = run("explain", "-f", "json", self.path, "--against", self.fifo)
        expected = run("explain", "-f", "json", self.path, "--against", self.path)
        self.assertEqual(result.stdout, expected.stdout.replace(self.path.encode(), self.fifo.encode()).replace(
            f'"path":"{self.fifo}"'.encode(), f'"path":"{self.path}"'.encode()))

    def test_no_recording(self):
        """what is none is refused without reading all of it: some devices never end"""
        for name in ("/dev/zero", "/dev/urandom"):
            result = run("report", name)
            self.assertEqual((result.returncode, result.stdout), (1, b""))
            self.assertIn(b"not an ipctrace recording", result.stderr)
        self.assertIn(b"it is empty", run("report", "-", input=b"").stderr)

    def test_no_room(self):
        """a place for the copy that cannot be used is named, and what to do"""
        result = run("report", "-", input=self.data, env={**os.environ, "TMPDIR": "/proc"})
        self.assertEqual(result.returncode, 1)
        self.assertRegex(result.stderr, rb"'-': [^\n]*: it is copied first: name another folder in TMPDIR\n\Z")

    def test_no_writer(self):
        """a FIFO without a writer is waited for, and SIGINT ends that"""
        process = subprocess.Popen([test_recordings.PROGRAM, "report", self.fifo], stdout=subprocess.DEVNULL)
        with self.assertRaises(subprocess.TimeoutExpired):
            process.wait(timeout=0.3)
        process.send_signal(signal.SIGINT)
        self.assertEqual(process.wait(timeout=60), -signal.SIGINT)


if __name__ == "__main__":
    tap.main()
