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
# A client and, in a child, its server: about 400 calls a second, of which each 500th takes 30 ms.
SERVER = """
import os, socket, threading, time
with open("/proc/self/comm", "wb") as comm:
    comm.write(bytes.fromhex("{name}"))
client, server = socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM)
if os.fork():
    number = 0
    while server.recv(1):
        number += 1
        if number % 500 == 0:
            time.sleep(0.03)
        server.send(b"y")
client.settimeout(60)
print(flush=True)
while True:
    client.send(b"x")
    client.recv(1)
    time.sleep(0.002)
"""
NAME = b"\x1b]0;pwned\a"

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


class Attach(ProgressCase):
    """Of `ipctrace attach`, to a client and its server, which have a hostile name."""

    def server(self, name=NAME):
        process = subprocess.Popen(["python3", "-c", SERVER.format(name=name.hex())],
                                   stdout=subprocess.PIPE, env=harness.environment(),
                                   start_new_session=True)
        self.addCleanup(attach.discard, process)
        process.stdout.readline()
        return process

    def attach_on(self, columns, *options, color="never", env=None, shell=None):
        pid = str(self.server().pid)
        return Terminal(self, columns, "attach", "-p", pid, "--color", color, *options, env=env, shell=shell)

    def finish(self, terminal, status=0):
        found, seconds = terminal.finish()
        self.assertEqual(found, status, terminal.got)
        return seconds

    def check_fields(self, line, columns):
        """What a line says on a terminal of this width."""
        fields = line.decode().removeprefix("ipctrace: ").split(", ")
        self.assertRegex(fields[0], r"^\d+ s$")
        if columns < 20:
            return
        self.assertRegex(fields[1], r"^(no message yet|\d+ messages?)$")
        seen = int(fields[1].split()[0]) if fields[1][0] != "n" else 0
        if seen and columns >= 40 and " lost" not in line.decode():
            self.assertRegex(line.decode(), r", slowest [\d.]+ (s|ms|us)($|,)")
        # A call is two messages; every 500th call is slow.
        if seen > 1000 and columns >= 200:
            self.assertRegex(line.decode(), r", \d+ calls, .*slowest [\d.]+ m?s, a call to "
                             r"\\033\]0;pwned\\007 \(pid \d+\), p99 of calls [\d.]+ [mu]?s$")

    def test_widths(self):
        """once a second: time, messages, calls, what is slow and where, as much as there is room for"""
        for columns in (20, 40, 80, 200):
            with self.subTest(columns):
                terminal = self.attach_on(columns, "-d", "4500ms")
                seconds = self.finish(terminal)
                self.check_line(terminal, columns, seconds)
                self.assertGreater(len(terminal.lines), 1, terminal.got)
                for line in terminal.lines:
                    self.check_fields(line, columns)
                # It grows, and the report comes after it.
                counts = [int(n) for n in re.findall(rb" (\d+) messages", b"\n".join(terminal.lines))]
                self.assertEqual(counts, sorted(counts))
                self.assertGreater(len(set(counts)), 1, terminal.lines)
                self.assertIn(b"attached to", terminal.got.split(terminal.lines[-1])[-1])

    def test_none(self):
        """no line without escape codes, with -q, with lines of --interval, or where something else writes"""
        for options, env in (((), {"TERM": "dumb"}), (("-q",), {}), (("--interval", "1s"), {}),
                             (("-f", "ndjson"), {}), (("--on-slow", "true", "--slower-than", "10ms"), {})):
            with self.subTest(options, env=env):
                terminal = self.attach_on(80, "-d", "2500ms", *options, env=env)
                self.finish(terminal)
                self.assertNotIn(b"\x1b", terminal.got)
        for shell in ('set -m; "$0" "$@" & wait $!', '"$0" "$@" 2>/dev/null', '"$0" "$@" 2>&1 | cat',
                      '"$0" "$@" 2>&1 >/dev/null | cat'):
            with self.subTest(shell):
                terminal = self.attach_on(80, "-d", "2500ms", shell=shell)
                self.finish(terminal)
                self.assertNotIn(b"\x1b", terminal.got)
        terminal = Terminal(self, 80, "attach", "--color", "never", "--", "sleep", "2.5")
        self.finish(terminal)
        self.assertNotIn(b"\x1b", terminal.got)

    def test_file(self):
        """a report that goes into a file is the same, and the line is shown meanwhile"""
        path = self.file("report.ndjson")
        terminal = self.attach_on(80, "-d", "2500ms", "-f", "ndjson", "-o", path)
        self.check_line(terminal, 80, self.finish(terminal))
        self.assertGreater(len(terminal.lines), 0, terminal.got)
        with open(path, encoding="ascii") as file:
            self.assertGreater(len(harness.read_ndjson(file.read())[1]), 100)

    def test_plain(self):
        """the line has no colours, whatever is asked for"""
        for color, env in (("never", {"NO_COLOR": "1"}), ("always", {})):
            with self.subTest(color, env=env):
                terminal = self.attach_on(80, "-d", "2500ms", color=color, env=env)
                self.finish(terminal)
                self.assertGreater(len(terminal.lines), 0, terminal.got)

    def test_interrupt(self):
        """^C leaves neither the line nor its echo"""
        terminal = self.attach_on(80)
        terminal.read_until(lambda got: len(SHOWN.findall(got)) > 1)
        terminal.type(b"\x03")
        self.finish(terminal)
        rows = [row.rstrip() for row in terminal.screen(80)]
        self.assertFalse([row for row in rows if " messages, " in row and row.startswith("ipctrace: ")], rows)
        self.assertFalse([row for row in rows if "^C" in row and "press" not in row], rows)
        self.assertTrue([row for row in rows if "attached to" in row], rows)

    def test_resize(self):
        """the next line fits a terminal that became narrower, and all of the old one is removed"""
        terminal = self.attach_on(120)
        terminal.read_until(lambda got: len(SHOWN.findall(got)) > 1)
        terminal.resize(30)
        before = len(terminal.lines)
        terminal.read_until(lambda got: len(SHOWN.findall(got)) > before + 2)
        narrow = terminal.lines[before + 1:]
        terminal.type(b"\x03")
        self.finish(terminal)
        self.assertLess(max(map(len, narrow)), 30, narrow)

    def test_stopped(self):
        """a terminal that was stopped by ^S does not stop the reader of records"""
        terminal = self.attach_on(80, "-d", "4s")
        terminal.read_until(lambda got: len(SHOWN.findall(got)) > 0)
        terminal.type(b"\x13")
        time.sleep(2.5)
        terminal.type(b"\x11")
        self.finish(terminal)
        self.assertIn(b"attached to", terminal.got)
        lost = re.search(rb"(\d+) records? lost", terminal.got)
        self.assertEqual(lost and int(lost[1]) or 0, 0, terminal.got)


if __name__ == "__main__":
    tap.main()
