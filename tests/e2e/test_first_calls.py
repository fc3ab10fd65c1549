# SPDX-License-Identifier: BSD-2-Clause
"""A call that opens its connection contains that: its sums, its parts, and what an explanation says of it."""

import json
import os
import subprocess
import sys

import attach
import harness
import patience
import tap

# A server, and a child that makes `count` calls when a line comes, and as many as `each` of them on one connection. Its
# clock goes from before connect() until the answer is there.
PROGRAM = """
import json, os, socket, sys, time
each, count, notes, kind, idle = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3], sys.argv[4], float(sys.argv[5])
family, type, name = {
    "tcp": (socket.AF_INET, socket.SOCK_STREAM, ("127.0.0.1", 0)),
    "stream": (socket.AF_UNIX, socket.SOCK_STREAM, f"{notes}.{os.getpid()}"),
    "seqpacket": (socket.AF_UNIX, socket.SOCK_SEQPACKET, f"{notes}.{os.getpid()}"),
    "abstract": (socket.AF_UNIX, socket.SOCK_STREAM, "\\0" + notes),
    "abstract-seqpacket": (socket.AF_UNIX, socket.SOCK_SEQPACKET, "\\0" + notes),
}[kind]
listener = socket.socket(family, type)
listener.bind(name)
listener.listen(64)
child = os.fork()
if not child:
    sys.stdin.readline()
    took = []
    for number in range(count):
        begin = time.monotonic_ns()
        if number % each == 0:
            end = socket.socket(family, type)
            end.connect(listener.getsockname())
            if idle:
                time.sleep(idle)
        end.send(b"request")
        end.recv(10)
        took.append(time.monotonic_ns() - begin)
        if number % each == each - 1:
            end.close()
    with open(notes, "w", encoding="ascii") as file:
        json.dump(took, file)
    os._exit(0)
print("ready", flush=True)
for _ in range(count // each):
    end = listener.accept()[0]
    while end.recv(10):
        end.send(b"answer")
    end.close()
os.waitpid(child, 0)
"""

COUNT = 120
IDLE_S = 0.003
NEAR_NS = 30_000  # of what Python does around its calls
OPENS = r"each call opens a connection: \d+ % of its time"


class FirstCalls(attach.AttachCase):

    def trace(self, each, kind, idle=0.0):
        """The attachment, its calls as ndjson has them, its explanation, and what the client's clock says of each."""
        process = self.spawn([sys.executable, "-c", PROGRAM, str(each), str(COUNT), self.file("took"), kind, str(idle)],
                             stdin=subprocess.PIPE)
        self.ready(process)
        with self.attached("-p", process.pid, "--level", "deep", stop=False) as attachment:
            process.communicate("go\n", timeout=60)
        explanation = json.loads(harness.ipctrace("explain", attachment.recording, "-f", "json", "--unit", "call").out)
        with open(self.file("took"), encoding="ascii") as file:
            took = json.load(file)
        os.remove(self.file("took"))
        return attachment, explanation, took

    def check_each(self, kind):
        """a connection for each call: it is part of the call, and of what is said"""
        attachment, explanation, took = self.trace(1, kind)
        connections, calls = attachment.summary["connections"], attachment.summary["calls"]
        first, before = connections["first_call_ns"], connections["before_call_ns"]
        patience.demand(first["count"], COUNT, f"first calls: {connections}")
        self.assertEqual((connections["requests"], connections["requests_per_connection"]), (COUNT, 1))
        self.assertEqual(calls["round_trip_ns"]["count"], COUNT)
        # connect, and what the round trip is: exact
        self.assertAlmostEqual(first["mean"], before["mean"] + calls["round_trip_ns"]["mean"], delta=1)
        self.assertLessEqual(first["mean"] * COUNT, sum(took))
        # The quickest of both: beside busy programs, most calls are held up between Python's clock and the call.
        patience.demand(first["min"] - min(took), -NEAR_NS, "ns of a call")
        self.assertLess(connections["opening_ns"], first["mean"] * COUNT)
        opening = explanation["base_opening"]
        self.assertEqual(opening["share"], 1)
        self.assertIn("connect", {row["part"] for row in explanation["rows"]})
        # The sentence comes from 0.2 on, unless the server is mostly kept from the calls by something else.
        patience.demand(opening["open_ns"] / explanation["base"]["mean_ns"], .21, "share of the opening")
        if explanation["focus"] == "usual":
            patience.demand_said(OPENS, explanation["headline"].lower())
        parts = explanation["typical"]
        self.assertEqual(sum(parts[name + "_ns"] for name in ("connect", "request", "service", "response")),
                         parts["round_trip_ns"])
        text = " ".join(harness.ipctrace("report", attachment.recording).out.split())
        self.assertRegex(text, rf"calls {COUNT} on {COUNT} new connections, 1\.0 each; from connect\(\)")

    def test_each(self):
        """a connection for each call"""
        for kind in ("tcp", "stream", "seqpacket", "abstract", "abstract-seqpacket"):
            with self.subTest(kind=kind):
                self.check_each(kind)

    def check_kept(self, kind):
        """ten calls on each connection, and the usual call opens none"""
        attachment, explanation, _ = self.trace(10, kind)
        connections = attachment.summary["connections"]
        patience.demand(connections["first_call_ns"]["count"], COUNT // 10, f"first calls: {connections}")
        self.assertEqual((connections["requests"], connections["requests_per_connection"]), (COUNT, 10))
        self.assertNotRegex(explanation["headline"].lower(), OPENS)

    def test_kept(self):
        """ten calls on each connection"""
        for kind in ("tcp", "stream", "seqpacket"):
            with self.subTest(kind=kind):
                self.check_kept(kind)

    def test_idle(self):
        """a client that does something else before its first request: that is no part of opening the connection"""
        for kind in ("tcp", "stream", "seqpacket"):
            with self.subTest(kind=kind):
                attachment, explanation, _ = self.trace(1, kind, idle=IDLE_S)
                connections = attachment.summary["connections"]
                patience.demand(connections["first_call_ns"]["count"], COUNT, f"first calls: {connections}")
                self.assertGreater(connections["before_call_ns"]["min"], IDLE_S * 1e9)
                patience.demand(-connections["opening_ns"] / COUNT, -IDLE_S * 1e9 / 2, "ns of an opening")
                self.assertNotRegex(explanation["headline"].lower(), OPENS)
                patience.demand_said("nanosleep", explanation["headline"])


if __name__ == "__main__":
    tap.main()
