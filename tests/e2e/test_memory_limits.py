# SPDX-License-Identifier: BSD-2-Clause
"""Without enough memory, the error names the limit and how to raise it."""

import os
import resource
import subprocess

import harness
import limits
import tap

RECORDING = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../replay/fifo-flood.ipct")
SHORT = ("--messages", "3", "--warmup", "0")
MIB = 1 << 20
# Enough for all that attach has before its ring buffer of 16 MiB, which it maps twice, but not for that.
BEFORE_RING = 40 * MIB
# It ends among maps of several MiB, one of which the kernel then refuses. For want of a page it would kill instead.
WITHIN_MAPS = 38 * MIB
# The program and its libraries alone.
LEAST_MIB = 10
LOADER = "error while loading shared libraries"


def folder_of_cgroups():
    """(where groups with limits of memory are made, the name of the limit), of version 1 or 2."""
    one = "/sys/fs/cgroup/memory"
    if os.path.isdir(one):
        return one, "memory.limit_in_bytes"
    with open("/sys/fs/cgroup/cgroup.subtree_control", "w", encoding="ascii") as file:
        file.write("+memory")
    return "/sys/fs/cgroup", "memory.max"


class Limits(harness.TestCase):
    """Each limit of memory."""

    def start_with(self, prepare, *arguments):
        """The result of the program if `prepare` was called before it began."""
        process = subprocess.Popen([harness.PROGRAM, *arguments], stdin=subprocess.DEVNULL,
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                                   env=harness.environment(), start_new_session=True,
                                   preexec_fn=prepare)
        return harness.finish(process)

    def run_with(self, kind, size, *arguments):
        """The same with a limit of the process."""
        return self.start_with(lambda: resource.setrlimit(kind, (size, size)), *arguments)

    def check_said(self, result, *words):
        """It failed with one line that says why."""
        self.assertEqual((result.status, result.out), (1, ""), result.err)
        self.assertRegex(result.err, r"\Aipctrace: cannot [^\n]*\n\Z")
        for word in ("Cannot allocate memory", *words):
            self.assertIn(word, result.err)

    def test_addresses(self):
        """of addresses, where the ring buffer does not fit"""
        result = self.run_with(resource.RLIMIT_AS, BEFORE_RING, "attach", "--", "true")
        self.check_said(result, "ring buffer", f"{BEFORE_RING // 1024} KiB", "RLIMIT_AS",
                        "ulimit -v")

    def test_threads(self):
        """of addresses, where the stacks of threads do not fit"""
        result = self.run_with(resource.RLIMIT_AS, 60 * MIB, *SHORT, "--no-trace", "--threads",
                               "--clients", "20")
        self.check_said(result, "cannot make a thread", "RLIMIT_AS")
        self.assertNotIn("ulimit -u", result.err)

    def test_data(self):
        """of data"""
        result = self.run_with(resource.RLIMIT_DATA, 6 * MIB, *SHORT)
        self.check_said(result, "RLIMIT_DATA", "ulimit -d")

    def test_no_silence(self):
        """whatever the limit is, a command does what it should or says that memory is missing"""
        for arguments in ((*SHORT,), ("report", RECORDING), (*SHORT, "--no-trace")):
            for size in range(LEAST_MIB, 40, 5):
                with self.subTest(arguments, mib=size):
                    result = self.run_with(resource.RLIMIT_AS, size * MIB, *arguments)
                    if result.status and LOADER not in result.err:
                        self.check_said(result, "RLIMIT_AS")

    def test_stacks(self):
        """names of functions may be missing, but never the report"""
        reported = 0
        for mib in range(120, 420, 40):
            with self.subTest(mib=mib):
                result = self.run_with(resource.RLIMIT_AS, mib * MIB, "--transport", "uds", "--messages", "100",
                                       "--explain", "--stacks=1us", "-f", "json")
                if result.status:
                    self.check_said(result, "RLIMIT_AS")
                else:
                    self.assertEqual(result.json()["integrity"]["matched"], 100)
                    reported += 1
        self.assertGreater(reported, 0)

    def test_doctor(self):
        """the doctor does not take that for a kernel without types"""
        for size in range(LEAST_MIB, 40):  # there is room for the program, but not for the types
            result = self.run_with(resource.RLIMIT_AS, size * MIB, "doctor")
            if LOADER not in result.err:
                break
        self.assertIn("no memory to read /sys/kernel/btf/vmlinux", " ".join(result.out.split()))
        self.assertNotIn("CONFIG_DEBUG_INFO_BTF, as", result.out)

    def test_cgroup(self):
        """of a control group, which the maps of BPF programs count against"""
        folder, name = folder_of_cgroups()
        group = os.path.join(folder, f"test-ipctrace-{os.getpid()}")
        os.mkdir(group)
        self.addCleanup(os.rmdir, group)
        limits.write_number(os.path.join(group, name), WITHIN_MAPS)
        procs = os.path.join(group, "cgroup.procs")

        def join():
            with open(procs, "w", encoding="ascii") as file:
                file.write("0")

        result = self.start_with(join, "attach", "--", "true")
        self.check_said(result, "cannot load BPF programs", f"{WITHIN_MAPS // 1024} KiB",
                        os.path.join(group, name))


if __name__ == "__main__":
    tap.main()
