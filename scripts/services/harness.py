# SPDX-License-Identifier: BSD-2-Clause
"""Servers, their clients and ipctrace for scripts/services/compare: starts them, and leaves nothing behind.

A client writes NOTES.ready when its connection is made and warm, waits for NOTES.go, makes its calls,
and writes what its own clock says into NOTES. So ipctrace sees just the calls that the client counts.
"""

import contextlib
import ctypes
import glob
import json
import os
import shutil
import signal
import socket
import subprocess
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
TOP = os.path.dirname(os.path.dirname(HERE))
PROGRAMS = os.path.join(HERE, "cases", "programs")
PYTHON = "/usr/bin/python3"  # Debian's, for which its modules are
LIMIT_S = 60
PR_SET_TIMERSLACK = 29


class Missing(Exception):
    """A program cannot run here: why."""


def free_port():
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return free.getsockname()[1]


def wait_for(condition, what, process=None, limit_s=LIMIT_S):
    end = time.monotonic() + limit_s
    while not (found := condition()):
        if process and process.poll() is not None:
            raise Missing(f"{what}: ended with status {process.returncode}")
        if time.monotonic() > end:
            raise Missing(f"{what}: nothing for {limit_s} s")
        time.sleep(0.01)
    return found


def answers(address):
    """Whether a server listens at a path, or at a port of this machine."""
    family, where = ((socket.AF_INET, ("127.0.0.1", address)) if isinstance(address, int)
                     else (socket.AF_UNIX, address))
    with socket.socket(family) as probe:
        return probe.connect_ex(where) == 0


def children_of(pid):
    found = []
    for task in os.listdir(f"/proc/{pid}/task"):
        with open(f"/proc/{pid}/task/{task}/children", encoding="ascii") as children:
            found += map(int, children.read().split())
    return found


def sleep_exactly():
    """A planted sleep ends when it should: not up to 50 us later, as the kernel allows itself."""
    ctypes.CDLL(None).prctl(PR_SET_TIMERSLACK, 1, 0, 0, 0)


class Stage:
    """A folder of its own and all processes of one case. What they write goes into files there."""

    def __init__(self, program, shared, keep=None):
        self.program, self.shared, self.keep = program, shared, keep
        self.folder = tempfile.mkdtemp(prefix="ipctrace-services-")
        os.chmod(self.folder, 0o755)
        self.processes, self.left = [], []

    def __enter__(self):
        return self

    def __exit__(self, *_):
        for process in reversed(self.processes):
            end(process)
        shutil.rmtree(self.folder, ignore_errors=True)
        for path in (path for pattern in self.left for path in glob.glob(pattern)):
            shutil.rmtree(path) if os.path.isdir(path) else os.unlink(path)

    def remove_at_end(self, *patterns):
        """Files elsewhere that servers leave behind."""
        self.left += patterns

    def file(self, name):
        return os.path.join(self.folder, name)

    def write(self, name, text):
        with open(self.file(name), "w", encoding="utf-8") as file:
            file.write(text)
        return self.file(name)

    def exists(self, name):
        return os.path.exists(self.file(name))

    def need(self, *tools):
        for tool in tools:
            if not shutil.which(tool):
                raise Missing(f"'{tool}' is not installed: run sudo scripts/setup services")

    def spawn(self, *command, **how):
        """Starts a process in a session of its own."""
        command = list(map(str, command))
        self.need(command[0])
        with open(self.file(f"log-{len(self.processes)}"), "wb") as log:
            how = {"stdin": subprocess.DEVNULL, "stdout": log, "stderr": log,
                   "start_new_session": True, "preexec_fn": sleep_exactly} | how
            process = subprocess.Popen(command, **how)
        process.log = log.name
        self.processes.append(process)
        return process

    def log_of(self, process):
        with open(process.log, encoding="utf-8", errors="replace") as log:
            return log.read()

    def serve(self, *command, ready, **how):
        """Starts a server, and waits until it is ready."""
        process = self.spawn(*command, **how)
        try:
            wait_for(ready, os.path.basename(str(command[0])), process)
        except Missing as missing:
            raise Missing(f"{missing}: {self.log_of(process)[-300:]}") from None
        return process

    def build(self, path, *command, **how):
        """The path of a compiled program, which all cases share."""
        path = os.path.join(self.shared, path)
        if not os.path.exists(path):
            self.need(command[0])
            done = subprocess.run([word.replace("OUT", path) for word in command], **how,
                                  stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
            if done.returncode:
                raise Missing(f"{os.path.basename(path)} does not compile: {done.stdout[-300:]}")
        return path

    def build_c(self, name, *libraries):
        return self.build(name, "cc", "-O2", "-D_GNU_SOURCE", "-pthread", "-o", "OUT",
                          os.path.join(PROGRAMS, f"{name}.c"), *libraries)


def end(process):
    """Ends a process and its group, whatever their state."""
    for number, limit_s in ((signal.SIGTERM, 2), (signal.SIGKILL, 5)):
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, number)
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(limit_s)
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)


class Client:
    """A process with its own clock."""

    def __init__(self, stage, name, *command, **how):
        self.notes = stage.file(name)
        self.process = stage.spawn(*[self.notes if word == "NOTES" else word for word in command],
                                   **how)
        self.stage = stage

    def wait_until_ready(self):
        wait_for(lambda: os.path.exists(self.notes + ".ready"), f"{self.process.args}", self.process)

    def finish(self):
        """Lets it make its calls. Its notes."""
        with open(self.notes + ".go", "w", encoding="ascii"):
            pass
        try:
            status = self.process.wait(LIMIT_S)
        except subprocess.TimeoutExpired:
            raise Missing(f"the client did not end: {self.stage.log_of(self.process)[-300:]}") from None
        if status:
            raise Missing(f"the client failed: {self.stage.log_of(self.process)[-300:]}")
        with open(self.notes, encoding="ascii") as file:
            return json.load(file)


class Attach:
    """ipctrace beside some processes."""

    def __init__(self, stage, name, pids, *options):
        self.stage = stage
        self.recording = os.path.join(stage.keep or stage.folder, name + ".ipct")
        if os.path.exists(self.recording):
            os.unlink(self.recording)
        targets = ",".join(map(str, pids))
        self.options = options
        self.process = stage.spawn(stage.program, "attach", "-v", "--record", self.recording,
                                   "-f", "json", "-o", stage.file("summary"), "-p", targets, *options, preexec_fn=None)
        wait_for(lambda: "ipctrace: tracing '" in stage.log_of(self.process), "ipctrace",
                 self.process)

    def finish(self, settle_s=0.1):
        """Ends it. Its summary, and its report as text."""
        time.sleep(settle_s)
        self.process.send_signal(signal.SIGINT)
        status = self.process.wait(LIMIT_S)
        if status:
            raise Missing(f"ipctrace failed: {self.stage.log_of(self.process)[-300:]}")
        with open(self.stage.file("summary"), encoding="utf-8") as file:
            summary = json.load(file)
        done = subprocess.run([self.stage.program, "report", self.recording],
                              stdout=subprocess.PIPE, text=True, check=True)
        return summary, done.stdout
