# SPDX-License-Identifier: BSD-2-Clause
"""vmlinux/vmlinux.h has the kernel types, fields and constants that the BPF programs use, and no other."""

import os
import re
import shutil
import subprocess
import unittest

import tap

TOP = os.path.abspath(os.path.join(os.path.dirname(os.path.abspath(__file__)), "../.."))
BUILD = os.path.dirname(os.path.abspath(os.environ.get("IPCTRACE_PROGRAM", os.path.join(TOP, "build/ipctrace"))))
CLANG = shutil.which("clang-14") or "clang"
HEADER = "vmlinux/vmlinux.h"

# What is compiled for which machines and kernels, see the Makefile. A field may be used in one of them only.
PROGRAMS = [("ipctrace.bpf.c", arch, variant) for arch in ("x86", "arm64")
            for variant in ((), ("-DBY_SYSCALLS",), ("-DBY_SYSCALLS", "-DLEGACY"))]
PROGRAMS += [(os.path.join(TOP, path), "x86", ()) for path in ("bpf/tick/tick.bpf.c", "tests/noise/interrupts.bpf.c")]

# One line of clang's tree: its place, then its name. A place names its file only where that changes.
DECLARATION = re.compile(r"(Record|Field|EnumConstant|Typedef)Decl 0x\w+ (?:(?:parent|prev) 0x\w+ )*"
                         r"<[^>]*> (?:\S+:\d+ )?(?:implicit )?(referenced )?(.*)")
FILE = re.compile(r"[<\s]([^\s<>]+\.[ch]):\d+:\d+")
STRUCT = re.compile(r"struct (\w+) definition")


def declared(program, arch, variant):
    """{(struct or "", name): whether something uses it} of all that the header declares."""
    tree = subprocess.run([CLANG, "-target", "bpf", "-D__bpf__", f"-D__TARGET_ARCH_{arch}", *variant, "-Ivmlinux", "-Ibpf",
                           "-I.", "-idirafter", f"/usr/include/{os.uname().machine}-linux-gnu", "-fsyntax-only", "-w",
                           "-Xclang", "-ast-dump", os.path.join(BUILD, program)], cwd=TOP, capture_output=True, text=True)
    found, file, owner = {}, "", ""
    for line in tree.stdout.splitlines():
        file = (FILE.findall(line) or [file])[-1]
        declaration = DECLARATION.search(line) if file.endswith(HEADER) else None
        if not declaration:
            continue
        kind, used, rest = declaration.groups()
        if kind == "Record":
            owner = STRUCT.search(rest).group(1) if STRUCT.search(rest) else owner
        elif kind != "Field" or not rest.startswith("'"):  # a struct or union without a name has none
            name = owner if kind == "Field" else "", rest.split()[0]
            found[name] = found.get(name, False) or bool(used)
    return found


class KernelTypes(unittest.TestCase):
    def test_unused(self):
        """every field, constant and type name of the header is used by some program"""
        found = {}
        for program in PROGRAMS:
            for name, used in declared(*program).items():
                found[name] = found.get(name, False) or used
        self.assertGreater(len(found), 150)
        # Of an opaque struct only the size counts.
        unused = sorted(name for name, used in found.items() if not used and "opaque" not in name[1])
        self.assertEqual(unused, [])


if __name__ == "__main__":
    tap.main()
