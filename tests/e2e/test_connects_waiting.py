# SPDX-License-Identifier: BSD-2-Clause
"""Connects that still wait when tracing ends are counted, with what they wait for; and what only looks like them."""

import subprocess
import sys
import time

import attach
import harness
import patience
import tap

# A server that accepts nothing. When a line comes, a child makes `count` connections, each in a thread of its own; they
# still wait for as long as this runs. `kind` is "filtered" if the kernel throws away what comes for the listener.
PROGRAM = """
import ctypes, os, socket, struct, sys, threading
kind, backlog, count, path = sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), sys.argv[4]
listener = socket.socket(socket.AF_UNIX if kind == "unix" else socket.AF_INET)
listener.bind(path if kind == "unix" else ("127.0.0.1", 0))
if kind == "filtered":
    drop = ctypes.create_string_buffer(struct.pack("HBBI", 6, 0, 0, 0))  # BPF_RET | BPF_K: no byte of it
    listener.setsockopt(socket.SOL_SOCKET, 26, struct.pack("HxxxxxxP", 1, ctypes.addressof(drop)))  # SO_ATTACH_FILTER
listener.listen(backlog)
address = listener.getsockname()

def connect():
    with socket.socket(listener.family) as end:
        end.connect(address)
        end.recv(1)

child = os.fork()
if not child:
    listener.close()
    sys.stdin.readline()
    for _ in range(count):
        threading.Thread(target=connect, daemon=True).start()
    print("connecting", flush=True)
    sys.stdin.readline()
    os._exit(0)
print("ready", flush=True)
os.waitpid(child, 0)
"""

COUNT = 5


class Waiting(attach.AttachCase):

    def trace(self, kind, backlog, early=False):
        """The attachment to a server of which COUNT connections want something: before tracing (early), or in it."""
        process = self.spawn([sys.executable, "-c", PROGRAM, kind, str(backlog), str(COUNT), self.file("socket")],
                             stdin=subprocess.PIPE)
        self.ready(process)
        if early:
            self.connect(process)
        with self.attached("-p", process.pid, "--explain") as attachment:
            if not early:
                self.connect(process)
            time.sleep(3.3)
        process.communicate("end\n", timeout=60)
        return attachment

    @staticmethod
    def connect(process):
        process.stdin.write("go\n")
        process.stdin.flush()
        process.stdout.readline()

    @staticmethod
    def text_of(attachment):
        return " ".join(harness.ipctrace("report", attachment.recording).out.split())

    def check_full(self, attachment, waiting, least_s):
        listener, = attachment.summary["connections"]["listeners"]
        patience.demand(listener["full_still_waiting"], waiting, f"connects that wait: {listener}")
        self.assertEqual((listener["full"], listener["unanswered"]), (waiting, 0))
        self.assertGreater(listener["full_least_ns"], least_s * 1e9)
        self.assertGreaterEqual(listener["full_most_ns"], listener["full_least_ns"])
        self.assertRegex(self.text_of(attachment),
                         rf"(CAUSE|level deep) {waiting} connects had waited ([\d.]+ to )?[\d.]+ s "
                         r"\(all of them waited on at the end\): the accept queue of .* was full \(backlog 0\)")

    def test_full(self):
        """connects that began while tracing, or before: one finds room, and the others do not"""
        for early in (False, True):
            with self.subTest(early=early):
                self.check_full(self.trace("tcp", 0, early), COUNT - 1, 2)

    def test_unix(self):
        """a thread sleeps in connect() to a unix socket whose queue is full"""
        self.check_full(self.trace("unix", 0), COUNT - 1, 2)

    def test_room(self):
        """the server accepts none of them, but they do not wait for that: nothing is claimed"""
        attachment = self.trace("tcp", 64)
        self.assertEqual([entry["full"] + entry["unanswered"] for entry in
                          (attachment.summary["connections"] or {"listeners": []})["listeners"]], [])
        self.assertNotRegex(self.text_of(attachment), "connects? (had )?waited")

    def test_filtered(self):
        """what they send is thrown away: they have no answer, and the queue has room"""
        attachment = self.trace("filtered", 64)
        listener, = attachment.summary["connections"]["listeners"]
        patience.demand(listener["unanswered_still_waiting"], COUNT, f"connects without an answer: {listener}")
        self.assertEqual((listener["full"], listener["unanswered"]), (0, COUNT))
        self.assertRegex(self.text_of(attachment), r"5 connects had waited [\d.]+ (to [\d.]+ )?s \(all of them waited on "
                         r"at the end\): no answer came from port \d+ of .*, whose accept queue had room")


if __name__ == "__main__":
    tap.main()
