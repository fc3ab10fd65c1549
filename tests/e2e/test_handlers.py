# SPDX-License-Identifier: BSD-2-Clause
"""
Whatever a command of --handler exec does, the run ends, says why, and leaves nothing behind. The
workload runs as STRANGER: a command can reach no process but those of these tests.
"""

import concurrent.futures
import ctypes
import os
import signal

import harness
import tap

TRANSPORTS = ("uds", "uds-stream", "uds-seqpacket", "tcp", "udp", "pipe", "fifo", "shm", "mqueue",
              "sysv", "signal", "signal-std", "eventfd")
AT_ONCE = 4
LIMIT_S = 40  # a run that needs longer hangs; the longest has three commands of five seconds

PTRACE_ATTACH = 16
WALL = 0x40000000  # waitpid() for threads, too


class Handlers(harness.TestCase):
    """Not traced, unless a test says so: what runs the commands is the workload alone."""

    def setUp(self):
        self.bpf_before = harness.living_bpf()

    def start(self, command, *arguments, tracing="--no-trace"):
        options = [tracing] if tracing else []
        return harness.start("--pattern", "request", "--handler", f"exec={command}", "--warmup", 0,
                             "-f", "json", *options, *arguments, env=harness.AS_STRANGER)

    def finish(self, command, *arguments, **how):
        return harness.finish(self.start(command, *arguments, **how), LIMIT_S)

    def side_by_side(self, runs):
        """{name: result} of {name: arguments of finish()}."""
        with concurrent.futures.ThreadPoolExecutor(AT_ONCE) as pool:
            results = {name: pool.submit(self.finish, *run) for name, run in runs.items()}
        return {name: result.result() for name, result in results.items()}

    def check_nothing_left(self):
        harness.wait_until_nothing_left(self.bpf_before)
        self.assertEqual(harness.left_directories(), [])

    def check_failed(self, result, *words):
        """Status 1, one line that says why, and a report, unless a request came before all had joined."""
        self.check_error(result, *words)
        if result.out:
            self.assertEqual(result.json()["schema"], "ipctrace.summary/1")

    def test_no_command(self):
        """a command that cannot be run, over every transport"""
        runs = {f"{transport} {command}": (command, "--transport", transport, "--messages", 3)
                for transport in TRANSPORTS for command in ("/nonexistent", "exit 126")}
        for name, result in self.side_by_side(runs).items():
            with self.subTest(name):
                self.check_failed(result, "cannot answer a request", "exec=")
        self.check_nothing_left()

    def test_no_command_traced(self):
        """a command that cannot be run, traced, with several clients and with threads"""
        for arguments in (("--clients", 3), ("--clients", 3, "--threads")):
            with self.subTest(arguments):
                result = self.finish("/nonexistent", "--messages", 3, *arguments, tracing=None)
                self.check_failed(result, "cannot answer a request", "No such file")
        self.check_nothing_left()

    def test_endless(self):
        """commands that do not end: after the third one that had to be killed, the run ends"""
        commands = ("sleep 1000", "trap '' TERM; sleep 1000 & sleep 1000", "while :; do :; done", "yes")
        runs = {command: (command, "--messages", 1000) for command in commands}
        for name, result in self.side_by_side(runs).items():
            with self.subTest(name):
                self.check_failed(result, "cannot answer a request", name, "Timer expired")
        self.check_nothing_left()

    def test_descriptors_kept(self):
        """commands that leave a child with their descriptors: they are answers like any other"""
        commands = ("sleep 1000 & echo", "sleep 1000 & exec sleep 0.01", "sleep 1000 2>&1 & kill -9 $$")
        runs = {command: (command, "--messages", 5) for command in commands}
        for name, result in self.side_by_side(runs).items():
            with self.subTest(name):
                self.check_quiet(result)
                self.assertEqual(result.json()["integrity"]["matched"], 10)
        self.check_nothing_left()

    def test_stops_the_server(self):
        """a command that stops the server: it is resumed three times, then the run ends"""
        result = self.finish("kill -STOP $PPID; echo", "--messages", 3)
        self.check_quiet(result)
        self.assertEqual(result.json()["integrity"]["matched"], 6)
        self.check_failed(self.finish("kill -STOP $PPID; echo", "--messages", 1000), "the server",
                          "Killed")
        self.check_nothing_left()

    def test_kills(self):
        """a command that kills the server, or its guard"""
        self.check_failed(self.finish("kill -9 $PPID", "--messages", 3), "the server", "Killed")
        result = self.finish("pkill -9 -P $PPID ipctrace-guard; echo", "--messages", 3)
        self.check_quiet(result)
        self.check_nothing_left()

    def test_interrupted(self):
        """^C and SIGTERM end a run whose command does not end"""
        commands = ("sleep 1000", "trap '' INT TERM; sleep 1000 & sleep 1000")
        cases = [(number, command) for number in (signal.SIGINT, signal.SIGTERM) for command in commands]
        with concurrent.futures.ThreadPoolExecutor(AT_ONCE) as pool:
            results = [pool.submit(self.interrupt, *case) for case in cases]
        for case, result in zip(cases, results):
            with self.subTest(case):
                self.check_quiet(result.result())
                ended = result.result().json()["ended"]
                self.assertEqual((ended["by"], ended["signal"]), ("signal", case[0]))
        self.check_nothing_left()

    def interrupt(self, number, command):
        """The result of a run that got a signal while its command ran, before that had to be killed."""
        process = self.start(command, "--messages", 1000)
        harness.wait_until(lambda: has_shell(process))
        process.send_signal(number)
        return harness.finish(process, LIMIT_S)

    def test_interrupted_debugged(self):
        """^C ends a run although a debugger keeps its server from hearing anything"""
        process = self.start("sleep 1000", "--messages", 1000)
        server, = harness.wait_until(lambda: has_shell(process))
        threads = debug(server)
        process.send_signal(signal.SIGINT)
        harness.wait_until(lambda: all(map(has_ended, threads)))
        result = harness.finish(process, LIMIT_S)
        self.assertEqual(result.status, 0, result.err)
        self.check_nothing_left()


def has_shell(process):
    """The server, in a list, once it runs a command."""
    return [pid for pid, name in harness.children_of(process.pid).items()
            if name == "ipctrace-server" and "sh" in harness.children_of(pid).values()]


def debug(pid):
    """Stops all threads of a process as a debugger does. Their ids, the first thread last."""
    threads = sorted(map(int, os.listdir(f"/proc/{pid}/task")), key=lambda tid: tid == pid)
    for tid in threads:
        if ctypes.CDLL(None).ptrace(PTRACE_ATTACH, tid, None, None):
            raise AssertionError(f"thread {tid} cannot be debugged")
        os.waitpid(tid, WALL)
    return threads


def has_ended(tid):
    """Whether a thread that is debugged has ended: the parent of its process hears of that only now."""
    try:
        done, status = os.waitpid(tid, os.WNOHANG | WALL)
    except ChildProcessError:
        return True
    return done and os.WIFSIGNALED(status)


if __name__ == "__main__":
    tap.main()
