# SPDX-License-Identifier: BSD-2-Clause
"""^C at any moment: a report of what was measured, and nothing left behind."""

import os
import signal
import time

import harness
import patience
import tap

INTERRUPTED_S = 30  # far more than it takes: a program that needs longer hangs


def wait_until_ready(process):
    """Until a SIGINT does not end it any more."""
    def ready():
        return catches_interrupts(process)

    harness.wait_until(ready, pause_s=0.002)


def catches_interrupts(process):
    """Whether the program has come so far that a SIGINT no longer simply ends it."""
    try:
        with open(f"/proc/{process.pid}/status", encoding="utf-8") as status:
            caught = next(line for line in status if line.startswith("SigCgt"))
    except (OSError, StopIteration):
        return False
    return bool(int(caught.split()[1], 16) >> (signal.SIGINT - 1) & 1)


class Interrupted(harness.TestCase):
    """The workload runs as STRANGER, so that what it leaves behind is known to be its own."""

    def setUp(self):
        self.bpf_before = harness.living_bpf()

    def start(self, *arguments, clients=5, form="json"):
        return harness.start("--clients", clients, "-f", form, *arguments, env=harness.AS_STRANGER)

    def check_nothing_left(self):
        self.assertEqual(harness.left_processes(), {})
        self.assertEqual(harness.left_directories(), [])
        harness.wait_until_nothing_left(self.bpf_before)

    def check_report(self, summary):
        """Valid, complete, and what it counts adds up."""
        self.assertEqual(summary["schema"], "ipctrace.summary/1")
        self.check_integrity(summary)
        count = summary["integrity"]["matched"]
        self.assertEqual(summary["latency_ns"]["count"], count)
        self.assertEqual(sum(summary["paths"].values()), count)
        self.assertEqual(sum(c["latency_ns"]["count"] for c in summary["clients"]), count)
        self.assertEqual([c["left"] for c in summary["clients"]], [None] * 5)
        self.assertIsNone(summary["server_left"])
        if count:
            means = sum(stat["mean"] for stat in summary["components_ns"].values())
            self.assert_near(means, summary["latency_ns"]["mean"], "means of the components")
        return count

    def interrupt_after(self, delay_s, *arguments, kill=os.kill):
        """The summary; None if it was too early for any."""
        process = self.start(*arguments)
        time.sleep(delay_s)
        ready = catches_interrupts(process)
        kill(process.pid, signal.SIGINT)
        result = harness.finish(process, INTERRUPTED_S)
        if not ready and result.status == -signal.SIGINT:
            self.assertEqual((result.out, result.err), ("", ""))
            return None
        self.check_quiet(result)
        return result.json()

    def test_start_up(self):
        """every 20 ms of the first 600 ms, or of more if it is slow, to the program alone"""
        reports, ms = 0, 0
        while ms < 600 or reports < 16:
            with self.subTest(ms=ms):
                summary = self.interrupt_after(ms / 1000)
                if summary:
                    reports += 1
                    self.check_report(summary)
            ms += 20
            self.assertLess(ms, 5000, f"only {reports} interrupted runs have had a report")
        self.check_nothing_left()

    def test_start_up_terminal(self):
        """every 40 ms of the first 600 ms, to the whole process group as a terminal does"""
        for ms in range(10, 600, 40):
            with self.subTest(ms=ms):
                summary = self.interrupt_after(ms / 1000, kill=os.killpg)
                if summary:
                    self.check_report(summary)
        self.check_nothing_left()

    def test_mid_run(self):
        """in the middle of a run, there is something to report"""
        for kill in (os.kill, os.killpg):
            with self.subTest(kill.__name__):
                process = self.start("--warmup", 10, "--messages", 10000)
                harness.wait_for_rounds(process, 5, rounds=60)
                kill(process.pid, signal.SIGINT)
                result = harness.finish(process, INTERRUPTED_S)
                self.check_quiet(result)
                self.assertGreaterEqual(self.check_report(result.json()), 5 * 40)
                self.assertEqual(result.json()["ended"]["by"], "signal")
        self.check_nothing_left()

    def test_fast_run(self):
        """
        in the middle of a run with a tick of 200 us

        Clients for which this is too fast are dropped, so only the sums must be right.
        """
        for delay in (0.31, 0.57, 0.83):
            with self.subTest(delay=delay):
                process = self.start("--period", "200us", "--messages", 100000, "--cpus", "one")
                wait_until_ready(process)
                time.sleep(delay)
                process.send_signal(signal.SIGINT)
                result = harness.finish(process, INTERRUPTED_S)
                if result.out and len(harness.starved(result.json())) == 5:
                    raise patience.NotNear("no client got a CPU until its queue was full")
                self.check_quiet(result)
                integrity = result.json()["integrity"]
                incomplete = sum(integrity["incomplete"].values())
                self.assertEqual(integrity["sent"], integrity["matched"] + incomplete, integrity)
                harness.demand_no_recursion(integrity)
                self.assertEqual((integrity["lost"], integrity["residual_ns_max"]), (0, 0))
        self.check_nothing_left()

    def test_slow_run(self):
        """while the server sleeps until a tick that is 30 seconds away"""
        process = self.start("--period", "30s")
        wait_until_ready(process)
        time.sleep(1)
        process.send_signal(signal.SIGINT)
        result = harness.finish(process, INTERRUPTED_S)
        self.check_quiet(result)
        self.assertEqual(self.check_report(result.json()), 0)
        self.check_nothing_left()

    def test_text(self):
        """the text of a run that was interrupted before its first message says that it has none"""
        process = self.start("--period", "30s", form="text")
        wait_until_ready(process)
        process.send_signal(signal.SIGINT)
        result = harness.finish(process, INTERRUPTED_S)
        self.check_quiet(result)
        self.assertIn("0 sent, 0 matched", " ".join(result.out.split()))
        self.assertRegex(" ".join(result.out.split()),
                         r"ended early after 0 of \d+ rounds: stopped by a signal \(Interrupt\)")
        self.assertNotIn("nan", result.out)

    def test_overhead(self):
        """before its first message, as the observer effect is being measured: it is not reported"""
        process = self.start("--overhead")
        process.stderr.readline()
        time.sleep(0.5)
        process.send_signal(signal.SIGINT)
        result = harness.finish(process, INTERRUPTED_S)
        self.assertEqual(result.status, 0, result.err)
        self.assertEqual(self.check_report(result.json()), 0)
        self.assertIsNone(result.json()["observer"]["traced_over_untraced"])
        self.check_nothing_left()

    def test_recorded(self):
        """the recording of an interrupted run is complete and gives the same report"""
        path = self.file("run.ipct")
        process = self.start("--record", path, "--warmup", 10)
        harness.wait_for_rounds(process, 5, rounds=50)
        process.send_signal(signal.SIGINT)
        result = harness.finish(process, INTERRUPTED_S)
        self.check_quiet(result)
        self.assertEqual(harness.ipctrace("report", path, "-f", "json").json(), result.json())
        messages = harness.read_ndjson(harness.ipctrace("report", path, "-f", "ndjson").out)[1]
        self.check_every_record(messages)
        self.check_summary(result.json(), messages)

    def test_several_runs(self):
        """several runs end too: those that ran are reported"""
        process = self.start("--messages", 500, "--warmup", 20, clients="5,5,5")
        harness.wait_for_rounds(process, 5, rounds=30)
        process.send_signal(signal.SIGINT)
        result = harness.finish(process, INTERRUPTED_S)
        self.check_quiet(result)
        self.assertEqual(len(result.json()["cells"]), 1)
        self.check_report(result.json()["cells"][0])
        self.check_nothing_left()

    def test_terminate(self):
        """SIGTERM and SIGHUP are as good"""
        for number in (signal.SIGTERM, signal.SIGHUP):
            with self.subTest(number.name):
                process = self.start("--warmup", 5)
                harness.wait_for_rounds(process, 5, rounds=20)
                process.send_signal(number)
                result = harness.finish(process, INTERRUPTED_S)
                self.check_quiet(result)
                self.check_report(result.json())
                ended = result.json()["ended"]
                self.assertEqual((ended["by"], ended["signal"]), ("signal", number))
        self.check_nothing_left()

    def test_twice(self):
        """a second ^C leaves at once and leaves nothing behind"""
        for delay in (0.1, 0.3, 0.6, 1.0):
            with self.subTest(delay=delay):
                process = self.start("--period", "30s" if delay == 1.0 else "10ms")
                wait_until_ready(process)
                time.sleep(delay)
                process.send_signal(signal.SIGINT)
                time.sleep(0.002)
                process.send_signal(signal.SIGINT)
                result = harness.finish(process, INTERRUPTED_S)
                self.assertIn(result.status, (0, 1), result.err)
                if result.status == 0:  # it had ended before the second one
                    self.check_report(result.json())
                self.check_nothing_left()

    def test_killed(self):
        """killed the hard way, it takes its processes and BPF programs along; the next run tidies up"""
        process = self.start()
        harness.wait_for_rounds(process, 5)
        process.kill()
        process.communicate()
        harness.wait_until_nothing_left(self.bpf_before)
        harness.remove_left_directories()
        self.check_nothing_left()


class Killed(harness.TestCase):
    """A process of the workload is killed: the run ends with a report that says so."""

    ROUNDS = 500  # so many that what is done after 60 rounds is in time on a busy machine

    def kill(self, names, *arguments):
        """The result of a run of which these processes were killed."""
        process = harness.start("--clients", 3, "--messages", self.ROUNDS, "--warmup", 20,
                                *arguments)
        children = harness.wait_for_rounds(process, 3, rounds=60)
        for pid, comm in children.items():
            if comm in names:
                os.kill(pid, signal.SIGKILL)
        result = harness.finish(process, 30)
        self.assertEqual(harness.left_processes(), {})
        return result

    def kill_client(self, *arguments):
        """The others go on to the end: the run has done what it was to do."""
        result = self.kill(["ipctrace-cl-2"], *arguments)
        self.check_quiet(result)
        return result

    def kill_all(self, names, *arguments, words=("the server was ended by a signal (Killed)",)):
        """Kills processes without which the run ends early: status 1, and one line says why."""
        result = self.kill(names, *arguments)
        self.check_error(result, *words)
        self.assertRegex(result.err, r"the run ended early: .*: after \d+ of \d+ rounds ")
        return result

    def check_accounted(self, summary):
        """Every sent message is matched, or incomplete with the reason."""
        integrity = summary["integrity"]
        incomplete = integrity["incomplete"]
        self.assertEqual(integrity["sent"], integrity["matched"] + sum(incomplete.values()))
        unread = incomplete["not_received"]
        self.assertLessEqual(sum(incomplete.values()) - unread, 5, incomplete)
        patience.demand(5 - unread, 0, f"{unread} messages came until a killed client had ended: at most 5")
        harness.demand_no_recursion(integrity)
        self.assertEqual((integrity["lost"], integrity["residual_ns_max"]), (0, 0))

    def test_client(self):
        """a client: it is named, and the others go on to the end"""
        summary = self.kill_client("-f", "json").json()
        self.check_accounted(summary)
        left = [client["left"] for client in summary["clients"]]
        self.assertEqual((left[0], left[2]), (None, None))
        self.assertEqual((left[1]["reason"], left[1]["detail"]), ("signal", signal.SIGKILL))
        counts = [client["latency_ns"]["count"] for client in summary["clients"]]
        self.assertEqual((counts[0], counts[2]), (self.ROUNDS,) * 2)
        self.assertTrue(0 < counts[1] < self.ROUNDS, counts)

    def test_client_text(self):
        """a client: the text says so"""
        text = " ".join(self.kill_client().out.split())
        self.assertRegex(text, r"client 2 was ended by a signal \(Killed\) after \d+ rounds")

    def test_server(self):
        """the server: the run ends with status 1, stderr says why, and what was measured is shown"""
        summary = self.kill_all(["ipctrace-server"], "-f", "json").json()
        self.assertEqual((summary["ended"]["by"], summary["ended"]["early"]), ("server_left", True))
        self.check_accounted(summary)
        self.assertEqual((summary["server_left"]["reason"], summary["server_left"]["detail"]),
                         ("signal", signal.SIGKILL))
        self.assertEqual([client["left"] for client in summary["clients"]], [None] * 3)
        self.assertGreater(summary["integrity"]["matched"], 0)
        self.assertLess(summary["integrity"]["matched"], 3 * self.ROUNDS)

    def test_server_text(self):
        """the server: the text says so"""
        text = " ".join(self.kill_all(["ipctrace-server"]).out.split())
        self.assertIn("the server was ended by a signal (Killed)", text)
        self.assertRegex(text, rf"ended early after \d+ of {self.ROUNDS} rounds: the server had left")

    def test_all_clients(self):
        """all clients: nothing is left to do, which is no success either"""
        clients = [f"ipctrace-cl-{client}" for client in (1, 2, 3)]
        words = [f"client {client} was ended by a signal (Killed)" for client in (1, 2, 3)]
        result = self.kill_all(clients, "-f", "json", words=words)
        self.assertEqual(result.json()["ended"]["by"], "clients_left")
        self.assertIsNone(result.json()["server_left"])

    def test_server_of_several_runs(self):
        """the server of one of several runs: the others take place, and the status is 1"""
        result = self.kill_all(["ipctrace-server"], "--runs", 2, "-f", "json")
        first, second = result.json()["cells"]
        self.assertEqual((first["ended"]["by"], second["ended"]["by"]), ("server_left", "plan"))
        self.assertEqual(second["integrity"]["matched"], 3 * self.ROUNDS)

    def test_stopped_client(self):
        """a client that is stopped and goes on: its messages only come late"""
        process = harness.start("--clients", 3, "--messages", self.ROUNDS, "--warmup", 20, "-f", "json")
        children = harness.wait_for_rounds(process, 3, rounds=50)
        client = next(pid for pid, comm in children.items() if comm == "ipctrace-cl-1")
        os.kill(client, signal.SIGSTOP)
        time.sleep(0.035)
        os.kill(client, signal.SIGCONT)
        result = harness.finish(process, 30)
        self.check_quiet(result)
        self.check_integrity(result.json())
        self.assertEqual(result.json()["integrity"]["sent"], 3 * self.ROUNDS)


if __name__ == "__main__":
    tap.main()
