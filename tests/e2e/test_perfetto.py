# SPDX-License-Identifier: BSD-2-Clause
"""`-f perfetto` of a run and of an attach, made when they end, and decoded with Perfetto's definitions."""

import collections
import json
import sys

import harness
import patience
import tap
from replay import trace

# A client and a server over a pair of sockets: 200 calls. The server sleeps in one of them.
CALLS = """
import os, socket, time
there, back = socket.socketpair()
if not os.fork():
    for number in range(200):
        back.recv(100)
        if number == 100:
            time.sleep(0.02)
        back.send(bytes(100))
    os._exit(0)
for number in range(200):
    there.send(bytes(100))
    there.recv(100)
os.wait()
"""


class Traces(harness.TestCase):
    """Each trace is held against ndjson of the same recording."""

    def trace(self, *arguments):
        """(trace, lines of ndjson by their kind)"""
        recording, path = self.file("recording"), self.file("trace")
        result = harness.ipctrace(*arguments)
        self.assertEqual(result.status, 0, result.err)
        lines = collections.defaultdict(list)
        for line in map(json.loads, harness.ipctrace("report", recording, "-f", "ndjson").out.splitlines()):
            lines[line.get("kind", "header")].append(line)
        decoded = trace.Trace(path)
        again = self.file("again")
        self.assertEqual(harness.ipctrace("report", recording, "-f", "perfetto", "-o", again).status, 0)
        with open(path, "rb") as one, open(again, "rb") as two:
            self.assertEqual(one.read(), two.read())
        return decoded, lines

    def check_messages(self, decoded, messages):
        slices = {(piece.notes["channel"], piece.notes["seq"]): piece for piece in decoded.below("channels")}
        self.assertEqual({place: piece.length for place, piece in slices.items()},
                         {(line["channel"], line["seq"]): line["latency_ns"] for line in messages})
        for piece in slices.values():
            self.assertEqual(sum(child.length for child in piece.children), piece.length)
        flows = [flow for _, event in decoded.all_events() for flow in event.flows]
        ends = [flow for _, event in decoded.all_events() for flow in event.ends]
        self.assertEqual(len(flows), len(messages))
        self.assertEqual(sorted(flows), sorted(ends))

    def test_run(self):
        """a run: rounds with their messages, and how late each one began"""
        decoded, lines = self.trace("--transport", "uds", "--clients", "2", "--messages", "50", "--warmup", "5",
                                    "--period", "5ms", "--record", self.file("recording"), "-f", "perfetto",
                                    "-o", self.file("trace"))
        self.check_messages(decoded, lines["message"])
        rounds = {piece.notes["round"]: piece for piece in decoded.below("rounds")}
        self.assertEqual(set(rounds), set(range(50)))
        for piece in decoded.below("channels"):
            one = rounds[piece.notes["round"]]
            self.assertTrue(one.begin == piece.begin <= piece.end <= one.end)
        lateness = {event.at: event.value for uuid, event in decoded.all_events()
                    if decoded.path(uuid)[-1] == "lateness"}
        self.assertEqual(lateness, {line["stamp_ns"]: line["stamp_ns"] - line["due_ns"] for line in lines["message"]})

    def test_attach(self):
        """an attach: calls with their parts, and a sleep in the server's state"""
        decoded, lines = self.trace("attach", "--record", self.file("recording"), "-f", "perfetto", "-o",
                                    self.file("trace"), "--", sys.executable, "-c", CALLS)
        self.check_messages(decoded, lines["message"])
        calls = {piece.notes["call"]: piece for piece in decoded.below("calls")}
        self.assertEqual(set(calls), {line["call"] for line in lines["call"]})
        requests = {(piece.notes["channel"], piece.notes["seq"]): piece for piece in decoded.below("channels")}
        for line in lines["call"]:
            piece = calls[line["call"]]
            self.assertEqual([(child.name, child.length) for child in piece.children],
                             [(part, line[part + "_ns"]) for part in ("request", "service", "response")])
            request = requests[piece.notes["channel"], piece.notes["seq"]]
            self.assertEqual(request.begin, piece.begin)
        # The call whose service has the server's only pause, which begins late if the server waits for a CPU there.
        server, = {f"tid {line['server_tid']}" for line in lines["call"]}
        pauses = [piece for piece in decoded.all_slices()
                  if piece.name == "asleep in clock_nanosleep" and decoded.path(piece.track)[-1] == server]
        services = [piece.children[1] for piece in calls.values()]
        patience.demand(len(pauses), 1, "pauses of which nothing was skipped by the kernel")
        slow, = [service for service in services
                 if any(service.begin <= pause.begin and pause.end <= service.end for pause in pauses)]
        self.assertGreaterEqual(slow.length, 20_000_000)
        patience.demand(max(pause.length for pause in pauses), 19_900_000, "ns of the pause")


if __name__ == "__main__":
    tap.main()
