# SPDX-License-Identifier: BSD-2-Clause
"""What a thread does on a CPU and for a disk: page faults are counted, and a call that runs and sleeps is one."""

import json
import subprocess
import sys

import attach
import harness
import serving
import tap
from replay import records

CALLS = 60
PAGES = 512

# For each request, the server touches new pages of memory, or the same ones again; or it writes a file, and waits
# for the disk.
PROGRAM = serving.program("paging-server", """
import mmap, os, sys, tempfile
kind, calls, pages = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
MADV_NOHUGEPAGE = 15
size = pages * 4096

def memory():
    made = mmap.mmap(-1, size, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
    made.madvise(MADV_NOHUGEPAGE)
    return made

kept = memory()
file = tempfile.TemporaryFile(dir="/var/tmp", buffering=0)

def prepare():
    work(0)

def work(_):
    if kind == "sync":
        file.write(bytes(4096))
        os.fsync(file.fileno())
        return
    touched = memory() if kind == "new" else kept
    for at in range(0, size, 4096):
        touched[at] = 1

def finish():
    pass
""")

WAIT = 1  # enum disk_flag


def own_rows(explanation):
    """Rows of what the server itself did in its service, on a CPU or asleep."""
    return [row for row in explanation["rows"] if row["part"] == "service" and row["culprit"]]


class OnCpu(attach.AttachCase):
    """Counts are exact; what leads depends on the machine, and is not asked for."""

    def explain(self, kind):
        """The explanation as JSON, with all units as slow ones."""
        arguments = [sys.executable, "-c", PROGRAM, kind, str(CALLS), str(PAGES)]
        process = self.ready(self.spawn(arguments, stdin=subprocess.PIPE))
        with self.attached("--level", "deep", "-p", process.pid, stop=False) as attachment:
            _, err = process.communicate("go\n", timeout=60 * harness.PATIENCE)
        self.assertEqual((process.returncode, err), (0, ""))
        self.recording = attachment.recording
        options = ("explain", attachment.recording, "--unit", "call", "--slowest", "50%", "-f", "json")
        return json.loads(harness.ipctrace(*options).out)

    def faults(self, kind):
        """Page faults in the service of a call."""
        return sum(row.get("slow_faults", 0) for row in own_rows(self.explain(kind)))

    def test_new_pages(self):
        """each new page is a fault"""
        faults = self.faults("new")
        self.assertGreaterEqual(faults, PAGES)
        self.assertLess(faults, 1.2 * PAGES)

    def test_old_pages(self):
        """memory that is used again has hardly any"""
        self.assertLess(self.faults("old"), 0.05 * PAGES)

    def test_sync(self):
        """fsync is named where it runs"""
        rows = own_rows(self.explain("sync"))
        self.assertTrue([row for row in rows if row["call"] == "fsync"], rows)
        run, = records.read(self.recording)
        changes = {tid: [change.at for change in line] for tid, line in records.timelines(run).items()}
        for wait in (disk for disk in run.of("disk") if disk.flags & WAIT):
            of_thread = changes[wait["tid"]]
            if wait["from_ns"] <= of_thread[-1]:  # the last changes are not recorded
                self.assertIn(wait["from_ns"], of_thread, "a wait for a disk begins with a sleep")


if __name__ == "__main__":
    tap.main()
