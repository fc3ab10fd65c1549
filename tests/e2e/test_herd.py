# SPDX-License-Identifier: BSD-2-Clause
"""Threads that wait for one listening socket: each connection wakes all, in vain, unless EPOLLEXCLUSIVE prevents it."""

import json
import subprocess
import sys

import attach
import harness
import patience
import tap

WORKERS, CALLS = 12, 60

# Each worker that is woken prepares for a while before it accepts, as an interpreter does. `edge`: it also
# accepts and reads until there is nothing left, as programs with edge-triggered events do. All are real-time threads:
# what else runs here would take more time of a call than its workers.
PROGRAM = """
import os, select, socket, sys, time
kind, workers, calls = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(20))
listener = socket.socket(socket.AF_UNIX)
listener.bind("\\0herd-%d" % os.getpid())
listener.listen(64)
listener.setblocking(False)

def receive(connection):
    received = b""
    while len(received) < 8:
        received += connection.recv(8)
    if kind == "edge":
        connection.setblocking(False)
        try:
            connection.recv(8)
        except BlockingIOError:
            pass

def work():
    epoll = select.epoll()
    flags = {"herd": 0, "exclusive": select.EPOLLEXCLUSIVE, "edge": select.EPOLLET}[kind]
    epoll.register(listener, select.EPOLLIN | flags)
    while True:
        epoll.poll()
        until = time.thread_time_ns() + 200_000
        while time.thread_time_ns() < until:
            pass
        for _ in range(2 if kind == "edge" else 1):
            try:
                connection = listener.accept()[0]
            except BlockingIOError:
                break
            receive(connection)
            connection.sendall(b"ok")
            connection.close()

children = []
for i in range(workers):
    child = os.fork()
    if not child:
        with open("/proc/self/comm", "w", encoding="ascii") as file:
            file.write("herd-worker")
        work()
    children.append(child)
print("ready", *children, flush=True)
sys.stdin.readline()
for _ in range(calls):
    client = socket.socket(socket.AF_UNIX)
    client.connect(listener.getsockname())
    client.sendall(b"question")
    client.recv(2)
    client.close()
    time.sleep(0.004)
for child in children:
    os.kill(child, 9)
    os.waitpid(child, 0)
"""


class Herd(attach.AttachCase):
    """What an explanation says of such workers."""

    def trace(self, kind, workers):
        """(explanation, its text)"""
        process = self.spawn([sys.executable, "-c", PROGRAM, kind, workers, CALLS], stdin=subprocess.PIPE,
                             stdout=subprocess.PIPE)
        children = process.stdout.readline().split()[1:]
        self.assertEqual(len(children), workers)
        with self.attached("--level", "deep", "-p", ",".join(children), stop=False) as attachment:
            _, err = process.communicate("go\n", timeout=60 * harness.PATIENCE)
        self.assertEqual((process.returncode, err), (0, ""))
        options = ("explain", attachment.recording, "--unit", "call")
        return json.loads(harness.ipctrace(*options, "-f", "json").out), harness.ipctrace(*options).out

    def test_herd(self):
        """all but one are woken in vain, which is the first sentence, with a remedy"""
        explanation, text = self.trace("herd", WORKERS)
        wakes = explanation["base_in_vain"]["wakes"]
        patience.demand(wakes, (WORKERS - 1) / 2, "threads that a call wakes in vain")
        self.assertLessEqual(wakes, 1.5 * WORKERS)
        self.assertGreater(explanation["base_in_vain"]["cpu_ns"], 0)
        if explanation["focus"] == "usual":
            self.assertIn(f"Each call wakes {wakes:.0f} threads in vain ", text)
            self.assertIn("EPOLLEXCLUSIVE", explanation["to_do"])

    def test_exclusive(self):
        """the cure: a connection wakes one worker, which finds it"""
        explanation, text = self.trace("exclusive", WORKERS)
        self.assertNotIn("in vain", text)
        self.assertLess((explanation["base_in_vain"] or {"wakes": 0})["wakes"], 1)

    def test_edge(self):
        """a worker that reads until there is nothing left was not woken in vain"""
        explanation, text = self.trace("edge", 1)
        self.assertNotIn("in vain", text)
        self.assertIsNone(explanation["base_in_vain"])


if __name__ == "__main__":
    tap.main()
