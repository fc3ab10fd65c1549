# SPDX-License-Identifier: BSD-2-Clause
"""
What users and scripts rely on: names, types and nulls of the machine formats, and the help. Others
may be added.
"""

import json
import re
import socket
import threading

import harness
import model
import tap

COUNT, NUMBER, TEXT = int, (int, float), str
STAT = {"count": COUNT, "min": COUNT, "mean": NUMBER, "stddev": NUMBER, "p50": COUNT, "p90": COUNT,
        "p99": COUNT, "p999": COUNT, "max": COUNT}
OF_ATTACH = model.without("NEEDS_ROUND")
BLAME = [{"class": TEXT, "comm": (TEXT, None), "tid": COUNT, "ns": COUNT}]
END = {"pid": COUNT, "comm": TEXT}


def components(of, is_run):
    """By name: null is what the kernel, or an attach, cannot show."""
    return {name: of if is_run or name in OF_ATTACH else None for name in model.COMPONENTS}


def summary(is_run):
    means = components(NUMBER, is_run)
    fan = STAT | {"components_ns": means}
    return {
        "schema": "ipctrace.summary/1", "version": TEXT,
        "host": {"kernel": TEXT, "arch": TEXT, "cpus": COUNT, "preemption": TEXT,
                 "clocksource": TEXT, "virtual": TEXT},
        "mode": "run" if is_run else "attach",
        "workload": {"transport": TEXT, "pattern": TEXT, "clients": COUNT, "messages": COUNT,
                     "warmup": COUNT, "period_ns": COUNT, "size": COUNT, "policy": TEXT,
                     "server_priority": COUNT, "client_priority": COUNT, "cpus": TEXT,
                     "handler": (TEXT, None), "load": (TEXT, None)} if is_run else None,
        "integrity": {"sent": COUNT, "matched": COUNT, "incomplete": {"not_received": COUNT},
                      "lost": COUNT, "residual_ns_max": COUNT},
        "observer": {"bpf_ns_per_message": (*NUMBER, None),
                     "traced_over_untraced": (*NUMBER, None)},
        "latency_ns": STAT,
        "components_ns": components(STAT, is_run),
        "paths": {"slept": COUNT, "runnable": COUNT, "running": COUNT, "blocked": COUNT},
        "rounds": {"count": COUNT, "complete": COUNT, "tick_ns": COUNT, "first_latency_ns": fan,
                   "next_latency_ns": fan, "last_latency_ns": STAT, "service_time_ns": NUMBER,
                   "efficiency_pct": NUMBER} if is_run else None,
        "calls": None if is_run else {
            "count": COUNT, "round_trip_ns": STAT, "request_ns": STAT,
            "service_ns": STAT | {"states_ns": {"on_cpu": NUMBER, "runqueue": NUMBER,
                                                "blocked": NUMBER}},
            "response_ns": STAT},
        "range_ns": {"medium": (*NUMBER, None), "width": (*NUMBER, None)},
        "peaks": {"count": COUNT, "per_second": (*NUMBER, None), "min_ns": (COUNT, None),
                  "max_ns": (COUNT, None), "causes": [{}]},
        "blame": [BLAME[0] | {"messages": COUNT, "share": NUMBER}],
        "clients": [{"client": COUNT, "tid": COUNT, "comm": TEXT, "latency_ns": STAT,
                     "components_ns": means, "position_mean": NUMBER}],
        "channels": [{"id": COUNT, "transport": TEXT, "name": TEXT, "sender": END, "receiver": END,
                      "messages": COUNT, "bytes": COUNT, "latency_ns": STAT}],
    }


def message(is_run):
    """In the order of the fields."""
    only_run = COUNT if is_run else None
    return {"channel": COUNT, "transport": TEXT, "seq": COUNT, "round": only_run,
            "client": only_run, "bytes": COUNT, "receives": COUNT, "sender_tid": COUNT,
            "sender_comm": TEXT, "sender_cpu": COUNT, "receiver_tid": COUNT, "receiver_comm": TEXT,
            "receiver_cpu": COUNT, "send_ns": COUNT, "latency_ns": COUNT,
            **{name + "_ns": of for name, of in components((COUNT, None), is_run).items()
               if name != "room"},
            "path": TEXT, "match": TEXT, "blame": BLAME}


def faults(value, wanted, where):
    """The problems of a value, one line each."""
    if isinstance(wanted, dict):
        if not isinstance(value, dict):
            return [f"{where}: {value!r} is no object"]
        return [fault for name, inner in wanted.items()
                for fault in (faults(value[name], inner, f"{where}.{name}") if name in value
                              else [f"{where}.{name} is missing"])]
    if isinstance(wanted, list):
        if not isinstance(value, list):
            return [f"{where}: {value!r} is no list"]
        return [fault for i, item in enumerate(value)
                for fault in faults(item, wanted[0], f"{where}[{i}]")]
    choices = wanted if isinstance(wanted, tuple) else (wanted,)
    if any(type(value) is choice if isinstance(choice, type) else value == choice
           for choice in choices):
        return []
    return [f"{where}: {value!r} is not {wanted}"]


class Contract(harness.TestCase):
    """One run and one attachment, as JSON and message by message."""

    def check(self, recording, is_run):
        def shown(format_):
            result = harness.ipctrace("report", recording, "-f", format_)
            self.assertEqual(result.status, 0, result.err)
            return result.out

        whole = json.loads(shown("json"))
        self.assertEqual(faults(whole, summary(is_run), "summary"), [])
        matched = whole["integrity"]["matched"]
        for name, stat in whole["components_ns"].items():
            self.assertEqual(stat["count"] if stat else matched, matched, name)
        (header,), messages = harness.read_ndjson(shown("ndjson"))
        wanted = message(is_run)
        self.assertEqual(header["fields"][:len(wanted)], list(wanted))
        self.assertEqual(len(messages), matched)
        for one in messages:
            self.assertEqual(list(one), header["fields"])
            self.assertEqual(faults(one, wanted, "message"), [])

    def test_run(self):
        """a run"""
        path = self.file("run.ipct")
        result = harness.ipctrace("--clients", 2, "--messages", 30, "--warmup", 5, "--record", path)
        self.assertEqual(result.status, 0, result.err)
        self.check(path, True)

    def test_attach(self):
        """an attachment to a server that answers"""
        path, address = self.file("attach.ipct"), self.file("socket")
        with socket.socket(socket.AF_UNIX) as listener:
            listener.bind(address)
            listener.listen()
            process = harness.start("attach", "--record", path, "--", "python3", "-c", CLIENT,
                                    address)
            server = threading.Thread(target=self.answer, args=(listener,))
            server.start()
            self.assertEqual(harness.finish(process).status, 0)
            server.join()
        self.check(path, False)

    @staticmethod
    def answer(listener):
        connection, _ = listener.accept()
        with connection:
            while data := connection.recv(64):
                connection.sendall(data)


class Help(harness.TestCase):
    """--help of every command, as a newcomer reads it."""

    COMMANDS = ("run", "attach", "report", "explain", "list", "doctor")
    WIDTH = 80
    FORBIDDEN = re.compile(r"\b(who|whom|whose|nobody|told|there (is|are))\b", re.I)
    OPTION = re.compile(r"^  (?:-\w, |    )--([\w-]+)(?:(?: |(?=\[=))(\S+))?(?:  +(.*))?$")
    VALUE = re.compile(r"^ {10}\S")

    # A target that is not given is not traced.
    WITHOUT_DEFAULT = {"attach": {"pid", "comm", "cgroup", "unix", "port"}}

    @staticmethod
    def shown(command):
        return harness.ipctrace(command, "--help").out

    def options(self, command):
        """{name: (argument or None, text)}, without the lines of the option's values."""
        options, name = {}, None
        for line in self.shown(command).splitlines():
            match = self.OPTION.match(line)
            if match:
                name = match[1]
                options[name] = (match[2], match[3] or "")
            elif self.VALUE.match(line) or not line.startswith(" " * 28):
                name = None
            elif name:
                options[name] = (options[name][0], f"{options[name][1]} {line.strip()}")
        return options

    def test_defaults(self):
        """every option with an argument says what applies without it"""
        for command in self.COMMANDS:
            options = self.options(command)
            self.assertIn("format", options)
            silent = {name for name, (argument, text) in options.items()
                      if argument and "(default: " not in text}
            self.assertEqual(silent, self.WITHOUT_DEFAULT.get(command, set()), command)

    def test_complete(self):
        """it has every option that --usage has"""
        for command in self.COMMANDS:
            usage = harness.ipctrace(command, "--usage").out
            self.assertEqual(set(re.findall(r"--([\w-]+)", usage)), set(self.options(command)),
                             command)

    def test_layout(self):
        """no line is wider than a terminal, and no text is empty"""
        for command in self.COMMANDS:
            wide = [line for line in self.shown(command).splitlines() if len(line) > self.WIDTH]
            self.assertEqual(wide, [], command)
            empty = [name for name, (_, text) in self.options(command).items() if not text]
            self.assertEqual(empty, [], command)

    def test_words(self):
        """threads and programs are no persons, and each sentence names its subject"""
        for command in self.COMMANDS:
            found = [line for line in self.shown(command).splitlines()
                     if self.FORBIDDEN.search(line)]
            self.assertEqual(found, [], command)

    def test_modes(self):
        """the first lines of the help name both modes, and the examples say what they answer"""
        first = harness.ipctrace("--help").out.splitlines()[:6]
        self.assertTrue(any("ipctrace [run]" in line for line in first), first)
        self.assertTrue(any("ipctrace attach" in line for line in first), first)
        for command in self.COMMANDS:
            examples = self.shown(command).split("Examples:\n")[1].strip("\n").split("\n\n")
            for example in examples:
                self.assertRegex(example, r"^  # .+\n  (sudo )?ipctrace\b[^\n]*$", command)


CLIENT = """
import socket, sys
with socket.socket(socket.AF_UNIX) as connection:
    connection.connect(sys.argv[1])
    for _ in range(50):
        connection.sendall(b"question")
        connection.recv(64)
"""


if __name__ == "__main__":
    tap.main()
