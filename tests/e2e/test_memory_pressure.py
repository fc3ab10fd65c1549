# SPDX-License-Identifier: BSD-2-Clause
"""
A server whose control group has no memory left has to free some itself; pages that have to be read again; and pages
that have to be written first.
"""

import json
import os
import subprocess
import sys

import attach
import harness
import patience
import serving
import tap
from replay import records

CALLS, PAGES = 30, 24
LIMIT = 64 << 20
OF_GROUP = 1  # enum reclaim_flag

TOP = "/sys/fs/cgroup/memory" if os.path.isdir("/sys/fs/cgroup/memory") else "/sys/fs/cgroup"
GROUP = f"{TOP}/test-ipctrace-{os.getpid()}"
LIMITS, USES = (f"{GROUP}/memory.limit_in_bytes", f"{GROUP}/memory.usage_in_bytes") if TOP.endswith("memory") else (
    f"{GROUP}/memory.max", f"{GROUP}/memory.current")

# limit, fine: for each request, the server reads a mapped file of holes, which needs no disk. At first, it fills the
# memory of its control group but for 10 MB. drop, keep: it reads pages that are far apart of a mapped file, and has
# the kernel drop them, or not. dirty: it writes to a file.
PROGRAM = serving.program("memory-server", """
import itertools, mmap, os, sys, tempfile
kind, calls, pages, group, uses, limit = sys.argv[1], *map(int, sys.argv[2:4]), *sys.argv[4:6], int(sys.argv[6])
PART = 4 << 20
is_full = kind in ("limit", "fine")
size = 4 * PART if is_full or kind == "dirty" else pages << 18
file = tempfile.TemporaryFile(dir="/var/tmp", buffering=0)
file.truncate(size)
if not is_full:
    file.write(bytes(size))
    os.fsync(file.fileno())
parts = itertools.cycle(range(0, size, PART))
kept = []

def prepare():
    if is_full:
        fill()
    work(0)

def fill():
    with open(group + "/cgroup.procs", "w") as procs:
        procs.write(str(os.getpid()))
    while int(open(uses).read()) < limit - (10 << 20):
        kept.append(mmap.mmap(-1, 1 << 20, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS))
        kept[-1].write(bytes(1 << 20))

def work(_):
    if kind == "dirty":
        os.pwrite(file.fileno(), bytes(4 << 20), next(parts))
        return
    with mmap.mmap(file.fileno(), PART if is_full else size, prot=mmap.PROT_READ,
                   offset=next(parts) if is_full else 0) as memory:
        if not is_full:
            memory.madvise(mmap.MADV_RANDOM)
        for at in range(0, len(memory), 4096 if is_full else 1 << 18):
            memory[at]
    if kind == "drop":
        os.posix_fadvise(file.fileno(), 0, size, os.POSIX_FADV_DONTNEED)

def finish():
    pass
""")


class MemoryPressure(attach.AttachCase):
    """Counts are exact; what leads depends on the machine, and is not asked for."""

    def setUp(self):
        super().setUp()
        if TOP == "/sys/fs/cgroup":
            self.put(f"{TOP}/cgroup.subtree_control", "+memory")
        os.mkdir(GROUP)
        self.addCleanup(os.rmdir, GROUP)

    @staticmethod
    def put(path, value):
        """Writes a value into a file of the kernel."""
        with open(path, "w", encoding="ascii") as file:
            file.write(str(value))

    @staticmethod
    def get(path):
        """The value of such a file."""
        with open(path, encoding="ascii") as file:
            return file.read().strip()

    def explain(self, kind):
        """(rows of the server's service, records of the run), with all units as slow ones."""
        self.put(LIMITS, 8 * LIMIT if kind == "fine" else LIMIT)
        process = self.ready(self.spawn([sys.executable, "-c", PROGRAM, kind, CALLS, PAGES, GROUP, USES, LIMIT],
                                        stdin=subprocess.PIPE))
        with self.attached("--level", "deep", "-p", process.pid, stop=False) as attachment:
            _, err = process.communicate("go\n", timeout=60 * harness.PATIENCE)
        self.assertEqual((process.returncode, err), (0, ""))
        options = ("explain", attachment.recording, "--unit", "call", "--slowest", "50%")
        explanation = json.loads(harness.ipctrace(*options, "-f", "json").out)
        self.text = harness.ipctrace(*options).out
        run, = records.read(attachment.recording)
        return [row for row in attach.followed(explanation["rows"]) if row["part"] == "service" and row["culprit"]], run

    def reclaimed(self, kind):
        """(ns in the records, ns of the explanation for a call) in which the server freed memory of its group"""
        rows, run = self.explain(kind)
        found = [one for one in run.of("reclaim") if one.flags & OF_GROUP]
        for one in found:
            self.assertLess(one["from_ns"], one["to_ns"])
        return (sum(one["to_ns"] - one["from_ns"] for one in found),
                sum(row["slow_ns"] for row in rows if row["reason"] == "reclaim_group"))

    def test_limit(self):
        """a control group at its limit: the server frees memory, and the explanation says for which limit"""
        recorded_ns, explained_ns = self.reclaimed("limit")
        patience.demand(explained_ns, 1, "ns in which the server freed memory")
        self.assertLessEqual(explained_ns, recorded_ns)
        self.assertIn("freeing memory for the control group's", self.text)

    def test_no_limit(self):
        """the cure: a larger limit"""
        self.assertEqual(self.reclaimed("fine"), (0, 0))
        self.assertNotIn("freeing memory", self.text)

    def majors(self, kind):
        """(in the records, for a call in the explanation): major page faults"""
        rows, run = self.explain(kind)
        return (sum(one["major"] for one in run.of("faults")), sum(row.get("slow_majors") or 0 for row in rows))

    def test_dropped(self):
        """each page that the kernel has dropped is a major fault"""
        recorded, explained = self.majors("drop")
        patience.demand(recorded, PAGES * (CALLS - 1), "major page faults")
        patience.demand(explained, PAGES, "major page faults of a call")
        patience.demand(-explained, -1.2 * PAGES, "major page faults of a call")
        self.assertRegex(" ".join(self.text.split()),
                         r"major \(not in memory\)|major page faults|memory (that is not there )?has been read")

    def test_kept(self):
        """the cure: the pages are in memory, if no other program needs that"""
        patience.demand(-self.majors("keep")[0], 0, "major page faults")
        self.assertNotIn("major", self.text)

    def held_back(self, limit):
        """(DIRTY records, ns for a call in the explanation), with so many bytes of dirty pages allowed if not 0"""
        names = [f"/proc/sys/vm/dirty_{name}" for name in ("bytes", "ratio")]
        name, value = next((name, value) for name, value in zip(names, map(self.get, names)) if int(value))
        if limit:
            self.addCleanup(self.put, name, value)
            self.put(names[0], limit)
        rows, run = self.explain("dirty")
        return len(run.of("dirty")), sum(row["slow_ns"] for row in rows if row["reason"] == "dirty_pages")

    def test_dirty(self):
        """the kernel holds back what the server writes"""
        count, explained_ns = self.held_back(8 << 20)
        patience.demand(count, 1, "times at which the server was held back")
        patience.demand(explained_ns, 1, "ns of that in a call")
        self.assertIn("too many", self.text)

    def test_few_dirty(self):
        """the cure: more dirty pages are allowed, if other programs do not fill these"""
        count, explained_ns = self.held_back(0)
        patience.demand(-count, 0, "times at which the server was held back")
        self.assertEqual(explained_ns, 0)


if __name__ == "__main__":
    tap.main()
