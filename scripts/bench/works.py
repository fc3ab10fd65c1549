# SPDX-License-Identifier: BSD-2-Clause
"""What the benchmark traces: programs that wait until their tracer is there.

A work has `pids`, the processes to be traced, once it has begun; go() lets it run and gives its time
per message.
"""

import os
import shutil
import statistics
import subprocess
import time

from measure import fail

HERE = os.path.dirname(os.path.abspath(__file__))

STRETCHES = 10
WARMUP = 1000
SIZE = 64


def compile_c(name, directory, *libraries):
    """The path of a small program of this folder."""
    path = os.path.join(directory, name)
    done = subprocess.run([*os.environ.get("CC", "cc").split(), "-O2", "-D_GNU_SOURCE", "-o", path,
                           os.path.join(HERE, f"{name}.c"), *libraries])
    if done.returncode:
        fail(f"could not compile {name}.c: see above")
    return path


def last_cpu():
    return max(os.sched_getaffinity(0))


def two_cpus():
    """The server's and the client's; None if there is one only."""
    allowed = sorted(os.sched_getaffinity(0))
    return allowed[-2:] if len(allowed) > 1 else None


class Pingpong:
    """scripts/bench/pingpong.c: one pattern over one transport. `per` messages make one figure of it."""

    def __init__(self, program, transport, pattern, cpus, messages, per=1, policy="other"):
        warmup = WARMUP if pattern != "push" else 10
        self.command = [program, transport, pattern, str(SIZE), "1", str(warmup), policy,
                        *map(str, cpus), str(STRETCHES)]
        self.messages = messages
        self.per = per
        self.process = None
        self.pids = []

    def begin(self):
        # A process that shares a pipe with a traced one may be traced, too: not the benchmark's stderr.
        self.process = subprocess.Popen(self.command, stdin=subprocess.PIPE, text=True,
                                        stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        self.pids = [int(pid) for pid in self.process.stdout.readline().split()[1:]]

    def start(self, slowness=1):
        """Returns at once."""
        self.process.stdin.write(f"{max(self.messages // slowness, 3)}\n")
        self.process.stdin.flush()

    def go(self, slowness):
        """The median stretch: what disturbs a few of them does not count."""
        self.start(slowness)
        figures = [float(line.split()[-1]) for line in self.process.stdout]
        return statistics.median(figures) / self.per

    def end(self):
        self.process.kill()
        self.process.wait()
        self.process.stdout.close()
        self.process.stdin.close()


class Bystander:
    """A ping-pong that is not traced, while the clients of a push are traced."""

    def __init__(self, traced, untraced):
        self.traced, self.untraced = traced, untraced

    @property
    def pids(self):
        return self.traced.pids

    def begin(self):
        self.traced.begin()
        self.untraced.begin()

    def go(self, slowness):
        self.traced.start()
        return self.untraced.go(slowness)

    def end(self):
        self.untraced.end()
        self.traced.end()


class Redis:
    """redis-benchmark asks a redis-server over a unix socket: time per request."""

    def __init__(self, directory, requests):
        self.path = os.path.join(directory, "redis.sock")
        self.directory, self.requests = directory, requests
        self.server = None

    @staticmethod
    def missing():
        return next((f"no {name}" for name in ("redis-server", "redis-benchmark")
                     if not shutil.which(name)), None)

    @property
    def pids(self):
        return [self.server.pid]

    def begin(self):
        self.server = subprocess.Popen(
            ["redis-server", "--port", "0", "--unixsocket", self.path, "--save", "",
             "--dir", self.directory], stdout=subprocess.DEVNULL)
        while not os.path.exists(self.path):
            time.sleep(0.01)

    def go(self, slowness):
        done = subprocess.run(
            ["redis-benchmark", "-s", self.path, "-c", "5", "-t", "get", "--csv",
             "-n", str(self.requests // slowness)], stdout=subprocess.PIPE, text=True, check=True)
        return 1e9 / float(done.stdout.splitlines()[-1].split(",")[1].strip('"'))

    def end(self):
        self.server.terminate()
        self.server.wait()


def all_works(pingpong, directory):
    """{name: how to make it, or why it is not possible}"""
    last, two = last_cpu(), two_cpus()
    works = {}
    for transport in ("uds", "uds-stream", "pipe", "tcp"):
        works[f"{transport} one cpu"] = lambda t=transport: Pingpong(
            pingpong, t, "pingpong", (last, last), 6000, per=2)
        works[f"{transport} two cpus"] = lambda t=transport: Pingpong(
            pingpong, t, "pingpong", two, 3000, per=2)
    works["push"] = lambda: Pingpong(pingpong, "uds", "push", (-1, -1), 20, policy="rr")
    works["flood"] = lambda: Pingpong(pingpong, "uds", "flood", two, 20000)
    works["redis"] = lambda: Redis(directory, 60000)
    works["bystander"] = lambda: Bystander(
        Pingpong(pingpong, "uds", "push", (-1, -1), 1000),
        Pingpong(pingpong, "uds", "pingpong", (last, last), 6000, per=2))
    if not two:
        why = "there is one CPU only"
        works |= {name: why for name in works if "two" in name or name == "flood"}
    if Redis.missing():
        works["redis"] = Redis.missing()
    return works
