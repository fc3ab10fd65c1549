# SPDX-License-Identifier: BSD-2-Clause
"""
What figures must show, worked out from the messages and calls of -f ndjson: nothing of the program's own
sums is used. Each function compares the data of a figure (pages.marks()) with these, and raises if they differ.
"""

import collections
import math

import model

BANDS = (0, 50, 90, 99, 99.9, 100)
STATES = {"on_cpu": "on_cpu", "runqueue": "runqueue", "blocked": "blocked", "wakeup": "wakeup"}

# A latency with its start. `parts` adds up to it: {(part of a call or None, component or None): ns}.
Unit = collections.namedtuple("Unit", "begin ns parts names")


def differs(what, got, expected):
    raise AssertionError(f"{what}: {got} is not {expected}")


def same(what, got, expected):
    if got != expected:
        differs(what, got, expected)


def near(what, got, expected, slack):
    if abs(got - expected) > slack:
        differs(what, got, expected)


def components(message):
    """None if a component is not known."""
    parts = {(None, name): message[f"{name}_ns"] or 0 for name in model.COMPONENTS}
    return parts if sum(parts.values()) == message["latency_ns"] and not message["unseen"] else None


def of_message(message):
    begin = message["send_ns"] if message["stamp_ns"] is None else message["stamp_ns"]
    names = {name: message[name] for name in ("channel", "seq", "client", "round")}
    return Unit(begin, message["latency_ns"], components(message), names)


def of_call(call):
    parts = {(part, None): call[f"{part}_ns"] for part in ("request", "service", "response")}
    return Unit(call["request_sent_ns"], call["round_trip_ns"], parts, {"call": call["call"]})


def rounds(messages):
    """The last message of each whole round."""
    of_round = collections.defaultdict(list)
    for message in messages:
        if message["round"] is not None:
            of_round[message["round"]].append(message)
    whole = max(map(len, of_round.values()), default=0)
    return [max(inside, key=lambda message: message["latency_ns"]) for inside in of_round.values()
            if len(inside) == whole]


def units(lines, kind):
    """All units of a run of this kind: messages, calls or rounds."""
    messages = [line for line in lines if line["kind"] == "message"]
    if kind == "calls":
        return [of_call(line) for line in lines if line["kind"] == "call"]
    return [of_message(message) for message in (rounds(messages) if kind == "rounds" else messages)]


def number(mark, name):
    return int(mark[name])


def counts_of(text):
    """The counts of a row of the heat map: "0x12,3,5x2"."""
    counts = []
    for part in text.split(","):
        count, _, times = part.partition("x")
        counts += [int(count)] * int(times or 1)
    return counts


def heat_map(marks, all_units, until=None):
    """Every unit is in its cell, and there are no others. Returns the number of cells with units."""
    heat, = (mark for mark in marks if "columns" in mark)
    rows = [mark for mark in marks if "cnt" in mark]
    columns, begin, end = number(heat, "columns"), number(heat, "from-ns"), number(heat, "to-ns")
    same("the first one", begin, min(unit.begin for unit in all_units))
    last = max(unit.begin + unit.ns for unit in all_units)
    same("the last one is in it, and the end of tracing is its end", True, end == (max(until, last) if until else last))
    bounds = [number(row, "from-ns") for row in rows]
    same("rows follow one another", bounds[1:], [number(row, "to-ns") for row in rows][:-1])
    cells = collections.Counter()
    for unit in all_units:
        row = next(i for i, mark in enumerate(rows)
                   if number(mark, "from-ns") <= unit.ns < number(mark, "to-ns"))
        cells[row, (unit.begin - begin) * columns // (end - begin + 1)] += 1
    shown = collections.Counter()
    for i, row in enumerate(rows):
        counts = counts_of(row["cnt"])
        same(f"columns of row {i}", len(counts), columns)
        shown.update({(i, column): count for column, count in enumerate(counts) if count})
    same("cells", shown, cells)
    return len(cells)


def slow_limit(marks, all_units, explanation):
    """As many units are above the limit as the explanation calls slow; episodes have as many."""
    if explanation.get("outcome") != "explained" or not explanation["slow"]["count"]:
        return
    limit, = (mark for mark in marks if "limit" in mark["classes"])
    slow = [unit for unit in all_units if unit.ns > number(limit, "ns")]
    same("slow units", len(slow), explanation["slow"]["count"])
    same("the fastest slow one", min(unit.ns for unit in slow), explanation["slow"]["min_ns"])
    for mark in marks:
        if "episode" in mark:
            inside = [unit for unit in slow if number(mark, "from-ns") <= unit.begin
                      and unit.begin + unit.ns <= number(mark, "to-ns")]
            same(f"episode {mark['episode']}", len(inside), number(mark, "units"))


def bands(marks, all_units):
    """The mean of every component in every band. Returns the number of bands with units."""
    known = 0
    for mark in (mark for mark in marks if "above-ns" in mark):
        band, above, up_to = (number(mark, name) for name in ("band", "above-ns", "up-to-ns"))
        inside = [unit for unit in all_units
                  if unit.ns <= up_to and (unit.ns > above or not band)]
        what = f"band {band}"
        same(f"units of {what}", number(mark, "units"), len(inside))
        cut = [unit for unit in inside if unit.parts]
        if not cut or number(mark, "known") != len(inside):
            continue
        known += 1
        near(f"mean of {what}", float(mark["mean-ns"]), sum(unit.ns for unit in inside) / len(inside), 0.001)
        if len(cut) == len(inside):
            band_parts(what, [m for m in marks if m["within"] == marks.index(mark)], cut)
    return known


def band_parts(what, segments, inside):
    shown = collections.Counter()
    for segment in segments:
        if "cost" in segment:
            shown[segment.get("part"), segment["cost"]] += float(segment["ns"])
    for part, cost in inside[0].parts:
        mean = sum(unit.parts[part, cost] for unit in inside) / len(inside)
        got = sum(ns for key, ns in shown.items() if key[0] == part and cost in (None, key[1]))
        near(f"{part} {cost} of {what}", got, mean, 0.02)
    total = sum(unit.ns for unit in inside) / len(inside)
    near(f"the parts of {what}", sum(shown.values()), total, 0.05)


def percentile(ordered, percent):
    """The nearest rank."""
    return ordered[max(0, math.ceil(round(percent / 100 * len(ordered), 9)) - 1)]


def percentiles(marks, all_units, has_band=True):
    """Percentiles are those of the units, up to the width of the histogram's buckets; the maximum is exact."""
    ordered = sorted(unit.ns for unit in all_units)
    points = [mark for mark in marks if "percent" in mark]
    for point in points:
        ns, percent = number(point, "ns"), float(point["percent"])
        near(f"{percent} %", ns, percentile(ordered, percent), ns / 64 if percent < 100 else 0)
        if has_band != ("low-ns" in point):
            differs(f"the band of {percent} %", point, "there" if has_band else "not known")
        if has_band and not number(point, "low-ns") <= ns <= int(point.get("high-ns", ns)):
            differs(f"the band of {percent} %", point, "around its percentile")
    same("the last point", float(points[-1]["percent"]), 100.0)
    return len(points)


def slowest(marks, all_units, most):
    """The longest units in order, so many at most, each cut as in its line."""
    by_begin = collections.defaultdict(list)
    for unit in all_units:
        by_begin[unit.begin, unit.ns].append(unit)
    rows = [(i, mark) for i, mark in enumerate(marks) if "rank" in mark]
    longest = sorted((unit.ns for unit in all_units), reverse=True)[:most]
    same("the slowest", [number(mark, "ns") for _, mark in rows], longest)
    same("ranks", [number(mark, "rank") for _, mark in rows], list(range(1, len(rows) + 1)))
    for i, row in rows:
        candidates = by_begin[number(row, "from-ns"), number(row, "ns")]
        if not candidates:
            differs(f"rank {row['rank']}", row, "a unit")
        pieces = [mark for mark in marks if mark["within"] == i and "cost" in mark]
        same(f"the parts of rank {row['rank']}", sum(number(piece, "ns") for piece in pieces), number(row, "ns"))
        if not any(fits(pieces, unit.parts) for unit in candidates):
            differs(f"rank {row['rank']}", pieces, [unit.parts for unit in candidates])
    return len(rows)


def fits(pieces, parts):
    shown = collections.Counter()
    for piece in pieces:
        shown[piece.get("part"), piece["cost"]] += number(piece, "ns")
    return parts is None or all(
        ns == sum(n for key, n in shown.items() if key[0] == part and cost in (None, key[1]))
        for (part, cost), ns in parts.items())
