# SPDX-License-Identifier: BSD-2-Clause
"""Causes in memory that the kernel has to free, to read or to write."""

import itertools
import mmap
import os
import tempfile
import time

from planted import END, cured, plant, start
from scheduling import put
from service import call_one

GROUP = "/sys/fs/cgroup/memory/planted" if os.path.isdir("/sys/fs/cgroup/memory") else "/sys/fs/cgroup/planted"


def get(path):
    """The value of a file of the kernel."""
    with open(path, encoding="ascii") as file:
        return file.read().strip()


def is_version_1():
    """Whether the machine has control groups of version 1 for memory."""
    return GROUP.endswith("memory/planted")


def join(limit):
    """Puts this process into a control group whose memory is limited."""
    os.makedirs(GROUP, exist_ok=True)
    if not is_version_1():
        put("/sys/fs/cgroup/cgroup.subtree_control", "+memory")
    put(GROUP + ("/memory.limit_in_bytes" if is_version_1() else "/memory.max"), limit)
    put(GROUP + "/cgroup.procs", os.getpid())


def fill(size):
    """Memory that cannot be dropped, until the control group has so much of it."""
    kept = []
    while True:
        if int(get(GROUP + ("/memory.usage_in_bytes" if is_version_1() else "/memory.current"))) >= size:
            return kept
        memory = mmap.mmap(-1, 1 << 20, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
        memory.madvise(mmap.MADV_NOHUGEPAGE)
        memory.write(bytes(1 << 20))
        kept.append(memory)


@plant("kubernetes/kubernetes#125720", r"frees memory itself")
def memory_limit():
    """a server reads a mapped file with holes, in a container whose memory it has used up but for 10 MB"""
    size, part, limit = 32 << 20, 8 << 20, 64 << 20
    with tempfile.TemporaryFile(dir="/var/tmp", buffering=0) as file:
        file.truncate(size)
        parts = itertools.cycle(range(0, size, part))
        used = []

        def handle(_):
            if not used:
                join(4 * limit if cured() else limit)
                used.append(fill(limit - (10 << 20)))
            memory = mmap.mmap(file.fileno(), part, prot=mmap.PROT_READ, offset=next(parts))
            for at in range(0, part, mmap.PAGESIZE):
                memory[at]
            memory.close()
        call_one(handle, .02)


@plant("etcd-io/bbolt#939", r"read from \w+|\d major")
def pages_from_disk():
    """a server reads its mapped file, whose pages the kernel has dropped"""
    size = 2 << 20
    with tempfile.TemporaryFile(dir="/var/tmp", buffering=0) as file:
        file.write(bytes(size))
        os.fsync(file.fileno())

        def handle(_):
            memory = mmap.mmap(file.fileno(), size, prot=mmap.PROT_READ)
            memory.madvise(mmap.MADV_RANDOM)
            for at in range(0, size, 65536):
                memory[at]
            memory.close()
            if not cured():
                os.posix_fadvise(file.fileno(), 0, size, os.POSIX_FADV_DONTNEED)
        call_one(handle, .02)


@plant("e2b-dev/infra#2787", r"too many pages are dirty")
def dirty_pages():
    """each request writes 4 MB to a file, on a machine that allows 8 MB of dirty pages"""
    names = ("dirty_bytes", "dirty_ratio")
    before = {name: get(f"/proc/sys/vm/{name}") for name in names}

    def restore(end):
        """Once the planted programs are gone, or after a while."""
        os.setsid()
        while time.monotonic() < end and os.getppid() != 1:
            time.sleep(.1)
        name = next(name for name in names if before[name] != "0")
        put(f"/proc/sys/vm/{name}", before[name])

    with tempfile.TemporaryFile(dir="/var/tmp", buffering=0) as file:
        ends = itertools.cycle(range(0, 64 << 20, 4 << 20))
        if not cured():
            start(restore, END)
            put("/proc/sys/vm/dirty_bytes", 8 << 20)
        call_one(lambda _: os.pwrite(file.fileno(), bytes(4 << 20), next(ends)), .001)
