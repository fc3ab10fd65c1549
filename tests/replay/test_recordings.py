# SPDX-License-Identifier: BSD-2-Clause
"""`ipctrace report` on recordings of real runs: its figures, and what it refuses."""

import functools
import json
import os
import random
import shutil
import struct
import subprocess
import tempfile
import unittest

import tap
from replay import decode, records

FOLDER = os.path.dirname(os.path.abspath(__file__))
PROGRAM = os.environ.get("IPCTRACE_PROGRAM", "build/ipctrace")
NOBODY = 65534
PUSHES = ("one-client", "one-cpu", "spinner", "no-trace", "no-switch", "truncated", "sweep", "udp-push",
          "signal-push", "kernel-push")
NAMES = PUSHES + ("stream-pingpong", "tcp-request", "tcp-connect", "pipe-parts", "fifo-flood",
                  "mqueue-pingpong", "sysv-request", "shm-pingpong", "signal-flood", "eventfd-rate",
                  "uds-pingpong", "eventfd-pingpong", "seqpacket-threads", "tcp-flood",
                  "no-trace-request", "no-trace-flood", "stream-request")
UNTRACED = ("no-trace", "no-trace-request", "no-trace-flood")
CUT = ("one-client", "pipe-parts", "tcp-request", "tcp-flood", "shm-pingpong", "stream-request")


def path_of(name):
    return os.path.join(FOLDER, f"{name}.ipct")


@functools.lru_cache(maxsize=None)
def recorded_runs(name):
    """The decoded runs of a recording. Tests only read them."""
    return records.read(path_of(name))


def report(path, *options, program=PROGRAM, uid=None):
    """Runs `report`; with `uid` as another user, without any capability."""
    switch = {} if uid is None else {"user": uid, "group": uid, "extra_groups": []}
    return subprocess.run([program, "report", path, *options], capture_output=True, text=True,
                          timeout=240, check=False, **switch)


def runs_of(summary):
    """The summaries of several runs, or the one of a single run."""
    return summary["cells"] if summary["schema"] == "ipctrace.sweep/1" else [summary]


class Case(unittest.TestCase):
    """Comparisons that the tests share."""

    maxDiff = 2000

    def show(self, path, *options, is_cut=False):
        """What stdout has; of what is cut short the status and one line on stderr say that."""
        result = report(path, *options)
        if is_cut:
            self.assertEqual((result.returncode, result.stderr.count("\n")), (1, 1), result.stderr)
            self.assertIn(path, result.stderr)
            self.assertIn("cut short or damaged", result.stderr)
        else:
            self.assertEqual((result.returncode, result.stderr), (0, ""), path)
        return result.stdout

    def summaries(self, path, is_cut=False, options=()):
        return runs_of(json.loads(self.show(path, "-f", "json", *options, is_cut=is_cut)))

    def assert_same(self, got, expected, what):
        """Every figure of `expected` is in `got`; doubles as printed with 15 digits."""
        if isinstance(expected, dict):
            for key, value in expected.items():
                self.assertIn(key, got, what)
                self.assert_same(got[key], value, f"{what}.{key}")
        elif isinstance(expected, float):
            self.assertLessEqual(abs(got - expected), 1e-9 * max(1, abs(expected)),
                                 f"{what}: {got} is not {expected}")
        else:
            self.assertEqual(got, expected, what)


class Figures(Case):
    """Every recording says what decode.py has worked out from its raw records."""

    @classmethod
    def setUpClass(cls):
        with open(os.path.join(FOLDER, "expected.json"), encoding="utf-8") as file:
            cls.expected = json.load(file)
        cls.shown = {}

    def each_run(self):
        """(name, summary, expected figures) of all runs. The program shows each recording once."""
        for name in NAMES:
            expected = self.expected[f"{name}.ipct"]
            if name not in self.shown:
                self.shown[name] = self.summaries(path_of(name), is_cut=name == "truncated")
            summaries = self.shown[name]
            self.assertEqual(len(summaries), len(expected), f"runs of {name}")
            for summary, figures in zip(summaries, expected):
                yield name, summary, figures

    def test_all_are_checked(self):
        """every recording of the folder is tested"""
        files = {name for name in os.listdir(FOLDER) if name.endswith(".ipct")}
        self.assertEqual(files, {f"{name}.ipct" for name in NAMES})

    def test_decoder(self):
        """expected.json is what decode.py says today"""
        for name in NAMES:
            with self.subTest(name):
                figures = [decode.figures(run) for run in recorded_runs(name)]
                self.assertEqual(json.loads(json.dumps(figures)), self.expected[f"{name}.ipct"])

    def test_counts(self):
        """sent, matched, truncated and the path classes"""
        for name, summary, figures in self.each_run():
            with self.subTest(name):
                integrity = summary["integrity"]
                for key in ("sent", "matched", "truncated", "unseen_switches", "unseen_wakeups"):
                    self.assertEqual(integrity[key], figures.get(key, 0), key)
                incomplete = sum(integrity["incomplete"].values())
                self.assertEqual(integrity["matched"] + incomplete, integrity["sent"])
                self.assertEqual(integrity["lost"], 0)
                if figures["traced"]:
                    paths = {k: n for k, n in summary["paths"].items() if n}
                    self.assertEqual(paths, figures["paths"])

    def test_latency(self):
        """latency in all and per client"""
        for name, summary, figures in self.each_run():
            with self.subTest(name):
                self.assert_same(summary["latency_ns"], figures["latency_ns"], "latency")
                for client, expected in zip(summary["clients"], figures["clients"]):
                    self.assert_same(client, expected, f"client {client['client']}")

    def test_exchanges(self):
        """calls with their parts, throughput, corrupt messages, and latency from when it was due"""
        for name, summary, figures in self.each_run():
            with self.subTest(name):
                self.assertEqual(summary["integrity"]["corrupt"], figures["corrupt"])
                for key in ("calls", "flow", "from_due_ns"):
                    if figures[key] is None:
                        self.assertIsNone(summary[key], key)
                    else:
                        self.assert_same(summary[key], figures[key], key)

    def test_components(self):
        """every component, and that they add up"""
        for name, summary, figures in self.each_run():
            with self.subTest(name):
                if not figures["traced"]:
                    self.assertIsNone(summary["components_ns"])
                    continue
                self.assertEqual(summary["integrity"]["residual_ns_max"], 0)
                self.assert_same(summary["components_ns"], figures["components_ns"], "components")
                means = sum(s["mean"] for s in summary["components_ns"].values() if s)
                self.assert_same({"sum": means}, {"sum": summary["latency_ns"]["mean"]}, "means")

    def test_rounds(self):
        """first, next and last latency, service time and efficiency"""
        for name, summary, figures in self.each_run():
            with self.subTest(name):
                rounds = summary["rounds"]
                if name not in PUSHES:
                    self.assertIsNone(rounds)
                    continue
                self.assert_same(rounds, figures["rounds"], "rounds")
                self.assert_same(rounds["efficiency_pct"],
                                 figures["rounds"]["service_time_ns"] / 1e6 * 100, "efficiency")

    def test_blame(self):
        """which thread ran instead, for how long and how often"""
        for name, summary, figures in self.each_run():
            if not figures["traced"]:
                continue
            with self.subTest(name):
                got = [{k: blame[k] for k in ("class", "tid", "ns", "messages")}
                       for blame in summary["blame"]]
                order = [tuple(b.values()) for b in figures["blame"]]
                self.assertCountEqual([tuple(b.values()) for b in got], order)
                self.assertEqual([b["ns"] for b in got], sorted((b["ns"] for b in got),
                                                                reverse=True), "largest first")

    def test_spinner(self):
        """a real-time spinner of 3 ms is blamed by its name, before any other task"""
        summary = self.summaries(path_of("spinner"))[0]
        tasks = [blame for blame in summary["blame"] if blame["class"] == "task"]
        self.assertEqual((tasks[0]["comm"], tasks[0]["scheduling"]), ("rt-spinner", "FIFO 99"))

    def test_peaks(self):
        """peaks are the last latencies beyond the range, and causes are only named where known"""
        for name, summary, figures in self.each_run():
            if name not in PUSHES:
                continue
            with self.subTest(name):
                peaks, last = summary["peaks"], figures["rounds"]["last_latency_ns"]
                self.assert_same(summary["range_ns"]["width"], 2 * last["stddev"], "width")
                causes = sum(cause["count"] for cause in peaks["causes"])
                self.assertEqual(causes, peaks["count"] if figures["traced"] else 0, "causes")
                if peaks["count"]:
                    self.assertEqual(peaks["max_ns"], last["max"])
                    self.assertEqual(peaks["largest"]["latency_ns"], last["max"])

    def test_no_switch(self):
        """what the kernel did not show is null, and nothing else is"""
        summary = self.summaries(path_of("no-switch"))[0]
        nulls = [name for name, stat in summary["components_ns"].items() if stat is None]
        self.assertEqual(nulls, ["room", "switch"])


class Messages(Case):
    """The messages themselves, one by one."""

    def messages(self, name):
        """{(run, client, to_server, round): message} as the program says."""
        is_cut = name == "truncated"
        shown = self.show(path_of(name), "-f", "ndjson", is_cut=is_cut).splitlines()
        *lines, end = [json.loads(line) for line in shown]
        self.assertEqual((end["end"], end["truncated"]), ("ipctrace.messages/1", is_cut))
        self.assertEqual(end["runs"] + end["messages"], len(lines), end)
        messages, run = {}, -1
        for line in lines:
            if "schema" in line:
                run += 1
            else:
                messages[run, line["client"], line["to_server"], line["round"]] = line
        return messages

    def test_every_message(self):
        """every instant, component, path and share of blame of every message"""
        for name in NAMES:
            if name in UNTRACED:
                continue
            got = self.messages(name)
            for number, run in enumerate(recorded_runs(name)):
                messages = decode.messages_of(run)
                decode.blame_of(run, messages)
                for message in messages:
                    key = tuple(message[k] for k in ("client", "to_server", "round"))
                    key = (number, *key)
                    with self.subTest(name, key=key):
                        self.assertTrue(key in got, "the program knows this message")
                        self.check_message(got.pop(key), message)
            with self.subTest(name):
                self.assertEqual(list(got), [], "messages that decode.py does not know")

    def check_message(self, got, message):
        blame = sorted([b["class"], b["tid"], b["ns"]] for b in got["blame"])
        self.assertEqual(blame, message.pop("blame"), "blame")
        self.assert_same(got, message, "message")


class Order(Case):
    """The answer does not depend on the order in which records come."""

    @staticmethod
    def backwards(records):
        return records[::-1]

    @staticmethod
    def shuffle(seed):
        def shuffled(records):
            return random.Random(seed).sample(records, len(records))
        return shuffled

    def reordered(self, run, order):
        """The run's records in another order, END last. Marks that speak of the order of records
        ("all before this instant stand above") would be lies: they go."""
        raw = [r.raw for r in run.all if r.kind not in ("watermark", "end")]
        return order(raw) + [r.raw for r in run.of("end")]

    def check_order(self, *orders):
        for name in NAMES:
            runs = recorded_runs(name)
            if len(runs) == 1 and runs[0].complete:
                expected = self.summaries(path_of(name))
                for order in orders:
                    self.check_recording(name, runs[0], order, expected)

    def check_recording(self, name, run, order, expected):
        with open(path_of(name), "rb") as file:
            data = file.read()
        _, size = records.read_header(data, 0)
        with self.subTest(name), tempfile.NamedTemporaryFile() as file:
            file.write(records.plain_file(data[:size], self.reordered(run, order)))
            file.flush()
            got = self.summaries(file.name)
            self.assert_same(got[0], expected[0], "summary")
            self.assertEqual(got, expected)

    def test_shuffled(self):
        """shuffled records give the same summary"""
        self.check_order(*map(self.shuffle, range(5)))

    def test_backwards(self):
        """records that come in the opposite order give the same summary"""
        self.check_order(self.backwards)


class Text(Case):
    """The report for people."""

    def test_each(self):
        """every recording gives a text with its headings, on 80 columns, in plain characters"""
        for name in NAMES:
            with self.subTest(name):
                text = self.show(path_of(name), is_cut=name == "truncated")
                for word in ("ipctrace", " over ", "integrity", "Linux"):
                    self.assertIn(word, text)
                self.assertNotIn("\033", text)
                self.assertNotIn("nan", text)
                longest = max(text.splitlines(), key=len)
                self.assertLessEqual(len(longest), 80, longest)

    def test_truncated(self):
        """a recording that breaks off says so"""
        text = " ".join(report(path_of("truncated")).stdout.split())
        self.assertIn("the recording breaks off before its end", text)

    def test_blame(self):
        """the spinner is named in the table, with its class and policy"""
        text = " ".join(report(path_of("spinner")).stdout.split())
        self.assertIn("task rt-spinner (FIFO 99)", text)


class Slower(Case):
    def test_slower_than(self):
        """only messages that took longer are shown, and all of them count"""
        for name in ("one-cpu", "tcp-request"):
            everything = report(path_of(name), "-f", "ndjson").stdout.splitlines()
            messages = [json.loads(line) for line in everything[1:-1]]
            middle = sorted(m["latency_ns"] for m in messages)[len(messages) // 2]
            slower = report(path_of(name), "-f", "ndjson", "--slower-than", f"{middle}ns")
            shown = [line for line, m in zip(everything[1:], messages) if m["latency_ns"] > middle]
            self.assertEqual(slower.stdout.splitlines()[1:-1], shown)
            self.assertEqual(json.loads(slower.stdout.splitlines()[-1])["messages"], len(shown))
            self.assertEqual(report(path_of(name), "--slower-than", "1s").stdout,
                             report(path_of(name)).stdout)


class Refused(Case):
    """What cannot be read is refused with one clear line."""

    def refuse(self, path, *words):
        result = report(path, "-f", "json")
        self.assertEqual((result.returncode, result.stdout), (1, ""), "status and stdout")
        self.assertEqual(result.stderr.count("\n"), 1, f"one line: {result.stderr}")
        for word in (path, *words):
            self.assertIn(word, result.stderr)

    def refuse_data(self, data, *words):
        with tempfile.NamedTemporaryFile(suffix=".ipct") as file:
            file.write(data)
            file.flush()
            self.refuse(file.name, *words)

    def original(self):
        with open(path_of("one-client"), "rb") as file:
            return file.read()

    def test_foreign(self):
        """a file of another kind is refused by name"""
        self.refuse_data(b"\x7fELF" + bytes(5000), "not an ipctrace recording")
        self.refuse_data(b"PERFILE2" + bytes(5000), "not an ipctrace recording")
        self.refuse_data(b"{}\n", "not an ipctrace recording")

    def test_empty(self):
        """an empty file is refused"""
        self.refuse_data(b"")

    def test_newer(self):
        """a newer version is refused by its number, with the remedy"""
        data = bytearray(self.original())
        struct.pack_into("<I", data, 8, 99)
        self.refuse_data(bytes(data), "version 99", "newer")

    def test_header(self):
        """a header that is cut short or damaged is refused"""
        data = self.original()
        self.refuse_data(data[:200], "header")
        self.refuse_data(data[:16] + b"!" + data[17:], "header")

    def test_missing(self):
        """a file that is not there is refused"""
        self.refuse("/nonexistent/run.ipct", "No such file")

    def check_cut(self, data, size, expected):
        with tempfile.NamedTemporaryFile() as file:
            file.write(data[:size])
            file.flush()
            summary = self.summaries(file.name, is_cut=True)[0]
        integrity = summary["integrity"]
        self.assertTrue(integrity["truncated"])
        self.assertEqual(integrity["matched"], expected["matched"])
        self.assertEqual(integrity["residual_ns_max"], 0)
        self.assert_same(summary["latency_ns"], expected["latency_ns"], "latency")

    def check_cuts(self, name):
        """Cuts within one block leave the same records."""
        with open(path_of(name), "rb") as file:
            data = file.read()
        _, first = records.read_header(data, 0)
        expected = {}
        for size in range(first, len(data), max(1, (len(data) - first) // 40)):
            run = recorded_runs(name)[0].cut(size)
            count = len(run.all)
            if count not in expected:
                expected[count] = decode.figures(run)
            with self.subTest(name, size=size):
                self.check_cut(data, size, expected[count])

    def test_every_cut(self):
        """cut anywhere, a recording is readable up to there and never counts what is not there"""
        for name in CUT:
            self.check_cuts(name)


class Unprivileged(Case):
    """A report needs no privileges."""

    def test_nobody(self):
        """report works as a user without any capability, and says the same"""
        self.assertEqual(os.geteuid(), 0, "only root can change its user: run this as root")
        with tempfile.TemporaryDirectory() as folder:
            os.chmod(folder, 0o755)
            program = shutil.copy(PROGRAM, folder)
            recording = shutil.copy(path_of("one-client"), folder)
            os.chmod(recording, 0o444)
            result = report(recording, "-f", "json", program=program, uid=NOBODY)
            self.assertEqual((result.returncode, result.stderr), (0, ""))
            self.assertEqual(result.stdout, report(recording, "-f", "json").stdout)


if __name__ == "__main__":
    tap.main()
