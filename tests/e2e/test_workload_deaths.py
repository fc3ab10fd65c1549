# SPDX-License-Identifier: BSD-2-Clause
"""
A process dies or is stopped in the middle of a run, over every transport: the run goes on or ends, its
report says what happened, and nothing stays behind.
"""

import concurrent.futures
import contextlib
import os
import re
import signal
import subprocess
import tempfile

import harness
import patience
import tap

TRANSPORTS = ("uds", "uds-stream", "uds-seqpacket", "tcp", "udp", "pipe", "fifo", "shm", "mqueue",
              "sysv", "signal", "signal-std", "eventfd")
CLIENTS, VICTIM = 3, 2
MESSAGES, WARMUP = 500, 20  # so many that what is done after 120 rounds is in time
RUNS = 3  # to disturb one of
AT_ONCE = 3  # runs side by side: most of their time they sleep
MEMBER = re.compile(r"ipctrace-(server|cl-\d+)$")

# Whose queue never is full: what does not fit is lost, as the report says.
LOSSY = ("udp",)

# Bytes of a message of which a queue holds some hundred: more than a busy machine may hold up a client
# for, and less than a run has. Others hold as many of any size.
SIZES = {"uds-stream": 8000, "uds-seqpacket": 4000, "tcp": 16000, "pipe": 200, "fifo": 200, "sysv": 1500}


class Members:
    """
    The server and the clients of a running program, by name, after some rounds. ProcessLookupError or
    FileNotFoundError: it has ended.
    """

    def __init__(self, process):
        self.process = process
        self.pids = harness.wait_until(self.all_forked)
        before = harness.switches_of(self.pids["ipctrace-server"])

        def rounds_passed():
            return harness.switches_of(self.pids["ipctrace-server"]) >= before + WARMUP + 120

        harness.wait_until(rounds_passed)

    def all_forked(self):
        """Others than members are the transport's own helpers."""
        if self.process.poll() is not None:
            raise ProcessLookupError("the run ended early")
        pids = {name: pid for pid, name in harness.children_of(self.process.pid).items()
                if MEMBER.match(name)}
        return pids if len(pids) == CLIENTS + 1 and "ipctrace-server" in pids else None

    def kill(self, name, number):
        if harness.state_of(f"/proc/{self.pids[name]}") == "Z":
            raise ProcessLookupError("it has ended by itself")
        os.kill(self.pids[name], number)


class Deaths(harness.TestCase):
    """The workload runs as STRANGER, so that what it leaves behind is known to be its own."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.queues = tempfile.mkdtemp(dir=cls.folder)
        subprocess.run(["mount", "-t", "mqueue", "none", cls.queues], check=True)
        # stress-ng --io keeps every mount point open: what is busy goes as soon as it is not.
        cls.addClassCleanup(subprocess.run, ["umount", "--lazy", cls.queues], check=True)

    def setUp(self):
        self.bpf_before = harness.living_bpf()
        self.drivers = []

    def start(self, transport, *arguments):
        process = harness.start("--transport", transport, "--clients", CLIENTS, "--warmup", WARMUP,
                                "-f", "json", *arguments, env=harness.AS_STRANGER)
        self.drivers.append(process.pid)
        return process

    def each_transport(self, run, check, at_once=AT_ONCE):
        """run(transport) side by side; check(its result) one after the other; then nothing is left."""
        with concurrent.futures.ThreadPoolExecutor(at_once) as pool:
            results = {t: pool.submit(run, t) for t in TRANSPORTS}
        for transport, result in results.items():
            with self.subTest(transport):
                check(transport, result.result())
        self.check_nothing_left()

    def disturb(self, transport, act, *arguments):
        """
        A run, after act(its members) in the middle of it. A busy machine may keep this test off the CPU until a
        run has ended by itself: then with another run.
        """
        for _ in range(RUNS):
            process = self.start(transport, *arguments)
            try:
                act(Members(process))
                return process
            except (FileNotFoundError, ProcessLookupError):
                self.check_ended(harness.finish(process, 30))
        raise patience.NotNear(f"{transport}: {RUNS} runs ended before they were disturbed")

    def deaths(self, name, number, *arguments):
        """A function that runs over a transport until that member has got that signal."""
        def run(transport):
            process = self.disturb(transport, lambda members: members.kill(name, number), *arguments)
            return harness.finish(process, 30)
        return run

    def check_nothing_left(self):
        harness.wait_until_nothing_left(self.bpf_before)
        self.assertEqual(harness.left_directories(), [])
        self.assertEqual(self.left_names("/dev/shm") + self.left_names(self.queues), [])
        self.assertEqual(left_sysv_queues(), [])

    def left_names(self, folder):
        """Names there that are of the user or of a process of these tests."""
        left = []
        for name in os.listdir(folder):
            numbers = set(map(int, re.findall(r"\d+", name)))
            with contextlib.suppress(FileNotFoundError):  # another test has removed it meanwhile
                owner = os.stat(os.path.join(folder, name)).st_uid
                if owner == harness.STRANGER or numbers & set(self.drivers):
                    left.append(os.path.join(folder, name))
        return left

    def check_ended(self, result, status=0):
        """The summary of a run that ended by itself, all of whose messages are accounted for."""
        self.assertEqual(result.status, status, result.err)
        summary = result.json()
        integrity = summary["integrity"]
        self.assertEqual(integrity["sent"],
                         integrity["matched"] + sum(integrity["incomplete"].values()), integrity)
        harness.demand_no_recursion(integrity)
        self.assertEqual((integrity["lost"], integrity["residual_ns_max"]), (0, 0), integrity)
        self.assertFalse(integrity["truncated"])
        return summary

    def kept_up(self, result, stopped=None):
        """The result of a run, if all clients but the stopped one got the CPU before their queues were full."""
        harness.demand_kept_up(result.json(), stopped)
        return result

    def check_victim(self, summary, reason, detail, messages=MESSAGES):
        """
        One client has left and is named. The others received all their messages, except those that the
        kernel did not show completely, which are counted. On a busy machine a datagram may reach a receiver
        that is not known yet.
        """
        incomplete = summary["integrity"]["incomplete"]
        unseen = sum(incomplete.values()) - incomplete["not_received"]
        if summary["workload"]["transport"] in LOSSY:
            unseen += 5
        left = [client["left"] for client in summary["clients"]]
        victim = left.pop(VICTIM - 1)
        self.assertIsNotNone(victim, "the victim has left")
        self.assertEqual((victim["reason"], victim["detail"]), (reason, detail))
        self.assertEqual(left, [None] * (CLIENTS - 1), "the others have not")
        self.assertIsNone(summary["server_left"])
        counts = [client["latency_ns"]["count"] for client in summary["clients"]]
        self.assertLess(counts.pop(VICTIM - 1), messages)
        self.assertLessEqual(max(counts), messages)
        self.assertGreaterEqual(min(counts), messages - unseen,
                                f"messages of the others: {summary['integrity']}")

    def check_server(self, _, result):
        summary = self.check_ended(self.kept_up(result), status=1)
        self.check_error(result)
        self.assertRegex(result.err, "^ipctrace: the run ended early: .*the server was ended by a signal")
        left = summary["server_left"]
        self.assertIsNotNone(left, "the server has left")
        self.assertEqual((left["reason"], left["detail"]), ("signal", signal.SIGKILL))
        self.assertEqual([client["left"] for client in summary["clients"]], [None] * CLIENTS)
        self.assertGreater(summary["integrity"]["matched"], 0)

    def push(self):
        return "--pattern", "push", "--period", "4ms", "--messages", MESSAGES

    def request(self):
        return "--pattern", "request", "--period", "2ms", "--messages", MESSAGES

    def test_push_client(self):
        """push: a client is killed; the others get all their messages"""
        def check(_, result):
            self.check_victim(self.check_ended(self.kept_up(result)), "signal", signal.SIGKILL)

        self.each_transport(self.deaths(f"ipctrace-cl-{VICTIM}", signal.SIGKILL, *self.push()), check)

    def test_push_server(self):
        """push: the server is killed; the run ends with what was measured"""
        self.each_transport(self.deaths("ipctrace-server", signal.SIGKILL, *self.push()),
                            self.check_server)

    def test_request_client(self):
        """request: a client is killed; the others get all their answers"""
        def check(_, result):
            self.check_victim(self.check_ended(result), "signal", signal.SIGKILL, 2 * MESSAGES)

        self.each_transport(self.deaths(f"ipctrace-cl-{VICTIM}", signal.SIGKILL, *self.request()),
                            check)

    def test_request_server(self):
        """request: the server is killed; the run ends with what was measured"""
        self.each_transport(self.deaths("ipctrace-server", signal.SIGKILL, *self.request()),
                            self.check_server)

    def test_full_queue(self):
        """push: a client is stopped until its queue is full; it is dropped, the others go on"""
        messages = 1600  # more than any queue holds, even if it is stopped a second late

        def run(transport):
            return self.deaths(f"ipctrace-cl-{VICTIM}", signal.SIGSTOP, "--period", "2ms",
                               "--messages", messages, "--size", SIZES.get(transport, 64))(transport)

        def check(transport, result):
            what = ("signal", signal.SIGKILL) if transport in LOSSY else harness.QUEUE_FULL
            self.check_victim(self.check_ended(self.kept_up(result, stopped=VICTIM)), *what, messages)

        # Alone: others that do not get the CPU for some ticks have full queues, too.
        self.each_transport(run, check, at_once=1)

    def test_full_queues(self):
        """push: all clients are stopped until their queues are full; the run ends, and says what to change"""
        def stop_all(members):
            for number in range(1, CLIENTS + 1):
                members.kill(f"ipctrace-cl-{number}", signal.SIGSTOP)

        result = harness.finish(self.disturb("uds", stop_all, "--period", "2ms", "--messages", 1600), 30)
        self.check_ended(result, status=1)
        self.check_error(result)
        self.assertIn("client 1 was dropped because its queue was full", result.err)
        self.assertRegex(result.err, "make the queue longer, or use a longer --period$")
        self.check_nothing_left()

    def test_driver(self):
        """the program itself is killed: all that it made goes with it, or with the next run"""
        def run(transport):
            process = self.disturb(transport, lambda members: members.process.kill(), *self.push())
            process.communicate()
            return process.returncode

        def check(_, status):
            self.assertEqual(status, -signal.SIGKILL)
            harness.remove_left_directories()

        self.each_transport(run, check)


def left_sysv_queues():
    """Identifiers of System V queues of the user of these tests."""
    with open("/proc/sysvipc/msg", encoding="ascii") as file:
        names, *queues = (line.split() for line in file)
    rows = [dict(zip(names, map(int, queue))) for queue in queues]
    return [row["msqid"] for row in rows if harness.STRANGER in (row["uid"], row["cuid"])]


if __name__ == "__main__":
    tap.main()
