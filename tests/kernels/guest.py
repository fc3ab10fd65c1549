# SPDX-License-Identifier: BSD-2-Clause
"""Boots a kernel without KVM, with a system in memory that runs some commands and nothing else."""

import base64
import gzip
import os
import re
import subprocess
import time
import zlib

FOLDER = os.path.dirname(os.path.abspath(__file__))

# What differs between machines. The PC's clock and processor are what the kernel trusts without
# measuring: that takes long, and fails when the host is busy.
MACHINES = {
    "amd64": {"program": "qemu-system-x86_64", "triplet": "x86_64-linux-gnu",
              "options": ["-machine", "q35", "-cpu", "max,-la57"],
              "console": "ttyS0", "results": "/dev/ttyS1",
              "words": "mitigations=off tsc=reliable no_timer_check"},
    "arm64": {"program": "qemu-system-aarch64", "triplet": "aarch64-linux-gnu",
              "options": ["-machine", "virt", "-cpu", "cortex-a57",
                          "-device", "pci-serial,chardev=out"],
              "console": "ttyAMA0", "results": "/dev/ttyS0", "words": ""},
}
TRIES_MAX = 4

# noirqdebug: with interrupts in threads, those of a busy emulated serial port look unhandled.
WORDS = "noirqdebug lsm=capability,lockdown,landlock,yama,bpf panic=-1 quiet"


class Outcome:
    """What a case left: its files by name; among them out, err, status and the kernel's log."""

    def __init__(self, files):
        self.files = files

    def text(self, name):
        return self.files.get(name, b"").decode(errors="replace")

    @property
    def status(self):
        """The exit status; None: the guest did not come so far."""
        return int(self.text("status")) if "status" in self.files else None


class Tree:
    """The files of a guest, as the archive that the kernel unpacks into memory."""

    def __init__(self):
        self.parts = []
        self.folders = set()
        self.number = 0

    def add(self, name, data, mode=0o100755):
        """A file with its folders, each once."""
        folder = os.path.dirname(name)
        if folder and folder not in self.folders:
            self.folders.add(folder)
            self.add(folder, b"", 0o40755)
        self.number += 1
        self.append(name, data, mode)

    def append(self, name, data, mode):
        fields = [self.number, mode, 0, 0, 1, 0, len(data), 0, 0, 0, 0, len(name) + 1, 0]
        head = "070701" + "".join(f"{field:08x}" for field in fields) + name + "\0"
        self.parts.append(pad(head.encode()) + pad(data))

    def add_file(self, name, path, mode=0o100755):
        with open(path, "rb") as file:
            self.add(name, file.read(), mode)

    def write(self, path):
        self.append("TRAILER!!!", b"", 0)
        with gzip.open(path, "wb", compresslevel=1) as file:
            file.write(b"".join(self.parts))


def pad(data):
    return data + b"\0" * (-len(data) % 4)


def needs_of(program):
    """(names of libraries that a program or library asks for, its loader's path or None)."""
    text = subprocess.run(["readelf", "-dlW", program], capture_output=True, text=True, check=True,
                          env=dict(os.environ, LC_ALL="C")).stdout
    loader = re.search(r"program interpreter: (\S+)\]", text)
    return re.findall(r"\(NEEDED\).*\[(\S+)\]", text), loader and loader[1]


def libraries_of(program, root, triplet):
    """{name in the guest: path here} of a program's loader and libraries, which are below `root`."""
    folders = [os.path.join(root, name, triplet) for name in ("lib", "usr/lib")]
    # pthread_cancel() loads the first one when it is called.
    wanted, loader = needs_of(program)
    wanted, found = ["libgcc_s.so.1", *wanted], {}
    if loader:
        found[loader.lstrip("/")] = os.path.join(root, loader.lstrip("/"))
    while wanted:
        name = wanted.pop()
        paths = [os.path.join(folder, name) for folder in folders]
        path = next(filter(os.path.exists, paths), None)
        if path and "lib/" + name not in found:
            found["lib/" + name] = path
            wanted += needs_of(path)[0]
    return found


def make_tree(path, busybox, files, cases):
    """
    Writes the guest's files. `files`: {name in the guest: path here}; `cases`: (name, seconds, shell
    command).
    """
    tree = Tree()
    tree.add_file("init", os.path.join(FOLDER, "init"))
    for name, source in {"bin/busybox": busybox, **files}.items():
        tree.add_file(name, source)
    tree.add("bin/sh", b"busybox", 0o120777)
    for folder in ("proc", "sys", "dev", "tmp"):
        tree.add(folder, b"", 0o40755)
    tree.add("cases", "".join(f"{name}\t{limit_s}\t{command}\n"
                              for name, limit_s, command in cases).encode(), 0o100644)
    tree.write(path)


def command_of(qemu, arch, vmlinuz, tree, folder, cpus):
    """QEMU and its options. It runs from a folder, with the libraries that are there."""
    machine = MACHINES[arch]
    libraries = [os.path.join(qemu, name) for name in ("lib/x86_64-linux-gnu",
                                                       "usr/lib/x86_64-linux-gnu")]
    results = (["-serial", f"file:{folder}/results"] if arch == "amd64" else
               ["-chardev", f"file,id=out,path={folder}/results"])
    return [os.path.join(qemu, "lib64/ld-linux-x86-64.so.2"), "--library-path", ":".join(libraries),
            os.path.join(qemu, "usr/bin", machine["program"]),
            "-L", os.path.join(qemu, "usr/share/qemu"), "-L", os.path.join(qemu, "usr/share/seabios"),
            "-accel", "tcg", *machine["options"], "-smp", str(cpus), "-m", "1024",
            "-nodefaults", "-no-user-config", "-display", "none", "-no-reboot",
            "-serial", f"file:{folder}/console", *results, "-kernel", vmlinuz, "-initrd", tree,
            "-append", f"console={machine['console']} results={machine['results']} {WORDS} "
            f"{machine['words']}"]


def boot(command, folder, limit_s):
    """
    Runs a guest to its end and gives {case: Outcome}, and what went wrong with the guest itself, or
    None. It may take limit_s. A run that the emulator spoiled begins again.
    """
    for _ in range(TRIES_MAX):
        outcomes, wrong = boot_once(command, folder, limit_s)
        if is_emulators_fault(folder) if wrong else has_skipped_program(outcomes):
            continue
        break
    return outcomes, wrong


def has_skipped_program(outcomes):
    """
    Where the kernel preempts itself, it skips a BPF program that another thread has begun on that CPU. This is
    counted as a loss, and is likelier the slower the emulator is: a fault of the program is there in each try.
    """
    return any(re.search(r'"recursion": *[1-9]', outcome.text("out")) for outcome in outcomes.values())


def is_emulators_fault(folder):
    """
    The kernel changes its code while it runs, by a breakpoint that stands there for a moment. Without
    KVM another CPU may still meet it when it has been taken away.
    """
    with open(os.path.join(folder, "console"), "rb") as file:
        return b"Oops: int3" in file.read()


def boot_once(command, folder, limit_s):
    for name in ("console", "results"):
        with open(os.path.join(folder, name), "wb"):
            pass
    begin = time.monotonic()
    process = subprocess.Popen(command, stdin=subprocess.DEVNULL,
                               stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    try:
        wrong = process.communicate(timeout=limit_s)[1].strip()
    except subprocess.TimeoutExpired:
        wrong = f"took more than {limit_s} s and was ended"
    finally:
        process.kill()
        process.wait()
    outcomes, complete = read_results(os.path.join(folder, "results"))
    if not complete:
        wrong = wrong or f"ended after {time.monotonic() - begin:.0f} s, before its last case"
    return outcomes, wrong if not complete else None


def read_results(path):
    """({case: Outcome}, whether the guest came to its end)."""
    cases, name, lines, complete = {}, None, [], False
    with open(path, "rb") as file:
        for line in file.read().decode(errors="replace").splitlines():
            if line.startswith("file "):
                name, lines = line[5:], []
            elif line == "end" and name:
                case, _, file_name = name.partition("/")
                cases.setdefault(case, {})[file_name] = contents("".join(lines))
                name = None
            elif line == "done":
                complete = True
            else:
                lines.append(line)
    return {case: Outcome(files) for case, files in cases.items()}, complete


def contents(text):
    """The contents of a file; empty if it arrived damaged."""
    try:
        return gzip.decompress(base64.b64decode(text))
    except (ValueError, OSError, EOFError, zlib.error):
        return b""
