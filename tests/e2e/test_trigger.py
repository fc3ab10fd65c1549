# SPDX-License-Identifier: BSD-2-Clause
"""--trigger, --stop-at and --on-slow: what is done about a message that is slow at some moment."""

import json
import os
import shutil
import signal
import subprocess
import sys
import time

import attach
import harness
import patience
import tap

STALLS = os.path.join(attach.PROGRAMS, "stalls.py")
STALL_MS = 150
KEEP_MS = 300
COUNTED_MS = 10  # the same where windows are counted
LIMIT = f"latency>{STALL_MS * 2 // 3}ms"  # the first message behind the stall waits for most of it
RUN = ("--clients", 3, "--messages", 300, "--warmup", 10, "--period", "2ms")

ROOM_KB = 64 << 10  # for records in memory
FILLS_S = 60
STOPPED_S = 3  # in which ipctrace gets no CPU: the workload pauses before
STOPS = 3

# Of a round, and of a call, the number counts from the start of a window.
NUMBERS = ("round", "client", "call", "parent")


def text_of(line):
    """Of a message at the end of a window it may not be known that it belongs to a round."""
    return json.dumps({name: value for name, value in line.items() if name not in NUMBERS}, sort_keys=True)


def demand_known_begin(line, is_exact):
    """Only where the window lacks what had the CPU as it began may a line differ, and that is measured again."""
    if not is_exact and any(share["class"] == "unknown" for share in line.get("blame") or ()):
        raise patience.NotNear("a window began while a thread that never sleeps had a CPU")


def begin_ns(message, dispatch=True):
    """A round of an attach begins before its messages."""
    return message["send_ns"] - (message["dispatch_ns"] or 0 if dispatch else 0)


class Windows(harness.TestCase):
    """A live attach shows all messages; its recording has those around a stall."""

    def record(self, seconds, *options):
        """All messages and calls, those in the recording, what the summary says of it, and the stall."""
        path, live = self.file("windows.ipct"), self.file("all.ndjson")
        result = harness.ipctrace("attach", "-v", "--record", path, "-f", "ndjson", "-o", live, *options,
                                  "--", sys.executable, STALLS, seconds, STALL_MS)
        self.assertIn(result.status, (0, 143), result.err)  # --count ends the command
        with open(live, encoding="utf-8") as file:
            everything = harness.read_ndjson_calls(file.read())[1:]
        report = harness.ipctrace("report", path, "-f", "ndjson")
        self.check_quiet(report)
        summary = harness.ipctrace("report", path, "-f", "json").json()
        return everything, harness.read_ndjson_calls(report.out)[1:], summary, int(result.out or 0)

    def check_exact(self, everything, windows):
        """What is in a window is as if everything had been recorded."""
        for whole, part in zip(everything, windows):
            known = {text_of(line) for line in whole} | {text_of({**line, "dispatch_ns": None}) for line in whole}
            for line in part:
                demand_known_begin(line, text_of(line) in known)
                self.assertIn(text_of(line), known)

    def check_complete(self, everything, windows, triggers):
        """No message is missing from the start of a window to the end of its trigger."""
        there = {(m["channel"], m["seq"]) for m in windows}
        for trigger in triggers:
            from_ns = trigger["at_ns"] - trigger["value_ns"] - KEEP_MS * 1_000_000
            for message in everything:
                if from_ns <= begin_ns(message) and message["recv_ns"] <= trigger["at_ns"]:
                    self.assertIn((message["channel"], message["seq"]), there)

    def test_stall(self):
        """a stalled receiver is in the file, with its neighbours, and the rest is not"""
        everything, windows, summary, stall_ns = self.record(4, "--trigger", LIMIT, "--keep",
                                                             f"{KEEP_MS}ms")
        keeps = summary["recording_keeps"]
        slow = [t for t in keeps["triggers"] if t["at_ns"] - t["value_ns"] <= stall_ns + STALL_MS * 1_000_000
                and t["at_ns"] >= stall_ns]
        patience.demand(len(slow), 1, "messages behind the stall")
        self.check_exact(everything, windows)
        self.check_complete(everything[0], windows[0], keeps["triggers"])
        self.assertEqual(keeps["window_messages"], len(windows[0]))
        self.assertEqual(summary["integrity"]["matched"], len(everything[0]))
        self.assertEqual(keeps["shortened"], 0)
        others = {m["channel"] for m in windows[0] if m["recv_ns"] < slow[0]["at_ns"]}
        self.assertGreaterEqual(len(others), 4, "the other channels are there")
        self.assertGreater(len(windows[1]), 0, "calls are there, too")
        patience.demand(len(everything[0]) - len(windows[0]), 100, "messages outside of windows")
        slowest = max(windows[0], key=lambda message: message["latency_ns"])
        if slowest["recv_ns"] not in {trigger["at_ns"] for trigger in slow}:
            raise patience.NotNear("another message than those behind the stall was the slowest")
        explained = harness.ipctrace("explain", self.file("windows.ipct"), "--unit", "message", "--slowest", 1)
        self.check_quiet(explained)
        self.assertIn("nanosleep", explained.out)

    def test_calls(self):
        """a call is the trigger, and tracing ends after so many windows"""
        everything, windows, summary, _ = self.record(
            5, "--trigger", "round_trip>1us and service>1ns or room>1m", "--keep", f"{COUNTED_MS}ms",
            "--count", 2)
        self.check_exact(everything, windows)
        self.assertEqual(summary["ended"]["by"], "count")
        keeps = summary["recording_keeps"]
        self.assertEqual({t["kind"] for t in keeps["triggers"]}, {"call"})
        at_ns = sorted(t["at_ns"] for t in keeps["triggers"])
        gaps_ns = [after - before for before, after in zip(at_ns, at_ns[1:])]
        # The next call comes at once, if its threads get the CPU.
        self.assertIn(keeps["windows"], (1,) if max(gaps_ns, default=0) <= COUNTED_MS * 1_000_000 else (1, 2))
        self.assertGreater(len(windows[1]), 0)


class Run(harness.TestCase):
    """A run has windows of its own."""

    def check_exact(self, transport, pattern):
        """A message in a window is as if everything had been recorded."""
        path = self.file("run.ipct")
        live = harness.ipctrace("--transport", transport, "--pattern", pattern, *RUN, "--keep", "5ms",
                                "--trigger", "latency>60us", "--record", path, "-f", "ndjson")
        self.check_quiet(live)
        report = harness.ipctrace("report", path, "-f", "ndjson")
        self.check_quiet(report)
        known = set(live.out.splitlines()[1:-1])
        lines = report.out.splitlines()[1:-1]
        for line in lines:
            demand_known_begin(json.loads(line), line in known)
        self.assertLessEqual(set(lines), known)
        patience.demand(len(lines), 1, "messages in windows")

    def test_exact_datagrams(self):
        """a datagram in a window is as if everything had been recorded"""
        self.check_exact("uds", "push")

    def test_exact_requests(self):
        """a request in a window is as if everything had been recorded"""
        self.check_exact("uds-stream", "request")

    def test_exact_connections(self):
        """a message of a short connection in a window is as if everything had been recorded"""
        self.check_exact("tcp", "connect")

    def test_exact_shared_memory(self):
        """a message in shared memory in a window is as if everything had been recorded"""
        self.check_exact("shm", "pingpong")

    def test_rounds(self):
        """first, next and last are those of a round"""
        path = self.file("rounds.ipct")
        live = harness.ipctrace(*RUN, "--trigger", "last>1ns", "--record", path, "-f", "json")
        self.check_quiet(live)
        keeps = harness.ipctrace("report", path, "-f", "json").json()["recording_keeps"]
        self.assertEqual({t["quantity"] for t in keeps["triggers"]}, {"last"})
        self.assertGreater(keeps["windows"], 0)


class Stop(harness.TestCase):
    """--stop-at ends tracing at the first slow message."""

    def test_attach(self):
        """the message is explained, and the status is 3"""
        started = time.monotonic()
        result = harness.ipctrace("attach", "-v", "--stop-at", f"{STALL_MS * 2 // 3}ms", "--", sys.executable,
                                  STALLS, 8, STALL_MS)
        self.assertEqual(result.status, 3, result.err)
        self.assertIn("the attach has ended: --stop-at was reached", result.err)
        self.assertIn("its parts", result.out)
        self.assertLess(time.monotonic() - started, harness.PATIENCE * 30)

    def test_run(self):
        """a run ends too, with a condition of any quantity"""
        result = harness.ipctrace(*RUN[:3], 100000, *RUN[4:], "--stop-at", "runqueue>1ns or busy>1ns", "-f",
                                  "json")
        self.assertEqual(result.status, 3, result.err)
        summary = result.json()
        self.assertEqual((summary["ended"]["by"], summary["ended"]["early"]), ("stop_at", True))
        patience.demand(summary["explanation"]["units"], 20, "messages, to compare the first one with")
        self.assertEqual(summary["explanation"]["slow"]["count"], 1)

    def test_never(self):
        """without such a message nothing ends early"""
        result = harness.ipctrace(*RUN, "--stop-at", "1000s", "-f", "json")
        self.check_quiet(result)
        self.assertEqual(result.json()["ended"]["by"], "plan")


class OnSlow(harness.TestCase):
    """--on-slow executes a command."""

    def test_message(self):
        """the command gets a message as JSON, as the user that called sudo, and stdout is the report's"""
        os.chmod(self.folder, 0o777)
        uid = harness.STRANGER
        told = self.file("told")
        result = harness.ipctrace(
            *RUN, "--slower-than", "1ns", "-f", "json", "--on-slow",
            f"read line; echo \"$line\" >> {told}; id -u >> {told}.uid; echo shown; sleep 0.05",
            env={"SUDO_UID": str(uid), "SUDO_GID": str(uid), "SUDO_USER": "stranger"})
        self.assertEqual(result.status, 0, result.err)
        self.assertEqual(result.json()["integrity"]["matched"], 900)
        with open(told, encoding="utf-8") as file:
            messages = [json.loads(line) for line in file]
        with open(f"{told}.uid", encoding="ascii") as file:
            self.assertEqual({line.strip() for line in file}, {str(uid)})
        self.check_every_record(messages)
        self.assertIn("shown", result.err.splitlines())
        self.assertRegex(result.err, r"it was executed for \d+ messages, and not for \d+ that came while")

    @patience.patient
    def test_own(self):
        """what a command has started is blamed as ipctrace's own, also children whose parent has ended"""
        os.chmod(self.folder, 0o755)
        spinner = self.file("slow-spinner")
        shutil.copy(os.path.realpath("/bin/sh"), spinner)
        spin = f"nice -n -10 {spinner} -c 'while :; do :; done'"
        # On one CPU, a receiver only waits for its sender. By its usual policy, ipctrace might read the first message
        # of a busy machine when all have been sent.
        result = harness.ipctrace("--transport", "uds-stream", "--messages", 1200, "--period", "5ms", "--policy",
                                  "other", "--cpus", "spread", "--reader-policy", "other", "--slower-than", "1ns",
                                  "-f", "json", "--on-slow",
                                  f"({spin} &); sh -c \"sh -c \\\"{spin}\\\"\" & exec {spin}",
                                  env={"SUDO_UID": "0", "SUDO_GID": "0", "SUDO_USER": "root"})
        self.assertEqual(result.status, 0, result.err)
        blame = [entry for entry in result.json()["blame"] if entry["comm"] == "slow-spinner"]
        patience.demand(len(blame), 1, "receivers that waited for one of three spinners")
        self.assertEqual({entry["class"] for entry in blame}, {"ipctrace"})

    def test_end(self):
        """a command that does not end is ended, and one that fails is said once"""
        result = harness.ipctrace(*RUN, "--slower-than", "1ns", "--on-slow", "exec sleep 4711")
        self.assertEqual(result.status, 0, result.err)
        self.assertIn("the last command is ended", result.err)
        self.assertNotEqual(subprocess.run(["pgrep", "-f", "sleep 4711"], check=False,
                                           stdout=subprocess.DEVNULL).returncode, 0)
        result = harness.ipctrace(*RUN, "--slower-than", "1ns", "--on-slow", "exit 5")
        self.assertEqual(result.err.count("the command failed, with status 5"), 1)


    # Writes the numbers of three processes: its own, a child's, and one's in a session of its own. None
    # of them ends on SIGTERM.
    STAYS = ("trap '' TERM; [ -e {0} ] || {{ sleep 1000 & first=$!; setsid sleep 1000 & "
             "echo $$ $first $! > {0}.new; mv {0}.new {0}; }}; {1}")

    def stayed(self, name):
        """The processes that a command has noted."""
        path = self.file(name)
        harness.wait_until(lambda: os.path.exists(path))
        with open(path, encoding="ascii") as file:
            pids = list(map(int, file.read().split()))
        self.assertEqual(len(pids), 3)
        return pids

    def check_gone(self, pids):
        def is_there(pid):
            try:
                return harness.state_of(f"/proc/{pid}") != "Z"
            except OSError:
                return False

        harness.wait_until(lambda: not any(map(is_there, pids)))

    def test_children(self):
        """what a command has started ends with the program, also in another session"""
        command = self.STAYS.format(self.file("children"), "exit 0")
        result = harness.ipctrace(*RUN, "--slower-than", "1ns", "--on-slow", command)
        self.assertEqual(result.status, 0, result.err)
        self.assertIn("what the command has started is ended", result.err)
        pids = self.stayed("children")
        self.assertEqual([pid for pid in pids if os.path.exists(f"/proc/{pid}")], [])

    def test_killed(self):
        """a command and what it has started end if the program is killed"""
        command = self.STAYS.format(self.file("killed"), "while :; do sleep 1; done")
        process = harness.start("--messages", 100000, "--slower-than", "1ns", "--on-slow", command)
        pids = self.stayed("killed")
        process.kill()
        process.communicate()
        self.check_gone(pids)


class Refused(harness.TestCase):
    """What cannot be is refused."""

    def test_condition(self):
        """a wrong condition is shown with its place"""
        result = harness.ipctrace("--trigger", "latency>2ms or runque>1ms", "--record", self.file("x"))
        self.assertEqual((result.status, result.out), (2, ""))
        self.assertEqual(result.err.splitlines()[1:], ["  latency>2ms or runque>1ms", "                 ^"])

    def test_options(self):
        """options that lack another one are refused"""
        for options, remedy in ((("--trigger", "latency>2ms"), "add --record FILE or --on-slow CMD"),
                                (("--on-slow", "true"), "add --slower-than DUR or --trigger EXPR"),
                                (("--keep", "1s"), "add --record FILE and --trigger EXPR"),
                                (("--count", "2"), "add --record FILE and --trigger EXPR"),
                                (("--no-trace", "--stop-at", "1ms"), "leave out one of them")):
            self.check_refused(harness.ipctrace(*options), remedy, status=2)


class Memory(harness.TestCase):
    """The records in memory are bounded."""

    def wait_until_full(self, process):
        """How long it takes until the records in memory have nearly all the room that they may have."""
        began, size = time.monotonic(), 0
        while size < ROOM_KB and time.monotonic() - began < FILLS_S:
            time.sleep(0.1)
            size = harness.anonymous_kb(process)
        patience.demand(size, ROOM_KB, f"kB that are filled in {FILLS_S} s")
        return time.monotonic() - began

    def largest_kb(self, process, seconds):
        """In so many seconds, after records have gathered because ipctrace had no CPU."""
        process.send_signal(signal.SIGSTOP)
        time.sleep(STOPPED_S)
        process.send_signal(signal.SIGCONT)
        end, largest = time.monotonic() + seconds, 0
        while time.monotonic() < end:
            largest = max(largest, harness.anonymous_kb(process))
            time.sleep(0.1)
        return largest

    def test_flat(self):
        """at a high rate, memory does not grow any more when the records have the room that they may have"""
        process = harness.start("--pattern", "pingpong", "--messages", 10_000_000, "--trigger", "latency>100s",
                                "--keep", "100s", "--record", self.file("none.ipct"), "-f", "json")
        self.addCleanup(harness.finish, process)
        self.addCleanup(process.send_signal, signal.SIGINT)
        filled_s = self.wait_until_full(process)
        # Records that ipctrace has not looked at yet need memory, too: as many as the workload's pauses let it have.
        full = max(self.largest_kb(process, filled_s / 4) for _ in range(STOPS))
        later = self.largest_kb(process, filled_s / 2)
        process.send_signal(signal.SIGINT)
        result = harness.finish(process)
        self.assertEqual(result.status, 0, result.err)
        patience.demand(result.json()["integrity"]["matched"], 100_000, "messages")
        self.assertLess(later, 200_000, "kB")
        # Where its arrays end depends on when exactly it was stopped.
        patience.demand(-later, -1.1 * full, "less kB")
        self.assertLess(os.path.getsize(self.file("none.ipct")), 200_000)


if __name__ == "__main__":
    tap.main()
