# SPDX-License-Identifier: BSD-2-Clause
"""
A thread that runs in one system call for long, or in many short ones: they are named, with their time. Own code is
not.
"""

import json
import subprocess
import sys

import attach
import harness
import patience
import serving
import tap

CALLS = 60

# The server has much memory, which fork() has to map again for the child. In every tenth request it forks, or it
# computes for as long. It notes the CPU time of each of its longest requests, and how long fork() took.
PROGRAM = serving.program("forking-server", """
import json, mmap, os, sys, time
kind, calls, notes = sys.argv[1], int(sys.argv[2]), sys.argv[3]
MADV_NOHUGEPAGE = 15

noted = []
nothing = os.open("/dev/null", os.O_WRONLY)
memory = mmap.mmap(-1, 128 << 20, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)

def prepare():
    memory.madvise(MADV_NOHUGEPAGE)
    for at in range(0, len(memory), 4096):
        memory[at] = 1

def work(i):
    if i % 10 != 5:
        return
    begin, ran = time.monotonic_ns(), time.thread_time_ns()
    if kind == "fork":
        child = os.fork()
        if not child:
            os._exit(0)
    elif kind == "write":
        while time.thread_time_ns() < ran + 5_000_000:
            for _ in range(100):
                os.write(nothing, b"w" * 100)
    else:
        for _ in range(300_000):
            pass
    noted.append((time.monotonic_ns() - begin, time.thread_time_ns() - ran))
    if kind == "fork":
        os.waitpid(child, 0)

def finish():
    with open(notes, "w", encoding="ascii") as file:
        json.dump(noted, file)
""")


class InCalls(attach.AttachCase):
    """The slowest call is one with the work."""

    def trace(self, kind):
        """(causes of the service of the slowest call on a CPU, all that is said, what the server noted)"""
        notes = self.file("notes")
        process = self.ready(self.spawn([sys.executable, "-c", PROGRAM, kind, CALLS, notes], stdin=subprocess.PIPE))
        with self.attached("--level", "deep", "-p", process.pid, stop=False) as attachment:
            _, err = process.communicate("go\n", timeout=60 * harness.PATIENCE)
        self.assertEqual((process.returncode, err), (0, ""))
        options = ("explain", attachment.recording, "--unit", "call", "--slowest", "1")
        typical = json.loads(harness.ipctrace(*options, "-f", "json").out)["typical"]
        causes = [cause for cause in typical["causes"]
                  if (cause["part"], cause["component"], cause["role"]) == ("service", "on_cpu", "itself")]
        self.assertEqual(sum(cause["ns"] for cause in typical["causes"]), typical["round_trip_ns"])
        with open(notes, encoding="ascii") as file:
            return causes, harness.ipctrace(*options).out, json.load(file)

    def test_fork(self):
        """fork() of a process with much memory: no longer than the call took, and most of its CPU time"""
        causes, text, noted = self.trace("fork")
        in_call = [cause["ns"] for cause in causes if cause["call"] == "clone"]
        patience.demand(len(in_call), 1, f"the slowest call forks: {causes}")
        self.assertEqual(len(in_call), 1, causes)
        self.assertLessEqual(in_call[0], max(took for took, _ in noted))
        patience.demand(in_call[0], 0.5 * min(ran for _, ran in noted), f"ns in clone of {causes}, {noted}")
        self.assertIn("in clone ", text)

    def test_short_calls(self):
        """write() again and again: no longer than all of it took, and much of its CPU time"""
        causes, text, noted = self.trace("write")
        in_calls = [cause for cause in causes if (cause["call"], cause["reason"]) == ("write", "short_calls")]
        patience.demand(len(in_calls), 1, f"the slowest call writes: {causes}")
        # Interrupts may make a few of them as long as many.
        reasons = {cause["reason"] for cause in causes if cause["call"] == "write"}
        self.assertLessEqual(reasons, {"short_calls", None}, causes)
        self.assertLessEqual(in_calls[0]["ns"], max(took for took, _ in noted))
        patience.demand(in_calls[0]["ns"], 0.1 * min(ran for _, ran in noted), f"ns in write of {causes}, {noted}")
        self.assertIn("in write, many short calls", text)

    def test_own_code(self):
        """a thread that computes is in no call"""
        causes, text, _ = self.trace("compute")
        self.assertEqual([cause["call"] for cause in causes], [None], causes)
        self.assertNotIn("in clone ", text)
        self.assertNotIn("short calls", text)


if __name__ == "__main__":
    tap.main()
