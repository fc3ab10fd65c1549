# SPDX-License-Identifier: BSD-2-Clause
"""UDP calls between sockets with the addresses of others: each call is one of its own client and server."""

import collections
import json
import signal
import sys

import attach
import patience
import tap

# It answers each request after a pause, but for one without an answer.
SERVES = """
import socket, subprocess, sys, time
port, pause_s = int(sys.argv[1]), int(sys.argv[2]) / 1000
subprocess.run(["ip", "link", "set", "lo", "up"], check=True)
with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as end:
    end.bind(("127.0.0.1", port))
    print("ready", flush=True)
    while True:
        request, asker = end.recvfrom(100)
        if request != b"no answer":
            time.sleep(pause_s)
            end.sendto(request, asker)
"""

# It begins on SIGUSR1, and prints when each call began and ended. Its last request has no answer. Without a port
# of its own, each call has a new socket, with any of four ports.
CALLS = """
import contextlib, json, signal, socket, sys, time
signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGUSR1])
own, port, count = map(int, sys.argv[1:])
with open("/proc/sys/net/ipv4/ip_local_port_range", "w") as ports:
    ports.write("45000 45003")
print("ready", flush=True)
signal.sigwait([signal.SIGUSR1])

def connect():
    end = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    # The kernel does not look at every port of a small range.
    while not end.getsockname()[1]:
        with contextlib.suppress(OSError):
            end.bind(("127.0.0.1", own))
    end.connect(("127.0.0.1", port))
    end.settimeout(60)
    return end

end, took = connect(), []
for i in range(count):
    begin = time.monotonic_ns()
    end.send(b"%d" % i)
    assert end.recv(100) == b"%d" % i
    took.append((begin, time.monotonic_ns()))
    if not own:
        end.close()
        end = connect()
end.send(b"no answer")
print(json.dumps(took))
"""


class Addresses(attach.AttachCase):
    """Servers in network namespaces of their own, as containers have them."""

    COUNT = 100

    def serve(self, port, pause_ms):
        return self.ready(self.spawn(["unshare", "-n", sys.executable, "-c", SERVES, port, pause_ms]))

    def client(self, server, own, port):
        """It waits in the namespace of its server for SIGUSR1."""
        return self.ready(self.spawn(["nsenter", "-t", server.pid, "-n", sys.executable, "-c", CALLS,
                                      own, port, self.COUNT]))

    def begin(self, *clients):
        for client in clients:
            client.send_signal(signal.SIGUSR1)

    def check_own(self, attachment, client, server, pause_ms, took):
        """The calls of a client: as many as it made, each in its time, and in none of them less than the pause."""
        calls = sorted((call for call in attachment.calls if call["client_tid"] == client.pid),
                       key=lambda call: call["request_sent_ns"])
        self.assertEqual(len(calls), self.COUNT)
        self.assertEqual({call["server_tid"] for call in calls}, {server.pid})
        for call, (begin_ns, end_ns) in zip(calls, took):
            back_ns = call["request_sent_ns"] + call["round_trip_ns"]
            self.assertTrue(begin_ns <= call["request_sent_ns"] < back_ns <= end_ns, call)
            self.assertGreaterEqual(call["service_ns"], pause_ms * 1_000_000, call)

    def demand_first_seen(self, attachment, clients):
        """
        A client is traced from its first datagram on, if that gets into the server's queue in its own send call. On a
        busy machine, the softirq of another thread may put it there. Then the datagram counts as `elsewhere`.
        """
        unseen = attachment.summary["integrity"]["elsewhere"]
        self.assertLessEqual(unseen, clients, attachment.summary["integrity"])
        if unseen:
            raise patience.NotNear(f"{unseen} datagrams were not queued by their sender")

    def check_totals(self, attachment, clients, servers):
        """All calls are exact, each service has its own, and only the requests without an answer have none."""
        calls, count = attachment.summary["calls"], self.COUNT * clients
        self.assertEqual({call["match"] for call in attachment.calls}, {"exact"})
        self.assertEqual((calls["count"], calls["open_several"]["count"], calls["unasked"]), (count, 0, 0))
        by_service = collections.Counter()
        for service in calls["services"]:
            by_service[service["service"]["pid"]] += service["count"]
        self.assertEqual(by_service, {server.pid: count // len(servers) for server in servers})
        self.check_whole(attachment, 2 * count + clients)

    def test_namespaces(self):
        """two servers and their clients with the same addresses and ports, at the same time"""
        # A low port shows which end serves. Between two high ports, only the first message does.
        for own, port in ((45000, 7403), (45000, 45001), (45001, 45000), (7404, 7403)):
            with self.subTest(f"{own} to {port}"):
                pauses_ms = (2, 4)
                servers = [self.serve(port, pause_ms) for pause_ms in pauses_ms]
                clients = [self.client(server, own, port) for server in servers]
                with self.attached("-p", servers[0].pid, "-p", servers[1].pid) as attachment:
                    self.begin(*clients)
                    took = [json.loads(self.join(client)) for client in clients]
                self.demand_first_seen(attachment, 2)
                for which in zip(clients, servers, pauses_ms, took):
                    self.check_own(attachment, *which)
                self.check_totals(attachment, 2, servers)
                for server in servers:
                    attach.discard(server)

    def test_port_again(self):
        """one process after the other with the same port, each of which leaves a request without an answer"""
        server = self.serve(7403, 2)
        took = []
        clients = [self.client(server, 45000, 7403) for _ in range(3)]
        with self.attached("-p", server.pid) as attachment:
            for client in clients:
                self.begin(client)
                took.append(json.loads(self.join(client)))
        self.demand_first_seen(attachment, 3)
        for client, times in zip(clients, took):
            self.check_own(attachment, client, server, 2, times)
        self.check_totals(attachment, 3, [server])

    def test_sockets_for_each_call(self):
        """three processes at once that share four ports, and make a new socket for each call"""
        for port in (7403, 45100):
            with self.subTest(port):
                server = self.serve(port, 1)
                clients = [self.client(server, 0, port) for _ in range(3)]
                with self.attached("-p", server.pid) as attachment:
                    self.begin(*clients)
                    took = [json.loads(self.join(client)) for client in clients]
                self.demand_first_seen(attachment, 3)
                for client, times in zip(clients, took):
                    self.check_own(attachment, client, server, 1, times)
                self.check_totals(attachment, 3, [server])
                attach.discard(server)


if __name__ == "__main__":
    tap.main()
