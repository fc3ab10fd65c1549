# SPDX-License-Identifier: BSD-2-Clause
"""
What takes the place of something that the kernel lacks: the running kernel pretends to lack it.

Not UDP: what shows which datagram is taken on those kernels is gone from newer ones. It is tested on
those kernels (make kernels).
"""

import os
import shutil
import struct
from unittest import mock

import test_attach_joins as joins
import harness
import tap

SOCKETS = ("uds", "uds-stream", "uds-seqpacket", "tcp", "tcp6")


class Fallbacks:
    """Mixed into a test case: `lacks` is what the kernel seems to lack."""

    lacks = None
    check_stream = joins.Streams.check_stream
    check_packets = joins.Packets.check_packets

    def setUp(self):
        super().setUp()
        before = os.environ.get("IPCTRACE_WITHOUT")
        os.environ["IPCTRACE_WITHOUT"] = self.lacks
        self.addCleanup(self.restore, before)

    def restore(self, before):
        """The kernel has all again."""
        del os.environ["IPCTRACE_WITHOUT"]
        if before is not None:
            os.environ["IPCTRACE_WITHOUT"] = before

    def test_runs(self):
        """every message of a run over a socket is there and adds up"""
        for transport in SOCKETS:
            with self.subTest(transport):
                run = self.measure_links("--transport", transport, "--clients", 3, "--messages", 100)
                self.assertEqual((run.summary["integrity"]["sent"], len(run.messages)), (300, 300))

    def test_pingpong(self):
        """every message is there when each end sends and receives, over pipes and queues, too"""
        for transport in (*SOCKETS, "pipe", "mqueue", "sysv"):
            with self.subTest(transport):
                run = self.measure_links("--transport", transport, "--pattern", "pingpong",
                                         "--messages", 200)
                self.assertEqual((run.summary["integrity"]["sent"], len(run.messages)), (400, 400))

    def test_streams(self):
        """an attach shows which receives took which bytes"""
        for transport in joins.SOCKET_STREAMS:
            for reading, writing in ((["-m", "readv", "-s", 50], ["-m", "writev", "-s", "20,200"]),
                                     (["-s", 170], ["-s", "10,100,33,57"]),
                                     ([], ["-m", "sendfile", "-s", 500, "-p", 200_000])):
                with self.subTest(transport, reading=reading, writing=writing):
                    attachment, pairs = self.check_stream(transport, reading,
                                                          [*writing, "-n", 200])
                    self.check_whole(attachment, len(pairs))

    def test_packets(self):
        """an attach shows which receive took which message"""
        # A seqpacket's reader takes the first writer that connects.
        for transport, writers in (("uds", 3), ("uds-seqpacket", 1)):
            for reading, writing in (([], ["-n", 200, "-p", 200_000]),
                                     (["-m", "recvmmsg"], ["-m", "sendmmsg", "-n", 200]),
                                     (["-m", "recvmmsg"], ["-m", "sendmmsg", "-n", 200,
                                                           "-s", "40,50,60,70"])):
                with self.subTest(transport, reading=reading, writing=writing):
                    self.check_packets(transport, reading, writing, writers)


class ByCalls(Fallbacks, joins.OneWay):
    """No events of sockets (before Linux 6.3): system calls show the messages."""

    lacks = "sk_data_ready"


class Legacy(Fallbacks, joins.OneWay):
    """Not all that programs need (before 5.15): they are others."""

    lacks = "task_pt_regs"


class NoTypes(harness.TestCase):
    """A kernel without types of its own: a file has them."""

    TYPES = "/sys/kernel/btf/vmlinux"

    def setUp(self):
        self.types = self.file("types")
        shutil.copy(self.TYPES, self.types)
        blind = self.file("blind")
        with open(blind, "w", encoding="ascii") as script:
            # Not all mounts are made private: in a chroot, / is none of them.
            script.write("#!/bin/sh\nexec unshare --mount --propagation unchanged sh -c "
                         "'mount --make-rprivate /sys && "
                         f"mount -t tmpfs none {os.path.dirname(self.TYPES)} && exec \"$@\"' "
                         f"- {os.path.abspath(harness.PROGRAM)} \"$@\"\n")
        os.chmod(blind, 0o755)
        hidden = mock.patch.object(harness, "PROGRAM", blind)
        hidden.start()
        self.addCleanup(hidden.stop)

    def test_runs(self):
        """every message is there and adds up, over all that is traced by events"""
        for transport in (*SOCKETS, "pipe", "fifo", "mqueue", "sysv", "shm", "eventfd", "signal"):
            with self.subTest(transport):
                run = self.measure_links("--btf", self.types, "--transport", transport,
                                         "--clients", 3, "--messages", 100)
                self.assertEqual((run.summary["integrity"]["sent"], len(run.messages)), (300, 300))

    def test_refused(self):
        """without a file, or with a wrong one, the reason is said, and what to do"""
        wrong = self.file("wrong")
        with open(wrong, "w", encoding="ascii") as file:
            file.write("no types")
        for arguments, words in (((), (self.TYPES, "or --btf FILE")),
                                 (("--btf", wrong), (wrong, "there is no BTF in it",
                                                     "made of this very kernel")),
                                 (("--btf", "/nowhere"), ("'/nowhere': No such file",)),
                                 (("attach", "-p", os.getpid()), (self.TYPES, "use a kernel"))):
            with self.subTest(arguments):
                result = harness.ipctrace(*arguments)
                self.check_refused(result, *words)

    def test_other_kernel(self):
        """types that lack what every kernel has are refused, and the kernel is not blamed"""
        other = self.file("other")
        with open(other, "wb") as file:
            file.write(EMPTY_BTF)
        result = harness.ipctrace("--btf", other, "--messages", 5)
        self.check_refused(result)
        self.assertRegex(result.err, f"no tracepoint .*--btf '{other}'.*made of this very kernel")


# A header, no type, and the one string that there has to be.
EMPTY_BTF = struct.pack("<HBBIIIII", 0xeB9F, 1, 0, 24, 0, 0, 0, 1) + b"\0"


class WrongTypes(harness.TestCase):
    """--btf with what is no file of this kernel's types, on a kernel that has types itself."""

    def refuse(self, path, *words):
        """One line with these words, and no number of an error."""
        result = harness.ipctrace("--btf", path, "--messages", 5)
        with self.subTest(path):
            self.check_refused(result, f"--btf '{path}'", *words)
            self.assertNotRegex(result.err, r"[Uu]nknown|error \d")

    def write(self, name, contents):
        with open(self.file(name), "wb") as file:
            file.write(contents)
        return self.file(name)

    def test_refused(self):
        """every kind of wrong file is refused with its problem"""
        with open(NoTypes.TYPES, "rb") as file:
            types = file.read()
        remedy = "made of this very kernel"
        self.refuse(self.file("none"), "No such file", remedy)
        self.refuse(self.folder, "it is a directory", remedy)
        self.refuse("/dev/null", "it is no regular file", remedy)
        self.refuse(self.write("empty", b""), "it is empty", remedy)
        self.refuse("/etc/hosts", "there is no BTF in it", remedy)
        self.refuse("/bin/sh", "there is no BTF in it", remedy)
        self.refuse(self.write("short", types[:4]), "BTF", remedy)
        self.refuse(self.write("cut", types[:100_000]), "its BTF is damaged", remedy)
        self.refuse(self.write("empty-btf", EMPTY_BTF), "not those", "leave out --btf")
        self.refuse(self.write("changed", types[:-9] + b"x" + types[-8:]), "leave out --btf")

    def test_own(self):
        """a copy of its own is taken"""
        self.measure_links("--btf", shutil.copy(NoTypes.TYPES, self.file("own")), "--messages", 20)


class NoEventsAtAll(harness.TestCase):
    """Kernels without an event that has no replacement are refused."""

    def test_refused(self):
        """in one line that names it"""
        result = harness.ipctrace("--messages", 5, env={"IPCTRACE_WITHOUT": "sys_enter"})
        self.assertEqual((result.status, result.out), (1, ""))
        self.assertIn("no tracepoint sys_enter", result.err)


if __name__ == "__main__":
    tap.main()
