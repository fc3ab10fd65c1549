# SPDX-License-Identifier: BSD-2-Clause
"""Names that would make a terminal obey them come out harmless, whatever shows them."""

import os
import pty
import re
import select
import signal
import subprocess
import time

import attach
import harness
import tap

# Sets the title, in 15 bytes; and the same by C1, as UTF-8.
TITLE = b"\x1b]0;pwned\a"
C1 = "\u009b31m".encode()

# What the program itself says to a terminal: colours, and the line of progress, which is rewritten in place.
PROGRESS = re.compile(rb"\r\x1b\[J(?:([^\r\n\x1b]+)\r(?!\n))?")
OWN = (b"\x1b[1;31m", b"\x1b[1m", b"\x1b[0m",
       *(f"\x1b[7;{colour}m".encode() for colour in (31, 32, 33, 34, 35, 36, 90, 94, 96)))

# A thread of this name sends to itself, forever.
TALKER = """
import os, socket, time
with open("/proc/self/comm", "wb") as comm:
    comm.write(bytes.fromhex("{name}"))
a, b = socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM)
print(flush=True)
while True:
    a.send(b"x")
    b.recv(1)
    time.sleep(0.001)
"""


def harmful(shown):
    """The bytes of what a terminal got that it may obey, beyond line ends and our own."""
    shown = PROGRESS.sub(rb"\1", shown)
    for own in OWN:
        shown = shown.replace(own, b"")
    text = shown.replace(b"\r\n", b"\n").decode("utf-8", errors="surrogateescape")
    return [c for c in text if not (" " <= c <= "~" or c == "\n" or (c.isprintable() and c > "\x9f"))]


class TerminalBytes(harness.TestCase):
    """On a pseudo-terminal, as raw bytes."""

    def talker(self, name):
        process = subprocess.Popen(["python3", "-c", TALKER.format(name=name.hex())],
                                   stdout=subprocess.PIPE, env=harness.environment(),
                                   start_new_session=True)
        self.addCleanup(attach.discard, process)
        process.stdout.readline()
        return process

    def shown(self, *arguments, env=None, until=None):
        """(status, bytes) of a run whose stdout and stderr are a terminal; ^C after `until` was shown."""
        controller, terminal = pty.openpty()
        process = subprocess.Popen([harness.PROGRAM, *arguments], stdin=subprocess.DEVNULL,
                                   stdout=terminal, stderr=terminal,
                                   env=harness.environment({"TERM": "xterm", **(env or {})}),
                                   start_new_session=True)
        self.addCleanup(attach.discard, process)
        os.close(terminal)
        self.addCleanup(os.close, controller)
        shown, limit = b"", time.monotonic() + harness.PATIENCE * 60
        while True:
            self.assertLess(time.monotonic(), limit, f"it goes on and on: {shown}")
            if not select.select([controller], [], [], 1)[0]:
                continue
            try:
                shown += os.read(controller, 1 << 16)
            except OSError:  # the other end is closed
                break
            if until and until in shown:
                until = None
                time.sleep(0.2)
                process.send_signal(signal.SIGINT)
        return process.wait(), shown

    def check(self, shown, *parts):
        self.assertEqual(harmful(shown), [], shown)
        for part in parts:
            self.assertIn(part, shown)

    def test_attach(self):
        """a traced thread: in the line that says what is traced, in the report, in JSON"""
        pid = str(self.talker(TITLE).pid)
        path = self.file("talk.ipct")
        status, shown = self.shown("attach", "-p", pid, "--record", path, until=b"press ^C")
        self.assertEqual(status, 0, shown)
        self.check(shown, b"tracing '\\033]0;pwned\\007", b"\\033]0;pwned\\007 (pid %s), uds" % pid.encode())
        for arguments in ((), ("--color", "always"), ("-f", "json"), ("-f", "ndjson"), ("-vv",)):
            status, shown = self.shown("report", path, *arguments)
            self.assertEqual(status, 0, shown)
            self.check(shown, b"pwned")

    def test_list(self):
        """owners and sockets, in UTF-8 locales, too"""
        pid = str(self.talker(b"\xc3\xa4" + C1 + "\u202e".encode()).pid)
        for locale, name in (("C", b"\\303\\244\\302\\23331m\\342\\200\\256"),
                             ("C.UTF-8", b"\xc3\xa4\\302\\23331m\\342\\200\\256")):
            status, shown = self.shown("list", "--pid", pid, env={"LC_ALL": locale})
            self.assertEqual(status, 0, shown)
            self.check(shown, name)
        status, shown = self.shown("list", "--pid", pid, "-f", "json")
        self.assertEqual(status, 0, shown)
        self.check(shown, b"\\u00E4\\u009B31m\\u202E")

    def test_files(self):
        """names of files, options, sockets and programs, and what a load has said"""
        title = TITLE.decode() + "\nipctrace: all is fine"
        shell = title.replace("\x1b", "\\033").replace("\a", "\\007")
        for arguments in (("report", f"/nonexistent/{title}"), (f"--{title}",), (title,),
                          ("report", "/dev/null", f"--{title}"),
                          ("-f", title), ("--load", f"printf '{shell}' >&2; exit 3"),
                          ("--load", title), ("list", "--comm", title),
                          ("attach", "--unix", title), ("attach", "--cgroup", title),
                          ("attach", "--", f"/nonexistent/{title}")):
            status, shown = self.shown(*arguments)
            self.assertNotEqual(status, 0, arguments)
            self.check(shown)


if __name__ == "__main__":
    tap.main()
