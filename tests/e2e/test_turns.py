# SPDX-License-Identifier: BSD-2-Clause
"""Calls that wait for a busy worker while another one, which accepts from the same socket, sleeps."""

import json
import subprocess
import sys

import attach
import harness
import patience
import tap

BURSTS, CALLS = 8, 10

# Both workers are made busy before each burst, so that one of them finds all connections of it at once. `batch`: it
# accepts them all before it serves the first one; `one`: it accepts and serves one at a time. `keeps`: as `batch`, and
# the other worker polls the connection of a client that sends no further request.
PROGRAM = """
import os, select, socket, sys, time
kind, bursts, calls = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
listener = socket.socket(socket.AF_UNIX)
listener.bind("\\0turns-%d" % os.getpid())
listener.listen(64)
listener.setblocking(False)

def work(seconds):
    until = time.thread_time() + seconds
    while time.thread_time() < until:
        pass

def serve(connection):
    connection.settimeout(10)
    milliseconds = connection.recv(1)[0]
    work(milliseconds / 1000)
    connection.sendall(b"k")
    if kind == "keeps" and milliseconds > 10:
        connection.settimeout(0.06)
        try:
            connection.recv(1)
        except TimeoutError:
            pass
    connection.close()

def worker():
    epoll = select.epoll()
    epoll.register(listener, select.EPOLLIN | select.EPOLLEXCLUSIVE)
    while True:
        epoll.poll()
        accepted = []
        while len(accepted) < (1 if kind == "one" else 100):
            try:
                accepted.append(listener.accept()[0])
            except BlockingIOError:
                break
        for connection in accepted:
            serve(connection)

def connect(milliseconds):
    client = socket.socket(socket.AF_UNIX)
    client.connect(listener.getsockname())
    client.sendall(bytes([milliseconds]))
    return client

children = []
for name in "worker-a", "worker-b":
    child = os.fork()
    if not child:
        with open("/proc/self/comm", "w", encoding="ascii") as file:
            file.write(name)
        worker()
    children.append(child)
print("ready", *children, flush=True)
sys.stdin.readline()
for _ in range(bursts):
    plugs = []
    for milliseconds in 5, 15:
        plugs.append(connect(milliseconds))
        time.sleep(0.002)
    clients = [connect(4) for _ in range(calls)]
    for client in clients:
        client.recv(1)
        client.close()
    for client in plugs:
        client.recv(1)
        client.close()
    time.sleep(0.05)
for child in children:
    os.kill(child, 9)
    os.waitpid(child, 0)
"""


class Turns(attach.AttachCase):
    """What an explanation says of such workers."""

    def trace(self, kind):
        """(explanation, its text)"""
        process = self.spawn([sys.executable, "-c", PROGRAM, kind, BURSTS, CALLS], stdin=subprocess.PIPE,
                             stdout=subprocess.PIPE)
        children = process.stdout.readline().split()[1:]
        with self.attached("--level", "deep", "-p", ",".join(children), stop=False) as attachment:
            _, err = process.communicate("go\n", timeout=60 * harness.PATIENCE)
        self.assertEqual((process.returncode, err), (0, ""))
        options = ("explain", attachment.recording, "--unit", "call")
        return json.loads(harness.ipctrace(*options, "-f", "json").out), harness.ipctrace(*options).out

    @staticmethod
    def demand_busy(explanation):
        """For most of the time the other worker is not free."""
        meanwhile = explanation["base_meanwhile"]
        patience.demand(1 - meanwhile["asleep_share"], 0.8, f"share in which it is not free: {meanwhile}")

    def test_batch(self):
        """a worker takes the whole burst: calls are counted, and the other one is known to sleep"""
        explanation, _ = self.trace("batch")
        meanwhile = explanation["base_meanwhile"]
        patience.demand(meanwhile["accepted_at_once"], CALLS / 3, f"connections accepted at once: {meanwhile}")
        patience.demand(meanwhile["calls_before"], 1, "calls before a call")
        patience.demand(meanwhile["asleep_share"], 0.1, "share in which the other worker sleeps")
        self.assertLess(meanwhile["calls_before"], CALLS + 2)
        self.assertIn(meanwhile["asleep_comm"], ("worker-a", "worker-b"))
        if meanwhile["asleep_share"] >= 0.25 and "serves other calls" in explanation["headline"]:
            self.assertIn("which accepts from the same socket, sleeps for", explanation["headline"])
            self.assertIn("accept one connection at a time", explanation["to_do"])

    def test_one_at_a_time(self):
        """the cure: neither sleeps while connections wait"""
        explanation, text = self.trace("one")
        self.assertLess(explanation["base_meanwhile"]["accepted_at_once"], 1.5)
        self.demand_busy(explanation)
        self.assertNotIn("from the same socket", text)

    def test_waits_for_its_client(self):
        """a worker that polls the connection of one client is not free"""
        explanation, text = self.trace("keeps")
        self.demand_busy(explanation)
        self.assertNotIn("from the same socket", text)


if __name__ == "__main__":
    tap.main()
