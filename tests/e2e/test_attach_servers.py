# SPDX-License-Identifier: BSD-2-Clause
"""Servers of every kind and their callers: every request and answer is joined, and every call is known."""

import socket
import sys

import attach
import harness
import tap
import truth

# The largest share of UDP receives whose messages are found out later than others.
UDP_LATE = 0.01

# A server that receives everything from a caller, and then answers three times.
ANSWERS_LAST = """
import socket, sys, time
listener = socket.socket(socket.AF_UNIX, getattr(socket, sys.argv[1]))
listener.bind(sys.argv[2])
listener.listen()
print("ready", flush=True)
while True:
    with listener.accept()[0] as caller:
        while caller.recv(64):
            pass
        for _ in range(3):
            caller.send(bytes(20))
            time.sleep(0.001)
"""


def ask_and_fall_silent(kind, path):
    """Sends one question, announces the end by shutdown(), and returns with the last answer."""
    with socket.socket(socket.AF_UNIX, getattr(socket, kind)) as caller:
        caller.connect(path)
        caller.send(bytes(30))
        caller.shutdown(socket.SHUT_WR)
        while caller.recv(20):
            pass


class Servers(attach.AttachCase):
    """Three callers at once, and a server of every kind."""

    CALLERS, CALLS = 3, 300

    def check_server(self, transport, *options):
        """All requests and answers, each joined rightly, and as many calls."""
        self.begin_logs()
        address, _ = self.address(transport)
        service = self.start("service", *options, address)
        with self.attached("-p", service.pid) as attachment:
            callers = [self.start("caller", "-n", self.CALLS, address)
                       for _ in range(self.CALLERS)]
            for caller in callers:
                self.join(caller)
        self.end(service)
        noted = self.truth()
        # Threads that answer through one datagram socket may have done so in another order, and
        # those that read one of UDP may not have seen what they took.
        matches = (*attach.SURE, "ambiguous") if transport in ("uds", "udp") else attach.SURE
        self.check_right(noted, attachment.messages, matches)
        integrity = attachment.summary["integrity"]
        self.check_whole(attachment, 2 * self.CALLERS * self.CALLS,
                         order=self.overtaken(noted) if transport == "uds" else 0)
        self.assertEqual(len(attachment.of(transport)), integrity["matched"], integrity)
        self.check_trips(transport, attachment.summary, noted, callers)
        return attachment, noted

    @staticmethod
    def overtaken(noted):
        """
        How many answers to a caller began while another thread was still sending one: answers that are
        counted in another order may be inconsistent.
        """
        receivers, last, count = noted.by_id(truth.RECEIVE), {}, 0
        servers = {service.tid for service in noted.entries(truth.SERVICE)}
        for send in noted.entries(truth.SEND):
            receiver = receivers[send.id].tid
            if send.tid not in servers:
                continue
            before = last.get(receiver)
            count += bool(before and before.tid != send.tid and before.exit_ns > send.enter_ns)
            last[receiver] = send
        return count

    def check_trips(self, transport, summary, noted, callers):
        """
        All calls are there, and took no longer than the callers have logged. A request that another thread
        may have taken can seem to come after its answer, and be matched with the next one. The same happens
        with UDP if the receive was not traced, as what it took is found out later.
        """
        sends, receives = ([entry for caller in callers for entry in noted.entries(kind, caller.pid)]
                           for kind in (truth.SEND, truth.RECEIVE))
        trips = [receive.exit_ns - send.enter_ns for send, receive in zip(sends, receives)]
        calls, ambiguous = summary["calls"], summary["matches"]["ambiguous"]
        uncertain = ambiguous + summary["integrity"]["incomplete"]["order"]
        late = UDP_LATE * len(trips) if transport == "udp" else 0
        self.assertLessEqual(calls["unasked"], uncertain + late, calls)
        uncertain += calls["unasked"]
        self.assertTrue(len(trips) - uncertain <= calls["count"] <= len(trips), calls)
        round_trips = calls["round_trip_ns"]
        if not uncertain:
            self.assertLessEqual(round_trips["max"], max(trips), calls)
        self.assertLessEqual(round_trips["mean"] * calls["count"],
                             (2 if uncertain else 1) * sum(trips), calls)

    def check_kinds(self, transports, *options):
        for transport in transports:
            with self.subTest(transport):
                self.check_server(transport, *options)

    def test_poll(self):
        """one thread in poll"""
        self.check_kinds(("uds-stream", "uds-seqpacket", "tcp", "uds", "udp"), "-r", "poll")

    def test_epoll(self):
        """one thread in epoll, edge-triggered"""
        self.check_kinds(("uds-stream", "uds-seqpacket", "tcp", "uds", "udp"), "-r", "epoll")

    def test_threads(self):
        """three threads that accept from, or read, one socket"""
        self.check_kinds(("uds-stream", "uds-seqpacket", "tcp", "uds", "udp"), "-t", 3)

    def test_half_closed(self):
        """a caller that sends everything, shuts its side down, and is answered after that"""
        for kind in ("SOCK_STREAM", "SOCK_SEQPACKET"):
            with self.subTest(kind):
                path = self.file(f"s-{kind}")
                server = self.ready(self.spawn([sys.executable, "-c", ANSWERS_LAST, kind, path]))
                with self.attached("-p", server.pid) as attachment:
                    for _ in range(self.CALLS):
                        ask_and_fall_silent(kind, path)
                self.assertEqual(len(attachment.messages), 4 * self.CALLS)
                self.check_whole(attachment, 4 * self.CALLS)

    def test_prefork(self):
        """three processes, forked before, that accept from one socket"""
        for transport in ("uds-stream", "tcp"):
            with self.subTest(transport):
                self.begin_logs()
                address, _ = self.address(transport)
                service = self.start("service", "-f", 3, address)
                children = ",".join(map(str, harness.children_of(service.pid)))
                with self.attached("-p", children) as attachment:
                    for caller in [self.start("caller", "-n", self.CALLS, address)
                                   for _ in range(self.CALLERS)]:
                        self.join(caller)
                self.end(service)
                self.check_right(self.truth(), attachment.messages)
                self.check_whole(attachment, 2 * self.CALLERS * self.CALLS)

    def test_reuseport(self):
        """three processes, each with a socket of its own for the same port"""
        for transport in ("tcp", "udp"):
            with self.subTest(transport):
                self.begin_logs()
                address, _ = self.address(transport)
                services = [self.start("service", address) for _ in range(3)]
                with self.attached("--port", address.split(":")[1]) as attachment:
                    for caller in [self.start("caller", "-n", self.CALLS, address)
                                   for _ in range(self.CALLERS)]:
                        self.join(caller)
                self.end(*services)
                self.check_right(self.truth(), attachment.messages)
                self.check_whole(attachment, 2 * self.CALLERS * self.CALLS)

    def test_namespaces(self):
        """a server in a network namespace of its own, and its caller in another"""
        for transport in ("tcp", "udp"):
            with self.subTest(transport):
                self.begin_logs()
                port = attach.free_port()
                service = self.ready(self.spawn(["unshare", "-n", self.program("service"),
                                                 f"{transport}:0.0.0.0:{port}", self.logs]))
                host = attach.connect_namespace(service.pid)
                with self.attached("-p", service.pid) as attachment:
                    self.run_to_end("caller", "-n", self.CALLS, f"{transport}:{host}:{port}")
                self.end(service)
                self.check_right(self.truth(), attachment.messages)
                self.check_whole(attachment, 2 * self.CALLS)

    def test_passed(self):
        """a process that accepts, and passes the connections to another"""
        for transport in ("uds-stream", "tcp"):
            with self.subTest(transport):
                self.begin_logs()
                address, _ = self.address(transport)
                service = self.start("service", "-r", "poll", "-p", address)
                worker, = harness.children_of(service.pid)
                with self.attached("-p", f"{service.pid},{worker}") as attachment:
                    for caller in [self.start("caller", "-n", self.CALLS, address)
                                   for _ in range(self.CALLERS)]:
                        self.join(caller)
                self.end(service)
                noted = self.truth()
                self.check_right(noted, attachment.messages)
                passed = [m for m in attachment.messages if m["sender_tid"] == service.pid]
                self.assertEqual(len(passed), self.CALLERS)
                self.assertEqual({m["receiver_tid"] for m in passed}, {worker})
                self.check_whole(attachment, 2 * self.CALLERS * self.CALLS + self.CALLERS)


if __name__ == "__main__":
    tap.main()
