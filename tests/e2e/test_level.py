# SPDX-License-Identifier: BSD-2-Clause
"""
--level light: nothing runs at system calls. What only these show is null, all else is as it is at
level full, and adds up to the latency that is left.
"""

import bisect
import glob
import json
import os
import sys
import time

import attach
import harness
import model
import tap
import test_attach_joins as joins
import truth
from replay import decode, records

TRANSPORTS = ("uds", "uds-stream", "uds-seqpacket", "tcp")
NULL = set(model.COMPONENTS) - set(model.without("NEEDS_CALLS"))
INSTANTS = ("stamp", "queued", "taken", "user")
PATTERNS = (["--clients", 5, "--messages", 100],
            ["--pattern", "pingpong", "--messages", 200],
            ["--pattern", "request", "--clients", 3, "--messages", 100, "--reader", "epoll"],
            ["--pattern", "flood", "--messages", 500, "--size", 4096])


class Parts(harness.TestCase):
    """Checks for every message at level light, in runs and attaches."""

    def check_light(self, message, components):
        text = f"in {json.dumps(message)}"
        for name in ("send_ns", "recv_ns", *(f"{component}_ns" for component in NULL)):
            self.assertIsNone(message[name], f"{name} {text}")
        with harness.in_message(message):
            self.check_sum(message, components)
            self.check_blame(message)
        return text

    def check_light_means(self, summary, messages, components):
        self.assertEqual(summary["observer"]["level"], "light")
        self.check_means(summary, messages, components)
        for component in NULL:
            self.assertIsNone(summary["components_ns"][component], component)


class Runs(Parts):
    """Our own workload, whose latency is that of its own clock readings at any level."""

    COMPONENTS = model.without("NEEDS_CALLS")

    def run_light(self, *arguments):
        path = self.file("light.ipct")
        result = harness.ipctrace("--level", "light", "--record", path, "-f", "json", *arguments)
        self.check_quiet(result)
        return harness.Run(path, result)

    def check_run(self, run):
        summary, messages = run.summary, run.messages
        self.check_integrity(summary)
        self.assertEqual(summary["integrity"]["matched"], summary["integrity"]["sent"])
        self.assertEqual(len(messages), summary["integrity"]["sent"])
        for message in messages:
            text = self.check_light(message, self.COMPONENTS)
            stamps = message["stamp_ns"] is not None
            known = [message[k + "_ns"] for k in (INSTANTS if stamps else INSTANTS[1:3])]
            self.assertEqual(known, sorted(known), f"order of instants {text}")
            self.assertEqual(known[-1] - known[0], message["latency_ns"], text)
            self.assertEqual(message["dispatch_ns"],
                             message["queued_ns"] - known[0], text)
        self.check_light_means(summary, messages, self.COMPONENTS)

    def test_adds_up(self):
        """every message is matched and adds up, and what only calls show is null"""
        for transport in TRANSPORTS:
            for pattern in PATTERNS:
                with self.subTest(transport, pattern=pattern):
                    self.check_run(self.run_light("--transport", transport, *pattern))

    def test_own_latency(self):
        """a latency is its client's own, to the nanosecond"""
        run = self.run_light("--clients", 3, "--messages", 200)
        own = {(m["client"], m["round"]): m["latency_ns"]
               for m in decode.own_messages(records.read(run.path)[0])}
        self.assertEqual({(m["client"], m["round"]): m["latency_ns"] for m in run.messages}, own)

    def test_text(self):
        """the report names what is not seen, and why"""
        words = " ".join(harness.ipctrace("--level", "light", "--messages", 20).out.split())
        for text in ("send path not seen at level light (in dispatch)",
                     "busy not seen at level light (in receive)",
                     "return not seen at level light (in receive)",
                     "level light: system calls are not traced"):
            self.assertIn(text, words)

    def test_refused(self):
        """transports that need system calls are refused before anything runs"""
        for transport in ("udp", "pipe", "fifo", "shm", "mqueue", "sysv", "signal", "eventfd",
                          "kernel"):
            with self.subTest(transport):
                result = harness.ipctrace("--level", "light", "--transport", f"uds,{transport}")
                self.assertEqual((result.status, result.out), (2, ""))
                self.assertRegex(result.err, f"^ipctrace: --level: 'light': transport {transport}: .*"
                                             "use --level full, or uds,.*\n$")

    def test_by_calls(self):
        """a kernel without socket events is refused"""
        result = harness.ipctrace("--level", "light", "--messages", 5,
                                  env={"IPCTRACE_WITHOUT": "sk_data_ready"})
        self.assertEqual((result.status, result.out), (1, ""))
        self.assertIn("no socket events", result.err)


class Light(Parts):
    """
    Mixed into a case that attaches. Its messages are handed on with `queued` for the send and
    `taken` for the return of the receive, as the programs' own notes have these around them.
    """

    COMPONENTS = model.without("NEEDS_CALLS", "NEEDS_ROUND")

    def attached(self, *arguments, **how):
        return super().attached("--level", "light", *arguments, **how)

    def check_records(self, messages):
        for message in messages:
            text = self.check_light(message, self.COMPONENTS)
            self.assertEqual(message["dispatch_ns"] is None, message["round"] is None, text)
            self.assertEqual(message["taken_ns"] - message["queued_ns"], message["latency_ns"], text)
            self.assertIn(message["path"], attach.PATHS, text)
            message["send_ns"], message["recv_ns"] = message["queued_ns"], message["taken_ns"]

    def check_right(self, noted, records, *matches):
        """A TCP message may arrive after its send call returned: it belongs to the last one."""
        for record in (record for record in records if record["transport"] == "tcp"):
            calls = noted.calls[record["sender_tid"], truth.SEND]
            began = bisect.bisect_right(calls.enter, record["queued_ns"])
            record["send_ns"] = calls.enter[began - 1]
        super().check_right(noted, records, *matches)

    def check_statistics(self, summary, messages):
        self.check_stat(summary["latency_ns"], [m["latency_ns"] for m in messages], "latency")
        self.check_light_means(summary, messages, self.COMPONENTS)


class Joins(Light, joins.OneWay):
    """Joins of sends and receives, checked against the logs of the programs."""

    check_packets = joins.Packets.check_packets

    def check_stream(self, transport, reading, writing):
        """A TCP message may arrive after its send call returned."""
        attachment, noted = self.trace(transport, reading, writing)
        sends = noted.entries(truth.SEND)
        pairs = truth.stream_pairs(sends, noted.entries(truth.RECEIVE))
        records = sorted((m for m in attachment.of(transport) if m["sender_tid"] == sends[0].tid),
                         key=lambda m: m["seq"])
        self.assertEqual((len(records), len(pairs)), (len(sends), len(sends)))
        for record, (send, receive, count) in zip(records, pairs):
            text = f"{record} of {send} to {receive}"
            self.assertEqual((record["bytes"], record["receives"]), (send.bytes, count), text)
            self.assertIn(record["match"], attach.SURE, text)
            self.assertTrue(send.enter_ns <= record["queued_ns"], text)
            self.assertTrue(receive.enter_ns <= record["taken_ns"] <= receive.exit_ns, text)
            if transport != "tcp":
                self.assertLessEqual(record["queued_ns"], send.exit_ns, text)
        self.check_whole(attachment, len(pairs))

    def test_streams(self):
        """the bytes of one writer"""
        for transport in joins.SOCKET_STREAMS:
            for reading, writing in ((["-s", 170, "-d", 100_000], ["-s", "10,100,33,57"]),
                                     (["-m", "readv", "-s", 50], ["-m", "writev", "-s", "20,200"]),
                                     ([], ["-m", "sendfile", "-s", 500])):
                with self.subTest(transport, reading=reading, writing=writing):
                    self.check_stream(transport, reading, [*writing, "-n", 200, "-p", 100_000])

    def test_packets(self):
        """the messages of several writers, many with a call, looked at first, by several readers"""
        for transport, writers, reading, writing in (
                ("uds", 3, [], ["-p", 200_000]),
                ("uds", 3, ["-r", "epoll", "-b", 4_000_000], []),
                ("uds", 3, ["-t", 4, "-b", 4_000_000], []),
                ("uds", 1, ["-k"], ["-p", 200_000]),
                ("uds-seqpacket", 1, [], ["-p", 200_000]),
                ("uds-seqpacket", 1, ["-m", "recvmmsg"], ["-m", "sendmmsg"])):
            with self.subTest(transport, reading=reading, writing=writing):
                self.check_packets(transport, reading, [*writing, "-n", 500], writers)


SPLICER = """
import os, socket, sys
listener = socket.socket(socket.AF_UNIX)
listener.bind(sys.argv[1])
listener.listen()
print("ready", flush=True)
end = listener.accept()[0]
out, into = os.pipe()
while end.recv(64, socket.MSG_WAITALL):
    left = 1000
    while left:
        left -= len(os.read(out, os.splice(end.fileno(), into, left)))
"""
FEEDER = """
import socket, sys, time
end = socket.socket(socket.AF_UNIX)
end.connect(sys.argv[1])
for _ in range(100):
    end.sendall(b"h" * 64)
    end.sendall(b"b" * 1000)
    time.sleep(0.001)
"""


class Spliced(Light, attach.AttachCase):
    """Receives that no event shows."""

    def test_parts(self):
        """no message of a stream that is mostly read by splice() is joined to the wrong send"""
        path = self.file("spliced")
        reader = self.ready(self.spawn([sys.executable, "-c", SPLICER, path]))
        with self.attached("-p", reader.pid) as attachment:
            self.join(self.spawn([sys.executable, "-c", FEEDER, path]))
            self.join(reader)
        integrity = attachment.summary["integrity"]
        self.assertEqual(integrity["sent"], 200)
        self.assertEqual([(m["seq"], m["bytes"]) for m in attachment.messages],
                         [(0, 64)][:integrity["matched"]])


def hooks_of(process):
    """The tracepoints at which a process has programs."""
    names = set()
    for path in glob.glob(f"/proc/{process.pid}/fdinfo/*"):
        try:
            with open(path, encoding="utf-8") as info:
                names |= {line.split()[1] for line in info if line.startswith("tp_name:")}
        except OSError:
            continue
    return names


class Hooks(Light, attach.AttachCase):
    """Programs that it costs nothing."""

    def test_no_calls(self):
        """no program is at any system call"""
        reader = self.start("reader", self.address("uds")[0])
        with self.attached("-p", reader.pid) as attachment:
            hooks = hooks_of(attachment.process)
        self.end(reader)
        self.assertIn("sk_data_ready", hooks)
        self.assertEqual([name for name in hooks if name.startswith("sys_")], [])

    def test_calls(self):
        """the report says which part of a round trip is missing"""
        address, _ = self.address("uds-stream")
        service = self.start("service", address)
        with self.attached("-p", service.pid) as attachment:
            self.run_to_end("caller", "-n", 50, address)
        self.end(service)
        calls = attachment.summary["calls"]
        self.assertEqual((calls["count"], calls["begin_at"], calls["end_at"]), (50, "queued", "taken"))
        text = " ".join(harness.ipctrace("report", attachment.recording).out.split())
        self.assertIn("it lacks the send path of the request and the end of the last receive call", text)

    def test_only_sockets(self):
        """messages of other transports are left out, and the report says so"""
        os.mkfifo(self.file("fifo.in"))
        os.mkfifo(self.file("fifo.out"))
        reader = self.start("reader", "fifo:" + self.file("fifo"))
        with self.attached("-p", reader.pid) as attachment:
            self.run_to_end("writer", "-n", 20, "fifo:" + self.file("fifo"))
            time.sleep(0.1)
        self.end(reader)
        self.check_whole(attachment, 0)
        text = harness.ipctrace("report", attachment.recording).out
        self.assertIn("only unix sockets and TCP are traced", " ".join(text.split()))


if __name__ == "__main__":
    tap.main()
