# SPDX-License-Identifier: BSD-2-Clause
"""System calls that fail again and again: counted by thread, channel and errno, and named where calls wait for them."""

import json
import subprocess
import sys

import attach
import harness
import patience
import tap

# A server on one connection, and a client. In each request, the server writes a line to a full pipe, and tries again
# at once ("retry"), or reads until there is nothing more, as with edge-triggered events, once for each request
# ("drain"). It notes how many calls failed.
PROGRAM = """
import ctypes, os, socket, sys, time
kind, calls, notes = sys.argv[1], int(sys.argv[2]), sys.argv[3]
libc = ctypes.CDLL(None)
ours, theirs = socket.socketpair()
child = os.fork()
if not child:
    ours.close()
    sys.stdin.readline()
    for _ in range(calls):
        theirs.send(b"request")
        theirs.recv(10)
        time.sleep(.001)
    os._exit(0)
theirs.close()
reader, writer = os.pipe()
os.set_blocking(writer, False)
while libc.write(writer, bytes(4096), 4096) > 0:
    pass
print("ready", flush=True)
failed = 0
while ours.recv(10):
    if kind == "retry":
        end = time.monotonic_ns() + 2_000_000
        while time.monotonic_ns() < end:
            for _ in range(20):
                failed += libc.write(writer, b"line", 4) < 0
    else:
        try:
            ours.recv(10, socket.MSG_DONTWAIT)
        except BlockingIOError:
            failed += 1
        end = time.thread_time_ns() + 500_000
        while time.thread_time_ns() < end:
            pass
    ours.send(b"answer")
with open(notes, "w", encoding="ascii") as file:
    file.write(str(failed))
"""

CALLS = 200
IN_VAIN = "in vain"
EAGAIN = 11


class Failing(attach.AttachCase):

    def trace(self, kind):
        """(calls that failed by the summary, its text, the explanation, how many failed)"""
        notes = self.file("notes")
        process = self.ready(self.spawn([sys.executable, "-c", PROGRAM, kind, str(CALLS), notes],
                                        stdin=subprocess.PIPE))
        with self.attached("-p", process.pid, "--level", "deep", stop=False) as attachment:
            process.communicate("go\n", timeout=60)
        explanation = json.loads(harness.ipctrace("explain", attachment.recording, "-f", "json", "--unit", "call").out)
        text = " ".join(harness.ipctrace("report", attachment.recording).out.split())
        with open(notes, encoding="ascii") as file:
            return attachment.summary["failing_calls"], text, explanation, int(file.read())

    def test_retry(self):
        """a service that tries again and again to write to a full pipe: counted, and named"""
        failing, text, explanation, failed = self.trace("retry")
        row = next(row for row in failing if row["call"] == "write")
        self.assertEqual((row["errno"], row["error"], row["thread"]["comm"]), (EAGAIN, "EAGAIN", "python3"))
        self.assertLessEqual(row["count"], failed)
        patience.demand(row["count"], failed / 2, f"failed calls of {failed}")
        self.assertGreater(row["cpu_ns"], 0)
        self.assertRegex(text, r"write fails \d+ times/s with EAGAIN, \d+ % of a CPU")
        patience.demand(IN_VAIN in explanation["headline"], 1, f"headlines: {explanation['headline']}")
        self.assertRegex(explanation["headline"], r"tries again and again in write in vain")
        causes = explanation["typical"]["causes"]
        self.assertEqual(sum(cause["ns"] for cause in causes), explanation["typical"]["round_trip_ns"])

    def test_drain(self):
        """a server that reads until there is nothing more: that is counted, and no cause"""
        failing, text, explanation, failed = self.trace("drain")
        for row in failing:
            if row["call"] == "recvfrom":
                self.assertLessEqual(row["count"], failed)
        patience.demand("recvfrom fails" not in text, 1, "reports in which they take less than 1 % of a CPU")
        self.assertNotIn(IN_VAIN, explanation["headline"])
        self.assertNotIn("calls_again", json.dumps(explanation["rows"]))


if __name__ == "__main__":
    tap.main()
