# SPDX-License-Identifier: BSD-2-Clause
"""
What figures must show, taken from -f json and from explain -f json: every number up to its decimals. Each
function compares the data of a figure (pages.marks()) with these, raises if they differ, and returns how many
marks it has compared.
"""

import collections

from page import numbers

THOUSANDTH = 0.001  # means have three decimals


def stat(what, mark, expected):
    """Count, percentiles, maximum and mean, as far as the mark has them."""
    for name, key in (("count", "count"), ("messages", "count"), ("p50-ns", "p50"), ("p99-ns", "p99"),
                      ("max-ns", "max")):
        if name in mark:
            numbers.same(f"{name} of {what}", int(mark[name]), expected[key])
    if "mean-ns" in mark:
        numbers.near(f"mean of {what}", float(mark["mean-ns"]), expected["mean"], THOUSANDTH)


def graph(marks, summary):
    """An edge for each pair of processes and transport: its messages are those of its channels."""
    edges = [mark for mark in marks if "messages" in mark and "transport" in mark]
    expected = collections.Counter()
    for channel in summary["channels"]:
        if channel["channels"] == 1:
            expected[channel["sender"]["pid"], channel["receiver"]["pid"], channel["transport"]] += channel["messages"]
    shown = collections.Counter()
    for edge in edges:
        if "from-pid" in edge and "to-pid" in edge:
            shown[int(edge["from-pid"]), int(edge["to-pid"]), edge["transport"]] += int(edge["messages"])
    numbers.same("messages of edges", shown, expected)
    one = {channel["name"]: channel for channel in summary["channels"] if channel["channels"] == 1}
    names = collections.Counter(channel["name"] for channel in summary["channels"])
    for edge in edges:
        if edge.get("channels") == "1" and names[edge.get("channel")] == 1:
            stat(f"edge {edge['channel']}", edge, one[edge["channel"]]["latency_ns"])
    drawn = {mark["edge"] for mark in marks if "edge" in mark}
    numbers.same("edges that are drawn", len(drawn) > 0, True)
    return len(edges)


def chains(marks, summary):
    """Each chain with its hops: on the way to the next process, and in it."""
    found = 0
    rows = [(i, mark) for i, mark in enumerate(marks) if "cycle-mean-ns" in mark]
    for (i, row), chain in zip(rows, summary["chains"]):
        numbers.same("count of a chain", int(row["count"]), chain["count"])
        numbers.near("mean of a chain", float(row["cycle-mean-ns"]), chain["cycle_ns"]["mean"], THOUSANDTH)
        expected = [hop[part] for hop in chain["hops"] for part in ("latency_ns", "handled_ns") if hop[part]]
        hops = [mark for mark in marks if mark["within"] == i and "mean-ns" in mark]
        numbers.same("hops", [int(hop["max-ns"]) for hop in hops], [part["max"] for part in expected])
        for hop, part in zip(hops, expected):
            numbers.near(hop["tip"], float(hop["mean-ns"]), part["mean"], THOUSANDTH)
        found += len(hops)
    return found


def blame(marks, lines, summary):
    """The culprits of messages, the largest first, have all of their waiting. Threads of a name may be one row."""
    rows = [mark for mark in marks if mark.get("unit") == "message" and ("share" in mark or "folded" in mark)]
    waited = sum(line["runqueue_ns"] or 0 for line in lines if line["kind"] == "message")
    numbers.same("waiting in all", sum(int(row["ns"]) for row in rows), waited)
    alone = [row for row in rows if "folded" not in row]
    numbers.same("in order", [int(row["ns"]) for row in alone], sorted((int(row["ns"]) for row in alone), reverse=True))
    expected = collections.Counter()
    for entry in summary["blame"]:
        expected[entry["class"]] += entry["ns"]
    shown = collections.Counter()
    for row in alone:
        shown[row["class"]] += int(row["ns"])
    if len(alone) == len(rows) and not any(entry["folded"] for entry in summary["blame"]):
        numbers.same("waiting by class", shown, expected)
    return len(rows)


def difference(marks, explanation):
    """What takes longer: every row that has a component, exactly."""
    rows = [mark for mark in marks if "slow-ns" in mark]
    known = collections.defaultdict(list)
    for row in explanation["rows"]:
        known[row["component"], row["part"]].append(row)
    for row in rows:
        candidates = known[row["component"], row.get("part")]
        if not any(abs(float(row["ns"]) - entry["ns"]) <= THOUSANDTH
                   and abs(float(row["slow-ns"]) - entry["slow_ns"]) <= THOUSANDTH
                   and abs(float(row["base-ns"]) - entry["base_ns"]) <= THOUSANDTH
                   and int(row["slow-messages"]) == entry["slow_messages"] for entry in candidates):
            numbers.differs("a row of the difference", row, candidates)
    return len(rows)


def apart(marks, explanation):
    """What sets them apart: the pairs of the explanation."""
    rows = [mark for mark in marks if "slow-share" in mark]
    known = {(entry["attribute"], entry["value"]): entry for entry in explanation["attributes"]}
    for row in rows:
        entry = known[row["name"], row["value"]]
        for name, key in (("slow-messages", "slow_messages"), ("base-messages", "base_messages")):
            numbers.same(f"{name} of {row['name']}", int(row[name]), entry[key])
        for name, key in (("slow-share", "slow_share"), ("base-share", "base_share")):
            numbers.near(f"{name} of {row['name']}", float(row[name]), entry[key], 1e-6)
    return len(rows)


def series(marks, lines):
    """The messages of each client, in groups of consecutive numbers: count, least, mean and most."""
    curves = [mark for mark in marks if "points" in mark]
    messages = collections.defaultdict(list)
    for line in lines:
        if line["kind"] == "message":
            messages[line["client"]].append(line)
    for curve in curves:
        own = messages[int(curve["client"])]
        shown = 0
        for point in filter(None, curve["points"].split(";")):
            first, last, count, least, mean, most = point.split()
            inside = [m["latency_ns"] for m in own if int(first) <= m["round"] <= int(last)]
            what = f"client {curve['client']}, {first} to {last}"
            numbers.same(what, (int(count), int(least), int(most)), (len(inside), min(inside), max(inside)))
            numbers.near(f"mean of {what}", float(mean), sum(inside) / len(inside), THOUSANDTH)
            shown += len(inside)
        numbers.same(f"messages of client {curve['client']}", shown, len(own))
    return len(curves)


# Of a run, by the title of a panel.
OVER_CLIENTS = {
    "first client": lambda rounds: rounds["first_latency_ns"]["mean"],
    "gap to the next client": lambda rounds: (rounds["next_latency_ns"] or {}).get("mean"),
    "last client": lambda rounds: rounds["last_latency_ns"]["mean"],
    "service time (last + deviation)": lambda rounds: rounds["service_time_ns"],
    "deviation of the last client": lambda rounds: rounds["last_latency_ns"]["stddev"],
    "efficiency (service time / tick)": lambda rounds: rounds["efficiency_pct"] / 100,
}


def settings(workload):
    return workload["transport"], workload["load"], workload["clients"], workload["size"]


def settings_of(mark):
    return mark["transport"], mark.get("load"), int(mark["clients"]), int(mark["size"])


def over_clients(marks, summaries):
    """Each figure of each run, by its number of clients."""
    runs = {settings(summary["workload"]): summary["rounds"] for summary in summaries}
    points = [mark for mark in marks if "panel" in mark and "clients" in mark]
    for point in points:
        expected = OVER_CLIENTS[point["panel"]](runs[settings_of(point)])
        got, slack = (float(point["ns"]), THOUSANDTH) if "ns" in point else (float(point["value"]), 1e-6)
        numbers.near(f"{point['panel']} of {settings_of(point)}", got, expected, slack)
    shown = {(point["panel"], *settings_of(point)) for point in points}
    expected = {(panel, *run) for panel, figure in OVER_CLIENTS.items() for run, rounds in runs.items()
                if figure(rounds) is not None}
    numbers.same("points", shown, expected)
    return len(points)


def runs(marks, summaries):
    """The percentiles of each run."""
    rows = [mark for mark in marks if "p50-ns" in mark]
    by_settings = {settings(summary["workload"]): summary["latency_ns"] for summary in summaries}
    for row in rows:
        expected = by_settings.pop(settings_of(row))
        for name, key in (("p50-ns", "p50"), ("p99-ns", "p99"), ("max-ns", "max")):
            numbers.near(f"{name} of {settings_of(row)}", float(row[name]), expected[key], THOUSANDTH)
    numbers.same("runs without a row", by_settings, {})
    return len(rows)
