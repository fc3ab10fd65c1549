# SPDX-License-Identifier: BSD-2-Clause
"""Impossible requests are refused with one clear line: the value, the reason and the remedy."""

import os
import subprocess

import harness
import patience
import tap

USAGE = 2


class Errors(harness.TestCase):
    """Nothing on stdout, one line on stderr, and the status that the contract names."""

    def refuse(self, arguments, *words, status=USAGE, **how):
        """Runs, and expects one line with all of these words."""
        result = harness.ipctrace(*arguments, **how)
        text = f"of {' '.join(map(str, arguments))}: {result.err}"
        self.assertEqual((result.status, result.out), (status, ""), f"status and stdout {text}")
        self.assertEqual(result.err.count("\n"), 1, f"one line {text}")
        self.assertTrue(result.err.startswith("ipctrace: "), text)
        for word in words:
            self.assertIn(word, result.err)

    def test_transport(self):
        """an unknown transport: the list of known ones"""
        self.refuse(["--transport", "carrier-pigeon"], "--transport", "carrier-pigeon", "uds")

    def test_pattern(self):
        """an unknown pattern: the list of known ones"""
        self.refuse(["--pattern", "gossip"], "--pattern", "gossip", "push")

    def test_clients(self):
        """no, too many, and unreadable numbers of clients"""
        for value in ("0", "0-3", "5-1", "1001", "-1", "", "five", "1,", "1,,2", "3.5"):
            with self.subTest(value):
                self.refuse([f"--clients={value}"], "--clients", value)

    def test_period(self):
        """a period without a unit says which one is missing"""
        self.refuse(["--period", "10"], "--period", "10", "unit", "10ms")

    def test_periods(self):
        """periods of no, unknown and absurd length"""
        for value in ("0ms", "10h", "ms", "-1ms", "1.5.5ms", "99999999999999999999s"):
            with self.subTest(value):
                self.refuse([f"--period={value}"], "--period", value)

    def test_numbers(self):
        """other numbers that are none, or out of range"""
        for option in ("messages", "warmup", "size", "server-priority", "client-priority"):
            for value in ("x", "-1", "1e3", "99999999999999999999"):
                with self.subTest(option, value=value):
                    self.refuse([f"--{option}={value}"], f"--{option}", value)
        self.refuse(["--messages", 0], "--messages", "0")
        self.refuse(["--server-priority", 100], "--server-priority", "100", "99")

    def test_size(self):
        """a size over the socket's limit names the limit"""
        with open("/proc/sys/net/core/wmem_default", encoding="utf-8") as file:
            limit = int(file.read())
        self.refuse(["--size", 10 * limit], "--size", str(10 * limit), "uds", "at most")
        self.refuse(["--size", 0], "--size", "0")

    def test_size_limit(self):
        """the limit that is named works, and one byte more does not"""
        result = harness.ipctrace("--size", 1 << 29)
        limit = next(int(word) for word in result.err.split("at most")[1].split() if word.isdigit())
        run = self.measure("--size", limit, "--messages", 5, "--warmup", 1)
        self.assertEqual(run.summary["workload"]["size"], limit)
        self.refuse(["--size", limit + 1], str(limit + 1), "at most", str(limit))

    def test_words(self):
        """unknown policies, placements, formats, colours and commands: the list of known ones"""
        self.refuse(["--policy", "idle"], "--policy", "idle", "rr, fifo, deadline or other")
        self.refuse(["--cpus", "two"], "--cpus", "two", "free, one, spread")
        self.refuse(["-f", "xml"], "format", "xml", "text, json, ndjson")
        self.refuse(["--color", "pink"], "--color", "pink", "auto, always or never")
        self.refuse(["frobnicate"], "frobnicate", "use run")
        self.refuse(["--messages", "5", "surplus"], "surplus")

    def test_cpus(self):
        """a CPU that is not there, and lists that are none"""
        self.refuse(["--cpus", "server=900,clients=0"], "server=900", "900", "absent")
        self.refuse(["--cpus", "server=0,clients=x"], "clients=x")
        self.refuse(["--cpus", "server=,clients=0"], "server=")

    def test_deadline(self):
        """--policy deadline cannot be pinned"""
        self.refuse(["--policy", "deadline", "--cpus", "one"], "deadline", "one", "--cpus free")

    def test_full_disk(self):
        """a full disk for --record is found before anything runs"""
        self.refuse(["--record", "/dev/full", "--messages", 100000], "/dev/full", "No space left",
                    status=1)

    def test_no_folder(self):
        """a recording and a report that cannot be created"""
        self.refuse(["--record", "/nonexistent/x.ipct"], "/nonexistent/x.ipct", "No such file",
                    status=1)
        self.refuse(["-o", "/nonexistent/x"], "/nonexistent/x", "No such file", status=1)

    def test_full_report(self):
        """a report that cannot be written is an error"""
        self.refuse(["--messages", 5, "--warmup", 1, "-f", "json", "-o", "/dev/full"], "/dev/full",
                    "No space left", status=1)

    def test_unknown_option(self):
        """an unknown option: its name, and where help is"""
        result = harness.ipctrace("--frobnicate")
        self.assertEqual((result.status, result.out), (USAGE, ""))
        lines = result.err.splitlines()
        self.assertIn("--frobnicate", lines[0])
        self.assertEqual([line.split()[0] for line in lines[1:]], ["Try"])

    def test_report(self):
        """report without a file, and with two"""
        self.refuse(["report"], "FILE", "--record")
        self.refuse(["report", "a", "b"], "FILE", "b")


class FullOutput(harness.TestCase):
    """A standard output that takes nothing: a file on a full disk."""

    RECORDING = os.path.join(os.path.dirname(os.path.abspath(__file__)),
                             "../replay/stream-pingpong.ipct")

    def check(self, *arguments):
        """It fails, and says why in one line."""
        with self.subTest(arguments), open("/dev/full", "wb") as full:
            done = subprocess.run([harness.PROGRAM, *arguments], stdin=subprocess.DEVNULL,
                                  stdout=full, stderr=subprocess.PIPE, text=True,
                                  env=harness.environment())
            errors = [line for line in done.stderr.splitlines() if "warning: " not in line]
            self.assertEqual((done.returncode, len(errors)), (1, 1), done.stderr)
            self.assertRegex(errors[0], "^ipctrace: cannot write .*: standard output: No space left")

    def test_help(self):
        """help, usage and version are missed when they do not arrive"""
        for option in ("--help", "-?", "--usage", "--version", "-V"):
            self.check(option)
        for command in ("run", "attach", "report", "list", "doctor"):
            for option in ("--help", "--usage"):
                self.check(command, option)

    def test_reports(self):
        """every report is missed when it does not arrive, in each format"""
        for output_format in ("text", "json"):
            self.check("list", "-f", output_format)
            self.check("doctor", "-f", output_format)
            self.check("--no-trace", "--messages", "5", "--warmup", "1", "-f", output_format)
        for output_format in ("text", "json", "ndjson"):
            self.check("report", self.RECORDING, "-f", output_format)
            self.check("attach", "-f", output_format, "--", "true")
        self.check("--messages", "5", "--warmup", "1", "-f", "ndjson")


class DiskFillsUp(harness.TestCase):
    """A disk that fills up while the program runs."""

    def test_fills_up(self):
        """one line, not success, and what was written is readable and says that it breaks off"""
        disk = self.file("disk")
        os.mkdir(disk)
        self.mount("-t", "tmpfs", "-o", "size=400k", "none", disk)
        path = os.path.join(disk, "run.ipct")
        result = harness.ipctrace("--clients", 5, "--messages", 5000, "--warmup", 10, "--period",
                                  "1ms", "--record", path, "-f", "json")
        harness.demand_kept_up(result.json())
        self.check_error(result, path, "No space left")
        self.check_integrity(result.json())
        report = harness.ipctrace("report", path, "-f", "json")
        self.check_error(report, path, "cut short")
        integrity = report.json()["integrity"]
        self.assertTrue(integrity["truncated"])
        self.assertGreater(integrity["matched"], 0)
        messages = harness.ipctrace("report", path, "-f", "ndjson")
        self.check_error(messages, path, "cut short")
        self.check_every_record(harness.read_ndjson(messages.out, truncated=True)[1])


class Unprivileged(harness.TestCase):
    """Without privileges: the missing capability and the remedy, and exit status 1."""

    def run_as_nobody(self, *arguments):
        self.program_for_all()
        return harness.ipctrace(*arguments, uid=harness.NOBODY)

    def test_tracing(self):
        """tracing"""
        self.check_refused(self.run_as_nobody("--clients", 5), "CAP_BPF", "sudo", "--no-trace")

    def test_tracing_other(self):
        """tracing, also when the workload itself needs no privilege"""
        self.check_refused(self.run_as_nobody("--policy", "other"), "CAP_BPF", "sudo")

    def test_policy(self):
        """a real-time policy"""
        self.check_refused(self.run_as_nobody("--no-trace"), "CAP_SYS_NICE", "sudo",
                           "--policy other")

    def test_bad_input(self):
        """bad input is still bad input"""
        result = self.run_as_nobody("--clients", 0)
        self.assertEqual((result.status, result.out), (USAGE, ""))


class MissingHook(harness.TestCase):
    """Kernels that lack a tracepoint."""

    def test_indispensable(self):
        """without an indispensable one: one line that names it"""
        result = harness.ipctrace("--clients", 5, env={"IPCTRACE_WITHOUT": "sched_waking,sched_switch"})
        self.check_refused(result, "sched_switch", "ipctrace doctor")

    def test_no_switch(self):
        """
        without sched_exit_tp the switch is null, its time in receive, and all adds up

        A switch that no program saw cannot be noticed at its end then: its message is incomplete.
        """
        path = self.file("run.ipct")
        result = harness.ipctrace("--clients", 5, "--messages", 100, "--record", path, "-f", "json",
                                  env={"IPCTRACE_WITHOUT": "sched_exit_tp"})
        self.check_quiet(result)
        report = harness.ipctrace("report", path, "-f", "ndjson")
        messages = harness.read_ndjson(report.out)[1]
        self.check_every_record(messages, shows_switch=False)
        unseen = result.json()["integrity"]["incomplete"]["history_lost"]
        patience.demand(5 - unseen, 0, f"{unseen} messages with a switch that no program saw: at most 5")
        self.check_summary(result.json(), messages, shows_switch=False, history_lost=5)
        self.assertGreaterEqual(len(messages), 495)

    def test_no_switch_text(self):
        """without the switch event, the text names the gap instead of a figure"""
        result = harness.ipctrace("--messages", 20, "--warmup", 5,
                                  env={"IPCTRACE_WITHOUT": "sched_exit_tp"})
        self.check_quiet(result)
        line = next(line for line in result.out.splitlines() if line.split()[:1] == ["switch"])
        self.assertRegex(line, r"switch\s+(-|not|unknown|n/a)", line)


if __name__ == "__main__":
    tap.main()
