# SPDX-License-Identifier: BSD-2-Clause
"""An independent reader of recordings: what the report must say, worked out from the raw records.

It takes the layout of the records from the recording's own header and shares no code with the
program, and where it can, it goes another way: whole recordings in memory, no order assumed, blame
found instant by instant.

    decode.py FILE...     writes the important figures of each as JSON, see expected.json
"""

import bisect
import collections
import json
import math
import os
import struct
import sys

MAGIC = b"IPCTRACE"
PREAMBLE = struct.Struct("<8sII")
WORD = 8
COMPONENTS = ("dispatch", "send_path", "wakeup", "runqueue", "switch", "busy", "blocked", "receive",
              "return")

# A change is one word: kind in the top 4 bits, CPU in the next 14, nanoseconds modulo 2^46.
CHANGE_TIME_BITS, CHANGE_CPU_BITS = 46, 14
SLEEP, PREEMPT, WAKE, MIGRATE, SWITCH, RUN, RESUME = range(1, 8)
TASK, IRQ, SOFTIRQ, UNSEEN = range(4)
NOWHERE = None  # the CPU of a wait that is not known
ROLE_SERVER, ROLE_CLIENT = range(2)
KTHREAD = 1

Change = collections.namedtuple("Change", "at cpu kind")


class Record(dict):
    """The fields of a record by name, and the words behind them."""

    def __init__(self, kind, cpu, tid, words):
        super().__init__(cpu=cpu, tid=tid)
        self.kind = kind
        self.words = words
        self.raw = b""


class Cell:
    """One run of a recording: its header and all of its records."""

    def __init__(self, header):
        self.header = header
        self.records = []
        self.complete = False

    def of(self, kind):
        return [record for record in self.records if record.kind == kind]


def read(path):
    """All cells of a recording."""
    with open(path, "rb") as file:
        data = file.read()
    cells, at = [], 0
    while at < len(data):
        magic, _, size = PREAMBLE.unpack_from(data, at)
        if magic != MAGIC:
            raise ValueError(f"{path}: no recording at byte {at}")
        at += PREAMBLE.size
        cell = Cell(json.loads(data[at:at + size]))
        at = read_records(data, at + size, cell)
        cells.append(cell)
    return cells


def read_records(data, at, cell):
    """Up to the END record or to where the data break off."""
    layouts = {layout["type"]: (name, layout) for name, layout in cell.header["layouts"].items()}
    while at + WORD <= len(data):
        kind, words, cpu, tid = struct.unpack_from("<BBHI", data, at)
        if not words or at + words * WORD > len(data):
            break
        name, layout = layouts[kind]
        record = Record(name, cpu, tid, struct.unpack_from(
            f"<{words - layout['bytes'] // WORD}Q", data, at + layout["bytes"]))
        for field, offset, size in layout["fields"]:
            record[field] = field_of(data[at + offset:at + offset + size], field)
        record.raw = data[at:at + words * WORD]
        cell.records.append(record)
        at += words * WORD
        if name == "end":
            cell.complete = True
            return at
    return len(data)


def field_of(data, name):
    """Names are text, whatever is four or eight bytes a number, the rest is an array of numbers."""
    if name == "comm":
        return data.split(b"\0")[0].decode()
    if len(data) in (4, 8):
        return int.from_bytes(data, "little")
    return struct.unpack(f"<{len(data) // WORD}Q", data)


class Roles:
    """Who is who in the workload."""

    def __init__(self, cell):
        roles = cell.of("role")
        self.server = next((r["tid"] for r in roles if r["role"] == ROLE_SERVER), None)
        self.clients = {r["tid"]: r["client"] for r in roles if r["role"] == ROLE_CLIENT}


def timelines(cell):
    """{tid: {index: Change}} of all threads, whichever record carried a change."""
    lines = collections.defaultdict(dict)
    for record in cell.of("receive") + cell.of("changes"):
        at = record["exit_ns"] if record.kind == "receive" else record["base_ns"]
        for i, word in reversed(list(enumerate(record.words))):
            at -= (at - word) % (1 << CHANGE_TIME_BITS)
            cpu = word >> CHANGE_TIME_BITS & ((1 << CHANGE_CPU_BITS) - 1)
            lines[record["tid"]][record["first"] + i] = Change(
                at, cpu, word >> CHANGE_TIME_BITS + CHANGE_CPU_BITS)
    return lines


class Message(dict):
    """
    The instants and components of one message. `calls` are the receive calls in which its receiver
    waited for messages of this socket, `waits` its stays in a run queue.
    """

    def __init__(self, send, receive, stamp, calls):
        super().__init__(
            client=stamp["client"], stamp_ns=stamp["stamp_ns"], send_ns=send["send_ns"],
            queued_ns=min(send["queued_ns"], receive["exit_ns"]), recv_ns=receive["exit_ns"],
            user_ns=stamp["user_ns"], latency_ns=stamp["user_ns"] - stamp["stamp_ns"])
        self.enter_ns = receive["enter_ns"]
        self.calls = calls
        self.waits = []
        self.update({component + "_ns": 0 for component in COMPONENTS})
        self["dispatch_ns"] = self["send_ns"] - self["stamp_ns"]
        self["send_path_ns"] = self["queued_ns"] - self["send_ns"]
        self["return_ns"] = self["user_ns"] - self["recv_ns"]

    def spend(self, change, begin, end, after=None):
        """The receiver was in the state that `change` has brought about, until `after` came."""
        kind = change.kind if change else RUN
        if kind in (PREEMPT, WAKE, MIGRATE):
            moved = after and after.kind != MIGRATE and after.cpu != change.cpu
            if end > begin:
                self.waits.append((NOWHERE if moved else change.cpu, begin, end))
            self["runqueue_ns"] += end - begin
        elif kind == SLEEP:
            self["wakeup_ns" if self.is_awaited(change) else "blocked_ns"] += end - begin
        elif kind == SWITCH and self["switch_ns"] is not None:
            self["switch_ns"] += end - begin
        else:
            entered = min(max(self.enter_ns, begin), end)
            self["busy_ns"] += entered - begin
            self["receive_ns"] += end - entered

    def is_awaited(self, sleep):
        """Whether it went to sleep for this message: before that came, in a call on its socket."""
        return sleep.at < self["queued_ns"] and any(
            enter <= sleep.at <= leave for enter, leave in self.calls)

    def path_after(self, change):
        """What the receiver was doing when the message came."""
        kind = change.kind if change else RUN
        if kind == SLEEP:
            return "slept" if self.is_awaited(change) else "blocked"
        return "runnable" if kind in (PREEMPT, WAKE, MIGRATE) else "running"


def cut(message, line, shows_switch):
    """
    Cuts the time from `queued` to `recv` by the receiver's changes of state. False: something is
    missing between these, as a thread whose call returns must be running.
    """
    queued, recv = message["queued_ns"], message["recv_ns"]
    if not shows_switch:
        message["switch_ns"] = None
    changes = [line[i] for i in sorted(line)]
    first = bisect.bisect_right([change.at for change in changes], queued)
    state, begin = changes[first - 1] if first else None, queued
    message["path"] = message.path_after(state)
    for change in changes[first:]:
        if change.at > recv:
            break
        message.spend(state, begin, change.at, change)
        state, begin = change, change.at
    message.spend(state, begin, recv)
    if RESUME in [change.kind for change in changes[first:] if change.at <= recv]:
        message["switch_ns"] = None  # nobody told where the switch began: it is in `runqueue`
    return state is None or state.kind in ((RUN, RESUME) if shows_switch else (SWITCH, RESUME))


class Calls:
    """The receive calls of every thread on every socket, in order."""

    def __init__(self, cell):
        self.sockets = {c["channel"]: c["receiver"] for c in cell.of("channel")}
        self.calls = collections.defaultdict(list)
        for record in cell.of("receive"):
            self.calls[self.key(record)].append((record["enter_ns"], record["exit_ns"]))
        for calls in self.calls.values():
            calls.sort()

    def key(self, record):
        channel = record["channel"]
        return record["tid"], self.sockets.get(channel, ("channel", channel))

    def near(self, record):
        """The call of this record and the few before it in which a queue may have built up."""
        calls = self.calls[self.key(record)]
        last = bisect.bisect_right(calls, (record["enter_ns"], record["exit_ns"]))
        return calls[max(0, last - 64):last]


def messages_of(cell):
    """Every kept message whose send, receive, stamp and states in between are there."""
    roles, lines = Roles(cell), timelines(cell)
    warmup = cell.header["workload"]["warmup"]
    sends = {(s["channel"], s["position"]): s for s in cell.of("send") if s["tid"] == roles.server}
    stamps = {(s["client"], s["index"]): s for s in cell.of("stamp")}
    calls = Calls(cell)
    messages = []
    for receive in cell.of("receive"):
        send = sends.get((receive["channel"], receive["position"]))
        stamp = stamps.get((roles.clients.get(receive["tid"]), receive["position"]))
        if not send or not stamp or stamp["round"] < warmup:
            continue
        message = Message(send, receive, stamp, calls.near(receive))
        message["round"] = stamp["round"] - warmup
        message["receiver_tid"] = receive["tid"]
        if cut(message, lines[receive["tid"]], cell.header["shows_switch"]):
            messages.append(message)
    return messages


class History:
    """What ran where."""

    def __init__(self, cell):
        self.slices = collections.defaultdict(list)
        for record in cell.of("slice"):
            row = TASK if record["kind"] == UNSEEN else record["kind"]
            self.slices[record["cpu"], row].append(record)
        for slices in self.slices.values():
            slices.sort(key=lambda s: s["end_ns"])
        self.ends = {key: [s["end_ns"] for s in slices] for key, slices in self.slices.items()}

    def around(self, cpu, kind, begin, end):
        """Slices of a kind that can touch the interval."""
        slices = self.slices[cpu, kind]
        ends = self.ends.get((cpu, kind), [])
        last = bisect.bisect_left(ends, end) + (1 if kind == TASK else len(slices))
        return slices[bisect.bisect_right(ends, begin):last]

    def who(self, cpu, begin, end):
        """{(kind, id): ns}: an interrupt hides a softirq, and that hides a task."""
        near = {kind: self.around(cpu, kind, begin, end) for kind in (TASK, IRQ, SOFTIRQ)}
        edges = {begin, end}
        for slices in near.values():
            edges.update(s[k] for s in slices for k in ("start_ns", "end_ns")
                         if begin < s[k] < end)
        edges = sorted(edges)
        shares = collections.Counter()
        for at, until in zip(edges, edges[1:]):
            shares[self.at(near, at)] += until - at
        return shares

    @staticmethod
    def at(near, instant):
        for kind in (IRQ, SOFTIRQ):
            for s in near[kind]:
                if s["start_ns"] <= instant < s["end_ns"]:
                    return kind, s["tid"]
        running = next((s for s in near[TASK] if instant < s["end_ns"]), None)
        if running and running["kind"] == TASK:
            return TASK, running["tid"]
        return None, 0


def class_of(who, roles, kthreads):
    """The word that the report uses for somebody."""
    kind, number = who
    if kind != TASK:
        return {IRQ: "irq", SOFTIRQ: "softirq"}.get(kind, "unknown")
    if number == 0:
        return "idle"
    if number == roles.server:
        return "server"
    if number in roles.clients:
        return "client"
    return "kthread" if number in kthreads else "task"


def blame_of(cell, messages):
    """Who ran instead: [{class, tid, ns, messages}], and every message's own in its `blame`."""
    roles, history = Roles(cell), History(cell)
    kthreads = {n["tid"] for n in cell.of("name") if n["kind"] == TASK and n["flags"] & KTHREAD}
    total, hit = collections.Counter(), collections.Counter()
    for message in messages:
        shares = collections.Counter()
        for cpu, begin, end in message.waits:
            shares += history.who(cpu, begin, end)
        message["blame"] = sorted([class_of(who, roles, kthreads), who[1], ns]
                                  for who, ns in shares.items())
        total += shares
        hit.update(shares.keys())
    return sorted(({"class": class_of(who, roles, kthreads), "tid": who[1], "ns": ns,
                    "messages": hit[who]} for who, ns in total.items()),
                  key=lambda blame: (-blame["ns"], blame["class"], blame["tid"]))


def stat_of(values):
    """Count, extremes, mean and the deviation of all values, exact until the last division."""
    count, total = len(values), sum(values)
    if not count:
        return dict.fromkeys(("min", "max", "mean", "stddev"), None) | {"count": 0}
    variance = count * sum(v * v for v in values) - total * total
    return {"count": count, "min": min(values), "max": max(values), "mean": total / count,
            "stddev": math.sqrt(variance) / count}


def rounds_of(cell, messages):
    """First, next, last latency and service time of the rounds of which every message is there."""
    warmup = cell.header["workload"]["warmup"]
    sent = {tick["round"] - warmup: tick["sent"] for tick in cell.of("tick")}
    arrivals = collections.defaultdict(list)
    for m in messages:
        arrivals[m["round"]].append((m["user_ns"], m["client"], m["stamp_ns"]))
    rounds = [sorted(a) for r, a in sorted(arrivals.items()) if len(a) == sent.get(r)]
    last = stat_of([a[-1][0] - a[-1][2] for a in rounds])
    return {
        "complete": len(rounds),
        "first_latency_ns": stat_of([a[0][0] - a[0][2] for a in rounds]),
        "next_latency_ns": stat_of([b[0] - a[0] for r in rounds for a, b in zip(r, r[1:])]),
        "last_latency_ns": last,
        "service_time_ns": last["mean"] + last["stddev"] if rounds else None,
    }


def own_messages(cell):
    """The messages as the clients have measured them by themselves: from their stamps alone."""
    warmup = cell.header["workload"]["warmup"]
    return [{"client": s["client"], "round": s["round"] - warmup, "stamp_ns": s["stamp_ns"],
             "user_ns": s["user_ns"], "latency_ns": s["user_ns"] - s["stamp_ns"]}
            for s in cell.of("stamp") if s["round"] >= warmup]


def figures(cell):
    """What the summary of this cell must say."""
    traced = cell.header["traced"]
    messages = messages_of(cell) if traced else own_messages(cell)
    warmup = cell.header["workload"]["warmup"]
    result = {
        "traced": traced,
        "shows_switch": cell.header["shows_switch"],
        "truncated": not cell.complete,
        "sent": sum(tick["sent"] for tick in cell.of("tick") if tick["round"] >= warmup),
        "matched": len(messages),
        "latency_ns": stat_of([m["latency_ns"] for m in messages]),
        "clients": [stat_of([m["latency_ns"] for m in messages if m["client"] == client + 1])
                    for client in range(cell.header["workload"]["clients"])],
        "rounds": rounds_of(cell, messages),
    }
    if traced:
        result["unseen_switches"] = sum(m["switch_ns"] is None for m in messages
                                        if cell.header["shows_switch"])
        result["paths"] = dict(collections.Counter(m["path"] for m in messages))
        result["components_ns"] = {
            c: None if c == "switch" and not cell.header["shows_switch"]
            else stat_of([m[c + "_ns"] or 0 for m in messages]) for c in COMPONENTS}
        result["blame"] = blame_of(cell, messages)
    return result


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__.strip())
    print(json.dumps({os.path.basename(path): [figures(cell) for cell in read(path)]
                      for path in sys.argv[1:]}, indent=1))


if __name__ == "__main__":
    main()
