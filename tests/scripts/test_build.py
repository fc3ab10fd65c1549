# SPDX-License-Identifier: BSD-2-Clause
"""The program as it was built, and the flags and folders that make uses."""

import os
import re
import shutil
import subprocess
import tempfile
import unittest

import tap

TOP = os.path.abspath(os.path.join(os.path.dirname(os.path.abspath(__file__)), "../.."))
PROGRAM = os.path.abspath(os.environ.get("IPCTRACE_PROGRAM", os.path.join(TOP, "build/ipctrace")))
ENDBR64 = bytes.fromhex("f30f1efa")  # where an indirect branch may lead


def readelf(*arguments):
    return subprocess.run(["readelf", "--wide", *arguments], capture_output=True, text=True,
                          check=True, env=dict(os.environ, LC_ALL="C")).stdout


class Hardened(unittest.TestCase):
    """What the linker has put into the program."""

    def check_symbols(self, *patterns):
        """The program calls such functions of the C library."""
        names = re.findall(r" UND (\w+)", readelf("--dyn-syms", PROGRAM))
        for pattern in patterns:
            with self.subTest(pattern):
                self.assertTrue(any(re.fullmatch(pattern, name) for name in names))

    def test_position(self):
        """it is position-independent (PIE)"""
        self.assertRegex(readelf("-h", PROGRAM), r"Type:\s+DYN")
        self.assertRegex(readelf("-d", PROGRAM), r"\(FLAGS_1\).*\bPIE\b")

    def test_relocations(self):
        """relocations happen at its start, and are read-only afterwards (full RELRO)"""
        self.assertIn("GNU_RELRO", readelf("-l", PROGRAM))
        self.assertRegex(readelf("-d", PROGRAM), r"\(FLAGS\).*\bBIND_NOW\b")

    def test_stack(self):
        """its functions detect an overwritten stack, and no stack is executable"""
        self.check_symbols("__stack_chk_fail")
        self.assertRegex(readelf("-l", PROGRAM), r"GNU_STACK.* RW +0x")

    def test_lengths(self):
        """the C library checks lengths, unless a sanitizer does"""
        if "libasan" not in readelf("-d", PROGRAM):
            self.check_symbols(r"__mem\w+_chk", r"__v?snprintf_chk")

    def test_branches(self):
        """returns and indirect branches can be checked, as far as the compiler supports it"""
        machine = re.search(r"Machine:\s+(.*)", readelf("-h", PROGRAM)).group(1)
        if "X86-64" not in machine:
            self.assertIn("AArch64", machine)
            return
        self.assertRegex(readelf("-n", PROGRAM), r"x86 feature:.*\bSHSTK\b")
        # The start-up code of the C library decides about the mark of the whole program.
        own = os.path.join(os.path.dirname(PROGRAM), "src/main.o")
        self.assertRegex(readelf("-n", own), r"x86 feature:.*\bIBT\b")
        with open(PROGRAM, "rb") as file:
            self.assertGreater(file.read().count(ENDBR64), 100)


def make(build, *words, **environment):
    """The commands that make would run in an empty build folder."""
    mine = ("CFLAGS", "CPPFLAGS", "LDFLAGS", "SAN", "PREFIX", "prefix", "exec_prefix", "sbindir",
            "DESTDIR", "MAKEFLAGS", "MAKELEVEL")
    others = {name: value for name, value in os.environ.items() if name not in mine}
    done = subprocess.run(["make", "-n", "V=1", f"B={build}", *words], cwd=TOP,
                          env=dict(others, LC_ALL="C", **environment), capture_output=True,
                          text=True, check=True)
    return done.stdout.splitlines()


class Flags(unittest.TestCase):
    """What is given to make adds to the project's flags."""

    OWN = {"compile": ("-O3", "-std=gnu11", "-Wextra", "-D_GNU_SOURCE", "-Isrc", "-MMD", "-fPIE",
                       "-fstack-protector-strong", r"-D_FORTIFY_SOURCE=[23]"),
           "link": ("-pie", "-Wl,-z,relro,-z,now", "-ljansson", "-lbpf")}
    GIVEN = {"CFLAGS": "-O1", "CPPFLAGS": "-DTRY", "LDFLAGS": "-Wl,--as-needed"}

    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="test-ipctrace-")
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def commands(self, *words, **environment):
        """{what: its words} of an object of the program, of the workload, and of the program."""
        lines = make(self.folder, *words, **environment)
        ends = {"compile": f"-o {self.folder}/src/main.o src/main.c",
                "workload": f"-o {self.folder}/src/workload/member/server.o src/workload/member/server.c",
                "bpf": f"-o {self.folder}/ipctrace.bpf.o {self.folder}/ipctrace.bpf.c"}
        found = {what: next(line.split() for line in lines if line.endswith(end))
                 for what, end in ends.items()}
        found["link"] = next(line.split() for line in lines if f"-o {self.folder}/ipctrace " in line)
        return found

    def check_own(self, commands):
        for what, flags in self.OWN.items():
            for flag in flags:
                with self.subTest(what, flag=flag):
                    self.assertTrue(any(re.fullmatch(flag, word) for word in commands[what]))

    def test_none(self):
        """without the user's flags, the project's flags are there"""
        self.check_own(self.commands())

    def check_added(self, commands):
        """The project's flags are there, and the user's flags come after them."""
        self.check_own(commands)
        for what in ("compile", "workload"):
            words = commands[what]
            self.assertGreater(words.index("-O1"), words.index("-O3"))
            self.assertTrue("-DTRY" in words)
        self.assertGreater(commands["link"].index("-Wl,--as-needed"), commands["link"].index("-pie"))
        self.assertFalse("-O1" in commands["bpf"])

    def test_command_line(self):
        """those on make's command line are added"""
        self.check_added(self.commands(*(f"{name}={value}" for name, value in self.GIVEN.items())))

    def test_environment(self):
        """those in the environment are added"""
        self.check_added(self.commands(**self.GIVEN))

    def test_lengths(self):
        """the user's choice about length checks counts, and without optimisation there are none"""
        for flags in ({"CPPFLAGS": "-D_FORTIFY_SOURCE=1"}, {"CFLAGS": "-O0"}):
            with self.subTest(flags):
                words = self.commands(**flags)["compile"]
                self.assertFalse([w for w in words if re.fullmatch(r"-D_FORTIFY_SOURCE=[23]", w)])

    def test_other_architecture(self):
        """another architecture has flags of its own"""
        clang = shutil.which("clang-14") or "clang"
        words = self.commands("ARCH=arm64", f"CC={clang} --target=aarch64-linux-gnu")["compile"]
        self.assertTrue("-mbranch-protection=standard" in words)
        self.assertFalse("-fcf-protection=full" in words)


class Install(unittest.TestCase):
    """Where make install puts the program, by the names that GNU's standards give the folders."""

    def target(self, *words, **environment):
        line = next(line for line in make("build", "install", *words, **environment)
                    if line.startswith("install "))
        return line.split()[-1].strip('"')

    def test_folders(self):
        """it follows prefix, PREFIX, exec_prefix, sbindir and DESTDIR"""
        for words, path in (((), "/usr/local/sbin"),
                            (("prefix=/usr",), "/usr/sbin"),
                            (("PREFIX=/usr",), "/usr/sbin"),
                            (("exec_prefix=/e",), "/e/sbin"),
                            (("sbindir=/usr/bin",), "/usr/bin"),
                            (("DESTDIR=/d", "prefix=/usr"), "/d/usr/sbin"),
                            (("DESTDIR=/d", "sbindir=/s"), "/d/s")):
            with self.subTest(words):
                self.assertEqual(self.target(*words), f"{path}/ipctrace")
        self.assertEqual(self.target(PREFIX="/opt", DESTDIR="/d"), "/d/opt/sbin/ipctrace")


if __name__ == "__main__":
    tap.main()
