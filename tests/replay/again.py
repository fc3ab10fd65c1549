# SPDX-License-Identifier: BSD-2-Clause
"""
An independent reader of `-f csv`, `-f ndjson` and `-f hgrm`: Python's own csv and json, and the rules of
docs/output.md. It works out the summary of `-f json` again from single messages and calls.
"""

import collections
import csv
import fractions
import io
import json
import math
import re

SCHEMA = "ipctrace.messages/1"
TEXTS = ("transport", "sender_comm", "receiver_comm", "path", "match", "kind")
FLAGS = {"true": True, "false": False}
BLAME = re.compile(r"(\w+):(.*):(\d+)=(\d+)")
PERCENTS = {"p50": 50, "p90": 90, "p99": 99, "p999": fractions.Fraction(999, 10)}
# A percentile is at most this much too high, see src/model/stat.h.
RESOLUTION = fractions.Fraction(1, 1024)


def text_of(cell):
    """A name: what stands between the quotes of JSON."""
    return json.loads(f'"{cell}"') if cell else None


def blame_of(cell):
    entries = [BLAME.fullmatch(entry).groups() for entry in cell.split(";") if entry]
    return [{"class": kind, "comm": text_of(comm), "tid": int(tid), "ns": int(ns)}
            for kind, comm, tid, ns in entries]


def blocked_of(cell):
    entries = [entry.rpartition("=") for entry in cell.split(";") if entry]
    return [{"call": call, "ns": int(ns)} for call, _, ns in entries]


def value_of(name, cell):
    if name == "blame":
        return blame_of(cell)
    if name == "blocked_on":
        return blocked_of(cell)
    if name == "unseen":
        return cell.split(";") if cell else []
    if name in TEXTS:
        return text_of(cell)
    if name == "to_server":
        return FLAGS[cell] if cell else None
    return int(cell) if cell else None


def read_csv(text):
    """([messages of each run], whether the end is missing). Without rows there are no runs."""
    runs, is_cut = [], False
    for row in csv.DictReader(io.StringIO(text, newline="")):
        if row.pop("schema") != SCHEMA or is_cut:
            raise AssertionError(f"not a row of a message: {row}")
        number = row.pop("run")
        is_cut = row["kind"] == "truncated"
        if is_cut:
            continue
        while len(runs) < int(number):
            runs.append([])
        runs[int(number) - 1].append({name: value_of(name, cell) for name, cell in row.items()})
    return runs, is_cut


def read_ndjson(text):
    """([{header, messages, calls} of each run], last line)"""
    *lines, end = [json.loads(line) for line in text.splitlines()]
    runs = []
    for line in lines:
        if "schema" in line:
            runs.append({"header": line, "messages": [], "calls": []})
        else:
            runs[-1][line["kind"] + "s"].append(line)
    return runs, end


def read_hgrm(text):
    """([(value in ns, percentile, count)], {name: number} of the last lines)"""
    head, _, rest = text.partition("\n\n")
    if head.split() != ["Value", "Percentile", "TotalCount", "1/(1-Percentile)"]:
        raise AssertionError(f"not the first line of a distribution: {head}")
    lines = [line.split() for line in rest.splitlines() if not line.startswith("#")]
    last = re.findall(r"(\w[\w ]*\w) +=\s+([\d.]+)", rest)
    return ([(round(fractions.Fraction(value) * 10 ** 6), fractions.Fraction(percentile), int(count))
             for value, percentile, count, _ in lines],
            {name: float(number) for name, number in last})


def printed(number):
    """As a report prints a fraction: with 15 digits."""
    return float(f"{float(number):.15g}")


def rank_of(count, percent):
    return max(1, math.ceil(fractions.Fraction(count) * percent / 100))


class Again:
    """Compares the figures of a summary with its messages, with the assertions of a test case."""

    def __init__(self, case, summary, messages, calls=()):
        self.case, self.summary, self.messages, self.calls = case, summary, messages, calls

    def check(self):
        messages, summary = self.messages, self.summary
        self.case.assertEqual(len(messages), summary["integrity"]["matched"])
        self.check_stat("latency_ns", summary["latency_ns"], [m["latency_ns"] for m in messages])
        self.check_components()
        self.check_words("path", summary["paths"])
        self.check_words("match", summary["matches"])
        self.check_blame()
        for client in summary["clients"]:
            self.check_client(client)
        if summary["mode"] == "run":
            self.check_run()
        else:
            self.check_attach()

    def check_stat(self, name, stat, values):
        """Count, extremes and mean exactly; percentiles within their resolution."""
        values = sorted(values)
        self.case.assertEqual(stat["count"], len(values), name)
        if not values:
            return
        mean = fractions.Fraction(sum(values), len(values))
        self.case.assertEqual((stat["min"], stat["max"], stat["mean"]),
                              (values[0], values[-1], printed(mean)), name)
        for key, percent in PERCENTS.items():
            value = values[rank_of(len(values), percent) - 1]
            self.case.assertLessEqual(value, stat[key], (name, key))
            self.case.assertLessEqual(stat[key], value + value * RESOLUTION, (name, key))
        squares = fractions.Fraction(sum(v * v for v in values), len(values)) - mean * mean
        self.case.assertAlmostEqual(stat["stddev"], math.sqrt(squares), delta=1e-6 * stat["max"])

    def check_components(self):
        """Those of each message add up to its latency. An unknown one has no time."""
        components = self.summary["components_ns"]
        for name, stat in components.items():
            values = [m[name + "_ns"] or 0 for m in self.messages]
            if stat is None:
                self.case.assertEqual(sum(values), 0, name)
            else:
                self.check_stat(name, stat, values)
        if components["dispatch"] is not None:
            for m in self.messages:
                self.case.assertEqual(sum(m[name + "_ns"] or 0 for name in components), m["latency_ns"])

    def check_words(self, field, counts):
        found = collections.Counter(m[field] for m in self.messages)
        self.case.assertEqual({word: cnt for word, cnt in counts.items() if cnt}, dict(found), field)

    def check_blame(self):
        """What is folded stands for several threads; the sum is exact all the same. A worker renames itself."""
        def key_of(blame):
            return blame["class"], blame["tid"], blame["comm"]

        entries = self.summary["blame"]
        times, hits = collections.Counter(), collections.Counter()
        for m in self.messages:
            self.case.assertEqual(sum(b["ns"] for b in m["blame"]), m["runqueue_ns"] or 0)
            for b in m["blame"]:
                times[key_of(b)] += b["ns"]
            hits.update({key_of(b) for b in m["blame"]})
        self.case.assertEqual(sum(entry["ns"] for entry in entries), sum(times.values()))
        for entry in entries:
            if not entry["folded"]:
                key = key_of(entry)
                self.case.assertEqual((entry["ns"], entry["messages"]), (times[key], hits[key]), entry)

    def check_client(self, client):
        messages = [m for m in self.messages if m["client"] == client["client"]]
        self.check_stat(f"client {client['client']}", client["latency_ns"],
                        [m["latency_ns"] for m in messages])
        for name, mean in (client["components_ns"] or {}).items():
            if mean is not None:
                total = sum(m[name + "_ns"] or 0 for m in messages)
                self.case.assertEqual(mean, printed(fractions.Fraction(total, len(messages))), name)

    def check_run(self):
        if self.summary["calls"]:
            self.check_exchanges()
        if self.summary["rounds"]:
            self.check_rounds()

    def check_exchanges(self):
        """A call of a run is a request and the answer with its number."""
        requests = {(m["client"], m["round"]): m for m in self.messages if m["to_server"]}
        answers = {(m["client"], m["round"]): m for m in self.messages if not m["to_server"]}
        pairs = [(requests[key], answers[key]) for key in sorted(requests.keys() & answers.keys())]
        calls = self.summary["calls"]
        for key, values in {
                "round_trip_ns": [a["user_ns"] - r["stamp_ns"] for r, a in pairs],
                "request_ns": [r["latency_ns"] for r, _ in pairs],
                "service_ns": [a["stamp_ns"] - r["user_ns"] for r, a in pairs],
                "response_ns": [a["latency_ns"] for _, a in pairs]}.items():
            self.check_stat(key, calls[key], values)

    def check_rounds(self):
        """A round is complete if each client has its message."""
        rounds = collections.defaultdict(list)
        for m in self.messages:
            rounds[m["round"]].append((m["user_ns"], m["stamp_ns"]))
        size = self.summary["workload"]["clients"]
        whole = [sorted(arrivals) for arrivals in rounds.values() if len(arrivals) == size]
        figures = self.summary["rounds"]
        self.case.assertEqual(figures["complete"], len(whole))
        self.check_stat("first", figures["first_latency_ns"], [a[0][0] - a[0][1] for a in whole])
        self.check_stat("last", figures["last_latency_ns"], [a[-1][0] - a[-1][1] for a in whole])
        self.check_stat("next", figures["next_latency_ns"],
                        [late[0] - early[0] for a in whole for early, late in zip(a, a[1:])])

    def check_attach(self):
        for channel in self.summary["channels"]:
            if channel["channels"] == 1:
                messages = [m for m in self.messages if m["channel"] == channel["id"]]
                self.case.assertEqual(channel["messages"], len(messages))
                self.case.assertEqual(channel["bytes"], sum(m["bytes"] for m in messages))
                self.check_stat("channel", channel["latency_ns"], [m["latency_ns"] for m in messages])
        if self.summary["calls"]:
            self.check_calls()

    def check_calls(self):
        """A call of an attach is a line of ndjson. Those of CALL_SEVERAL have statistics of their own."""
        figures = self.summary["calls"]
        single = [call for call in self.calls if call["match"] != "open_several"]
        several = [call for call in self.calls if call["match"] == "open_several"]
        for key in ("round_trip_ns", "request_ns", "service_ns", "response_ns", "response_first_ns"):
            self.check_stat(key, figures[key], [call[key] for call in single])
        if figures["open_several"]:
            self.case.assertEqual(figures["open_several"]["count"], len(several))
        for call in single:
            self.case.assertEqual(call["request_ns"] + call["service_ns"] + call["response_ns"],
                                  call["round_trip_ns"])


def check_hgrm(case, text, stat, values):
    """Every line counts the values up to its own, and its value is that of its rank."""
    values = sorted(values)
    lines, last = read_hgrm(text)
    case.assertEqual(last["Total count"], len(values))
    case.assertEqual((stat["count"], bool(lines)), (len(values), bool(values)))
    for value, percentile, count in lines:
        case.assertEqual(count, sum(v <= value for v in values), value)
        least = values[rank_of(len(values), 100 * percentile) - 1]
        case.assertLessEqual(least, value)
        case.assertLessEqual(value, least + least * RESOLUTION)
    if values:
        shown = {percentile: value for value, percentile, _ in lines}
        case.assertEqual((lines[-1][0], lines[-1][1]), (values[-1], 1))
        case.assertAlmostEqual(last["Mean"] * 1e6, stat["mean"], delta=0.5 + 1e-9)
        case.assertAlmostEqual(last["StdDeviation"] * 1e6, stat["stddev"], delta=0.5 + 1e-9)
        for key in ("p50", "p90"):
            percentile = PERCENTS[key] / fractions.Fraction(100)
            case.assertEqual(shown.get(percentile, stat[key]), stat[key], key)
