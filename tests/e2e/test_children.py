# SPDX-License-Identifier: BSD-2-Clause
"""A server that starts a process for each request, and waits until it ends: what that process did is known."""

import json
import subprocess
import sys

import attach
import harness
import patience
import serving
import tap

CALLS = 40

PROGRAM = serving.program("forking-server", """
import os, sys, time
calls = int(sys.argv[1])

def prepare():
    pass

def work(_):
    child = os.fork()
    if not child:
        with open("/proc/self/comm", "w", encoding="ascii") as comm:
            comm.write("helper")
        until = time.thread_time_ns() + 2_000_000
        while time.thread_time_ns() < until:
            pass
        os._exit(0)
    os.waitpid(child, 0)

def finish():
    pass
""")


class Children(attach.AttachCase):

    def test_child(self):
        """a child that lives for a moment, and never receives, sleeps or wakes anything but its parent"""
        process = self.ready(self.spawn([sys.executable, "-c", PROGRAM, CALLS], stdin=subprocess.PIPE))
        with self.attached("--level", "deep", "-p", process.pid, stop=False) as attachment:
            _, err = process.communicate("go\n", timeout=60 * harness.PATIENCE)
        self.assertEqual((process.returncode, err), (0, ""))
        explanation = json.loads(harness.ipctrace("explain", attachment.recording, "--unit", "call", "--slowest",
                                                  "50%", "-f", "json").out)
        waits = [row for row in attach.followed(explanation["rows"]) if row.get("call") == "wait4"]
        of_child = [row for row in waits if (row["culprit"] or {}).get("comm") == "helper"]
        patience.demand(sum(row["slow_ns"] for row in of_child), 0.9 * sum(row["slow_ns"] for row in waits),
                        f"ns until the child ended: {waits}")
        for wait in of_child:
            known = [row for row in wait["followed"] if row["component"] != "unknown" and row["role"] != "unknown"]
            patience.demand(sum(row["slow_ns"] for row in known), 0.95 * wait["slow_ns"], f"ns that are known: {wait}")
            self.assertTrue([row for row in known if row["component"] == "on_cpu" and row["role"] == "itself"])


if __name__ == "__main__":
    tap.main()
