# SPDX-License-Identifier: BSD-2-Clause
"""
Programs that hang: which thread waits for which other one, in which call, where no message shows it, or since the last
one. Not so of the same programs without the cause.
"""

import subprocess
import sys
import time

import harness
import patience
import planting
import tap

ALL_TIME_S = 0.5

# The server answers each request with four times as much. After a line on stdin the client stops reading.
ANSWERS = """
import os, select, socket, sys, time
listener = socket.create_server(("127.0.0.1", 0))
if not os.fork():
    server = listener.accept()[0]
    listener.close()
    with open("/proc/self/comm", "w", encoding="ascii") as comm:
        comm.write("server")
    while request := server.recv(1000):
        server.sendall(request * 4)
    os._exit(0)
client = socket.create_connection(listener.getsockname())
listener.close()
print("ready", flush=True)
while not select.select([sys.stdin], [], [], .001)[0]:
    client.sendall(b"request.")
    client.recv(32, socket.MSG_WAITALL)
client.sendall(bytes(1 << 24))
"""


class Silent(planting.PlantedCase):
    """No message is seen from the beginning to the end of tracing."""

    def hung(self, name):
        """(summary, first sentence) of a program that hangs"""
        self.plant(name)
        summary = harness.ipctrace("report", self.recording, "-f", "json").json()
        # The programs hang from their first moments on: an interpreter may be slow to start.
        patience.demand(-summary["integrity"]["sent"], 0, "no messages")
        asleep = [s for s in summary["sleepers"] if s["all_time"] and s["thread"]["comm"] in ("python3", "fuzzer")]
        patience.demand(len(asleep), 2, "threads that sleep all the time")
        text = harness.ipctrace("report", self.recording).out
        return summary, " ".join(text.split("\n\n")[1].split())

    def check_thread(self, sleeper, call, waits_for):
        self.assertEqual((sleeper["call"], sleeper["waits_for"], sleeper["all_time"]), (call, waits_for, True))

    def waiting_for_each_other(self, summary):
        """The program that reads the output of the target sleeps, too."""
        others = {s["thread"]["pid"]: s["other"] and s["other"]["pid"] for s in summary["sleepers"]}
        return [s for s in summary["sleepers"] if others.get(others[s["thread"]["pid"]]) == s["thread"]["pid"]]

    def check_circle(self, name, call, waits_for, words):
        """Each of two processes is in this call, and waits for the other one."""
        summary, text = self.hung(name)
        found = self.waiting_for_each_other(summary)
        patience.demand(len(found), 2, "threads that wait for each other")
        one, other = found
        for sleeper, peer in ((one, other), (other, one)):
            self.check_thread(sleeper, call, waits_for)
            self.assertEqual(sleeper["other"]["pid"], peer["thread"]["pid"])
            self.assertEqual(sleeper["transport"], "pipe")
        pids = [fr"\(pid {s['thread']['pid']}\)" for s in (one, other)]
        way = fr"waits in {call} for {words} python3"
        self.assertRegex(text, f"{way}.* ({pids[1]}, which {way}.* {pids[0]}|{pids[0]}, which {way}.* {pids[1]}): a circle")

    def test_room(self):
        """two that write to each other, and do not read"""
        self.check_circle("pipes-in-a-circle", "write", "room", "room in the channel to")

    def test_data(self):
        """two that read from each other, and do not write"""
        self.check_circle("line-without-an-end", "read", "data", "data from")

    def test_other_call(self):
        """a child that writes, and a parent that waits until it has exited"""
        summary, text = self.hung("wait-before-read")
        fuzzers = [s for s in summary["sleepers"] if s["thread"]["comm"] == "fuzzer" and s["waits_for"] == "room"]
        patience.demand(len(fuzzers), 1, "children that write")
        fuzzer, = fuzzers
        parent, = (s for s in summary["sleepers"] if s["thread"]["pid"] == fuzzer["other"]["pid"])
        self.check_thread(fuzzer, "write", "room")
        self.check_thread(parent, "wait4", None)
        self.assertRegex(text, r"fuzzer.* waits in write for room in the channel to python3.*, which sleeps in wait4\.")

    def test_cured(self):
        """the same programs, when they read"""
        for name in ("pipes-in-a-circle", "line-without-an-end", "wait-before-read"):
            with self.subTest(name):
                run, _ = self.plant(name, cured=True)
                patience.demand(len(run.of("send")), 1, "messages")
                text = harness.ipctrace("report", self.recording).out
                self.assertNotIn("When tracing ended", text)
                self.assertNotIn("a circle", text)


class AfterMessages(planting.PlantedCase):
    """Messages are seen, and then none any more."""

    def trace_calls(self, hangs):
        """(summary, first sentence) of calls, after which the client may stop reading"""
        process = self.ready(self.spawn([sys.executable, "-c", ANSWERS], stdin=subprocess.PIPE, stderr=None))
        self.addCleanup(process.kill)
        with self.attached("--level", "deep", "-p", process.pid) as attachment:
            time.sleep(ALL_TIME_S)
            if hangs:
                process.stdin.write("\n")
                process.stdin.flush()
            time.sleep(3 * ALL_TIME_S)
        text = harness.ipctrace("report", attachment.recording).out
        return attachment.summary, " ".join(text.split("\n\n")[1].split()), process.pid

    def test_circle(self):
        """a client that sends on without reading: both wait for room from then on"""
        summary, text, pid = self.trace_calls(True)
        patience.demand(summary["integrity"]["matched"], 11, "messages")
        asleep = [s for s in summary["sleepers"] if s["thread"]["pid"] == pid and s["asleep_ns"]]
        patience.demand(sum(s["asleep_ns"] for s in asleep), ALL_TIME_S * 1e9, "ns in which the client waits")
        self.assertRegex(text, fr"When tracing ended, python3.*\(pid {pid}\) had waited for .* in sendto for room|"
                               fr"When tracing ended, server.* had waited for .* in sendto for room")
        self.assertRegex(text, "a circle")
        client, = (s for s in summary["sleepers"] if s["thread"]["pid"] == pid)
        self.assertEqual((client["waits_for"], client["other"]["comm"], client["unread"]), ("room", "server", True))
        self.assertFalse(client["all_time"])
        self.assertLess(client["asleep_ns"], summary["tracing"]["duration_ns"])

    def test_no_hang(self):
        """a client that goes on"""
        summary, text, _ = self.trace_calls(False)
        self.assertEqual([s for s in summary["sleepers"] if s["waits_for"] == "room"], [])
        self.assertNotIn("When tracing ended", text)


if __name__ == "__main__":
    tap.main()
