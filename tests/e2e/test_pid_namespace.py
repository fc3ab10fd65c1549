# SPDX-License-Identifier: BSD-2-Clause
"""In a PID namespace, as in a container, all is as outside, and threads have the numbers of there."""

import contextlib
import json
import os
import signal
import subprocess
import sys
import uuid
from unittest import mock

import attach
import harness
import patience
import tap

ENTER = ["unshare", "--pid", "--fork", "--mount-proc", "--kill-child"]
FOLDER = os.path.dirname(os.path.abspath(__file__))
OUTSIDE = 1 << 23  # TID_OUTSIDE of bpf/record.h
CLIENTS, COUNT = 2, 60
SPIN_NS, PERIOD_NS = 2_000_000, 9_370_000  # the latter is no multiple of a tick

# Tests of another program, named as its arguments. What holds BPF objects outside is not seen there.
TESTS_INSIDE = """
import harness, tap
harness.left_bpf = lambda before: set()
from {module} import *
tap.main()
"""


def inside(levels, *command):
    """The command as the first process of a new PID namespace, or of one in another."""
    return [*ENTER * levels, *command]


class Inside(attach.AttachCase):
    """`levels` namespaces below this one."""

    levels = 1

    @contextlib.contextmanager
    def program_by(self, *command):
        """Meanwhile the program that is tested is started by this one."""
        script = self.file(f"by-{uuid.uuid4().hex[:8]}")
        with open(script, "w", encoding="ascii") as file:
            words = " ".join(map(str, (*command, os.path.abspath(harness.PROGRAM))))
            file.write(f'#!/bin/sh\nexec {words} "$@"\n')
        os.chmod(script, 0o755)
        with mock.patch.object(harness, "PROGRAM", script):
            yield

    def program_inside(self):
        """Meanwhile it runs there, each time in a namespace of its own."""
        return self.program_by(*inside(self.levels))

    def program_beside(self, pid):
        """Meanwhile it runs in the namespaces of this process."""
        return self.program_by("nsenter", "--target", pid, "--pid", "--mount")

    def measure_inside(self, *arguments, env=None):
        """A run there, every record of which is right."""
        with self.program_inside():
            return self.measure_links("--clients", CLIENTS, "--messages", COUNT, "--policy", "other",
                                      *arguments, env=env)

    def check_run(self, *arguments, pattern="push", env=None):
        """All that is sent is matched, and ids are those of the namespace: it has just begun."""
        run = self.measure_inside("--pattern", pattern, *arguments, env=env)
        count = CLIENTS * COUNT * (2 if pattern == "pingpong" else 1)
        self.assertEqual((run.summary["integrity"]["sent"], len(run.messages)), (count, count))
        clients = {client["tid"] for client in run.summary["clients"]}
        tids = {m[end] for m in run.messages for end in ("sender_tid", "receiver_tid")}
        self.assertEqual(len(clients), CLIENTS)
        self.assertLess(max(tids), 100)
        self.assertEqual(len(tids - clients), 1, "all but the clients is the server")
        for blame in run.summary["blame"]:
            if blame["class"] in ("server", "client"):
                self.assertIn(blame["tid"], tids)
            self.assertEqual(blame["outside"], blame["tid"] >= OUTSIDE
                             and blame["class"] in ("task", "kthread"), blame)
        return run

    def check_tests(self, module, *names):
        """These tests of other programs pass there, too."""
        command = inside(self.levels, sys.executable, "-c", TESTS_INSIDE.format(module=module), *names)
        paths = os.pathsep.join([FOLDER, os.environ.get("PYTHONPATH", "")])
        process = self.spawn(command, env=harness.environment({"PYTHONPATH": paths}),
                             stderr=subprocess.STDOUT)
        said, _ = process.communicate(timeout=harness.PATIENCE * 120)
        self.assertEqual(process.returncode, 0, said)
        self.assertEqual(said.count("\nok "), len(names), said)


class Runs(Inside):
    """Runs of the workload inside."""

    def test_transports(self):
        """every message of a run is there and adds up"""
        for transport in ("uds", "uds-stream", "tcp", "udp", "pipe", "mqueue", "sysv", "shm", "eventfd",
                          "signal", "kernel"):
            with self.subTest(transport):
                self.check_run("--transport", transport)

    def test_pingpong(self):
        """every message is there when each end sends and receives, with threads as clients"""
        for transport in ("uds-seqpacket", "tcp", "pipe", "shm"):
            with self.subTest(transport):
                self.check_run("--transport", transport, "--threads", pattern="pingpong")

    def test_fallbacks(self):
        """it works with the replacements for older kernels, too"""
        types = self.file("types")
        with open("/sys/kernel/btf/vmlinux", "rb") as known, open(types, "wb") as file:
            file.write(known.read())
        for transport in ("uds", "tcp", "pipe"):
            for lacks in ("sk_data_ready", "task_pt_regs"):
                with self.subTest(transport, lacks=lacks):
                    self.check_run("--transport", transport, env={"IPCTRACE_WITHOUT": lacks})
            with self.subTest(transport, types=types):
                self.check_run("--transport", transport, "--btf", types)


class Nested(Inside):
    """In a namespace of a namespace."""

    levels = 2

    def test_runs(self):
        """every message of a run is there and adds up"""
        for env in ({}, {"IPCTRACE_WITHOUT": "task_pt_regs"}):
            for transport in ("uds", "pipe"):
                with self.subTest(transport, env=env):
                    self.check_run("--transport", transport, env=env)

    def test_attach(self):
        """messages of programs that ran before are joined by their ids"""
        self.check_tests("test_attach_targets", "Targets.test_pid")


class Attaches(Inside):
    """Attachments inside, to programs inside."""

    def test_targets(self):
        """every kind of target, by the process numbers of the namespace"""
        self.check_tests("test_attach_targets", "Targets.test_pid", "Targets.test_comm",
                         "Targets.test_unix", "Targets.test_port", "Targets.test_cgroup",
                         "Targets.test_several", "Targets.test_peer", "Command.test_traced",
                         "Command.test_children")

    def test_fallback(self):
        """it works with the replacements for older kernels, too"""
        with mock.patch.dict(os.environ, IPCTRACE_WITHOUT="task_pt_regs"):
            self.check_tests("test_attach_targets", "Targets.test_pid", "Targets.test_several")


def own_number(process):
    """(number here, number in its own namespace) of what was started as the first one of one."""
    def forked():
        return list(harness.children_of(process.pid))

    pid, = harness.wait_until(forked)
    with open(f"/proc/{pid}/status", encoding="utf-8") as status:
        numbers = next(line.split()[1:] for line in status if line.startswith("NSpid:"))
    return pid, int(numbers[-1])


def wait_for_calls(callers, count=100):
    """Until each of these has made so many calls; it sleeps at most twice in one."""
    before = [harness.switches_of(caller.pid) for caller in callers]

    def all_called():
        return all(harness.switches_of(caller.pid) >= switches + 2 * count
                   for caller, switches in zip(callers, before))

    harness.wait_until(all_called)


class Refusals(attach.AttachCase):
    """Where numbers would be those of other processes, nothing is traced, and the reason is said."""

    def check_refused(self, unshare, reason, remedy, *arguments):
        """In one line, with what to do."""
        result = subprocess.run([*unshare, harness.PROGRAM, *map(str, arguments)],
                                capture_output=True, text=True, env=harness.environment())
        self.assertEqual((result.returncode, result.stdout, result.stderr.count("\n")), (1, "", 1),
                         result.stderr)
        self.assertIn(reason, result.stderr)
        self.assertIn(remedy, result.stderr)

    def test_proc(self):
        """a /proc of another namespace"""
        for arguments in (("--messages", 5), ("attach", "-p", 1), ("attach", "--", "true"), ("list",),
                          ("--no-trace", "--load", "true", "--messages", 5)):
            with self.subTest(arguments):
                self.check_refused(["unshare", "--pid", "--fork"], "/proc shows the processes of",
                                   "--mount-proc", *arguments)

    def test_children(self):
        """a namespace that only children would be in"""
        self.check_refused(["unshare", "--pid"], "children of this process", "--fork",
                           "--messages", 5)

    def test_untraced(self):
        """a run without tracing works all the same"""
        result = subprocess.run(["unshare", "--pid", "--fork", harness.PROGRAM, "--no-trace",
                                 "--messages", "5", "-f", "json"], capture_output=True, text=True,
                                env=harness.environment())
        self.assertEqual((result.returncode, result.stderr), (0, ""))

    def test_doctor(self):
        """the doctor reports both cases before"""
        for unshare, status, word in ((ENTER, 0, "translated"),
                                      (["unshare", "--pid", "--fork"], 1, "/proc shows")):
            result = subprocess.run([*unshare, harness.PROGRAM, "doctor", "-f", "json"],
                                    capture_output=True, text=True, env=harness.environment())
            self.assertEqual((result.returncode, result.stderr), (status, ""))
            finding, = [f for f in json.loads(result.stdout)["findings"]
                        if f["subject"] == "PID namespace"]
            self.assertIn(word, finding["value"])


class Outside(Inside):
    """Programs inside of the namespace and outside of it."""

    CALLS = 50

    def test_hog(self):
        """a task from outside that runs instead is blamed by its name, and said to be outside"""
        server, clients = attach.SERVER_CPU, attach.CALLER_CPU
        hog = self.spawn([self.program("spinner"), clients, SPIN_NS, PERIOD_NS, 4000])
        with self.program_inside():
            # At their real-time priorities, only the spinner is before them.
            run = self.measure("--clients", CLIENTS, "--messages", 300, "--period", "3ms", "--cpus",
                               f"server={server},clients={clients}")
            text = harness.ipctrace("report", run.path).out
        hog.send_signal(signal.SIGTERM)
        self.join(hog)
        blamed, = [b for b in run.summary["blame"] if b["tid"] == OUTSIDE + hog.pid]
        self.assertEqual((blamed["class"], blamed["comm"], blamed["outside"]),
                         ("task", "rt-spinner", True))
        patience.demand(blamed["messages"], 10, "messages that waited for the spinner")
        # The first screen names what has most of the time.
        patience.demand(100 * blamed["share"], 50, "per cent of the waits that the spinner has")
        self.assertIn("rt-spinner (FIFO 99, outside)", text)

    def test_server_inside(self):
        """from outside, a server inside has the number that it has outside"""
        address, _ = self.address("uds-stream")
        service = self.ready(self.spawn(inside(1, self.program("service"), address, self.logs)))
        pid, own = own_number(service)
        self.assertEqual(own, 1)
        with self.attached("-p", pid, stop=False) as attachment:
            caller = self.start("caller", "-n", self.CALLS, address)
            self.join(caller)
            os.kill(pid, signal.SIGTERM)
        self.join(service)
        self.check_whole(attachment, 2 * self.CALLS)
        self.assertEqual({m[end] for m in attachment.messages for end in ("sender_tid", "receiver_tid")},
                         {pid, caller.pid})

    @contextlib.contextmanager
    def attached_inside(self, *arguments):
        """An attachment that runs there; ^C reaches it, and not what has made its namespace."""
        with self.attached(*arguments, stop=False) as attachment:
            yield attachment
            os.kill(own_number(attachment.process)[0], signal.SIGINT)

    def check_callers(self, attachment, transport, *callers):
        """
        The caller has no number there, and its messages are reported right: it has noted them by
        the number that it has here.
        """
        messages = attachment.of(transport)
        tids = {m[end] for m in messages for end in ("sender_tid", "receiver_tid")}
        self.assertEqual({tid for tid in tids if tid >= OUTSIDE},
                         {OUTSIDE + caller.pid for caller in callers})
        self.assertLess(min(tids), 100)
        for channel in attachment.channels(transport):
            for end in (channel["sender"], channel["receiver"]):
                self.assertEqual(end["outside"], end["comm"] == "caller", channel)
        noted = [m | {end: m[end] % OUTSIDE for end in ("sender_tid", "receiver_tid")}
                 for m in messages]
        self.check_right(self.truth(), noted, attach.MATCHES)

    def test_new_caller(self):
        """from inside, all messages of a caller outside are there, which is no more than a name"""
        for transport in ("uds-stream", "uds", "tcp"):
            with self.subTest(transport):
                self.begin_logs()
                address, _ = self.address(transport)
                with self.program_inside(), self.attached_inside(
                        "--", self.program("service"), address, self.logs) as attachment:
                    self.ready(attachment.process)
                    # The first datagram of all is seen only if this test is traced, as its child is
                    # then, too: the service's socket is known after its first receive.
                    callers = [self.start("caller", "-n", self.CALLS, address)]
                    self.join(callers[0])
                    callers.append(self.start("caller", "-n", self.CALLS, address))
                    self.join(callers[1])
                self.check_callers(attachment, transport, *callers)
                of_each = [sum(OUTSIDE + caller.pid in (m["sender_tid"], m["receiver_tid"])
                               for m in attachment.of(transport)) for caller in callers]
                missed_at_most = 1 if transport == "uds" else 0
                self.assertGreaterEqual(of_each[0], 2 * self.CALLS - missed_at_most)
                self.assertLessEqual(of_each[0], 2 * self.CALLS)
                self.assertEqual(of_each[1], 2 * self.CALLS)
                # This test reads "ready"; its read is not always seen.
                self.check_whole(attachment, not_received=1, unknown_start=1)
                self.assertLessEqual(attachment.summary["integrity"]["sent"], 4 * self.CALLS + 1)

    def test_old_caller(self):
        """no message of an earlier caller, whose socket is not visible, is joined wrongly"""
        for transport in ("uds-stream", "uds", "tcp"):
            with self.subTest(transport):
                self.begin_logs()
                address, _ = self.address(transport)
                service = self.ready(self.spawn(inside(1, self.program("service"), "-r",
                                                       "poll", address, self.logs)))
                pid, _ = own_number(service)
                callers = [self.start("caller", "-p", 2_000_000, address) for _ in range(2)]
                with self.program_beside(pid), self.attached_inside("-p", 1) as attachment:
                    wait_for_calls(callers)
                self.end(*callers)
                os.kill(pid, signal.SIGTERM)
                self.join(service)
                self.check_callers(attachment, transport, *callers)
                self.assertGreater(len(attachment.messages), 100)


if __name__ == "__main__":
    tap.main()
