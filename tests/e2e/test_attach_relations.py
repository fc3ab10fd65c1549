# SPDX-License-Identifier: BSD-2-Clause
"""What things are called: scripts of interpreters, and threads by what they have to do with the target."""

import collections
import json
import os
import subprocess
import sys
import time
import uuid

import attach
import harness
import patience
import tap

CALLS = 400
CLIENTS = 30
NEAR_CNT = 3  # messages that waited for a thread, if the machine is not too noisy

# The hog holds no lock of the interpreter, so it takes nothing but the CPU.
SERVER = """
import hashlib, socket, sys, threading
server = socket.socket(socket.AF_UNIX)
server.bind(sys.argv[1])
server.listen(100)
def serve(connection):
    while connection.recv(100):
        connection.sendall(b"answer")
def hog():
    while True:
        hashlib.pbkdf2_hmac("sha256", b"x", b"y", 100000)
if "hog" in sys.argv:
    threading.Thread(target=hog, daemon=True).start()
print("ready", flush=True)
while True:
    connection, _ = server.accept()
    if "fork" in sys.argv:
        serve(connection)
    else:
        threading.Thread(target=serve, args=(connection,), daemon=True).start()
"""

CLIENT = """
import socket, sys, time
connection = socket.socket(socket.AF_UNIX)
connection.connect(sys.argv[1])
for _ in range(int(sys.argv[2])):
    connection.sendall(b"request")
    connection.recv(100)
    time.sleep(0.005)
"""

STRANGER = "print('ready', flush=True)\nwhile True: pass"


class Relations(attach.AttachCase):
    """A server in Python with its script."""

    def script(self, name, text):
        path = self.file(name)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        return path

    def serve(self, *words, cpu=None):
        """(the server, the path of its socket)"""
        path = self.file(f"service-{uuid.uuid4().hex[:8]}")
        server = self.spawn([sys.executable, self.script("worker.py", SERVER), path, *words], cpu=cpu)
        return self.ready(server), path

    def call(self, path, count):
        client = self.spawn([sys.executable, self.script("caller.py", CLIENT), path, count],
                            cpu=attach.CALLER_CPU)
        return client, self.join(client)

    def test_scripts(self):
        """an interpreter is shown with its script, also from a recording"""
        server, path = self.serve()
        with self.attached("-p", server.pid) as attachment:
            client, _ = self.call(path, CALLS)
        self.check_whole(attachment)
        [service] = attachment.summary["calls"]["services"]
        self.assertEqual(service["service"]["pid"], server.pid)
        self.assertEqual(service["service"]["script"], self.file("worker.py"))
        self.assertEqual(service["client"]["pid"], client.pid)
        self.assertEqual(service["client"]["script"], self.file("caller.py"))
        for channel in attachment.channels():
            self.assertEqual({channel[end]["script"] for end in ("sender", "receiver")},
                             {self.file("worker.py"), self.file("caller.py")})
        again = harness.ipctrace("report", attachment.recording, "-f", "json")
        self.assertEqual(json.loads(again.out)["calls"]["services"],
                         attachment.summary["calls"]["services"])
        text = harness.ipctrace("report", attachment.recording).out
        self.assertIn(f"worker.py (pid {server.pid})", text)
        self.assertIn(f"caller.py (pid {client.pid})", text)
        self.assertRegex(text, f"attached to .* worker.py \\(pid {server.pid}\\)")

    def test_command(self):
        """a command has its script, although it is traced before it executes anything"""
        caller = self.script("caller.py", CLIENT)
        server, path = self.serve()
        with self.attached("--", sys.executable, caller, path, 400, stop=False) as attachment:
            pass
        self.check_whole(attachment)
        [service] = attachment.summary["calls"]["services"]
        self.assertEqual(service["client"]["script"], caller)
        self.assertEqual(service["service"]["pid"], server.pid)
        self.assertEqual(service["service"]["script"], self.file("worker.py"))

    def test_hogs(self):
        """threads of the target, of clients and of strangers have different relations"""
        server, path = self.serve("hog", cpu=attach.SERVER_CPU)
        stranger = self.ready(self.spawn([sys.executable, "-c", STRANGER], cpu=attach.SERVER_CPU))
        with self.attached("-p", server.pid) as attachment:
            client, _ = self.call(path, CALLS)
        relations = collections.defaultdict(set)
        behind = collections.Counter()
        for blame in attachment.summary["blame"]:
            if blame["class"] not in ("task", "server"):
                self.assertIsNone(blame["relation"], blame)
                continue
            relations[blame["pid"] or blame["tid"]].add(blame["relation"])
            behind[blame["pid"] or blame["tid"]] += blame["messages"]
            self.assertLessEqual(blame["worst_ns"], blame["ns"], blame)
            self.assertGreaterEqual(blame["worst_ns"] * blame["messages"], blame["ns"], blame)
        patience.demand(behind[server.pid], NEAR_CNT, "messages behind the hog of the target")
        patience.demand(behind[stranger.pid], NEAR_CNT, "messages behind the stranger")
        self.assertEqual(relations.pop(server.pid), {"target"})
        self.assertEqual(relations.pop(stranger.pid), {"other"})
        self.assertEqual(relations.pop(client.pid, {"peer"}), {"peer"})
        # This process holds the other ends of their output.
        self.assertLessEqual(relations.pop(os.getpid(), set()), {"peer", "other"})
        self.assertEqual(set().union(*relations.values()) - {"other"}, set(), relations)
        worst = max(b["ns"] for m in attachment.messages for b in m["blame"]
                    if b["tid"] == stranger.pid)
        [blame] = [b for b in attachment.summary["blame"] if b["tid"] == stranger.pid]
        self.assertEqual((blame["worst_ns"], blame["worst_cpu"]), (worst, attach.SERVER_CPU))

    def test_short_lived(self):
        """clients that each connect once are one row of a table"""
        server, path = self.serve("fork")
        with self.attached("-p", server.pid) as attachment:
            for _ in range(CLIENTS):
                subprocess.run([sys.executable, "-S", self.script("caller.py", CLIENT), path, "1"],
                               check=True)
            time.sleep(0.1)
        self.assertEqual(len(attachment.channels()), 2 * CLIENTS)
        text = " ".join(harness.ipctrace("report", attachment.recording).out.split())
        self.assertRegex(text, f"service-[^ ]*: {CLIENTS} x [^ ]+ > [^>]*worker.py \\(pid {server.pid}\\) {CLIENTS} ")
        self.assertRegex(text, f"service-[^ ]*: [^>]*worker.py \\(pid {server.pid}\\) > {CLIENTS} x [^ ]+ {CLIENTS} ")
        self.assertRegex(text, f"called by {CLIENTS} x [^ ]+ {CLIENTS} ")
        self.assertNotIn("more, see -f json", text)

    def test_steal(self):
        """what the host took is what /proc/stat says, if the host says anything"""
        def steal_of():
            with open("/proc/stat", encoding="ascii") as file:
                return [int(line.split()[8]) for line in file if line[:3] == "cpu" and line[3] != " "]

        server, path = self.serve()
        before = steal_of()
        with self.attached("-p", server.pid) as attachment:
            self.call(path, 20)
        after, steal = steal_of(), attachment.summary["steal"]
        if not sum(after):
            self.assertIsNone(steal)
            return
        self.assertLessEqual(steal["ns"], (sum(after) - sum(before)) * 10**9 // 100)
        self.assertEqual(steal["ns"], sum(cpu["ns"] for cpu in steal["cpus"]))
        self.assertEqual(len(steal["cpus"]), len(after))


if __name__ == "__main__":
    tap.main()
