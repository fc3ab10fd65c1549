# SPDX-License-Identifier: BSD-2-Clause
"""Attaches the program to others for the end-to-end tests, and checks what must always hold."""

import bisect
import collections
import contextlib
import json
import os
import queue
import signal
import socket
import subprocess
import threading
import time
import uuid

import harness
import model
import patience
import truth

PROGRAMS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "programs")
COMPONENTS = model.without("NEEDS_ROUND")
PATHS = ("slept", "runnable", "running", "blocked")
MATCHES = ("exact", "resynced", "ambiguous", "approximate")
SURE = MATCHES[:2]  # the position is known from the first message on, or since the queue was empty
NEAR_NS, NEAR_SHARE = 20_000, 0.05  # how far a figure may be from the truth where no bracket is known
BULK = 0.9  # this share of the messages must be as near: no clock shows every disturbance

# The service on one CPU and its callers on another, if there is one.
CPUS = sorted(os.sched_getaffinity(0))
SERVER_CPU, CALLER_CPU = CPUS[-1], CPUS[0]


def followed(rows):
    """Each row of an explanation, and those that follow it."""
    for row in rows:
        yield row
        yield from followed(row.get("followed") or [])


def compile_program(name, folder):
    """Compiles a program of the tests. Its path."""
    path = os.path.join(folder, name)
    source = os.path.join(PROGRAMS, name + ".c")
    if not os.path.exists(source):
        source = os.path.join(PROGRAMS, "..", name + ".c")
    subprocess.run([os.environ.get("CC", "cc"), "-O2", "-pthread", "-o", path, source], check=True)
    return path


def switches_of(pid):
    """How often the present threads of a process went to sleep."""
    total = 0
    for tid in os.listdir(f"/proc/{pid}/task"):
        with contextlib.suppress(FileNotFoundError, ProcessLookupError):
            total += harness.switches_of(f"{pid}/task/{tid}")
    return total


def schedstat_of(pid):
    """For how long the main thread of a process ran, and waited for a CPU, in ns; also if it has just ended."""
    with open(f"/proc/{pid}/schedstat", encoding="ascii") as times:
        return [int(time_ns) for time_ns in times.read().split()[:2]]


def cpu_ns_of(pid):
    """The CPU time of the main thread of a process."""
    return schedstat_of(pid)[0]


def thread_waits(task):
    """Whether a thread sleeps in a call, and not only for a given time."""
    if harness.state_of(task) == "R":
        return False  # perhaps its wakeup is on the way to another CPU: `syscall` still shows it asleep
    with open(f"{task}/syscall", encoding="ascii") as call, \
            open(f"{task}/wchan", encoding="ascii") as place, \
            open(f"{task}/comm", encoding="utf-8", errors="replace") as comm:
        number, *where = call.read().split()
        if number == "-1":  # it has ended, or it is a thread of io_uring, which is in no call
            return where == ["0x0", "0x0"] or comm.read().startswith("iou-")
        return number != "running" and "nanosleep" not in place.read()


def waits(pid):
    """Whether all present threads of a process wait."""
    for tid in os.listdir(f"/proc/{pid}/task"):
        with contextlib.suppress(FileNotFoundError, ProcessLookupError):
            if not thread_waits(f"/proc/{pid}/task/{tid}"):
                return False
    return True


def wait_until_waits(process):
    """Waits until all threads of a process wait. What wakes it must come before this call."""
    def all_wait():
        return waits(process.pid)

    harness.wait_until(all_wait, pause_s=0.002)


def end(process, limit_s=10):
    """Sends SIGTERM until the process ends: one may come just before a call. Its exit status."""
    limit = time.monotonic() + harness.PATIENCE * limit_s
    while process.poll() is None:
        if time.monotonic() > limit:
            process.kill()
            process.wait()
            raise AssertionError(f"{process.args} did not end on SIGTERM")
        process.terminate()
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(0.05)
    return process.returncode


def discard(process):
    """Ends a process, whatever its state. It may still clean up after itself."""
    for number in (signal.SIGCONT, signal.SIGTERM, signal.SIGKILL):
        if process.poll() is None:
            with contextlib.suppress(ProcessLookupError, subprocess.TimeoutExpired):
                os.killpg(process.pid, number)
                process.wait(0.01 if number == signal.SIGCONT else 3)
    process.wait()
    for stream in (process.stdin, process.stdout, process.stderr):
        if stream:
            stream.close()


class Attachment:
    """A running `ipctrace attach`, and its output after its end."""

    def __init__(self, case, arguments, env=None):
        self.case = case
        self.recording = case.file(f"{uuid.uuid4().hex[:8]}.ipct")
        self.output = self.recording + ".json"
        self.status, self.summary, self.messages, self.calls = None, None, None, None
        self.err = []
        # -v before the target: what follows `--` is a command.
        self.process = harness.start("attach", "-v", "--record", self.recording, "-f", "json", "-o",
                                     self.output, *arguments, env=env)
        case.addCleanup(discard, self.process)
        self.lines = queue.Queue()
        self.reader = threading.Thread(target=self.read_err)
        self.reader.start()

    def read_err(self):
        for line in self.process.stderr:
            self.lines.put(line)
        self.lines.put(None)

    def next_line(self, limit_s=30):
        """The next line of stderr; None: the end."""
        limit_s *= harness.PATIENCE
        try:
            line = self.lines.get(timeout=limit_s)
        except queue.Empty:
            discard(self.process)
            raise AssertionError(f"nothing on stderr for {limit_s} s after {self.err}") from None
        if line is not None:
            self.err.append(line)
        return line

    def wait_until_tracing(self):
        while True:
            line = self.next_line()
            if line is None:
                raise AssertionError(f"it ended before it was tracing: {self.err}")
            if line.startswith("ipctrace: tracing '"):
                return

    def wait(self, limit_s=30):
        """Waits for its end."""
        while self.next_line(limit_s) is not None:
            pass
        self.reader.join()
        self.status = self.process.wait(harness.PATIENCE * limit_s)

    def finish(self, limit_s=30):
        """The same, and reads its output."""
        self.wait(limit_s)
        return self.read()

    def read(self):
        """Reads the summary and every message, if there are any."""
        if not os.path.exists(self.output) or not os.path.getsize(self.output):
            return self
        with open(self.output, encoding="utf-8") as file:
            self.summary = json.load(file)
        report = harness.ipctrace("report", self.recording, "-f", "ndjson")
        if report.status:
            raise AssertionError(f"report of the recording failed: {report.err}")
        _, self.messages, self.calls = harness.read_ndjson_calls(report.out)
        return self

    def stop(self, limit_s=30):
        """Sends ^C."""
        self.process.send_signal(signal.SIGINT)
        return self.finish(limit_s)

    def of(self, transport):
        """The messages of a transport."""
        return [message for message in self.messages if message["transport"] == transport]

    def channels(self, transport=None):
        """The channels that are listed one by one."""
        return [channel for channel in self.summary["channels"] if channel["channels"] == 1
                and transport in (None, channel["transport"])]


class AttachCase(harness.TestCase):
    """A test that attaches to programs of its own. At its end no process and no BPF object is left."""

    # The share of calls that a thread may answer that did not take the request: their service is not cut.
    answered_by_others = 0

    def setUp(self):
        self.begin_logs()
        # Clean-ups run in reverse order: this one runs when all processes have ended.
        self.addCleanup(harness.wait_until_nothing_left, harness.living_bpf())

    def begin_logs(self):
        """Programs that start from now on log into a new folder, for self.truth()."""
        self.logs = self.file(f"log-{uuid.uuid4().hex[:8]}")
        os.mkdir(self.logs)

    @classmethod
    def program(cls, name):
        """The path of a program of the tests."""
        path = os.path.join(cls.folder, name)
        return path if os.path.exists(path) else compile_program(name, cls.folder)

    def address(self, transport):
        """(address for programs/ends.h, descriptors to inherit) of a fresh end of a transport."""
        name = self.file(f"s-{uuid.uuid4().hex[:8]}")
        if transport in ("tcp", "udp"):
            return f"{transport}:{free_port()}", ()
        if transport == "fifo":
            os.mkfifo(name + ".in")
            os.mkfifo(name + ".out")
        return f"{transport}:{name}", ()

    def keep(self, *fds):
        """Closes them at the end."""
        for fd in fds:
            self.addCleanup(os.close, fd)
        return fds

    def fd_ends(self, reader, writer):
        """(address of the reader, of the writer, what both inherit) of these descriptors."""
        return f"fd:{reader},{reader}", f"fd:{writer},{writer}", self.keep(reader, writer)

    def ends(self, transport):
        """The same of a pipe, or of a transport with an address."""
        if transport == "pipe":
            return self.fd_ends(*os.pipe())
        address, fds = self.address(transport)
        return address, address, fds

    def spawn(self, command, cpu=None, priority=None, uid=None, **how):
        """Starts a process that the clean-up ends. With a priority it is SCHED_FIFO."""
        if cpu is not None:
            command = ["taskset", "-c", str(cpu), *command]
        if priority is not None:
            command = ["chrt", "-f", str(priority), *command]
        if uid is not None:
            command = ["setpriv", f"--reuid={uid}", f"--regid={uid}", "--clear-groups", *command]
        how = {"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE,
               "text": True, "start_new_session": True, "env": harness.environment()} | how
        process = subprocess.Popen(list(map(str, command)), **how)
        self.addCleanup(discard, process)
        return process

    def start(self, name, *arguments, **how):
        """Starts a program of the tests, which logs to self.logs, and waits until it is ready."""
        return self.ready(self.spawn([self.program(name), *arguments, self.logs], **how))

    @staticmethod
    def ready(process):
        """Waits until a process listens or is connected."""
        if process.stdout.readline() != "ready\n":
            raise AssertionError(f"{process.args}: {process.communicate()[1]}")
        return process

    @staticmethod
    def go(*processes, line=""):
        """Sends a line to programs that wait for it."""
        for process in processes:
            process.stdin.write(line + "\n")
            process.stdin.flush()

    @staticmethod
    def stop_process(process):
        """The instant from which on it does nothing any more."""
        process.send_signal(signal.SIGSTOP)
        harness.wait_until(lambda: harness.is_stopped(process))
        return time.monotonic_ns()

    @staticmethod
    def wait_for_switches(process, count, pause_s=0.01):
        """Waits until the process has gone to sleep so often."""
        def has_slept():
            return switches_of(process.pid) >= count

        harness.wait_until(has_slept, pause_s=pause_s)

    def settle(self, reader):
        """Waits until the reader has received everything."""
        def nothing_comes():
            before = switches_of(reader.pid)
            if not waits(reader.pid):
                return False
            time.sleep(0.05)
            return waits(reader.pid) and switches_of(reader.pid) == before

        harness.wait_until(nothing_comes)

    def run_to_end(self, name, *arguments, limit_s=60, **how):
        """Runs a program of the tests to its successful end."""
        return self.join(self.start(name, *arguments, **how), limit_s)

    def join(self, process, limit_s=60):
        """Waits for the success of a process."""
        out, err = process.communicate(timeout=harness.PATIENCE * limit_s)
        self.assertEqual((process.returncode, err), (0, ""), process.args)
        return out

    def end(self, *processes):
        """Ends servers of the tests, which report no error."""
        for process in processes:
            status = end(process)
            self.assertEqual((status, process.stderr.read()), (0, ""), process.args)

    @contextlib.contextmanager
    def attached(self, *arguments, stop=True, env=None):
        """Traces while the block runs, and checks all that must always hold but incomplete messages."""
        attachment = Attachment(self, arguments, env)
        attachment.wait_until_tracing()
        yield attachment
        (attachment.stop if stop else attachment.finish)()
        self.assertEqual(attachment.status, 0, attachment.err)
        self.check_attachment(attachment)

    def check_attachment(self, attachment):
        """Checks the model's invariants for every message, and that sums agree."""
        self.check_records(attachment.messages)
        self.check_counts(attachment.summary, attachment.messages)
        self.check_channels(attachment.summary, attachment.messages)
        if attachment.messages:
            self.check_statistics(attachment.summary, attachment.messages)
        if attachment.summary["calls"]:
            self.check_calls(attachment.summary)

    def check_records(self, messages):
        for message in messages:
            with harness.in_message(message):
                self.check_record(message)
        names = [(message["channel"], message["seq"]) for message in messages]
        self.assertEqual(len(set(names)), len(names), "channel and seq are unique")

    def check_record(self, message):
        for absent in ("return_ns", "stamp_ns", "to_server"):
            self.assertIsNone(message[absent])
        # In a round, the sender's loop is known, too; it comes before the latency.
        of_round = [message[field] is not None for field in ("round", "client", "dispatch_ns")]
        self.assertIn(of_round, ([True] * 3, [False] * 3))
        self.check_sum(message, COMPONENTS)
        instants = [message[k + "_ns"] for k in ("send", "queued", "recv")]
        send, queued, recv = instants
        self.assertEqual(instants, sorted(instants), "order of instants")
        self.assertEqual(recv - send, message["latency_ns"])
        self.assertEqual(queued - send, message["send_path_ns"] + message["room_ns"])
        self.check_blame(message)
        self.assertIn(message["path"], PATHS)
        self.assertIn(message["match"], MATCHES)
        self.assertGreaterEqual(message["receives"], 1)

    def check_counts(self, summary, messages):
        """Every sent message is matched, or incomplete with the reason. Nothing is lost."""
        self.assertEqual(summary["schema"], "ipctrace.summary/1")
        self.assertEqual((summary["mode"], summary["workload"]), ("attach", None))
        integrity = summary["integrity"]
        incomplete = sum(integrity["incomplete"].values())
        self.assertEqual(integrity["sent"], integrity["matched"] + incomplete, integrity)
        self.assertEqual(integrity["residual_ns_max"], 0, integrity)
        harness.demand_no_recursion(integrity)
        losses = {reason for reason, count in integrity["losses"].items() if count}
        self.assertEqual((integrity["lost"], losses), (0, set()), integrity)
        self.assertEqual(len(messages), integrity["matched"], "messages of the recording")
        self.assertEqual(sum(summary["paths"].values()), integrity["matched"], "paths")
        self.assertEqual({k: n for k, n in summary["matches"].items() if n},
                         dict(collections.Counter(m["match"] for m in messages)), "matches")

    def check_channels(self, summary, messages):
        """Every message is in one channel of the list, or in one of several that are folded."""
        counts = collections.Counter(m["channel"] for m in messages)
        listed = summary["channels"]
        self.assertEqual(sum(c["messages"] for c in listed), len(messages), "messages of channels")
        self.assertEqual(sum(c["bytes"] for c in listed), sum(m["bytes"] for m in messages))
        for channel in listed:
            if channel["channels"] == 1:
                self.assertEqual(channel["messages"], counts.get(channel["id"], 0), channel)
                self.assertEqual(channel["messages"], channel["latency_ns"]["count"], channel)
        activity = [c["messages"] for c in listed if c["channels"] == 1]
        self.assertEqual(activity, sorted(activity, reverse=True), "most active first")

    def check_statistics(self, summary, messages):
        self.check_stat(summary["latency_ns"], [m["latency_ns"] for m in messages], "latency")
        self.check_means(summary, messages, COMPONENTS)
        for absent in ("dispatch", "return"):
            self.assertIsNone(summary["components_ns"][absent], absent)
        self.assertEqual(sum(blame["ns"] for blame in summary["blame"]),
                         sum(m["runqueue_ns"] or 0 for m in messages), "blame in total")

    def check_calls(self, summary):
        """
        The parts of the round trip and of the service add up. A service is not cut if another thread
        answers, if another thread may have taken the request, or if its history is inconsistent because
        the kernel hides a task.
        """
        calls, integrity = summary["calls"], summary["integrity"]
        if not calls["count"]:
            return
        parts = sum(calls[part + "_ns"]["mean"] for part in ("request", "service", "response"))
        self.assert_near(parts, calls["round_trip_ns"]["mean"], "parts of the calls")
        for part in ("request", "service", "response", "round_trip"):
            self.assertEqual(calls[part + "_ns"]["count"], calls["count"], part)
        if calls["components_ns"]:
            ways_ns = calls["request_ns"]["mean"] + calls["response_ns"]["mean"]
            cut_ns = sum(ns or 0 for ns in calls["components_ns"].values())
            if calls["components_count"] == calls["count"]:
                self.assert_near(cut_ns, ways_ns, "components of the calls")
            else:
                self.assertLess(calls["components_count"], calls["count"])
                self.assertLess(cut_ns * calls["components_count"], ways_ns * calls["count"])
        states = calls["service_ns"]["states_ns"]
        unseen = integrity["unseen_switches"] + integrity["unseen_wakeups"]
        others = self.answered_by_others * calls["count"] + summary["matches"]["ambiguous"]
        self.assertLessEqual(calls["count"] - (states["count"] if states else 0), others + unseen,
                             f"calls that are not cut: {calls}, {integrity}")
        if not states:
            return
        self.assert_near(sum(blame["ns"] for blame in calls["service_blame"]) / max(1, states["count"]),
                         states["runqueue"], "blame for the run queue of the service")
        if states["count"] == calls["count"]:
            self.assert_near(sum(states[s] for s in ("on_cpu", "runqueue", "blocked", "wakeup")),
                             calls["service_ns"]["mean"], "states of the service")

    def check_whole(self, attachment, count=None, **allowed):
        """No message is incomplete, except so many for each reason. With a count, so many were sent."""
        integrity = attachment.summary["integrity"]
        for reason, number in integrity["incomplete"].items():
            self.assertLessEqual(number, allowed.get(reason, 0), f"{reason} of {integrity}")
        if count is not None:
            self.assertEqual(integrity["sent"], count, integrity)

    def demand_known_start(self, attachment):
        """
        A target that read the line that lets it go before the test's write had ended: then it is not known what
        was in its stdin before.
        """
        if attachment.summary["integrity"]["incomplete"]["unknown_start"] == 1:
            raise patience.NotNear("a line was read before its write had ended")

    def check_in_turn(self, pairs, records):
        """The bytes of a stream stay in order: every record belongs to a pair (send, receive, ...)."""
        enters = [send.enter_ns for send, *_ in pairs]
        for record in records:
            send, receive, *_ = pairs[bisect.bisect_right(enters, record["send_ns"]) - 1]
            text = f"{record}, not {send} to {receive}"
            self.assertTrue(send.enter_ns <= record["send_ns"] <= send.exit_ns, text)
            self.assertTrue(receive.enter_ns <= record["recv_ns"] <= receive.exit_ns, text)
            self.assertIn(record["match"], SURE, text)

    def truth(self):
        """The logs of the programs, which must have ended."""
        return truth.Truth(self.logs)

    def check_right(self, noted, records, matches=SURE):
        """
        Every record joins a send and a receive that belong together, by the ids in their messages, unless
        the record is marked as uncertain. Only a machine that delays a thread before it reports its call
        leads to other marks than the given ones.
        """
        wrong = [(record, why) for record, why in noted.wrong(records) if record["match"] in SURE]
        text = f"{len(wrong)} of {len(records)} messages are joined wrongly"
        self.assertEqual(wrong[:3], [], text)
        others = collections.Counter(record["match"] for record in records
                                     if record["match"] not in matches)
        self.assertLessEqual(set(others), {"ambiguous"})
        if others:
            raise patience.NotNear(f"{others} of {len(records)} messages")


def connect_namespace(pid, version=4):
    """Connects a process's network namespace with this one, until the process ends. Its address."""
    name, number = f"ipct{uuid.uuid4().hex[:6]}", os.getpid() % (1 << 14)
    if version == 6:
        subnet, bits, how = f"fd00:18:{number:x}::", 64, "nodad"
        here, there = subnet + "1", subnet + "2"
    else:
        bits, how = 30, ""
        here, there = (f"198.18.{number >> 6}.{4 * (number & 63) + host}" for host in (1, 2))
    inside = f"nsenter -t {pid} -n"
    subprocess.run(["sh", "-ec", f"""
        ip link add {name} type veth peer name inside netns {pid}
        ip address add {here}/{bits} dev {name} {how}
        ip link set {name} up
        {inside} ip address add {there}/{bits} dev inside {how}
        {inside} ip link set inside up"""], check=True)
    return there


def free_port():
    """A port that no program of this machine uses at present."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def fds_of(pid):
    """The number of open files of a process."""
    return len(os.listdir(f"/proc/{pid}/fd"))
