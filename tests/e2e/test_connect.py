# SPDX-License-Identifier: BSD-2-Clause
"""--pattern connect: every exchange is a connection and a message, and its parts add up to it."""

import statistics

import harness
import patience
import tap
from replay import exchanges, records

TRANSPORTS = ("tcp", "tcp6", "uds-stream", "uds-seqpacket")
CLIENTS, MESSAGES, WARMUP = 2, 100, 10
KEPT = CLIENTS * MESSAGES

# The parts of a connection behind its handshake: what the server did.
WAITS = ("queue", "wakeup", "runqueue", "switch", "accept")
OPENING = ("socket", "connect", *WAITS, "service")

NEAR_NS = 20_000


def part(message, name):
    return message[f"exchange_{name}_ns"]


class Connect(harness.TestCase):
    """Short runs over every transport that has connections."""

    def record(self, transport, *options):
        """The summary and the messages of a run, and its records."""
        path = self.file(f"{transport}.ipct")
        result = harness.ipctrace("--pattern", "connect", "--transport", transport, "--clients", CLIENTS, "--messages",
                                  MESSAGES, "--warmup", WARMUP, "--policy", "other", *options, "--record", path, "-f",
                                  "json")
        self.check_quiet(result)
        messages = harness.read_ndjson(harness.ipctrace("report", path, "-f", "ndjson").out)[1]
        return path, result.json(), messages

    def check_counts(self, summary):
        """Sent = matched = accepted: no connection is missing."""
        integrity, connections = summary["integrity"], summary["connections"]
        harness.demand_no_recursion(integrity)
        self.assertEqual((integrity["sent"], integrity["matched"], integrity["lost"]), (KEPT, KEPT, 0))
        self.assertEqual(integrity["residual_ns_max"], 0)
        self.assertEqual(connections["latency_ns"]["count"], KEPT)
        self.assertEqual((connections["failed"], connections["uncut"], connections["not_accepted"]), (0, 0, 0))
        self.assertEqual([listener["latency_ns"]["count"] for listener in connections["listeners"]], [KEPT])
        self.assertEqual((summary["exchanges"]["exchange_ns"]["count"], summary["exchanges"]["uncut"]), (KEPT, 0))

    def check_means(self, summary):
        parts = summary["exchanges"]["parts_ns"]
        self.assertEqual({stat["count"] for stat in parts.values()}, {KEPT})
        whole = summary["exchanges"]["exchange_ns"]["mean"]
        self.assertAlmostEqual(sum(stat["mean"] for stat in parts.values()), whole, delta=1e-6 * whole)
        self.assertEqual(parts["message"], summary["latency_ns"])

    def check_sums(self, messages):
        """To the nanosecond, of each."""
        for message in messages:
            with harness.in_message(message):
                parts = [part(message, name) for name in (*OPENING, "close")]
                self.assertGreaterEqual(min(parts), 0)
                self.assertEqual(sum(parts) + message["latency_ns"], message["exchange_ns"])

    def check_instants(self, messages, known):
        """The same instants come out of the records without the program."""
        of_message = {(e.client, e.index - WARMUP): e for e in known}
        for message in messages:
            with harness.in_message(message):
                one = of_message[message["client"], message["round"]]
                self.assertEqual(message["exchange_ns"], one.closed - one.begun)
                self.assertEqual(part(message, "socket"), one.enter - one.begun)
                self.assertEqual(part(message, "connect"), one.queued - one.enter)
                self.assertEqual(sum(part(message, name) for name in WAITS), one.accepted - one.queued)
                self.assertEqual(part(message, "service"), one.stamp - one.accepted)
                self.assertEqual(part(message, "close"), one.closed - one.user)

    def check_clock(self, known):
        """connect() takes as long by the client's own clock, which also has the making of the socket."""
        apart = [(e.connected - e.begun) - (e.returned - e.enter) for e in known]
        self.assertGreaterEqual(min(apart), 0)
        patience.demand(-statistics.median(apart), -NEAR_NS, "ns of connect() by the client's clock alone")
        patience.demand(-statistics.median(e.connected - e.returned for e in known), -NEAR_NS,
                        "ns from connect()'s end to the client's clock")

    def check_units(self, path):
        """Each connection is a unit of an explanation, too, but for those of the warm-up."""
        explanation = harness.ipctrace("explain", path, "--unit", "connection", "-f", "json").json()
        unit = explanation["typical"]
        self.assertEqual((explanation["unit"], explanation["units"]), ("connection", KEPT))
        self.assertEqual(unit["connect_ns"] + unit["queue_ns"], unit["latency_ns"])
        self.assertEqual(sum(cause["ns"] for cause in unit["causes"]), unit["latency_ns"])

    def check_transport(self, transport):
        path, summary, messages = self.record(transport)
        self.check_counts(summary)
        self.check_means(summary)
        self.assertEqual(len(messages), KEPT)
        self.check_sums(messages)
        self.check_units(path)
        known = exchanges.exchanges_of(records.read(path)[0])
        self.assertEqual(len(known), CLIENTS * (MESSAGES + WARMUP))
        self.check_instants(messages, known)
        self.check_clock(known)
        text = harness.ipctrace("report", path).out
        self.assertIn(" ".join(f"exchanges {KEPT}, each with a connection and a message; the parts of every "
                               "exchange add up".split()), " ".join(text.split()))
        self.assertLessEqual(max(map(len, text.splitlines())), 80)

    def test_tcp(self):
        """tcp, IPv4 and IPv6"""
        for transport in TRANSPORTS[:2]:
            self.check_transport(transport)

    def test_unix(self):
        """unix stream and seqpacket sockets"""
        for transport in TRANSPORTS[2:]:
            self.check_transport(transport)

    def test_one_cpu(self):
        """four clients and the server share a CPU: connections wait for a server that waits for it"""
        summary = harness.ipctrace("--pattern", "connect", "--transport", "uds-stream", "--clients", 4, "--messages",
                                   50, "--policy", "other", "--cpus", "one", "-f", "json").json()
        parts = summary["exchanges"]["parts_ns"]
        self.assertEqual(summary["exchanges"]["exchange_ns"]["count"], 200)
        waits = sum(parts[name]["mean"] for name in ("queue", "wakeup", "runqueue"))
        patience.demand(waits, parts["connect"]["mean"], "ns of waits, and as many of connect")

    def test_unknown_parts(self):
        """without tracing and at level light only the client's clock is known: null, not 0"""
        for options in (("--no-trace",), ("--level", "light")):
            summary = harness.ipctrace("--pattern", "connect", "--transport", "tcp", "--messages", 50, *options, "-f",
                                       "json").json()
            parts = summary["exchanges"]["parts_ns"]
            self.assertEqual(summary["exchanges"]["exchange_ns"]["count"], 50, options)
            self.assertEqual({name for name, stat in parts.items() if stat}, {"message", "close"}, options)
            self.assertEqual(summary["exchanges"]["uncut"], 0)

    def test_refused(self):
        """transports without connections, texts without room for the clock reading, and --reader"""
        for transport in ("uds", "udp", "pipe", "shm", "signal"):
            self.check_refused(harness.ipctrace("--pattern", "connect", "--transport", transport), transport,
                               "it has no connections", "use --transport uds-stream", "uds-seqpacket", "tcp", status=2)
        for option, value, remedy in (("--size", 8, "use --size"), ("--reader", "epoll", "--reader block")):
            self.check_refused(harness.ipctrace("--pattern", "connect", "--transport", "tcp", option, value), remedy,
                               status=2)


if __name__ == "__main__":
    tap.main()
