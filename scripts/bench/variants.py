# SPDX-License-Identifier: BSD-2-Clause
"""The tracers of the benchmark: ipctrace, empty programs at the same hooks, and other tools.

A variant's begin() returns when it traces, end() stops it and returns its own counts: records lost,
bytes written.
"""

import glob
import json
import os
import shutil
import signal
import subprocess
import time

from table import LIGHT

LIMIT_S = 60
BPFTRACE_SCRIPT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "bpftrace.bt")
RUNQLAT_SCRIPT = "/usr/sbin/runqlat.bt"
# What a tool without a word for it takes until it traces.
SETTLE_S = 0.7


class Problem(Exception):
    """A tool that does not do its work."""


class Variant:
    """The workload without a tracer."""

    tool = None  # a program that has to be there, and the Debian package that has it
    package = None
    slowness = 1  # a run has so many times fewer messages

    def __init__(self, name):
        self.name = name

    def missing(self):
        if self.tool and not shutil.which(self.tool):
            return f"no {self.tool}: install Debian's {self.package}"
        return None

    def begin(self, pids):
        """Traces these from now on."""

    def end(self):
        return {}


class Tool(Variant):
    """A program that says on one of its outputs when it traces; None: it does not say so."""

    ready = None
    new_session = False  # it does not share the session of the benchmark, see sched_autogroup

    def __init__(self, name, directory):
        super().__init__(name)
        self.directory = directory
        self.process = self.log = None

    def path(self, name):
        return os.path.join(self.directory, name)

    def command(self, pids):
        raise NotImplementedError

    def begin(self, pids):
        self.log = open(self.path("log"), "w+", encoding="utf-8", errors="replace")
        self.process = subprocess.Popen(self.command(pids), stdin=subprocess.PIPE,
                                        stdout=self.log, stderr=subprocess.STDOUT,
                                        start_new_session=self.new_session)
        if self.ready:
            self.wait_for_word()
        else:
            time.sleep(SETTLE_S)
        if self.process.poll() is not None:
            raise Problem(f"{self.name}: {self.said()}")

    def said(self):
        with open(self.path("log"), encoding="utf-8", errors="replace") as log:
            return log.read().strip()

    def wait_for_word(self):
        end = time.monotonic() + LIMIT_S
        while self.ready not in self.said():
            if self.process.poll() is not None or time.monotonic() > end:
                raise Problem(f"{self.name}: did not begin: {self.said()}")
            time.sleep(0.01)

    def stop(self):
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGINT)
        self.process.stdin.close()
        self.process.wait(LIMIT_S)
        self.log.close()

    def end(self):
        self.stop()
        return {}


class Ipctrace(Tool):
    """attach, with further options."""

    ready = "tracing '"

    def __init__(self, name, directory, program, *options):
        super().__init__(name, directory)
        self.program, self.options = program, options

    def missing(self):
        """Options that this build does not have."""
        said = subprocess.run([self.program, "attach", "--help"], capture_output=True, text=True)
        lacks = [o for o in self.options if o.startswith("--") and o not in said.stdout]
        return f"no option {' '.join(lacks)}" if lacks else None

    def command(self, pids):
        record = ["--record", self.path("recording")] if "--record" in self.options else []
        options = [option for option in self.options if option != "--record"]
        return [self.program, "attach", "-v", "-p", ",".join(map(str, pids)), "-f", "json",
                "-o", self.path("summary"), *options, *record]

    def hooks(self):
        """The tracepoints that it has programs at, while it traces."""
        names = []
        for path in glob.glob(f"/proc/{self.process.pid}/fdinfo/*"):
            with open(path, encoding="utf-8") as info:
                names += [line.split()[1] for line in info if line.startswith("tp_name:")]
        return names

    def end(self):
        self.stop()
        if self.process.returncode:
            raise Problem(f"{self.name}: exit status {self.process.returncode}: {self.said()}")
        with open(self.path("summary"), encoding="utf-8") as file:
            counts = json.load(file)["integrity"]
        if not counts["sent"]:
            raise Problem(f"{self.name}: it saw no message of this work")
        of = {key: counts[key] for key in ("sent", "matched", "lost")}
        if "--record" in self.options:
            of["bytes"] = os.path.getsize(self.path("recording"))
        return of


def hooks_of(program, directory):
    """The tracepoints at which ipctrace has programs while it traces a process that sleeps."""
    tracer = Ipctrace("ipctrace", directory, program)
    sleeper = subprocess.Popen(["sleep", "1000"])
    try:
        tracer.begin([sleeper.pid])
        hooks = tracer.hooks()
        tracer.stop()
    finally:
        sleeper.kill()
        sleeper.wait()
    if not hooks:
        raise Problem("ipctrace has no programs while it traces")
    return hooks


class Null(Tool):
    """Empty programs at the hooks of ipctrace."""

    ready = "ready"

    def __init__(self, name, directory, program, hooks):
        super().__init__(name, directory)
        self.program, self.hooks = program, hooks

    def command(self, pids):
        return [self.program, *self.hooks]


class Bpftrace(Tool):
    tool = package = "bpftrace"
    ready = "ready"

    def begin(self, pids):
        super().begin(pids)
        time.sleep(SETTLE_S)  # BEGIN runs before all probes are attached

    def command(self, pids):
        return ["bpftrace", BPFTRACE_SCRIPT, str(min(pids)), str(max(pids))]


class Runqlat(Bpftrace):
    """
    One histogram, and nothing of messages. The script takes one word from kernel headers, which may
    not fit the running kernel: it goes without them.
    """

    ready = "Hit Ctrl-C"

    def missing(self):
        if not os.path.exists(RUNQLAT_SCRIPT):
            return f"no {RUNQLAT_SCRIPT}: install Debian's bpftrace"
        return super().missing()

    def command(self, pids):
        with open(RUNQLAT_SCRIPT, encoding="utf-8") as script:
            lines = [line for line in script if not line.startswith("#include")]
        return ["bpftrace", "-e", "".join(lines).replace("TASK_RUNNING", "0")]


class PerfSched(Tool):
    tool, package = "perf", "linux-perf"

    def command(self, pids):
        return ["perf", "sched", "record", "-a", "-o", self.path("perf.data")]

    def end(self):
        self.stop()
        return {"bytes": os.path.getsize(self.path("perf.data"))}


class PerfTrace(Tool):
    tool, package = "perf", "linux-perf"
    slowness = 3

    def command(self, pids):
        return ["perf", "trace", "-s", "-p", ",".join(map(str, pids)), "-o", self.path("trace")]


class Strace(Tool):
    tool = package = "strace"
    ready = "attached"
    slowness = 10

    def command(self, pids):
        return ["strace", "-f", "-o", "/dev/null", "-p", ",".join(map(str, pids))]


class TraceCmd(Tool):
    tool = package = "trace-cmd"
    events = ("sched:sched_switch", "sched:sched_waking", "sched:sched_wakeup",
              "raw_syscalls:sys_enter", "raw_syscalls:sys_exit")

    def command(self, pids):
        events = [word for event in self.events for word in ("-e", event)]
        return ["trace-cmd", "record", "-o", self.path("trace.dat"), *events]

    def missing(self):
        """Where the machine does not let it, what it says."""
        lacks = super().missing()
        if lacks:
            return lacks
        try:
            self.begin([])
        except Problem as problem:
            return " ".join(str(problem).split()).removeprefix(f"{self.name}: ")
        self.end()
        return None


def without_calls(hooks):
    """Where --level light has programs, too."""
    return [hook for hook in hooks if not hook.startswith("sys_")]


def all_variants(directory, program, null_program, hooks):
    """In the order of the table; the first three are what the others are measured against."""
    return [
        Variant("untraced"),
        Null("null", directory, null_program, hooks),
        Null("null light", directory, null_program, without_calls(hooks)),
        Ipctrace("ipctrace", directory, program),
        Ipctrace(LIGHT, directory, program, "--level", "light"),
        Ipctrace("ipctrace --record", directory, program, "--record"),
        Ipctrace("ipctrace --slower-than 1ms", directory, program, "--slower-than", "1ms"),
        Runqlat("runqlat", directory),
        Bpftrace("bpftrace script", directory),
        PerfSched("perf sched record", directory),
        PerfTrace("perf trace -s", directory),
        TraceCmd("trace-cmd record", directory),
        Strace("strace -f", directory),
    ]
