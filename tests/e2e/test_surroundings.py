# SPDX-License-Identifier: BSD-2-Clause
"""What the program is started with: closed standard streams, and limits that are too low."""

import itertools
import os
import resource
import subprocess

import harness
import tap

HERE = os.path.dirname(os.path.abspath(__file__))
FLOOD = os.path.join(HERE, "../replay/fifo-flood.ipct")
SHORT = ("--transport", "uds", "--messages", "10", "--warmup", "0")
CLOSED = "Bad file descriptor"
EXTREME_KIB = 32


def start_with(prepare, *arguments):
    """The result of the program if `prepare` was called before it began."""
    process = subprocess.Popen([harness.PROGRAM, *arguments], stdin=subprocess.DEVNULL,
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                               env=harness.environment(), start_new_session=True, preexec_fn=prepare)
    return harness.finish(process)


def start_without(streams, *arguments):
    """The same without some of the descriptors 0 to 2. A shell closes them: Popen needs them itself."""
    closed = " ".join(f"{fd}>&-" for fd in streams)
    process = subprocess.Popen(["sh", "-c", f'exec "$0" "$@" {closed}', harness.PROGRAM, *arguments],
                               stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                               text=True, env=harness.environment(), start_new_session=True)
    return harness.finish(process)


class Streams(harness.TestCase):
    """Closed standard streams."""

    def test_recording(self):
        """a recording gets nothing of the report or of the errors, whichever streams are closed"""
        for count in (1, 2, 3):
            for streams in itertools.combinations(range(3), count):
                with self.subTest(closed=streams):
                    path = self.file("run.ipct")
                    result = start_without(streams, *SHORT, "--record", path)
                    self.assertEqual(result.status, int(1 in streams), result.err)
                    self.assertEqual(CLOSED in result.err, 1 in streams and 2 not in streams)
                    again = harness.ipctrace("report", "-f", "json", path)
                    self.assertEqual((again.status, again.err), (0, ""))
                    self.assertEqual(again.json()["integrity"]["matched"], 10)

    def test_commands(self):
        """every command says that its output cannot be written, and fails"""
        for arguments in (("report", FLOOD), ("report", "-f", "html", FLOOD), ("explain", FLOOD), ("list",),
                          ("doctor",), ("attach", "--", "true"), ("--help",),
                          ("report", "--schema", "summary")):
            for streams in ((1,), (0, 1), (0, 1, 2)):
                with self.subTest(arguments, closed=streams):
                    result = start_without(streams, *arguments)
                    self.assertEqual(result.status, 1, result.err)
                    self.assertEqual(CLOSED in result.err, 2 not in streams, result.err)

    def test_not_needed(self):
        """a report to a file needs no stream"""
        path = self.file("report")
        result = start_without((0, 1, 2), "report", "-f", "json", "-o", path, FLOOD)
        self.assertEqual(result.status, 0)
        with open(path, encoding="utf-8") as file:
            self.assertEqual(file.read(), harness.ipctrace("report", "-f", "json", FLOOD).out)


class Limits(harness.TestCase):
    """Limits of the stack and of open files."""

    def test_raised(self):
        """soft limits are raised, and commands get those of the user"""
        def lower():
            resource.setrlimit(resource.RLIMIT_STACK, (64 << 10, 8 << 20))
            resource.setrlimit(resource.RLIMIT_NOFILE, (64, 4096))

        path, script = self.file("limits"), self.file("show")
        expected = "64\n8192\n64\n4096\n"
        with open(script, "w", encoding="utf-8") as file:
            file.write(f"{{ ulimit -Ss; ulimit -Hs; ulimit -Sn; ulimit -Hn; }} >{path}; exec $1")
        for arguments in (("attach", "--", "sh", script), (*SHORT, "--load", f"sh {script} 'sleep 1000'"),
                          (*SHORT, "--pattern", "request", "--handler", f"exec=sh {script} 2>&1"),
                          (*SHORT, "--slower-than", "1ns", "-f", "json", "--on-slow", f"sh {script}")):
            with self.subTest(arguments):
                result = start_with(lower, *arguments)
                self.assertEqual(result.status, 0, result.err)
                with open(path, encoding="utf-8") as file:
                    self.assertEqual(file.read(), expected)
                os.unlink(path)

    def test_stack(self):
        """a stack that cannot grow is an error before anything else"""
        for kib in (EXTREME_KIB, 64, 256):
            for arguments in (SHORT, ("report", FLOOD), ("list",)):
                with self.subTest(arguments, kib=kib):
                    limit = (kib << 10, kib << 10)
                    result = start_with(lambda: resource.setrlimit(resource.RLIMIT_STACK, limit), *arguments)
                    self.assertEqual((result.status, result.out), (1, ""), result.err)
                    self.assertRegex(result.err, r"\Aipctrace: cannot begin: the stack [^\n]*ulimit -Hs\)\n\Z")

    def test_least_stack(self):
        """the least stack is enough for every format"""
        limit = (512 << 10, 512 << 10)
        for arguments in (("report",), ("report", "-f", "html"), ("report", "-f", "perfetto"), ("explain",)):
            with self.subTest(arguments):
                result = start_with(lambda: resource.setrlimit(resource.RLIMIT_STACK, limit), *arguments,
                                    "-o", "/dev/null", FLOOD)
                self.assertEqual((result.status, result.err), (0, ""))

    def test_files(self):
        """too few descriptors: the error names the limit and how to raise it, whatever has failed"""
        for count in (48, 20, 8, 6):
            for arguments in (("attach", "--", "true"), SHORT):
                with self.subTest(arguments, count=count):
                    result = start_with(lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (count, count)),
                                        *arguments)
                    if result.status:
                        self.assertRegex(result.err, rf"\Aipctrace: cannot [^\n]*: {count} at a time are "
                                                     r"too few: [^\n]*ulimit -n [0-9]+\)\n\Z")
                        self.assertNotIn("-vv", result.err)
        result = start_with(lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (64, 64)), "attach", "--", "true")
        self.assertIn("64 at a time are too few", result.err)


if __name__ == "__main__":
    tap.main()
