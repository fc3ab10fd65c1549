# SPDX-License-Identifier: BSD-2-Clause
"""Compares what ipctrace says about a service with what its client and its planted handler know.

Functions of dictionaries and texts and nothing else: tests/scripts/test_services.py has them.
Figures of a client or of a report are {"count", "p50_ns", "p99_ns"}; those of a report have
"service_ns", "states_ns" and "known_pct", too. A figure that does not exist is None.
"""

import re
import typing

import first_screen

SHARE, NEAR_NS = 0.05, 20_000
STATES = {"on_cpu": "on CPU", "runqueue": "run queue", "blocked": "blocked"}
FIGURES = {"p50_ns": "p50", "p99_ns": "p99", "service_ns": "service",
           "allowed_ns": "service longer than the client's clock allows:"}
STATE_SHARE = 0.9  # of the planted time, in the planted state


class Explained(typing.NamedTuple):
    """
    Why a figure of ipctrace may differ from the truth, and by how much: the least and the largest ratio. None: a
    service may be as long as the client's clock allows.
    """

    why: str
    low: float
    high: typing.Optional[float]

    def holds(self, truth, said):
        return bool(truth and said and self.low <= said / truth and (self.high is None or said / truth <= self.high))


class Base(typing.NamedTuple):
    """What a call without a planted handler takes in the service, and outside of it."""

    own_ns: float = 0
    outside_ns: float = 0


def percentile(values, share):
    """The smallest value that so many are not above."""
    ordered = sorted(values)
    return ordered[max(0, -(-len(ordered) * share // 100) - 1)] if ordered else None


def client_figures(took):
    return {"count": len(took), "p50_ns": percentile(took, 50), "p99_ns": percentile(took, 99)}


def service_of(summary, channel="", transport=None):
    """The busiest service whose channel matches."""
    calls = summary["calls"] or {"whole_services": []}
    chosen = [one for one in calls["whole_services"] if re.search(channel, one["channel"] or "")
              and transport in (None, one["transport"])]
    return max(chosen, key=lambda one: one["count"] + one["open_several"], default=None)


def whole_service(service):
    """
    The time until the last part of an answer was sent, and what was done in it: where most answers have several
    parts, a service is over with the last one.
    """
    parts, states = service["answer_parts"], service["states_ns"] or {}
    first_ns = service["service_ns"]["p50"]
    if not parts or 2 * parts["count"] <= service["count"] or first_ns is None:
        return first_ns, states
    later = parts["states_ns"] or {}
    return first_ns + parts["between_ns"], {name: (states.get(name) or 0) + (later.get(name) or 0) for name in STATES}


def report_figures(service, open_several=None):
    """Of an entry of calls.whole_services. Where most calls had others open, what is known of those."""
    if not service:
        return {"count": 0, "p50_ns": None, "p99_ns": None, "service_ns": None, "states_ns": {},
                "known_pct": None, "marked": 0}
    round_trip = service["round_trip_ns"]
    if open_several and service["open_several"] > service["count"]:
        round_trip = open_several
    service_ns, states_ns = whole_service(service)
    return {"count": service["count"] + service["open_several"],
            "p50_ns": round_trip["p50"], "p99_ns": round_trip["p99"], "service_ns": service_ns,
            "states_ns": states_ns, "known_pct": service["states_known_pct"], "marked": service["open_several"]}


def sentence_of(text):
    """The first sentence of the cause. Full stops in numbers and names end none."""
    return re.split(r"(?<=[.!])\s+(?=[A-Z0-9'])", first_screen.answer_of(text, "CAUSE"), maxsplit=1)[0]


def is_near(value, truth):
    if value is None or truth is None:
        return value is truth
    return abs(value - truth) <= max(SHARE * truth, NEAR_NS)


def state_is_right(state, planted_ns, states):
    known = {name: ns for name, ns in states.items() if name in STATES and ns is not None}
    if not known:
        return False
    return max(known, key=known.get) == state and known[state] >= STATE_SHARE * planted_ns


def service_is_near(value_ns, planted_ns, own_ns):
    """The planted time, and what the server takes without it."""
    low, high = planted_ns, planted_ns + own_ns
    allowed = max(SHARE * planted_ns, NEAR_NS)
    return value_ns is not None and low - allowed <= value_ns <= high + allowed


def is_too_long(service_ns, allowed_ns):
    """Whether a service is longer than its call leaves time for: the ways there and back are no shorter than without
    a handler."""
    return service_ns is not None and service_ns > allowed_ns + max(SHARE * allowed_ns, NEAR_NS)


def differences(case, client, report, sentence, base):
    """What is not as the client or the planted handler knows it: {what: (truth, said)}."""
    found = {}
    if client["count"] != report["count"]:
        found["count"] = (client["count"], report["count"])
    for figure in ("p50_ns", "p99_ns"):
        if not is_near(report[figure], client[figure]):
            found[figure] = (client[figure], report[figure])
    for words, truth, said, share in report.get("more", ()):
        if abs(said - truth) > share * truth:
            found[words] = (truth, said)
    if case.service_ns is not None:
        if not service_is_near(report["service_ns"], case.service_ns, base.own_ns):
            found["service_ns"] = (case.service_ns, report["service_ns"])
        allowed_ns = (client["p50_ns"] or 0) - base.outside_ns
        if client["p50_ns"] and is_too_long(report["service_ns"], allowed_ns):
            found["allowed_ns"] = (allowed_ns, report["service_ns"])
        if not state_is_right(case.state, case.service_ns, report["states_ns"]):
            found["state"] = (case.state, report["states_ns"])
    if not re.search(case.says, sentence, re.IGNORECASE):
        found["sentence"] = (case.true, sentence)
    return found


def judge(case, client, report, text, base=Base()):
    """A row of the table."""
    sentence = sentence_of(text)
    found = differences(case, client, report, sentence, base)
    allowed = {what: case.explained[what].why for what, pair in found.items()
               if what in case.explained and case.explained[what].holds(*pair)}
    return {"case": case.name, "program": case.program, "planted": case.planted, "true": case.true,
            "client": client, "report": report, "sentence": sentence,
            "wrong": {what: pair for what, pair in found.items() if what not in allowed},
            "explained": list(dict.fromkeys(allowed.values()))}


NEAR = ("p50_ns", "p99_ns", "service_ns", "allowed_ns", "state")
KNOWN_PCT = 90  # states of fewer calls are not shown as shares, neither here nor in reports
CALM = 3  # p99 of a client that has the CPUs when it wants them, as a multiple of its p50


def is_disturbed(row):
    """
    Whether the machine may be the cause of all that is wrong: then the case runs again. Then durations differ,
    or another cause than the planted one is the largest: the client's own clock shows that.
    """
    if not row.get("wrong"):
        return False
    near = {*NEAR, *(words for words, *_ in row["report"].get("more", ()))}
    p50_ns, p99_ns = row["client"]["p50_ns"], row["client"]["p99_ns"]
    if p50_ns and p99_ns > CALM * p50_ns:
        near.add("sentence")
    return near.issuperset(row["wrong"])


def not_run(case, why):
    return {"case": case.name, "program": case.program, "planted": case.planted,
            "not_run": " ".join(why.split())}


def us(value_ns):
    if value_ns is None:
        return "-"
    return f"{value_ns / 1e3:,.0f}" if value_ns >= 100_000 else f"{value_ns / 1e3:.1f}"


def pair(row, figure, form):
    return " / ".join(form(row[side][figure]) for side in ("client", "report"))


def states_of(report):
    total = sum(ns or 0 for name, ns in report["states_ns"].items() if name in STATES)
    if not total:
        return ""
    shares = [(report["states_ns"].get(name) or 0, words) for name, words in STATES.items()]
    shown = [f"{words} {ns / total:.0%}" for ns, words in sorted(shares, reverse=True)
             if ns >= 0.005 * total]
    known = report["known_pct"]
    if known is None or known >= 99.5:
        return ", ".join(shown)
    if known < KNOWN_PCT:
        return f"states known of {known:.0f} % of calls"
    return ", ".join(shown) + f" (known of {known:.0f} %)"


def service_cell(report):
    if report.get("service_ns") is None:
        return report.get("words") or "-"
    states = states_of(report)
    return us(report["service_ns"]) + (f"; {states}" if states else "")


def count_cell(row):
    report = row["report"]
    parts = []
    if report["count"] is not None:
        cell = pair(row, "count", lambda count: f"{count:,}")
        if report.get("what"):
            cell += f" {report['what']}"
        if report.get("marked"):
            cell += f" ({report['marked']:,} of them with several open)"
        parts.append(cell)
    parts += [f"{truth:,.0f} / {said:,.0f} {words}" for words, truth, said, _ in report.get("more", ())]
    return "; ".join(parts)


def verdict_cell(row):
    if row["wrong"]:
        return "**differs**: " + "; ".join(wrong_words(*item) for item in row["wrong"].items())
    if row["explained"]:
        return "explained: " + " ".join(row["explained"])
    return "ok"


def wrong_words(what, truth_and_said):
    truth, said = truth_and_said
    if what == "sentence":
        return "the sentence is not true"
    if what == "state":
        return f"not {STATES[truth]}"
    if what == "count":
        return f"number {said:,} instead of {truth:,}"
    if what not in FIGURES:
        return f"{said:,.0f} {what} instead of {truth:,.0f}"
    return f"{FIGURES[what]} {us(said)} instead of {us(truth)} us"


HEAD = ("program", "planted: what is true", "calls: client / ipctrace", "p50 (us)", "p99 (us)",
        "service p50 (us), states", "what the first sentence says", "result")


def markdown(cells):
    return "| " + " | ".join(str(cell).replace("|", "\\|") for cell in cells) + " |"


def totals(rows):
    """One line."""
    kinds = ["not run" if "not_run" in row else "wrong" if row["wrong"] else
             "explained" if row["explained"] else "ok" for row in rows]
    return (f"{len(rows)} cases: {kinds.count('ok')} ok, {kinds.count('explained')} with a difference that is "
            f"explained, {kinds.count('wrong')} that differ, {kinds.count('not run')} not run.")


def table(rows):
    lines = [markdown(HEAD), "|" + "---|" * len(HEAD)]
    for row in rows:
        if "not_run" in row:
            lines.append(markdown([row["program"], row["planted"]] + ["-"] * (len(HEAD) - 3) +
                                  [f"not run: {row['not_run']}"]))
            continue
        lines.append(markdown([
            row["program"], f"{row['planted']}: {row['true']}", count_cell(row),
            pair(row, "p50_ns", us), pair(row, "p99_ns", us), service_cell(row["report"]),
            row["sentence"], verdict_cell(row)]))
    return "\n".join(lines)
