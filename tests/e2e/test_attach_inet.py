# SPDX-License-Identifier: BSD-2-Clause
"""No treatment of packets and sockets by the network stack leads to a wrong number."""

import os
import signal
import socket
import subprocess
import sys
import time
import uuid

import attach
import harness
import patience
import tap
import truth

# A process of Python that begins when it gets SIGUSR1.
WAITS = """
import os, select, signal, socket, sys, time
signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGUSR1])
def wait():
    print("ready", flush=True)
    signal.sigwait([signal.SIGUSR1])
"""

# It asks one question after the other.
ASKS = WAITS + """
host, count = sys.argv[1], int(sys.argv[2])
with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as end:
    end.connect((host, 53))
    end.settimeout(60)
    wait()
    for i in range(count):
        end.send(b"question %d" % i)
        assert end.recv(100) == b"answer %d" % i
"""

# Another machine behind a device, which answers. The driver frees what it has sent.
MACHINE = """
import fcntl, os, struct, subprocess, sys
device, subnet = sys.argv[1:]
TUNSETIFF, IFF_TUN, IFF_NO_PI = 0x400454ca, 1, 0x1000
tun = os.open("/dev/net/tun", os.O_RDWR)
fcntl.ioctl(tun, TUNSETIFF, struct.pack("16sH22x", device.encode(), IFF_TUN | IFF_NO_PI))
subprocess.run(["sh", "-ec", f"ip address add {subnet}.1/30 dev {device}; ip link set {device} up"],
               check=True)

def checksum(header):
    total = sum(struct.unpack("!10H", header))
    total = (total & 0xffff) + (total >> 16)
    return ~(total + (total >> 16)) & 0xffff

print("ready", flush=True)
while True:
    packet = os.read(tun, 2000)
    if packet[0] >> 4 != 4 or packet[9] != 17:
        continue
    asker, asked = struct.unpack("!2H", packet[20:24])
    text = packet[28:].replace(b"question", b"answer")
    udp = struct.pack("!4H", asked, asker, 8 + len(text), 0) + text
    ip = struct.pack("!BBHHHBBH", 0x45, 0, 20 + len(udp), 0, 0, 64, 17, 0)
    ip += packet[16:20] + packet[12:16]
    ip = ip[:10] + struct.pack("!H", checksum(ip)) + ip[12:]
    os.write(tun, ip + udp)
"""

PAUSE_S = 0.02

# It asks, and only when an answer is there, when its question left, and then for the answer.
ASKS_WHEN = WAITS + f"""
MSG_ERRQUEUE, SO_TIMESTAMPING, WHEN_IT_LEFT = 0x2000, 37, 2 | 16
kind, port = getattr(socket, sys.argv[1]), int(sys.argv[2])
with socket.socket(socket.AF_INET, kind) as end:
    end.connect(("127.0.0.1", port))
    end.setsockopt(socket.SOL_SOCKET, SO_TIMESTAMPING, WHEN_IT_LEFT)
    answers = select.poll()
    answers.register(end, select.POLLIN)
    wait()
    for i in range(int(sys.argv[3])):
        end.send(b"question")
        while not answers.poll()[0][1] & select.POLLIN: # an error is reported, too
            pass
        assert end.recvmsg(100, 1000, MSG_ERRQUEUE | socket.MSG_DONTWAIT)[1]
        time.sleep({PAUSE_S})
        assert end.recv(100) == b"an answer"
"""


# It sends messages of 1, 2, 3 ... bytes, one of them out of band.
SENDS_URGENTLY = WAITS + """
end, count, urgent = socket.socket(fileno=int(sys.argv[1])), int(sys.argv[2]), int(sys.argv[3])
wait()
for i in range(count):
    if i == urgent:
        print(time.monotonic_ns(), flush=True)
    end.send(bytes(i + 1), socket.MSG_OOB if i == urgent else 0)
    time.sleep(0.02)
"""


class Inet(attach.AttachCase):
    """Targets in Python that wait for the test, and links to others."""

    def waiting(self, program, *arguments):
        return self.ready(self.spawn([sys.executable, "-c", program, *arguments]))

    def test_another_machine(self):
        """UDP to another machine and back: no thread of this machine is the other end"""
        device, subnet = f"ipct{uuid.uuid4().hex[:6]}", f"198.19.{os.getpid() % 256}"
        self.ready(self.spawn([sys.executable, "-c", MACHINE, device, subnet]))
        target = self.waiting(ASKS, subnet + ".2", 300)
        with self.attached("-p", target.pid) as attachment:
            target.send_signal(signal.SIGUSR1)
            self.join(target)
        self.assertEqual(attachment.of("udp"), [])
        integrity = attachment.summary["integrity"]
        self.assertEqual(integrity["elsewhere"], 600, integrity)

    def serve(self, kind):
        """A socket here for one caller."""
        server = socket.socket(socket.AF_INET, kind)
        self.addCleanup(server.close)
        server.bind(("127.0.0.1", 0))
        if kind == socket.SOCK_STREAM:
            server.listen()
        return server, server.getsockname()[1]

    def answer(self, end, kind):
        """One question. The answer is a message of nine bytes."""
        if kind == socket.SOCK_STREAM:
            self.assertEqual(end.recv(100), b"question")
            end.send(b"an answer")
        else:
            question, caller = end.recvfrom(100)
            self.assertEqual(question, b"question")
            end.sendto(b"an answer", caller)

    def test_error_queue(self):
        """a thread that asks when its question left receives no answer by that"""
        for transport, kind in (("udp", socket.SOCK_DGRAM), ("tcp", socket.SOCK_STREAM)):
            with self.subTest(transport):
                server, port = self.serve(kind)
                target = self.waiting(ASKS_WHEN, kind.name, port, 20)
                if kind == socket.SOCK_STREAM:
                    server, _ = server.accept()
                    self.addCleanup(server.close)
                with self.attached("-p", target.pid) as attachment:
                    target.send_signal(signal.SIGUSR1)
                    for _ in range(20):
                        self.answer(server, kind)
                    self.join(target)
                answers = [m for m in attachment.of(transport) if m["bytes"] == 9]
                self.assertEqual(len(answers), 20, attachment.summary["integrity"])
                self.assertGreaterEqual(min(m["latency_ns"] for m in answers), PAUSE_S * 1e9)

    def receive_all(self, end):
        """[(begin, end)] of the receive that has taken so many bytes from the beginning on."""
        takes = []
        while True:
            begin_ns = time.monotonic_ns()
            data = end.recv(100)
            takes += [(begin_ns, time.monotonic_ns())] * len(data)
            if not data:
                return takes

    def test_out_of_band(self):
        """a byte that overtakes others: messages after it are known rightly, or not at all"""
        here, there = socket.socketpair()
        self.addCleanup(here.close)
        target = self.ready(self.spawn([sys.executable, "-c", SENDS_URGENTLY, there.fileno(), 12, 5],
                                       pass_fds=[there.fileno()]))
        there.close()
        with self.attached("-p", target.pid) as attachment:
            target.send_signal(signal.SIGUSR1)
            takes = self.receive_all(here)
            urgent_ns = int(self.join(target))
        records = attachment.of("uds-stream")
        if takes[14][1] > urgent_ns:
            raise patience.NotNear("this test had no CPU: an earlier message was not read before the urgent byte")
        self.assertEqual([m["bytes"] for m in records[:5]], [1, 2, 3, 4, 5])
        # The last byte of six is out of band, and is not read in its turn.
        before = {size: size * (size + 1) // 2 - (size > 5) for size in range(1, 13)}
        self.assertEqual(len(takes), before[12])
        for record in records:
            begin_ns, end_ns = takes[before[record["bytes"]] - 1]
            self.assertTrue(begin_ns <= record["recv_ns"] <= end_ns, record)

    CALLERS, CALLS = 3, 200

    def test_both_versions(self):
        """a server of IPv6 on all addresses, and its callers of IPv4, and of IPv6"""
        for kind in ("tcp", "udp"):
            for version, caller in ((kind, kind), (kind + "6", kind + "6")):
                with self.subTest(caller):
                    self.begin_logs()
                    port = attach.free_port()
                    service = self.start("service", "-r", "poll", f"{kind}6:{port}")
                    with self.attached("-p", service.pid) as attachment:
                        for process in [self.start("caller", "-n", self.CALLS, f"{caller}:{port}")
                                        for _ in range(self.CALLERS)]:
                            self.join(process)
                    self.end(service)
                    count = 2 * self.CALLERS * self.CALLS
                    self.check_whole(attachment, count)
                    self.check_right(self.truth(), attachment.messages)
                    self.assertEqual(len(attachment.of(version)), count)
                    for channel in attachment.channels():
                        self.assertIn("::1" if version[3:] else "127.0.0.1", channel["name"])
                        self.assertNotIn("ffff", channel["name"])

    def test_memory(self):
        """a message is received although its reader then sleeps for the memory of its buffer"""
        address, _ = self.address("udp")
        reader = self.start("planned", "-x", "b", "-o", 100, "-d", 1_000_000, address)
        with self.attached("-p", reader.pid) as attachment:
            self.run_to_end("writer", "-n", 200, "-p", 400_000, address)
            self.settle(reader)
        self.end(reader)
        self.check_whole(attachment, 200)
        self.check_right(self.truth(), attachment.of("udp"))

    def test_fragments(self):
        """datagrams that are too long for the link, in fragments, between whole ones"""
        for version in ("udp", "udp6"):
            with self.subTest(version):
                self.begin_logs()
                port = attach.free_port()
                everywhere = f"udp:0.0.0.0:{port}" if version == "udp" else f"udp6:{port}"
                reader = self.ready(self.spawn(["unshare", "-n", self.program("reader"), "-b",
                                                4_000_000, everywhere, self.logs]))
                host = self.connect(reader.pid, version)
                with self.attached("-p", reader.pid) as attachment:
                    self.run_to_end("writer", "-n", 100, "-s", "100,4000,1600,20000", "-p",
                                    3_000_000, f"{version}:{host}:{port}")
                    self.settle(reader)
                self.end(reader)
                noted = self.truth()
                received = len(noted.entries(truth.RECEIVE))
                patience.demand(received, 301, "datagrams of 400 that were received")
                self.check_right(noted, attachment.messages)
                self.assertEqual(len(attachment.of(version)), received)
                self.check_whole(attachment, 400, not_received=400 - received)
                channel, = attachment.channels()
                self.assertTrue(channel["name"].endswith(f":{port}"), channel["name"])

    def connect(self, pid, version):
        """The address of a process in a namespace of its own, when the kernel knows how to reach it."""
        host = attach.connect_namespace(pid, 6 if version == "udp6" else 4)

        def is_known():
            with socket.socket(socket.AF_INET6 if version == "udp6" else socket.AF_INET,
                               socket.SOCK_DGRAM) as probe:
                probe.sendto(b"", (host, 9))
            neighbours = subprocess.run(["ip", "neighbour", "show", host],
                                        capture_output=True, text=True, check=True)
            return "REACHABLE" in neighbours.stdout

        harness.wait_until(is_known)
        return host


if __name__ == "__main__":
    tap.main()
