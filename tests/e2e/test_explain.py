# SPDX-License-Identifier: BSD-2-Clause
"""A run or an attach explains itself (--explain): a planted cause comes first."""

import os
import signal
import subprocess
import sys

import attach
import harness
import patience
import tap

FOLDER = os.path.dirname(os.path.abspath(__file__))
SPIN_NS, EVERY_NS = 1_000_000, 7_013_000  # no multiple of the period: spins meet the calls at every place
# The calls leave time for others: what waits behind them for a second gets the CPU for long.
PINGPONG = ("--pattern", "pingpong", "--cpus", "one", "--messages", 10000, "--period", "200us", "--server-priority",
            98, "--client-priority", 97)


def sum_of(rows):
    return sum(row["ns"] for row in rows)


class Live(harness.TestCase):
    """--explain of a run. A thread of a higher priority takes the CPU for a millisecond now and then."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.spinner = os.path.join(cls.folder, "spinner")
        subprocess.run([os.environ.get("CC", "cc"), "-O2", "-o", cls.spinner, os.path.join(FOLDER, "spinner.c")],
                       check=True)

    def spun(self, *arguments):
        """(result of a run beside the spinner, its tid)"""
        cpu = max(os.sched_getaffinity(0))  # --cpus one takes the last
        spinner = subprocess.Popen([self.spinner, str(cpu), str(SPIN_NS), str(EVERY_NS), "4000"],
                                   stdout=subprocess.DEVNULL)
        try:
            result = harness.ipctrace(*arguments)
        finally:
            spinner.send_signal(signal.SIGTERM)
            spinner.wait(30)
        self.check_quiet(result)
        return result, spinner.pid

    def test_spinner(self):
        """the spinner is the first culprit, and the rows add up"""
        result, tid = self.spun(*PINGPONG, "--explain", "--slowest", 100, "-f", "json")
        summary = result.json()
        explanation = summary["explanation"]
        self.assertEqual((explanation["schema"], explanation["unit"], explanation["level"]),
                         ("ipctrace.explain/1", "call", "deep"))
        self.assertEqual(explanation["units"], summary["calls"]["count"])
        rows = explanation["rows"]
        components = [row for row in rows if row["culprit"] is None]
        self.assertAlmostEqual(sum_of(components), explanation["difference_ns"], delta=len(rows) + 1)
        hits = [row for row in rows if row["culprit"] and row["culprit"]["tid"] == tid]
        patience.demand(round(100 * sum_of(hits) / explanation["difference_ns"]), 50,
                        "per cent of the difference that are blamed on the spinner")
        self.assertEqual((rows[1]["culprit"]["comm"], rows[1]["role"]), ("rt-spinner", "ran"))
        self.assertEqual(rows[0]["component"], "runqueue")
        self.assertEqual(sum_of(explanation["typical"]["causes"]), explanation["typical"]["round_trip_ns"])

    def test_text(self):
        """the explanation follows the report, and its first line names the spinner"""
        result, tid = self.spun(*PINGPONG, "--explain", "--slowest", 100)
        report, explanation = result.out.split("why the slow ones are slow")
        self.assertIn("\ncomplete ", report)
        lines = explanation.splitlines()
        if f"rt-spinner (pid {tid}, FIFO 99)" not in " ".join(lines[2:4]):
            raise patience.NotNear(f"something else comes first: {lines[2:4]}")
        self.assertLessEqual(max(map(len, result.out.splitlines())), 80)

    def test_recording(self):
        """the recording of --record is explained, and again later with the same result"""
        path = self.file("run.ipct")
        result = harness.ipctrace("--clients", 3, "--messages", 200, "--explain", "--record", path, "-f", "json")
        self.check_quiet(result)
        later = harness.ipctrace("explain", path, "-f", "json")
        self.check_quiet(later)
        self.assertEqual(later.json(), result.json()["explanation"])
        self.assertEqual(later.json()["unit"], "round")

    def test_level(self):
        """--level says how much is recorded for the explanation"""
        result = harness.ipctrace("--clients", 2, "--messages", 100, "--explain", "--level", "light", "-f", "json")
        self.check_quiet(result)
        self.assertEqual(result.json()["explanation"]["level"], "light")

    def test_sweep(self):
        """each run of several is explained"""
        result = harness.ipctrace("--clients", "1,2", "--messages", 100, "--explain", "-f", "json")
        self.check_quiet(result)
        cells = result.json()["cells"]
        self.assertEqual([cell["explanation"]["units"] for cell in cells], [100, 100])
        text = harness.ipctrace("--clients", "1,2", "--messages", 100, "--explain")
        self.assertEqual(text.out.count("-- the difference --"), 2, text.out)


class Temporary(harness.TestCase):
    """What is recorded for the explanation alone leaves nothing behind."""

    def ran(self, *arguments, env=None):
        return harness.ipctrace("--clients", 2, "--messages", 100, "--explain", *arguments,
                                env={"TMPDIR": self.folder, **(env or {})})

    def test_nothing_left(self):
        """the file has no name, and is gone after the run and after an interrupt"""
        before = set(os.listdir(self.folder))
        self.check_quiet(self.ran())
        self.assertEqual(set(os.listdir(self.folder)), before)
        running = harness.start("--clients", 2, "--messages", 100000, "--explain", env={"TMPDIR": self.folder})
        harness.wait_for_rounds(running, 2)
        self.assertEqual(set(os.listdir(self.folder)), before)
        running.send_signal(signal.SIGINT)
        result = harness.finish(running)
        self.assertIn("why the slow ones are slow", result.out)
        self.assertEqual(set(os.listdir(self.folder)), before)

    def test_no_room(self):
        """on a full disk there is the report, and a line that says why nothing is explained"""
        small = self.file("small")
        os.mkdir(small)
        self.mount("-t", "tmpfs", "-o", "size=16k", "none", small)
        result = self.ran(env={"TMPDIR": small})
        self.assertEqual(result.status, 1)
        self.assertIn("No space left on device", result.err)
        self.assertIn(f"temporary file in {small}", result.err)
        self.assertIn("complete ", result.out)
        self.assertNotIn("why the slow ones are slow", result.out)

    def test_refused(self):
        """what cannot be explained is refused before anything runs"""
        self.check_refused(self.ran("--no-trace"), "--explain", "--no-trace", status=2)
        self.check_refused(self.ran("-f", "ndjson"), "--explain", "ndjson", "use text or json", status=2)
        self.check_refused(self.ran("--record", "/dev/null"), "--record '/dev/null'", "cannot be read again")
        self.check_refused(self.ran("--record", self.file("x"), "--slower-than", "1ms"), "leave out --slower-than",
                           status=2)
        self.check_refused(self.ran(env={"TMPDIR": "/nonexistent"}), "'/nonexistent'", "set TMPDIR")
        self.check_refused(harness.ipctrace("--slowest", "5"), "--slowest", "add --explain", status=2)


class Attach(attach.AttachCase):
    """--explain of an attach."""

    def test_calls(self):
        """calls are explained, between two instants too"""
        path = self.file("attach.ipct")
        program = [sys.executable, "-c", "import socket, threading\n"
                   "a, b = socket.socketpair()\n"
                   "def serve():\n"
                   "    for _ in range(500): b.send(b.recv(100))\n"
                   "threading.Thread(target=serve).start()\n"
                   "for _ in range(500): a.send(b'x'); a.recv(100)\n"]
        result = harness.ipctrace("attach", "--explain", "--record", path, "-f", "json", "--", *program)
        self.check_quiet(result)
        explanation = result.json()["explanation"]
        self.assertEqual(explanation["level"], "deep")
        part = harness.ipctrace("explain", path, "-f", "json", "--between", "0s", "24m")
        self.check_quiet(part)
        self.assertEqual(part.json()["rows"], explanation["rows"])
        self.check_refused(harness.ipctrace("explain", path, "--between", "20m", "21m"), "between 1200s and 1260s")


if __name__ == "__main__":
    sys.exit(tap.main())
