# SPDX-License-Identifier: BSD-2-Clause
"""The line that shows progress on a terminal: rewritten in place, never wrapped, and gone at the end."""

import fcntl
import os
import pty
import re
import select
import struct
import subprocess
import termios
import time

import attach
import harness
import tap

# How the line is rewritten, and removed.
SHOWN = re.compile(rb"\r\x1b\[J([^\r\n\x1b]+)\r(?!\n)")
REMOVED = b"\r\x1b[J"

RUN = ("--transport", "uds", "--clients", "2", "--period", "10ms", "--policy", "other")
ROUND = re.compile(rb"round (\d+) of 400, (\d+) (s|min) left$")


class Terminal:
    """A pseudo-terminal with the program on it."""

    def __init__(self, case, columns, *arguments, env=None, shell=None):
        self.case, self.got = case, b""
        self.controller, terminal = pty.openpty()
        case.addCleanup(os.close, self.controller)
        self.resize(columns)
        words = [harness.PROGRAM, *arguments]
        if shell:
            words = ["sh", "-c", shell, *words]

        def take_terminal():
            os.setsid()
            fcntl.ioctl(terminal, termios.TIOCSCTTY, 0)

        self.began = time.monotonic()
        self.process = subprocess.Popen(words, stdin=terminal, stdout=terminal, stderr=terminal,
                                        env=harness.environment({"TERM": "xterm", **(env or {})}),
                                        preexec_fn=take_terminal)
        case.addCleanup(attach.discard, self.process)
        os.close(terminal)

    def resize(self, columns):
        fcntl.ioctl(self.controller, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))

    def type(self, text):
        os.write(self.controller, text)

    def read_until(self, is_enough):
        """Reads until the terminal got enough. False: the program has closed it."""
        limit = time.monotonic() + harness.PATIENCE * 60
        while not is_enough(self.got):
            self.case.assertLess(time.monotonic(), limit, self.got)
            if not select.select([self.controller], [], [], 1)[0]:
                continue
            try:
                self.got += os.read(self.controller, 1 << 16)
            except OSError:  # the other end is closed
                return False
        return True

    def finish(self):
        """(exit status, seconds)"""
        self.read_until(lambda got: False)
        return self.process.wait(), time.monotonic() - self.began

    @property
    def lines(self):
        """All states of the line."""
        return SHOWN.findall(self.got)

    def screen(self, columns):
        """The rows in the end, on a terminal without escape codes but for the one that removes a line."""
        rows, x = [""], 0
        text = self.got.decode()
        while text:
            if text.startswith("\x1b[J"):
                rows[-1] = rows[-1][:x]
                text = text[3:]
                continue
            character, text = text[0], text[1:]
            if character == "\r":
                x = 0
            elif character == "\n":
                rows.append("")
            else:
                self.case.assertTrue(character >= " ", text)
                if x == columns:
                    rows.append("")
                    x = 0
                rows[-1] = rows[-1].ljust(x)[:x] + character + rows[-1][x + 1:]
                x += 1
        return rows


class ProgressCase(harness.TestCase):
    """What has to hold of the line wherever it is shown."""

    def check_line(self, terminal, columns, seconds):
        """It never wraps, is rewritten once a second, and nothing is left of it."""
        for line in terminal.lines:
            self.assertLess(len(line.decode()), columns, terminal.got)
        self.assertLessEqual(len(terminal.lines), seconds + 1, terminal.got)
        rest = SHOWN.sub(b"", terminal.got)
        self.assertEqual(rest.count(b"\x1b"), rest.count(REMOVED), terminal.got)
        self.assertNotIn(b"\r", rest.replace(REMOVED, b"").replace(b"\r\n", b"\n"))
        bare = terminal.got
        terminal.got = rest.replace(REMOVED, b"")
        without = terminal.screen(columns)
        terminal.got = bare
        self.assertEqual(terminal.screen(columns), without)


class Run(ProgressCase):
    """Of `ipctrace run`."""

    def run_on(self, columns, *options, env=None):
        terminal = Terminal(self, columns, *RUN, "--messages", "300", "--color", "never", *options, env=env)
        status, seconds = terminal.finish()
        self.assertEqual(status, 0, terminal.got)
        return terminal, seconds

    def test_widths(self):
        """what is left fits every width, and the rest of the line where there is room"""
        for columns in (20, 40, 80):
            with self.subTest(columns):
                terminal, seconds = self.run_on(columns)
                self.check_line(terminal, columns, seconds)
                self.assertGreater(len(terminal.lines), 0, terminal.got)
                for line in terminal.lines:
                    self.assertEqual(bool(ROUND.search(line)), columns >= 40, line)
                    self.assertEqual(line.startswith(b"ipctrace: "), columns >= 40, line)
                    self.assertTrue(line.endswith(b" left"), line)

    def test_none(self):
        """no line without escape codes, with -q, with messages on the terminal, in the background"""
        for options, env in (((), {"TERM": "dumb"}), (("-q",), {}), (("-f", "ndjson"), {})):
            with self.subTest(options, env=env):
                terminal, _ = self.run_on(80, *options, env=env)
                self.assertNotIn(b" left", terminal.got)
                self.assertNotIn(b"\x1b", terminal.got)
        terminal = Terminal(self, 80, *RUN, "--messages", "300", "--color", "never",
                            shell='set -m; "$0" "$@" & wait $!')
        self.assertEqual(terminal.finish()[0], 0, terminal.got)
        self.assertNotIn(b" left", terminal.got)


if __name__ == "__main__":
    tap.main()
