# SPDX-License-Identifier: BSD-2-Clause
"""Every way to say what to attach to, how it ends, and what cannot be attached to."""

import datetime
import json
import os
import re
import shutil
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

USAGE = 2

# A server's connections, which all have its socket's name or port, each in a process of its own.
HOLDERS = """
import os, signal, socket, sys
port = int(sys.argv[1]) if sys.argv[1].isdigit() else None
address = ("127.0.0.1", port) if port else sys.argv[1]
server = socket.socket(socket.AF_INET if port else socket.AF_UNIX)
server.bind(address)
server.listen()
clients = []
for _ in range(int(sys.argv[2])):
    clients.append(socket.socket(server.family))
    clients[-1].connect(address)
    mine = server.accept()[0]
    if not os.fork():
        server.close()
        signal.pause()
    mine.close()
server.close()
print("ready", flush=True)
signal.pause()
"""


# A server whose socket has a relative name, in a folder that is not the test's.
RELATIVE = """
import os, socket, sys
os.chdir(sys.argv[1])
server = socket.socket(socket.AF_UNIX)
server.bind("relative.sock")
server.listen()
print("ready", flush=True)
while True:
    client = server.accept()[0]
    while data := client.recv(1):
        client.send(data)
"""

def read(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


def unified_cgroups():
    """Where the tree of version 2 is."""
    with open("/proc/mounts", encoding="utf-8") as mounts:
        return next(line.split()[1] for line in mounts if line.split()[2] == "cgroup2")


class Targets(attach.AttachCase):
    """Two services, of which one is meant."""

    CALLS = 30

    def renamed(self, name):
        """A program of ours under a name that no other process of this machine has."""
        unique = f"t{uuid.uuid4().hex[:8]}"
        shutil.copy(self.program(name), self.file(unique))
        return unique

    def start_renamed(self, unique, *arguments):
        """The same, running and ready."""
        return self.ready(self.spawn([self.file(unique), *arguments, self.logs]))

    def check_target(self, address, service, *target):
        """Its messages, and only its."""
        other_at, _ = self.address("uds-stream")
        other = self.start("service", other_at)
        with self.attached(*target) as attachment:
            self.run_to_end("caller", "-n", self.CALLS, address)
            self.run_to_end("caller", "-n", self.CALLS, other_at)
        self.end(service, other)
        self.check_right(self.truth(), attachment.messages)
        self.check_whole(attachment, 2 * self.CALLS)
        self.assertEqual({m["receiver_tid"] == service.pid or m["sender_tid"] == service.pid
                          for m in attachment.messages}, {True})
        return attachment

    def names_of(self, attachment):
        return {channel["name"] for channel in attachment.channels()}

    def test_pid(self):
        """--pid"""
        address, _ = self.address("uds-stream")
        service = self.start("service", address)
        attachment = self.check_target(address, service, "--pid", service.pid)
        for name in self.names_of(attachment):
            self.assertIn(address.split(":")[1], name)

    def test_comm(self):
        """--comm with a name, and with a pattern"""
        for pattern in ("{}", "{:.6}*"):
            with self.subTest(pattern):
                unique = self.renamed("service")
                address, _ = self.address("uds-stream")
                service = self.start_renamed(unique, address)
                attachment = self.check_target(address, service, "--comm", pattern.format(unique))
                self.assertIn(unique, {m["receiver_comm"] for m in attachment.messages})

    def test_unix(self):
        """--unix with a path and with an abstract name, of every type of socket"""
        for transport in ("uds-stream", "uds", "uds-seqpacket"):
            for name in (self.file(f"by-{transport}"), f"@ipctrace-{uuid.uuid4().hex[:8]}"):
                with self.subTest(transport, name=name):
                    address = f"{transport}:{name}"
                    service = self.start("service", address)
                    attachment = self.check_target(address, service, "--unix", name)
                    self.assertTrue(any(name in n for n in self.names_of(attachment)),
                                    self.names_of(attachment))

    def test_unix_by_another_name(self):
        """--unix finds a socket that was bound to a relative name: by that file, relative, and by a link"""
        folder = self.file("folder")
        os.mkdir(folder)
        server = self.spawn([sys.executable, "-c", RELATIVE, folder])
        self.ready(server)
        path = os.path.join(folder, "relative.sock")
        os.symlink("folder/relative.sock", self.file("link.sock"))
        for name in (path, os.path.relpath(path), self.file("link.sock")):
            with self.subTest(name):
                with self.attached("--unix", name) as attachment:
                    with socket.socket(socket.AF_UNIX) as client:
                        client.connect(path)
                        for _ in range(20):
                            client.send(b"x")
                            client.recv(1)
                self.assertEqual(attachment.summary["calls"]["count"], 20)
                self.assertEqual(set(self.names_of(attachment)), {path})
                self.assertEqual([s["channel"] for s in attachment.summary["calls"]["services"]], [path])
        attach.discard(server)

    def test_unix_with_many_connections(self):
        """--unix finds every process that holds one of hundreds of connections"""
        self.check_holders("--unix", self.file("many"), 300)

    def check_holders(self, option, name, holders):
        """The holders of connections are targets, though the listening socket is closed."""
        self.ready(self.spawn([sys.executable, "-c", HOLDERS, name, holders]))
        result = harness.ipctrace("attach", option, name, "-v", "-d", "100ms", "-f", "json")
        self.assertEqual(result.status, 0, result.err)
        self.assertIn(f"and {holders - 1} more processes': ", result.err)

    def test_port_with_connections(self):
        """--port finds the processes that hold its connections"""
        address, _ = self.address("tcp")
        self.check_holders("--port", address.split(":")[1], 3)

    def test_port(self):
        """--port with TCP and UDP"""
        for transport in ("tcp", "udp"):
            with self.subTest(transport):
                address, _ = self.address(transport)
                port = address.split(":")[1]
                service = self.start("service", address)
                attachment = self.check_target(address, service, "--port", port)
                for name in self.names_of(attachment):
                    self.assertIn(port, name)

    def test_cgroup(self):
        """--cgroup: its processes"""
        group = os.path.join(unified_cgroups(), f"test-ipctrace-{uuid.uuid4().hex[:8]}")
        os.mkdir(group)
        self.addCleanup(os.rmdir, group)
        address, _ = self.address("uds-stream")
        service = self.start("service", address)
        with open(os.path.join(group, "cgroup.procs"), "w", encoding="ascii") as procs:
            procs.write(str(service.pid))
        self.check_target(address, service, "--cgroup", group)

    def test_several(self):
        """--pid with two processes: as a list, and as the shell passes the output of pidof"""
        for written in (lambda pids: ["-p", ",".join(pids)],
                        lambda pids: ["-p", " ".join(pids) + "\n"],
                        lambda pids: ["-p", *pids]):
            addresses = [self.address("uds-stream")[0] for _ in range(2)]
            services = [self.start("service", address) for address in addresses]
            target = written([str(service.pid) for service in services])
            with self.subTest(target), self.attached(*target) as attachment:
                for address in addresses:
                    self.run_to_end("caller", "-n", self.CALLS, address)
            self.end(*services)
            self.check_whole(attachment, 4 * self.CALLS)

    def test_peer(self):
        """--peer by process and by name: messages with others are left out"""
        address, _ = self.address("uds-stream")
        service = self.start("service", "-r", "poll", address)
        unique = self.renamed("caller")
        caller = [self.file(unique), "-n", self.CALLS, address, self.logs]
        with self.attached("-p", service.pid, "--peer", unique[:6] + "*") as attachment:
            self.join(self.spawn(caller))
            self.run_to_end("caller", "-n", self.CALLS, address)
        self.check_whole(attachment, 2 * self.CALLS)
        steady = self.start("caller", "-p", 1_000_000, address)
        with self.attached("-p", service.pid, "--peer", steady.pid) as attachment:
            before = harness.switches_of(steady.pid)
            self.run_to_end("caller", "-n", self.CALLS, address)
            harness.wait_until(lambda: harness.switches_of(steady.pid) >= before + 20)
        self.end(steady, service)
        self.assertEqual({tid for m in attachment.messages
                          for tid in (m["sender_tid"], m["receiver_tid"])},
                         {service.pid, steady.pid})


class Command(attach.AttachCase):
    """A command that is started, and traced from its first instruction."""

    STUBBORN = ["sh", "-c", "trap '' TERM INT; echo begun; while :; do sleep 0.1; done"]
    TALKATIVE = ["sh", "-c", "trap '' INT; trap 'echo asked to end' TERM; echo begun; "
                             "while :; do sleep 0.1; done"]

    def run_command(self, *command):
        """The result of a run to the command's end, and its report."""
        output = self.file(f"{uuid.uuid4().hex[:8]}.json")
        result = harness.ipctrace("attach", "-f", "json", "-o", output, "--", *command)
        return result, output

    def test_traced(self):
        """its messages are there from the first to the last"""
        address, _ = self.address("uds-stream")
        service = self.start("service", address)
        caller = [self.program("caller"), "-q", "-n", 100, address, self.logs]
        with self.attached("--", *caller, stop=False) as attachment:
            pass
        self.end(service)
        self.check_right(self.truth(), attachment.messages)
        self.check_whole(attachment, 200)

    def test_children(self):
        """the messages of its children are there"""
        address, _ = self.address("uds-stream")
        service = self.start("service", address)
        caller = f"{self.program('caller')} -q -n 50 {address} {self.logs}"
        with self.attached("--", "sh", "-c", f"{caller}; {caller}", stop=False) as attachment:
            pass
        self.end(service)
        self.check_whole(attachment, 200)

    def test_status(self):
        """its exit status is passed on"""
        for status in (0, 1, 7):
            with self.subTest(status):
                result, output = self.run_command("sh", "-c", f"exit {status}")
                self.assertEqual((result.status, result.out, result.err), (status, "", ""))
                with open(output, encoding="utf-8") as file:
                    self.assertRegex(json.load(file)["target"], r"^sh \(pid \d+\)$")

    def test_output(self):
        """the stdout and stderr of the command are unchanged"""
        result, _ = self.run_command("sh", "-c", "echo said; echo warned >&2")
        self.assertEqual((result.status, result.out, result.err), (0, "said\n", "warned\n"))

    def test_stubborn(self):
        """one that ignores SIGTERM is killed after five seconds, with a message"""
        started = time.monotonic()
        command = harness.start("attach", "-d", "1s", "-o", "/dev/null", "--", *self.STUBBORN)
        self.addCleanup(attach.discard, command)
        result = harness.finish(command)
        self.check_error(result, "SIGTERM", status=128 + signal.SIGKILL)
        self.assertGreater(time.monotonic() - started, 5)

    def test_impatience(self):
        """a second ^C does not wait for it"""
        command = harness.start("attach", "-v", "-o", "/dev/null", "--", *self.TALKATIVE)
        self.addCleanup(attach.discard, command)
        line = command.stderr.readline()
        while "tracing '" not in line:
            self.assertTrue(line, "it ended before it was tracing")
            line = command.stderr.readline()
        self.assertEqual(command.stdout.readline(), "begun\n")
        command.send_signal(signal.SIGINT)
        self.assertEqual(command.stdout.readline(), "asked to end\n")
        time.sleep(1)
        self.assertIsNone(command.poll(), "it waits for its command")
        started = time.monotonic()
        command.send_signal(signal.SIGINT)
        self.assertEqual(harness.finish(command).status, 128 + signal.SIGKILL)
        self.assertLess(time.monotonic() - started, 3)

    def test_absent(self):
        """a command that is not there: one line with its name"""
        result, _ = self.run_command("/nonexistent/command")
        self.assertNotEqual(result.status, 0)
        self.assertEqual(result.err.count("\n"), 1, result.err)
        self.assertIn("/nonexistent/command", result.err)


class Endings(attach.AttachCase):
    """When it ends, and with what."""

    def start_busy(self):
        """A service and its caller, which run until end()."""
        address, _ = self.address("uds-stream")
        service = self.start("service", address)
        caller = self.start("caller", "-p", 1_000_000, address)
        return service, caller

    def test_duration(self):
        """--duration ends it"""
        service, caller = self.start_busy()
        with self.attached("-d", "300ms", "-p", service.pid, stop=False) as attachment:
            pid = attachment.process.pid
            before_ns = attach.schedstat_of(pid)[1]
            os.waitid(os.P_PID, pid, os.WEXITED | os.WNOWAIT)
            waited_ns = attach.schedstat_of(pid)[1] - before_ns
        self.end(caller, service)
        patience.demand(len(attachment.messages), 51, "messages")
        first = min(m["send_ns"] for m in attachment.messages)
        last = max(m["recv_ns"] for m in attachment.messages)
        self.check_ended(attachment, "duration", early=False)
        # It leaves the CPUs to others, and ends later by what it waited for one.
        patience.demand(first - last, -1_000_000_000 - waited_ns, "ns, less,")

    def check_ended(self, attachment, by, early, number=None):
        ended = attachment.summary["ended"]
        self.assertEqual((ended["by"], ended["early"], ended["signal"]), (by, early, number))
        self.assertEqual((ended["planned"], ended["unit"]), (None, None))
        warned = [line for line in attachment.err if "ended early" in line]
        self.assertEqual(len(warned), early and by == "targets_left", attachment.err)

    def test_targets_end(self):
        """no target is left: with --duration, stderr and the report say that it ended before its time"""
        for arguments, early in ((["-d", "100s"], True), ([], False)):
            with self.subTest(arguments):
                service, caller = self.start_busy()
                with self.attached(*arguments, "-p", service.pid, stop=False) as attachment:
                    self.end(caller, service)
                self.check_ended(attachment, "targets_left", early)
                text = harness.ipctrace("report", attachment.recording).out
                self.assertEqual("ended early   no target was left" in text, early, text)

    INTERIM = re.compile(r"^ipctrace: (\d+) messages, (\d+) since the last line: "
                         r"latency mean (\S+ [num]?s), max (\S+ [num]?s)$")
    UNITS = {"ns": 1e-3, "us": 1, "ms": 1e3, "s": 1e6}

    def us(self, text):
        """A duration such as "1.5 ms" in microseconds."""
        number, unit = text.split()
        return float(number) * self.UNITS[unit]

    def test_interval(self):
        """--interval says meanwhile how many messages there are: its lines add up to the report"""
        service, caller = self.start_busy()
        with self.attached("--interval", "200ms", "-d", "1500ms", "-p", service.pid,
                           stop=False) as attachment:
            pass
        self.end(caller, service)
        said = [self.INTERIM.match(line.rstrip("\n")) for line in attachment.err]
        lines = [(int(match[1]), int(match[2]), self.us(match[3]), self.us(match[4]))
                 for match in said if match]
        self.assertLess(len(lines), 9, attachment.err)
        patience.demand(len(lines), 4, "lines: the reader gets the CPU in each interval")
        total = highest = 0
        for count, since, mean, largest in lines:
            self.assertEqual(count, total + since, attachment.err)
            self.assertGreaterEqual(largest, max(mean, highest), attachment.err)
            total, highest = count, largest
        patience.demand(lines[-1][1], 1, "messages in the last line: it went on to the end")
        matched = attachment.summary["integrity"]["matched"]
        latency = attachment.summary["latency_ns"]
        self.assertLessEqual(total, matched)
        # What came after the last line is a part of one interval, and of what had not settled.
        patience.demand(total, matched / 2 + 1, "messages in the lines")
        self.assertLessEqual(highest * 1000, latency["max"] * (1 + 1e-5))  # six digits

    def test_signals(self):
        """^C, SIGTERM and SIGHUP end it with a report"""
        service, caller = self.start_busy()
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            with self.subTest(number.name):
                with self.attached("-p", service.pid, stop=False) as attachment:
                    before = harness.switches_of(caller.pid)
                    harness.wait_until(lambda: harness.switches_of(caller.pid) > before + 50)
                    attachment.process.send_signal(number)
                self.assertGreater(len(attachment.messages), 10)
                self.check_ended(attachment, "signal", early=False, number=number)
        self.end(caller, service)

    def test_start_up(self):
        """^C at any moment of its first 600 ms leaves nothing behind"""
        service, caller = self.start_busy()
        for ms in range(0, 600, 40):
            with self.subTest(ms=ms):
                process = harness.start("attach", "-f", "json", "-p", service.pid)
                time.sleep(ms / 1000)
                process.send_signal(signal.SIGINT)
                result = harness.finish(process, 10)
                self.assertIn(result.status, (0, -signal.SIGINT), result.err)
                self.assertRegex(result.err, r"\A(ipctrace: tracing '.*\n)?\Z")
        self.end(caller, service)

    def test_killed(self):
        """killed the hard way: the server goes on, and nothing is left in the kernel"""
        service, caller = self.start_busy()
        attachment = attach.Attachment(self, ["-p", service.pid])
        attachment.wait_until_tracing()
        attachment.process.kill()
        attachment.process.wait()
        attachment.reader.join()
        time.sleep(0.1)
        self.end(caller, service)

    def test_text(self):
        """the text report names the channel, and has neither gaps nor odd figures"""
        address, _ = self.address("uds-stream")
        service = self.start("service", address)
        process = harness.start("attach", "-v", "-p", service.pid)
        line = process.stderr.readline()
        while not line.startswith("ipctrace: tracing '"):
            self.assertTrue(line, "it ended before it was tracing")
            line = process.stderr.readline()
        self.run_to_end("caller", "-n", 50, address)
        process.send_signal(signal.SIGINT)
        result = harness.finish(process)
        self.end(service)
        self.assertEqual(result.status, 0, result.err)
        for word in (address.split(":")[1], "caller", "service", "100 sent, 100 matched"):
            self.assertIn(word, " ".join(result.out.split()))
        for word in ("nan", "inf ", "(null)"):
            self.assertNotIn(word, result.out)

    def test_line(self):
        """one line on stderr, a file here, says what is traced: all that is sent after it is counted"""
        address, _ = self.address("uds-stream")
        service = self.start("service", address)
        path, report = self.file("err"), self.file("report.json")
        for arguments, end in ((("-d", "100s"), "for 100 s; ^C ends it earlier"),
                               ((), "press ^C to end it and see the report")):
            with self.subTest(arguments), open(path, "w", encoding="utf-8") as err:
                words = [harness.PROGRAM, "attach", *arguments, "-p", str(service.pid), "-f", "json", "-o", report]
                with subprocess.Popen(words, stderr=err) as process:
                    self.addCleanup(attach.discard, process)
                    harness.wait_until(lambda: harness.LATE.sub("", read(path)).endswith("\n"))
                    self.run_to_end("caller", "-n", 50, address)
                    process.send_signal(signal.SIGINT)
                self.assertEqual(process.returncode, 0)
                said = harness.LATE.sub("", read(path))
                self.assertEqual(said, f"ipctrace: tracing 'service (pid {service.pid})': 1 process, 1 thread, "
                                       f"and their peers: {end}\n")
                self.assertEqual(json.loads(read(report))["integrity"]["sent"], 100)
        self.end(service)

    def test_begin(self):
        """the wall-clock time of the start, the duration and the rates are those of the recording, too"""
        service, caller = self.start_busy()
        before = time.time_ns()
        with self.attached("-d", "500ms", "-p", service.pid, stop=False) as attachment:
            after = time.time_ns()
        self.end(caller, service)
        tracing = attachment.summary["tracing"]
        began = tracing["began"]
        self.assertTrue(before <= began["unix_ns"] <= after, (before, began, after))
        patience.demand(len(attachment.messages), 1, "messages in half a second")
        self.assertLess(began["monotonic_ns"], min(m["send_ns"] for m in attachment.messages))
        self.assertEqual(datetime.datetime.fromisoformat(began["utc"][:26] + "+00:00").timestamp(),
                         began["unix_ns"] // 1000 / 1e6)
        self.assertGreaterEqual(tracing["duration_ns"], 500_000_000)
        seconds = tracing["duration_ns"] / 1e9
        self.assertAlmostEqual(tracing["messages_per_second"], attachment.summary["integrity"]["sent"] / seconds, 3)
        self.assertAlmostEqual(tracing["calls_per_second"], attachment.summary["calls"]["count"] / seconds, 3)
        time.sleep(1)
        again = harness.ipctrace("report", attachment.recording, "-f", "json", env={"TZ": "Asia/Tokyo"})
        self.assertEqual(again.json()["tracing"], tracing)
        text = harness.ipctrace("report", attachment.recording, env={"TZ": "Asia/Tokyo"}).out
        local = datetime.datetime.fromtimestamp(began["unix_ns"] // 10**9 + began["utc_offset_s"],
                                                datetime.timezone.utc)
        self.assertIn(local.strftime("%Y-%m-%d %H:%M:%S"), text)

    def test_silence(self):
        """without any message the report says so"""
        service = self.start("service", self.address("uds-stream")[0])
        for form in ("text", "json", "ndjson"):
            with self.subTest(form):
                result = harness.ipctrace("attach", "-q", "-d", "100ms", "-f", form, "-p", service.pid)
                self.check_quiet(result)
                self.assertNotIn("nan", result.out)
        self.end(service)


class Refusals(attach.AttachCase):
    """Nothing on stdout, one line on stderr: the value, the reason, the remedy."""

    def refuse(self, arguments, *words, status=(1, USAGE), uid=None):
        result = harness.ipctrace("attach", *arguments, uid=uid)
        text = f"of {arguments}: {result.err}"
        self.assertIn(result.status, status, text)
        self.assertEqual((result.out, result.err.count("\n")), ("", 1), text)
        self.assertTrue(result.err.startswith("ipctrace: "), text)
        for word in words:
            self.assertIn(word, result.err)

    def test_no_target(self):
        """no target: which ones there are"""
        self.refuse([], "-p PID", "--unix PATH", status=(USAGE,))

    def test_pid(self):
        """a process that is not there, and words that are no process id"""
        with subprocess.Popen(["true"]) as ended:
            ended.wait()
        self.refuse(["-p", ended.pid], str(ended.pid))
        for value in ("x", "-1", "0", "1,", "12,,13", "12 x", "  ", "", "99999999999999999999"):
            with self.subTest(value):
                self.refuse([f"--pid={value}"], value, status=(USAGE,))

    def test_nobody(self):
        """a name, a socket, a port and a group that no process has"""
        path = self.file("nobody")
        self.refuse(["--unix", path], path)
        self.refuse(["--unix", "@ipctrace-nobody"], "@ipctrace-nobody")
        port = str(attach.free_port())
        self.refuse(["--port", port], port)
        self.refuse(["--cgroup", "/nonexistent/group"], "/nonexistent/group")
        self.refuse(["--comm", "ipctrace-nobod"], "ipctrace-nobod")

    def test_stale_socket(self):
        """a socket file whose server has ended"""
        address, _ = self.address("uds-stream")
        self.end(self.start("service", address))
        path = address.split(":")[1]
        self.assertTrue(os.path.exists(path))
        self.refuse(["--unix", path], path)

    def test_values(self):
        """ports, durations and intervals that are none"""
        for option, value in (("port", "0"), ("port", "65536"), ("port", "http"), ("duration", "10"),
                              ("duration", "0ms"), ("interval", "1"), ("interval", "x")):
            with self.subTest(option, value=value):
                self.refuse([f"--{option}={value}", "-p", os.getpid()], f"--{option}", value,
                            status=(USAGE,))

    def test_privileges(self):
        """without privileges: the missing capability and the remedy"""
        self.program_for_all()
        self.refuse(["-p", os.getpid()], "CAP_BPF", "sudo", status=(1,), uid=harness.NOBODY)


if __name__ == "__main__":
    tap.main()
