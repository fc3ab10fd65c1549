# SPDX-License-Identifier: BSD-2-Clause
"""Runs the program for the end-to-end tests, and checks what must hold in every run.

A run that cannot be traced fails with the program's message. It is never skipped.
"""

import atexit
import contextlib
import errno
import json
import os
import re
import shutil
import signal
import subprocess
import tempfile
import time
import unittest
import uuid
from unittest import mock

import limits
import model
import patience

PROGRAM = os.environ.get("IPCTRACE_PROGRAM", "build/ipctrace")

NOBODY = 65534

# Why a push drops a client that got no CPU until its queue was full. So many runs may have one.
QUEUE_FULL = ("send_failed", errno.EAGAIN)
STARVED_RUNS = 5

# Limits find programs that hang. On a busy machine a program may take so many times as long.
PATIENCE = 4

# Only these tests use this user id, so that they see only what their own runs leave behind.
STRANGER = 1_000_000 + uuid.uuid4().int % 1_000_000_000

# The environment of a run for them.
AS_STRANGER = {"SUDO_UID": str(STRANGER), "SUDO_GID": str(STRANGER)}

# This variable in its environment marks every process of these tests.
MARK = f"IPCTRACE_TEST={uuid.uuid4()}"


# tests/run sets the limits for all programs; a program that runs alone sets them itself.
LIMITS = contextlib.ExitStack()
LIMITS.enter_context(limits.lengthened(limits.QUEUE_LENGTHS))
atexit.register(LIMITS.close)


@contextlib.contextmanager
def in_message(message):
    """A failure names its message. The text is made only then: there are a million messages."""
    try:
        yield
    except AssertionError as why:
        raise AssertionError(f"{why} in {json.dumps(message)}") from None


# A machine that gives the program no CPU for seconds is no failure of it. No test is about this warning.
LATE = re.compile(r"^ipctrace: warning: tracing began late: .*\n", re.MULTILINE)


class Result:
    """Exit status and output of the program."""

    def __init__(self, status, out, err):
        self.status = status
        self.out = out
        self.err = LATE.sub("", err)

    def json(self):
        return json.loads(self.out)


def environment(extra=None):
    """This environment without the variables of sudo, with the mark and with `extra`."""
    env = {k: v for k, v in os.environ.items() if not k.startswith("SUDO_")}
    name, value = MARK.split("=")
    env.update({name: value, "LC_ALL": "C"}, **(extra or {}))
    return env


def start(*arguments, env=None, uid=None):
    """The running program, in a process group of its own."""
    command = [PROGRAM, *map(str, arguments)]
    if uid is not None:
        command = ["setpriv", f"--reuid={uid}", f"--regid={uid}", "--clear-groups", *command]
    return subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                            stderr=subprocess.PIPE, text=True, env=environment(env),
                            start_new_session=True)


def finish(process, limit_s=60):
    """Waits for the program to end. A program that hangs is killed, and the test fails."""
    limit_s *= PATIENCE
    try:
        out, err = process.communicate(timeout=limit_s)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        out, err = process.communicate()
        raise AssertionError(f"it still ran after {limit_s} s; it said: {err}") from None
    return Result(process.returncode, out, err)


def ipctrace(*arguments, env=None, uid=None, limit_s=60):
    """Runs the program to its end."""
    return finish(start(*arguments, env=env, uid=uid), limit_s)


def state_of(task):
    """The letter for the state of a thread or process (proc_pid_stat(5)), given its folder in /proc."""
    with open(f"{task}/stat", encoding="utf-8", errors="replace") as stat:
        return stat.read().rpartition(")")[2].split()[0]


def is_stopped(process):
    """Whether a signal has stopped it."""
    return state_of(f"/proc/{process.pid}") == "T"


def peak_kb(process):
    """The largest resident set so far; 0 once the process has ended."""
    try:
        with open(f"/proc/{process.pid}/status", encoding="utf-8") as status:
            return next((int(line.split()[1]) for line in status if line.startswith("VmHWM")), 0)
    except OSError:
        return 0


def anonymous_kb(process):
    """Its private memory at present, without the ring that it shares with the kernel."""
    with open(f"/proc/{process.pid}/status", encoding="utf-8") as status:
        return next((int(line.split()[1]) for line in status if line.startswith("RssAnon")), 0)


def peak_kb_of(process, limit_s):
    """The largest resident set until it ends, or for so many seconds."""
    peak, started = 0, time.monotonic()
    while process.poll() is None and time.monotonic() - started < limit_s:
        peak = max(peak, peak_kb(process))
        time.sleep(0.02)
    return peak


def read_ndjson_calls(text, truncated=False):
    """(headers, messages, calls) of -f ndjson. The last line must say whether the output is complete."""
    *lines, end = [json.loads(line) for line in text.splitlines()]
    headers = [line for line in lines if "schema" in line]
    messages, calls = ([line for line in lines if line.get("kind") == kind]
                       for kind in ("message", "call"))
    said = (end["end"], end["truncated"], end["runs"], end["messages"], end["calls"])
    if said != ("ipctrace.messages/1", truncated, len(headers), len(messages), len(calls)):
        raise AssertionError(f"{len(messages)} messages of {len(headers)} runs end with {end}")
    for call in calls:
        check_call(call)
    return headers, messages, calls


def check_call(call):
    """The parts add up, and so do the states of the service."""
    parts = [call[part + "_ns"] for part in ("request", "service", "response")]
    states = [call[state + "_ns"] for state in ("on_cpu", "runqueue", "blocked", "wakeup")]
    if sum(parts) != call["round_trip_ns"] or min(parts) < 0:
        raise AssertionError(f"the parts of a call do not add up: {call}")
    if not call["response_first_ns"] <= call["response_ns"]:
        raise AssertionError(f"the first part of an answer comes last: {call}")
    if None not in states and sum(states) != call["service_ns"]:
        raise AssertionError(f"the states of a service do not add up: {call}")


def read_ndjson(text, truncated=False):
    """The same without the calls."""
    return read_ndjson_calls(text, truncated)[:2]


class Run:
    """A run that was recorded: its summary, and every message of its recording."""

    def __init__(self, path, result):
        self.path = path
        self.result = result
        self.summary = result.json()
        messages = ipctrace("report", path, "-f", "ndjson")
        if messages.status:
            raise AssertionError(f"report of the recording failed: {messages.err}")
        self.messages = read_ndjson(messages.out)[1]


def starved(summary):
    """The clients of a push that were dropped as their queue was full. No other pattern drops a client."""
    return [client["client"] for client in summary["clients"]
            if summary["workload"]["pattern"] == "push" and client["left"]
            and (client["left"]["reason"], client["left"]["detail"]) == QUEUE_FULL]


def demand_kept_up(summary, stopped=None):
    """All clients but the stopped one got the CPU before their queues were full."""
    dropped = [client for client in starved(summary) if client != stopped]
    if dropped:
        raise patience.NotNear(f"clients {dropped} got no CPU until their queues were full")


def demand_no_recursion(integrity):
    """An interrupt that comes while a program of the kernel's runs is counted, and rare."""
    if {reason for reason, count in integrity["losses"].items() if count} == {"recursion"}:
        raise patience.NotNear(f"{integrity['lost']} events were skipped by the kernel")


class TestCase(patience.Patient, unittest.TestCase):
    """A test with a folder of its own, and the checks that every run must pass."""

    longMessage = True

    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.mkdtemp(prefix="test-ipctrace-")
        os.chmod(cls.folder, 0o755)
        cls.addClassCleanup(shutil.rmtree, cls.folder)

    def file(self, name):
        return os.path.join(self.folder, name)

    def remove_all_but(self, names):
        """Removes the files of a test, so that its next try can make files and sockets of the same names."""
        for name in set(os.listdir(self.folder)).difference(names):
            path = self.file(name)
            if os.path.isdir(path) and not os.path.islink(path):
                shutil.rmtree(path)
            else:
                os.unlink(path)

    def program_for_all(self):
        """Until the test ends, the program is a copy that every user can run."""
        copied = mock.patch(f"{__name__}.PROGRAM", shutil.copy(PROGRAM, self.folder))
        copied.start()
        self.addCleanup(copied.stop)

    def mount(self, *how):
        """Mounts until the test ends. The unmount is lazy, as stress-ng may use every mount."""
        subprocess.run(["mount", *how], check=True)
        self.addCleanup(subprocess.run, ["umount", "--lazy", how[-1]], check=True)

    def measure(self, *arguments, env=None, limit_s=60, record=None):
        """Runs, records, and checks every message and the summary. Each takes one receive call."""
        run = self.measure_links(*arguments, env=env, limit_s=limit_s, record=record)
        self.assertEqual({m["receives"] for m in run.messages}, {1})
        return run

    def measure_links(self, *arguments, env=None, limit_s=60, record=None):
        """The same for byte streams, where a message may take several receive calls."""
        path = record or self.file(f"{uuid.uuid4().hex[:8]}.ipct")
        for _ in range(STARVED_RUNS):
            result = ipctrace(*arguments, "--record", path, "-f", "json", env=env, limit_s=limit_s)
            if not result.out or not starved(result.json()):
                break
        else:
            demand_kept_up(result.json())
        self.check_quiet(result)
        run = Run(path, result)
        self.check_every_record(run.messages)
        self.check_summary(run.summary, run.messages)
        return run

    def check_nothing_is_lost(self, summary):
        """Every message of a run without a limit for its reader is there, whatever it had to wait for."""
        integrity, observer = summary["integrity"], summary["observer"]
        self.assertEqual((integrity["lost"], integrity["matched"]), (0, integrity["sent"]), integrity)
        self.assertEqual(observer["pauses"] > 0, observer["paused_ns"] > 0, observer)
        self.assertEqual(integrity["residual_ns_max"], 0)
        counts = {stat["count"] for stat in summary["components_ns"].values() if stat}
        self.assertEqual(counts, {integrity["matched"]})

    def check_quiet(self, result):
        """Success, and nothing on stderr, as it is no terminal."""
        self.assertEqual((result.status, result.err), (0, ""), "exit status and stderr")

    def check_error(self, result, *words, status=1):
        """The status, and one line on stderr with all of these words."""
        self.assertEqual((result.status, result.err.count("\n")), (status, 1), result.err)
        for word in words:
            self.assertIn(word, result.err)

    def check_refused(self, result, *words, status=1):
        """The same, and nothing on stdout."""
        self.check_error(result, *words, status=status)
        self.assertEqual(result.out, "")

    def check_every_record(self, messages, shows_switch=True):
        """The model's invariant, and what follows from how a message travels."""
        for message in messages:
            with in_message(message):
                self.check_components(message, shows_switch)
                self.check_instants(message)
                self.check_blame(message)
                self.assertEqual(message["match"], "exact")
        for key in (("channel", "seq"), ("client", "to_server", "round")):
            names = [tuple(message[k] for k in key) for message in messages]
            self.assertEqual(len(set(names)), len(names), f"{key} is unique")

    def check_components(self, message, shows_switch):
        if not shows_switch:
            self.assertIsNone(message["switch_ns"])
        self.check_sum(message, model.COMPONENTS)

    def check_sum(self, message, components):
        """The components add up, without unseen switches and wake-ups: check_unseen() counts these."""
        total = 0
        for component in components:
            value = message[component + "_ns"]
            if value is None and component in ("switch", "runqueue"):
                continue
            self.assertIs(type(value), int, component)
            self.assertGreaterEqual(value, 0, component)
            total += value
        self.assertEqual(total, message["latency_ns"], "sum of components")

    def check_instants(self, message):
        names = ("stamp", "send", "queued", "recv", "user")
        if message["stamp_ns"] is None:  # a flood's receivers note nothing
            message = message | {"stamp_ns": message["send_ns"], "user_ns": message["recv_ns"]}
        instants = [message[k + "_ns"] for k in names]
        stamp, send, queued, recv, user = instants
        self.assertEqual(instants, sorted(instants), "order of instants")
        self.assertEqual(user - stamp, message["latency_ns"])
        self.assertEqual(send - stamp, message["dispatch_ns"])
        self.assertEqual(queued - send, message["send_path_ns"] + message["room_ns"])
        self.assertEqual(user - recv, message["return_ns"])

    def check_blame(self, message):
        shares = [blame["ns"] for blame in message["blame"]]
        self.assertEqual(sum(shares), message["runqueue_ns"] or 0, "sum of blame")
        self.assertTrue(all(type(share) is int and share > 0 for share in shares))

    def check_integrity(self, summary, history_lost=0):
        """Every message is matched, but for so many whose receiver's history was lost, and adds up."""
        integrity = summary["integrity"]
        incomplete = dict(integrity["incomplete"])
        self.assertEqual(integrity["sent"], integrity["matched"] + sum(incomplete.values()), integrity)
        demand_no_recursion(integrity)
        self.assertLessEqual(incomplete.pop("history_lost"), history_lost, integrity)
        self.assertEqual(set(incomplete.values()), {0}, integrity)
        self.assertEqual(integrity["lost"], 0, integrity)
        self.assertEqual(set(integrity["losses"].values()), {0}, integrity)
        self.assertEqual(integrity["residual_ns_max"], 0, integrity)
        self.assertFalse(integrity["truncated"], integrity)

    def check_summary(self, summary, messages, shows_switch=True, history_lost=0):
        """The summary's figures are those of its messages."""
        self.assertEqual(summary["schema"], "ipctrace.summary/1")
        self.check_integrity(summary, history_lost)
        matched = summary["integrity"]["matched"]
        self.assertEqual(len(messages), matched, "messages of the recording")
        self.assertEqual(sum(summary["paths"].values()), matched, "paths")
        self.check_stat(summary["latency_ns"], [m["latency_ns"] for m in messages], "latency")
        if shows_switch:
            self.check_unseen(summary["integrity"]["unseen_switches"], messages, "switch_ns")
        else:
            self.assertIsNone(summary["components_ns"]["switch"], "switch")
        self.check_unseen(summary["integrity"]["unseen_wakeups"], messages, "runqueue_ns")
        self.check_means(summary, messages, [component for component in model.COMPONENTS
                                             if shows_switch or component != "switch"])
        self.assertEqual(sum(blame["ns"] for blame in summary["blame"]),
                         sum(m["runqueue_ns"] or 0 for m in messages), "blame of the whole run")

    def check_means(self, summary, messages, components):
        means = 0
        for component in components:
            stat = summary["components_ns"][component]
            self.check_stat(stat, [m[component + "_ns"] or 0 for m in messages], component)
            means += stat["mean"]
        self.assert_near(means, summary["latency_ns"]["mean"], "means of the components add up")

    def check_unseen(self, count, messages, component):
        """
        The kernel sometimes does not show a switch or a wakeup. The program counts these, and they are rare,
        unless the machine is busy with tasks that hide them. One can concern many messages: all that wait for
        the same receiver.
        """
        self.assertGreaterEqual(count, sum(m[component] is None for m in messages), component)
        times, last = 0, {}
        for message in sorted(messages, key=lambda m: m["recv_ns"]):
            unseen = message[component] is None
            times += unseen and not last.get(message["receiver_tid"])
            last[message["receiver_tid"]] = unseen
        shown = len(messages) - times
        patience.demand(shown, 0.9 * len(messages) - 2, f"{component}, of {count} unseen")

    def check_stat(self, stat, values, what):
        self.assertEqual(stat["count"], len(values), what)
        self.assertTrue(values, f"{what}: something was measured")
        self.assertEqual((stat["min"], stat["max"]), (min(values), max(values)), what)
        self.assert_near(stat["mean"], sum(values) / len(values), what)

    def assert_near(self, got, expected, what):
        """Equal up to the 15 digits with which doubles are printed."""
        self.assertLessEqual(abs(got - expected), 1e-9 * max(1, abs(expected)),
                             f"{what}: {got} is not {expected}")


def children_of(pid):
    """{pid: name} of the children of a process."""
    children = {}
    for entry in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{entry}/stat", encoding="utf-8", errors="replace") as stat:
                text = stat.read()
        except OSError:
            continue
        name, rest = text[text.index("(") + 1:].rsplit(")", 1)
        if int(rest.split()[1]) == pid:
            children[int(entry)] = name
    return children


def wait_until(condition, limit_s=30, pause_s=0.01):
    """The first true value of `condition()`."""
    limit_s *= PATIENCE
    end = time.monotonic() + limit_s
    while True:
        value = condition()
        if value:
            return value
        if time.monotonic() > end:
            raise AssertionError(f"'{condition.__name__}' did not become true in {limit_s} s")
        time.sleep(pause_s)


def wait_for_rounds(process, clients, rounds=3):
    """Waits until the workload's processes exist and its server has finished some rounds."""
    def all_forked():
        if process.poll() is not None:
            raise AssertionError(f"it ended early: {process.communicate()[1]}")
        children = children_of(process.pid)
        # A process that was just forked still has its parent's name.
        named = [name for name in children.values() if name.startswith("ipctrace-")]
        return children if len(named) == clients + 1 and "ipctrace-server" in named else None

    children = wait_until(all_forked)
    server = next(pid for pid, name in children.items() if name == "ipctrace-server")
    before = switches_of(server)

    def rounds_passed():
        return switches_of(server) >= before + rounds + 3

    wait_until(rounds_passed)
    return children


def switches_of(pid):
    """How often a thread went to sleep."""
    with open(f"/proc/{pid}/status", encoding="utf-8") as status:
        for line in status:
            if line.startswith("voluntary_ctxt_switches"):
                return int(line.split()[1])
    return 0


def left_processes():
    """{pid: command} of the processes of these tests that still exist."""
    left = {}
    for entry in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{entry}/environ", "rb") as environ:
                marked = MARK.encode() in environ.read().split(b"\0")
            with open(f"/proc/{entry}/comm", encoding="utf-8", errors="replace") as comm:
                if marked:
                    left[int(entry)] = comm.read().strip()
        except OSError:
            continue
    return left


def left_directories():
    """Socket directories of STRANGER: the user of the workload in tests that look for them."""
    left = []
    for name in os.listdir("/tmp"):
        try:
            if name.startswith("ipctrace-") and os.stat(f"/tmp/{name}").st_uid == STRANGER:
                left.append(f"/tmp/{name}")
        except OSError:
            continue
    return left


def remove_left_directories():
    """Lets the next run of STRANGER remove them, as a killed program cannot."""
    wait_until(lambda: not left_processes())
    result = ipctrace("--no-trace", "--policy", "other", "--messages", 1, "--warmup", 0,
                      env=AS_STRANGER)
    if result.status or left_directories():
        raise AssertionError(f"the next run has left {left_directories()}: {result.err}")


BPF_KINDS = ("prog", "map", "link")


def held_bpf(pid):
    """{(kind, id)} of the BPF objects that a process holds by a descriptor."""
    held = set()
    try:
        entries = os.listdir(f"/proc/{pid}/fdinfo")
    except OSError:
        return held
    for entry in entries:
        try:
            with open(f"/proc/{pid}/fdinfo/{entry}", encoding="utf-8") as info:
                fields = [line.split() for line in info]
        except OSError:
            continue
        ids = {field[0]: field[1] for field in fields if len(field) == 2}
        kind = next((k for k in ("link", "prog", "map") if f"{k}_id:" in ids), None)
        if kind:
            held.add((kind, int(ids[f"{kind}_id:"])))
    return held


def ask_bpftool(*words):
    """bpftool fails if another process changes an object meanwhile: then it is asked again."""
    tool = shutil.which("bpftool") or "/usr/sbin/bpftool"
    until = time.monotonic() + 30 * PATIENCE
    while True:
        shown = subprocess.run([tool, *map(str, words), "-j"], capture_output=True, text=True)
        if not shown.returncode:
            return json.loads(shown.stdout or "[]")
        if time.monotonic() > until:
            raise AssertionError(f"bpftool {words} failed: {shown.stderr or shown.stdout}")
        time.sleep(0.05)


def list_bpf(kind):
    return ask_bpftool(kind, "list")


def map_entries(pid, name):
    """The number of entries of a map of a process."""
    held = held_bpf(pid)
    number, = (entry["id"] for entry in list_bpf("map")
               if entry.get("name") == name and ("map", entry["id"]) in held)
    return len(ask_bpftool("map", "dump", "id", number))


def living_bpf():
    """{(kind, id)} of all BPF objects of the machine."""
    return {(kind, entry["id"]) for kind in BPF_KINDS for entry in list_bpf(kind)}


def left_bpf(before):
    """BPF objects that are not in `before` and that no process holds: they were leaked or pinned."""
    fresh = living_bpf() - before
    for entry in filter(str.isdigit, os.listdir("/proc")):
        if not fresh:
            break
        fresh -= held_bpf(entry)
    return fresh


def wait_until_nothing_left(bpf_before):
    """Waits until no process of these tests exists, and a moment later no further BPF object."""
    def no_process_left():
        return not left_processes()

    def no_bpf_left():
        return not left_bpf(bpf_before)

    wait_until(no_process_left)
    wait_until(no_bpf_left, pause_s=0.1)
