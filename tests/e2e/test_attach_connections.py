# SPDX-License-Identifier: BSD-2-Clause
"""Connections: their parts add up, a full accept queue is named, and failed calls are counted by reason."""

import errno
import json
import re
import statistics
import subprocess
import sys
import uuid

import attach
import harness
import patience
import tap

# A server, whose child makes connections when a line comes: `clients` threads with so many each. Both note the
# instants around their calls. Each client sends its number, so the server knows which connection it has accepted.
PROGRAM = """
import errno, json, os, socket, sys, threading, time
kind, backlog, first_s, clients, count, blocking, notes = sys.argv[1:8]
backlog, first_s, clients, count, blocking = int(backlog), float(first_s), int(clients), int(count), blocking == "wait"
family, type = {"uds-stream": (socket.AF_UNIX, socket.SOCK_STREAM), "tcp6": (socket.AF_INET6, socket.SOCK_STREAM),
                "uds-seqpacket": (socket.AF_UNIX, socket.SOCK_SEQPACKET),
                "tcp": (socket.AF_INET, socket.SOCK_STREAM)}[kind]
listener = socket.socket(family, type)
listener.bind({socket.AF_UNIX: notes + ".socket", socket.AF_INET: ("127.0.0.1", 0),
               socket.AF_INET6: ("::1", 0)}[family])
listener.listen(backlog)
address = listener.getsockname()
times = []

def connect(number):
    for index in range(count):
        end = socket.socket(family, type)
        end.setblocking(blocking)
        begin = time.monotonic_ns()
        error = end.connect_ex(address)
        times.append((number * count + index, begin, time.monotonic_ns(), error))
        end.setblocking(True)
        if not error:
            end.send(b"%08d" % (number * count + index))
            end.recv(8)
        end.close()

child = os.fork()
if not child:
    listener.close()
    print("ready", flush=True)
    sys.stdin.readline()
    threads = [threading.Thread(target=connect, args=(number,)) for number in range(clients)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    with open(notes + "-client", "w", encoding="ascii") as file:
        json.dump(times, file)
    os._exit(0)
connections = []
listener.settimeout(0.1)
pause = first_s
while not os.waitpid(child, os.WNOHANG)[0]:
    time.sleep(pause)
    try:
        fd = listener._accept()[0]
        at = time.monotonic_ns()
    except TimeoutError:
        continue
    pause = first_s / 10
    end = socket.socket(family, type, fileno=fd)
    end.settimeout(None)
    number = end.recv(8)
    if number:
        connections.append((int(number), at))
        end.send(number)
    end.close()
with open(notes, "w", encoding="ascii") as file:
    json.dump(connections, file)
"""

# Connects to a port that nothing listens on, and to one that the process itself listens on, in turns.
REFUSED = """
import socket, sys
listener, closed = socket.create_server(("127.0.0.1", 0), backlog=64), socket.socket()
closed.bind(("127.0.0.1", 0))
print("ready", flush=True)
sys.stdin.readline()
for number in range(30):
    with socket.socket() as end:
        end.connect_ex((closed if number % 3 else listener).getsockname())
"""

PARTS = ("connect_ns", "queue_ns", "wakeup_ns", "runqueue_ns", "switch_ns", "accept_ns")
LATE_NS = 900_000_000  # the kernel sends a segment again after a second
NEAR_NS = 20_000


class Connections(attach.AttachCase):

    def trace(self, kind, backlog=64, first_s=0.0, clients=1, count=100, blocking="wait"):
        """The attachment, and by number of the connection: its instants at the client, and its accept call's end."""
        notes = self.file(uuid.uuid4().hex[:8])
        process = self.spawn([sys.executable, "-c", PROGRAM, kind, str(backlog), str(first_s), str(clients),
                              str(count), blocking, notes], stdin=subprocess.PIPE)
        self.ready(process)
        with self.attached("-p", process.pid, stop=False) as attachment:
            process.communicate("go\n", timeout=60)
        with open(notes, encoding="ascii") as server, open(notes + "-client", encoding="ascii") as client:
            return attachment, {number: times for number, *times in json.load(client)}, dict(json.load(server))

    @staticmethod
    def text_of(attachment):
        return " ".join(harness.ipctrace("report", attachment.recording).out.split())

    def check_parts(self, connections):
        """They add up, for each listener and in all."""
        for entry in (connections, *connections["listeners"]):
            stat = entry["latency_ns"]
            total = sum(entry[part]["mean"] * stat["count"] for part in PARTS)
            self.assertAlmostEqual(total, stat["mean"] * stat["count"], delta=1 + 1e-9 * total)
            self.assertEqual({entry[part]["count"] for part in PARTS}, {stat["count"]})
        queue_ns = sum(listener["queue_ns"]["mean"] * listener["latency_ns"]["count"]
                       for listener in connections["listeners"])
        states_ns = sum(listener["queue_busy_ns"] + listener["queue_blocked_ns"] for listener in connections["listeners"])
        self.assertAlmostEqual(queue_ns, states_ns, delta=1 + 1e-9 * queue_ns)

    def test_kinds(self):
        """an ordinary server: each connection is seen, and takes as long as both ends' clocks say"""
        for kind in ("uds-stream", "uds-seqpacket", "tcp", "tcp6"):
            with self.subTest(kind):
                attachment, client, server = self.trace(kind)
                connections = attachment.summary["connections"]
                self.check_parts(connections)
                self.assertEqual(connections["connect_calls"], 100)
                self.assertEqual(connections["latency_ns"]["count"] + connections["uncut"], 100)
                self.assertEqual([connections[name] for name in ("not_seen", "not_accepted", "failed")], [0, 0, 0])
                took = [server[number] - begin for number, (begin, _, _) in client.items()]
                latency = connections["latency_ns"]
                self.assertLessEqual(latency["max"], max(took))
                self.assertLessEqual(latency["mean"] * latency["count"], sum(took))
                listener, = connections["listeners"]
                self.assertEqual((listener["full"], listener["transport"]), (0, kind))
                self.assertEqual(listener["backlog"], 64)
                self.assertNotIn("queue was full", self.text_of(attachment))
                patience.demand(latency["p50"] - statistics.median(took), -NEAR_NS, f"ns of {kind}")

    def test_full(self):
        """a full queue over TCP: those that wait a second for it are counted, and no others"""
        attachment, client, server = self.trace("tcp", backlog=0, first_s=0.4, clients=5, count=1)
        connections = attachment.summary["connections"]
        self.check_parts(connections)
        listener, = connections["listeners"]
        late = [server[number] - begin for number, (begin, _, _) in client.items() if server[number] - begin > LATE_NS]
        self.assertGreater(len(late), 0)
        self.assertLessEqual(listener["full"], len(late))
        patience.demand(listener["full"], len(late), f"connections that waited of {late}")
        self.assertGreaterEqual(listener["full_least_ns"], LATE_NS)
        self.assertLessEqual(listener["full_most_ns"], max(late))
        self.assertGreaterEqual(connections["retransmits"], listener["full"])
        self.assertRegex(self.text_of(attachment),
                         r"\d connects? waited (\d\.\d to )?\d\.\d s because this queue was full")

    def test_slow(self):
        """the same with room in the queue: the connections wait there for what the server sleeps"""
        attachment, _, _ = self.trace("tcp", backlog=128, first_s=0.4, clients=5, count=1)
        connections = attachment.summary["connections"]
        self.check_parts(connections)
        listener, = connections["listeners"]
        self.assertEqual((listener["full"], listener["full_least_ns"], connections["retransmits"]), (0, None, 0))
        self.assertNotIn("queue was full", self.text_of(attachment))
        patience.demand(listener["queue_blocked_ns"] / (listener["latency_ns"]["mean"] * 5), 0.8, "share of the queue")
        self.assertRegex(self.text_of(attachment), r"slept for [\d.]+ %, in clock_nanosleep")

    def test_unix(self):
        """over a unix socket a thread sleeps in connect() until there is room"""
        attachment, client, _ = self.trace("uds-stream", backlog=0, first_s=1.0, clients=4, count=1)
        listener, = attachment.summary["connections"]["listeners"]
        self.check_parts(attachment.summary["connections"])
        slept = sum(end - begin > 100_000_000 for begin, end, _ in client.values())
        patience.demand(slept, 1, "clients that slept")
        self.assertGreaterEqual(listener["full"], slept)
        self.assertIn("because this queue was full", self.text_of(attachment))

    def explained(self, attachment):
        """The explanation of its connections, of which each is a unit; the causes of the one that is shown add up."""
        options = ("explain", attachment.recording, "--unit", "connection")
        explanation = json.loads(harness.ipctrace(*options, "-f", "json").out)
        unit = explanation["typical"]
        self.assertEqual(explanation["unit"], "connection")
        self.assertEqual(explanation["units"], attachment.summary["connections"]["latency_ns"]["count"])
        self.assertEqual(unit["connect_ns"] + unit["queue_ns"], unit["latency_ns"])
        for part in ("connect", "queue"):
            self.assertEqual(sum(cause["ns"] for cause in unit["causes"] if cause["part"] == part), unit[f"{part}_ns"])
        return " ".join(harness.ipctrace(*options).out.split())

    def test_units(self):
        """what usual connections wait for is explained, as it is of calls"""
        for kind in ("uds-stream", "uds-seqpacket", "tcp", "tcp6"):
            with self.subTest(kind):
                attachment, *_ = self.trace(kind, first_s=0.05, clients=4, count=20)
                patience.demand_said(r"In the queue of a usual connection \(\d+\.\d ms\), the server sleeps in "
                                     "clock_nanosleep", self.explained(attachment))

    def test_units_full(self):
        """and so is a queue that is full: the server is followed"""
        attachment, *_ = self.trace("uds-stream", backlog=0, first_s=0.2, clients=4, count=10)
        patience.demand_said(r"the client waits for room in the accept queue of \S+ \(pid \d+, nice 0\)"
                             r".* for room in the accept queue of \S+ \(pid \d+, nice 0\) \S+ \S+ % \d+ % "
                             r"blocked: in clock_nanosleep", self.explained(attachment))

    def test_again(self):
        """or the call fails with EAGAIN, if it may not sleep"""
        attachment, client, _ = self.trace("uds-stream", backlog=0, first_s=0.3, clients=5, count=1, blocking="no")
        connections = attachment.summary["connections"]
        failed = sum(error == errno.EAGAIN for *_, error in client.values())
        self.assertGreater(failed, 0)
        self.assertEqual([(entry["errno"], entry["count"]) for entry in connections["errors"]], [(errno.EAGAIN, failed)])
        self.assertEqual(connections["full_failed"], failed)
        self.assertRegex(self.text_of(attachment), f"{failed} of 5 calls failed: {failed} with EAGAIN")

    def test_refused(self):
        """calls of a target to a port that nothing listens on"""
        process = self.spawn([sys.executable, "-c", REFUSED], stdin=subprocess.PIPE)
        self.ready(process)
        with self.attached("-p", process.pid, stop=False) as attachment:
            process.communicate("go\n", timeout=60)
        connections = attachment.summary["connections"]
        self.assertEqual((connections["connect_calls"], connections["failed"]), (30, 20))
        self.assertEqual([(entry["errno"], entry["count"]) for entry in connections["errors"]],
                         [(errno.ECONNREFUSED, 20)])
        self.assertEqual(connections["not_accepted"], 10)
        self.assertTrue(re.search("20 of 30 calls failed: 20 with ECONNREFUSED", self.text_of(attachment)))


if __name__ == "__main__":
    tap.main()
