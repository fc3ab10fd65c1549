# SPDX-License-Identifier: BSD-2-Clause
"""What keeps TCP data from their receiver after the send call has returned is planted, and named; and it is not without."""

import json
import subprocess
import sys

import attach
import harness
import patience
import tap

CALLS = 30

# A client that writes each request in two pieces; the server receives both, and answers.
PROGRAM = """
import ctypes, os, socket, struct, subprocess, sys, time
kind, calls = sys.argv[1], int(sys.argv[2])
SO_ATTACH_FILTER, SO_MAX_PACING_RATE, MSG_MORE = 26, 47, 0x8000
size = 400000 if kind == "pacing" else 60000 if kind.startswith("device") else 64

def receive(end, count):
    while count:
        count -= len(end.recv(count))

def drop(end, share):
    # Classic BPF: a segment with data (behind a header of 32 bytes) is dropped by chance.
    code = [(0x80, 0, 0, 0), (0x25, 0, 3, 40), (0x20, 0, 0, 0xfffff038), (0x35, 1, 0, int(share * 2**32)),
            (0x06, 0, 0, 0), (0x06, 0, 0, 0x7fffffff)]
    text = ctypes.create_string_buffer(b"".join(struct.pack("HBBI", *line) for line in code))
    program = struct.pack("HP", len(code), ctypes.addressof(text))
    end.setsockopt(socket.SOL_SOCKET, SO_ATTACH_FILTER, program)

def serve(end):
    with open("/proc/self/comm", "w", encoding="ascii") as file:
        file.write("tcp-server")
    for _ in range(calls):
        receive(end, size)
        end.sendall(b"x" * 16)

def own_device(rate):
    # A loopback device in a network of its own.
    new_network = 0x40000000
    assert ctypes.CDLL(None).unshare(new_network) == 0
    subprocess.run("ip link set lo mtu 1500 up && ip link set lo gso_max_segs 1", shell=True, check=True)
    if rate:
        subprocess.run(f"tc qdisc add dev lo root tbf rate {rate} burst 6k latency 400ms", shell=True, check=True)

if kind.startswith("device"):
    own_device("40mbit" if kind == "device-queue" else None)
listener = socket.create_server(("127.0.0.1", 0))
client = socket.create_connection(listener.getsockname())
server = listener.accept()[0]
if kind == "lossy":
    drop(server, 0.3)
if os.fork() == 0:
    client.close()
    serve(server)
    os._exit(0)
server.close()
if kind in ("nodelay", "lossy", "more", "device-queue", "device-cured"):
    client.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
if kind == "pacing":
    client.setsockopt(socket.SOL_SOCKET, SO_MAX_PACING_RATE, 20_000_000)
print("ready", flush=True)
sys.stdin.readline()
for _ in range(calls):
    if kind == "cork":
        client.setsockopt(socket.IPPROTO_TCP, socket.TCP_CORK, 1)
    client.sendall(b"h" * (size - 60))
    client.send(b"b" * 60, MSG_MORE if kind == "more" else 0)
    if kind == "cork":
        time.sleep(0.005)
        client.setsockopt(socket.IPPROTO_TCP, socket.TCP_CORK, 0)
    elif kind == "more":
        time.sleep(0.005)
        client.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    receive(client, 16)
    time.sleep(0.002)
os.wait()
"""


class TcpWaits(attach.AttachCase):
    """Each wait is named in the typical call, with its time, and its cure has none of it."""

    def trace(self, kind, *options):
        process = self.ready(self.spawn([sys.executable, "-c", PROGRAM, kind, CALLS], stdin=subprocess.PIPE))
        with self.attached("-p", process.pid, *options, stop=False) as attachment:
            self.join_after_go(process)
        return attachment

    def join_after_go(self, process):
        _, err = process.communicate("go\n", timeout=60 * harness.PATIENCE)
        self.assertEqual((process.returncode, err), (0, ""))

    def explained(self, attachment):
        """The causes of the slowest request, by reason: {reason: ns}; and all that is said."""
        result = harness.ipctrace("explain", attachment.recording, "-f", "json", "--slowest", "1")
        explanation = json.loads(result.out)
        causes = [cause for cause in explanation["typical"]["causes"] if cause["component"] == "send_path"]
        text = harness.ipctrace("explain", attachment.recording, "--slowest", "1").out
        found = {}
        for cause in causes:
            found[cause["reason"]] = found.get(cause["reason"], 0) + cause["ns"]
        return found, explanation["typical"]["round_trip_ns"], " ".join(text.split())

    def check_reason(self, kind, reason, words, share=0.5, options=()):
        found, latency_ns, text = self.explained(self.trace(kind, *options))
        patience.demand(found.get(reason, 0), share * latency_ns, f"ns of {reason} in {found}, {latency_ns}")
        self.assertIn(words, text)
        self.assertNotIn("is in its send call", text)

    def test_nagle(self):
        """the second piece waits for the receiver's delayed acknowledgement: nearly all of the call"""
        self.check_reason("nagle", "delayed_ack", "Nagle, until a delayed acknowledgement", 0.8)

    def test_cured(self):
        """with TCP_NODELAY no data wait"""
        found, _, text = self.explained(self.trace("nodelay"))
        self.assertLessEqual(set(found), {None, "under_way"})
        self.assertNotIn("Nagle", text)

    def test_cork(self):
        """the socket is corked, and MSG_MORE does the same for one call"""
        self.check_reason("cork", "cork", "corked (TCP_CORK or MSG_MORE)")
        self.check_reason("more", "cork", "corked (TCP_CORK or MSG_MORE)")

    def test_pacing(self):
        """the rate of the socket is limited"""
        self.check_reason("pacing", "pacing", "pacing ")

    def test_device(self):
        """the device has a queue with a rate"""
        deep = "--level", "deep"
        self.check_reason("device-queue", "device_queue", "queue (qdisc) of a network device", options=deep)
        found, _, text = self.explained(self.trace("device-cured", *deep))
        self.assertNotIn("device_queue", found)
        self.assertNotIn("qdisc", text)

    def test_lossy(self):
        """the server's socket drops segments"""
        self.check_reason("lossy", "retransmission", "TCP sends data again")


if __name__ == "__main__":
    tap.main()
