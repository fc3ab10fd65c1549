# SPDX-License-Identifier: BSD-2-Clause
"""Servers and their clients for scripts/bench/servers: what a tracer beside them costs their users.

A work has `pids`, the processes to be traced, once it has begun; ask() lets the clients ask and
gives their figures.
"""

import glob
import os
import re
import shutil
import socket
import subprocess
import sys
import tempfile
import time

FIGURES = ("requests/s", "p50", "p99", "p99.9", "max")
LIMIT_S = 120
CPU_GROUPS = ("/sys/fs/cgroup/cpu", "/sys/fs/cgroup")

ECHO = """
import selectors, socket, sys
loop = selectors.DefaultSelector()
listener = socket.socket(socket.AF_UNIX)
listener.bind(sys.argv[1])
listener.listen(64)
loop.register(listener, selectors.EVENT_READ)
while True:
    for key, _ in loop.select():
        if key.fileobj is listener:
            loop.register(listener.accept()[0], selectors.EVENT_READ)
            continue
        data = key.fileobj.recv(4096)
        if data:
            key.fileobj.sendall(data)
        else:
            loop.unregister(key.fileobj)
            key.fileobj.close()
"""


def wait_for(condition, what):
    end = time.monotonic() + LIMIT_S
    while not condition():
        if time.monotonic() > end:
            sys.exit(f"servers: {what} did not begin")
        time.sleep(0.01)


class Server:
    """A server process. `client` is scripts/bench/client, compiled."""

    tool = None
    connections = 4
    period_ns = 0

    def __init__(self, client, requests):
        self.client, self.requests = client, requests
        self.directory = tempfile.mkdtemp(prefix="ipctrace-bench-")
        self.path = os.path.join(self.directory, "socket")
        self.process = None

    @property
    def pids(self):
        return [self.process.pid]

    def begin(self):
        self.process = subprocess.Popen(self.command(), stdout=subprocess.DEVNULL,
                                        stderr=subprocess.DEVNULL)
        wait_for(self.is_ready, self.tool)

    def command(self):
        raise NotImplementedError

    def is_ready(self):
        return os.path.exists(self.path)

    def ask_with(self, address, answer_bytes, question):
        words = subprocess.run(
            [self.client, address, str(self.connections), str(self.requests // self.connections),
             str(self.period_ns), str(answer_bytes), question],
            stdout=subprocess.PIPE, text=True, check=True).stdout.split()
        return dict(zip((*FIGURES, "late"), map(float, words)))

    def end(self):
        if self.process:
            self.process.kill()
            self.process.wait()
        shutil.rmtree(self.directory)


class Redis(Server):
    """Asked by redis-benchmark, which is as busy as the server: two CPUs have no time left."""

    tool = "redis-server"

    def command(self):
        return ["redis-server", "--port", "0", "--unixsocket", self.path, "--save", "", "--dir",
                self.directory]

    def ask(self):
        text = subprocess.run(["redis-benchmark", "-s", self.path, "-c", "4", "-t", "get", "-n",
                               str(self.requests), "--precision", "3"],
                              stdout=subprocess.PIPE, text=True, check=True).stdout
        text = text.replace("\r", "\n")
        rate = float(re.search(r"throughput summary: ([\d.]+)", text)[1])
        steps = [(float(share), float(ms) * 1e6)
                 for share, ms in re.findall(r"([\d.]+)% <= ([\d.]+) milliseconds", text)]
        of = [next(ns for share, ns in steps if share >= wanted) for wanted in (50, 99, 99.9, 100)]
        return dict(zip(FIGURES, (rate, *of)))


class RedisInGroup(Redis):
    """In a control group of its own, as service managers do it."""

    group = None

    def begin(self):
        super().begin()
        root = next(filter(has_cpu_controller, CPU_GROUPS), None)
        if not root:
            sys.exit("servers: no cpu controller below /sys/fs/cgroup: leave out 'redis, own group'")
        self.group = f"{root}/bench-{self.process.pid}"
        os.mkdir(self.group)
        with open(f"{self.group}/cgroup.procs", "w", encoding="ascii") as procs:
            procs.write(str(self.process.pid))

    def end(self):
        super().end()
        if self.group:
            os.rmdir(self.group)


class RedisSaturated(Redis):
    """Beside two busy threads for each CPU."""

    busy = ()

    def begin(self):
        super().begin()
        self.busy = [subprocess.Popen([sys.executable, "-c", "while True: pass"])
                     for _ in range(2 * os.cpu_count())]

    def end(self):
        for process in self.busy:
            process.kill()
            process.wait()
        super().end()


class Memcached(Server):
    tool = "memcached"

    def command(self):
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        return ["memcached", "-u", "nobody", "-l", "127.0.0.1", "-p", str(self.port), "-U", "0"]

    def is_ready(self):
        with socket.socket() as probe:
            return probe.connect_ex(("127.0.0.1", self.port)) == 0

    def ask(self):
        return self.ask_with(f"tcp:{self.port}", len("END\r\n"), "get k\\r\\n")


class Python(Server):
    """One thread that answers many clients."""

    tool = "python3"
    connections = 20

    def command(self):
        return [sys.executable, "-c", ECHO, self.path]

    def ask(self):
        return self.ask_with(f"unix:{self.path}", 64, "x" * 64)


class Paced(Python):
    """One client that asks a thousand times a second."""

    connections = 1
    period_ns = 1_000_000


def has_cpu_controller(root):
    if glob.glob(f"{root}/cpu.shares"):
        return True
    try:
        with open(f"{root}/cgroup.subtree_control", encoding="ascii") as words:
            return "cpu" in words.read().split()
    except OSError:
        return False


# {name: (class, requests, whether the tracer is in another session)}
SERVERS = {
    "redis": (Redis, 100_000, False),
    "redis, other session": (Redis, 100_000, True),
    "redis, own group": (RedisInGroup, 100_000, False),
    "memcached over TCP": (Memcached, 100_000, False),
    "Python, 20 clients": (Python, 40_000, False),
    "redis, saturated": (RedisSaturated, 400_000, False),
}
