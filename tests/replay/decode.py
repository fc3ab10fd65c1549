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
import sys

import model
from replay import joins, records

SERVICE_STATES = ("on_cpu", "runqueue", "blocked")

SLEEP, PREEMPT, WAKE, MIGRATE, SWITCH, RUN, RESUME, THROTTLE, POLL, WOKEN = range(1, 11)
ROOM = 13
ASLEEP, RUNNABLE, RUNNING = (SLEEP, POLL, WOKEN), (PREEMPT, WAKE, MIGRATE, THROTTLE), (RUN, RESUME)
TASK, IRQ, SOFTIRQ, UNSEEN = range(4)
NOWHERE = None  # the CPU of a wait that is not known
THROTTLED = "throttled"  # nor is there one where bandwidth control holds a thread back
KTHREAD = 1


class Message(dict):
    """
    The instants and components of one message. `calls` are all receive calls, `waits` this
    receiver's stays in a run queue. Without a stamp it begins with the send and ends with the
    receive.
    """

    def __init__(self, joined, stamp, calls):
        send, receive = joined.send, joined.receive
        super().__init__(
            client=joined.client, to_server=joined.to_server, channel=send["channel"],
            seq=send["position"], bytes=send["bytes"], receives=joined.receives,
            sender_tid=send["tid"], receiver_tid=receive["tid"], send_ns=send["send_ns"],
            queued_ns=min(joined.queued_ns, receive["exit_ns"]), recv_ns=receive["exit_ns"],
            stamp_ns=stamp and stamp["stamp_ns"], user_ns=stamp and stamp["user_ns"])
        begin_ns = stamp["stamp_ns"] if stamp else send["send_ns"]
        end_ns = stamp["user_ns"] if stamp else receive["exit_ns"]
        self.receive, self.calls = receive, calls
        self.due_ns = stamp["due_ns"] if stamp else 0
        self.waits = []
        self.late_sleep = None
        self.unseen_switch = self.unseen_wakeup = False
        self.update({component + "_ns": 0 for component in model.COMPONENTS})
        self["latency_ns"] = end_ns - begin_ns
        self["dispatch_ns"] = self["send_ns"] - begin_ns
        self["send_path_ns"] = self["queued_ns"] - self["send_ns"]
        self["return_ns"] = end_ns - self["recv_ns"]

    def is_in_order(self):
        """What time did; and when the data arrived is known."""
        return self["queued_ns"] and min(self["dispatch_ns"], self["send_path_ns"],
                                         self["return_ns"]) >= 0

    def spend(self, change, begin, end, after=None):
        """The receiver was in the state that `change` has brought about, until `after` came."""
        kind = change.kind if change else RUN
        if kind in RUNNABLE:
            if end > begin:
                self.waits.append((place_of(change, after), begin, end))
            self["runqueue_ns"] += end - begin
        elif kind in ASLEEP:
            self["wakeup_ns" if self.is_awaited(change) else "blocked_ns"] += end - begin
        elif kind == SWITCH and self["switch_ns"] is not None:
            self["switch_ns"] += end - begin
        else:
            entered = min(max(self.receive["enter_ns"], begin), end)
            self["busy_ns"] += entered - begin
            self["receive_ns"] += end - entered

    def note_late_sleep(self, state, later):
        """Receivers in shared memory look first, and may fall asleep when they need not any more."""
        is_asleep = state and state.kind in ASLEEP
        if self.receive["first"] == records.FROM_WORKLOAD and not is_asleep and \
                self.receive["enter_ns"] < self["queued_ns"]:
            self.late_sleep = next((change for change in later if change.kind in ASLEEP), None)

    def is_awaited(self, sleep):
        """
        Whether it went to sleep for this message: before that came, in a call on its socket or in
        one that watches many; or after, when it had looked for the message by itself before; or
        its wake-up was under way.
        """
        if sleep.kind == WOKEN or sleep is self.late_sleep:
            return True
        return sleep.at < self["queued_ns"] and (
            sleep.kind == POLL or self.calls.cover(self.receive, sleep.at))

    def path_after(self, change):
        """What the receiver was doing when the message came."""
        kind = change.kind if change else RUN
        if kind in ASLEEP:
            return "slept" if self.is_awaited(change) else "blocked"
        return "runnable" if kind in RUNNABLE else "running"


def place_of(wait, after):
    """Where a thread waited for a CPU, until `after` came."""
    if wait.kind == THROTTLE:
        return THROTTLED
    moved = after and after.kind != MIGRATE and after.cpu != wait.cpu
    return NOWHERE if moved else wait.cpu


def at(change):
    return change.at


def cut(message, line, shows_switch):
    """
    Cuts the time from `queued` to `recv` by the receiver's changes of state. False: something is
    missing between these, as a thread whose call returns must be running.
    """
    queued, recv = message["queued_ns"], message["recv_ns"]
    if not shows_switch:
        message["switch_ns"] = None
    first = bisect.bisect_right(line, queued, key=at)
    later = line[first:bisect.bisect_right(line, recv, key=at)]
    state, begin = line[first - 1] if first else None, queued
    message.note_late_sleep(state, later)
    message["path"] = message.path_after(state)
    for change in later:
        if state and change.index != state.index + 1:
            return False
        message.spend(state, begin, change.at, change)
        if state and state.kind in ASLEEP and change.kind in (SWITCH, RESUME):
            message.unseen_wakeup = True
        state, begin = change, change.at
    message.spend(state, begin, recv)
    message.unseen_switch = RESUME in [change.kind for change in later]
    if message.unseen_switch and not message["switch_ns"]:
        message["switch_ns"] = None  # where it began is not known
    if message.unseen_wakeup and not message["runqueue_ns"]:
        message["runqueue_ns"] = None
    return state is None or state.kind in (RUNNING if shows_switch else (SWITCH, RESUME))


def cut_room(message, line, shows_room):
    """Takes the sleeps for room out of the send path. False: a change of the sender is missing."""
    if not shows_room:
        message["room_ns"] = None
        return True
    send, queued = message["send_ns"], message["queued_ns"]
    first = bisect.bisect_left(line, send, key=at)
    within = line[first:bisect.bisect_left(line, queued, key=at)]
    for before, change in zip(line[first - 1:] if first else [None, *line], within):
        if before and change.index not in (0, before.index + 1):
            return False
    ends = [change.at for change in within if change.kind != WOKEN][1:] + [queued]
    sleeps = [change for change in within if change.kind != WOKEN]
    room = sum(end - change.at for change, end in zip(sleeps, ends) if change.kind == ROOM)
    message["room_ns"] = room
    message["send_path_ns"] -= room
    return True


class Calls:
    """The receive calls of every thread on every socket, in order."""

    def __init__(self, run):
        self.sockets = {c["channel"]: c["receiver"] for c in run.of("channel")}
        self.calls = collections.defaultdict(set)
        for record in run.of("receive"):
            self.calls[self.key(record)].add((record["enter_ns"], record["exit_ns"]))
        self.calls = {key: sorted(calls) for key, calls in self.calls.items()}

    def key(self, record):
        channel = record["channel"]
        return record["tid"], self.sockets.get(channel, ("channel", channel))

    def cover(self, record, instant):
        """Whether that thread was in a call on the socket of this record then."""
        calls = self.calls[self.key(record)]
        last = bisect.bisect_right(calls, (instant, math.inf)) - 1
        return last >= 0 and instant <= calls[last][1]


def messages_of(run):
    """Every kept message whose send, receive, stamp and states in between are there."""
    warmup, stamped = run.workload["warmup"], has_stamps(run)
    lines, calls = records.timelines(run), Calls(run)
    stamps = {(s["client"], s["to_server"], s["index"]): s for s in run.of("stamp")}
    messages = []
    for joined in joins.messages_of(run):
        stamp = stamps.get((*joined.direction, joined.number)) if stamped else None
        if joined.number is None or joined.number < warmup:
            continue
        if stamped and (not stamp or stamp["round"] != joined.number):
            continue
        message = Message(joined, stamp, calls)
        message["round"] = joined.number - warmup
        if message.is_in_order() and cut(message, lines[message["receiver_tid"]],
                                         run.header["shows_switch"]) \
                and cut_room(message, lines[message["sender_tid"]], run.header.get("shows_room", False)):
            messages.append(message)
    return messages


def has_stamps(run):
    """Whether receivers note every message."""
    return run.workload["pattern"] != "flood"


class History:
    """What ran where."""

    def __init__(self, run):
        self.slices = collections.defaultdict(list)
        for record in run.of("slice"):
            row = TASK if record["kind"] == UNSEEN else record["kind"]
            self.slices[record["cpu"], row].append(record)
        for slices in self.slices.values():
            slices.sort(key=lambda s: s["end_ns"])
        self.ends = {key: [s["end_ns"] for s in slices] for key, slices in self.slices.items()}

    def around(self, cpu, kind, begin, end):
        """Slices of a kind that can touch the interval; of one kind they follow one another."""
        slices = self.slices[cpu, kind]
        ends = self.ends.get((cpu, kind), [])
        return slices[bisect.bisect_right(ends, begin):bisect.bisect_left(ends, end) + 1]

    def ran(self, cpu, begin, end):
        """{(kind, id): ns}: an interrupt hides a softirq, and that hides a task."""
        if cpu == THROTTLED:
            return collections.Counter({(THROTTLED, 0): end - begin})
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


def class_of(what, sender, clients, kthreads, own):
    """The word that the report uses for what ran instead of a receiver."""
    kind, number = what
    if kind == THROTTLED:
        return THROTTLED
    if kind != TASK:
        return {IRQ: "irq", SOFTIRQ: "softirq"}.get(kind, "unknown")
    if number == 0:
        return "idle"
    if number in clients:
        return "client"
    if number == sender:
        return "server"
    if number in own:
        return "ipctrace"
    return "kthread" if number in kthreads else "task"


def own_threads(run):
    """The threads of the ipctrace that recorded, by its pid; before version 9, by their name."""
    pid = run.header.get("tracer_pid")
    if pid:
        namers = {n["tid"] for n in run.of("name")
                  if n["kind"] == TASK and n["comm"] == f"ipctrace{pid}"}
        return {pid} | namers | {process["tid"] for process in run.of("process")
                                 if process["pid"] == pid}
    return {n["tid"] for n in run.of("name") if n["kind"] == TASK and n["comm"] == "ipctrace"}


def blame_of(run, messages):
    """What ran instead of the receivers: [{class, tid, ns, messages}]. Each message gets its own `blame`."""
    clients, history = joins.Roles(run).clients, History(run)
    kthreads = {n["tid"] for n in run.of("name") if n["kind"] == TASK and n["flags"] & KTHREAD}
    own = own_threads(run)
    total, hit, classes = collections.Counter(), collections.Counter(), {}
    for message in messages:
        shares = collections.Counter()
        for cpu, begin, end in message.waits:
            shares += history.ran(cpu, begin, end)
        words = {what: class_of(what, message["sender_tid"], clients, kthreads, own)
                 for what in shares}
        message["blame"] = sorted([words[what], what[1], ns] for what, ns in shares.items())
        classes.update(words)
        total += shares
        hit.update(shares.keys())
    return sorted(({"class": classes[what], "tid": what[1], "ns": ns, "messages": hit[what]}
                   for what, ns in total.items()),
                  key=lambda blame: (-blame["ns"], blame["class"], blame["tid"]))


def stat_of(values):
    """Count, extremes, mean and the deviation of all values, exact until the last division."""
    count, total = len(values), sum(values)
    if not count:
        return dict.fromkeys(("min", "max", "mean", "stddev"), None) | {"count": 0}
    variance = count * sum(v * v for v in values) - total * total
    return {"count": count, "min": min(values), "max": max(values), "mean": total / count,
            "stddev": math.sqrt(variance) / count}


def rounds_of(run, messages):
    """First, next, last latency and service time of the rounds of which every client's message is there."""
    warmup, clients = run.workload["warmup"], run.workload["clients"]
    sent = {tick["round"] - warmup: tick["sent"] for tick in run.of("tick")}
    arrivals = collections.defaultdict(list)
    for m in messages:
        arrivals[m["round"]].append((m["user_ns"], m["client"], m["stamp_ns"]))
    rounds = [sorted(a) for r, a in sorted(arrivals.items()) if len(a) == sent.get(r) == clients]
    last = stat_of([a[-1][0] - a[-1][2] for a in rounds])
    return {
        "complete": len(rounds),
        "first_latency_ns": stat_of([a[0][0] - a[0][2] for a in rounds]),
        "next_latency_ns": stat_of([b[0] - a[0] for r in rounds for a, b in zip(r, r[1:])]),
        "last_latency_ns": last,
        "service_time_ns": last["mean"] + last["stddev"] if rounds else None,
    }


class OwnMessage(dict):
    """A message as its receiver has measured it by itself: from its stamp alone."""

    def __init__(self, stamp, warmup):
        super().__init__(
            client=stamp["client"], to_server=bool(stamp["to_server"]),
            round=stamp["round"] - warmup, stamp_ns=stamp["stamp_ns"], user_ns=stamp["user_ns"],
            latency_ns=stamp["user_ns"] - stamp["stamp_ns"])
        self.due_ns = stamp["due_ns"]


def own_messages(run):
    return [OwnMessage(stamp, run.workload["warmup"]) for stamp in kept_stamps(run)]


def kept_stamps(run):
    return [s for s in run.of("stamp") if s["index"] >= run.workload["warmup"]]


def spans_of(line, begin, end):
    """[(state, ns)] of a thread between two instants at which it ran; None: something is missing."""
    inside = line[bisect.bisect_left(line, begin, key=at):bisect.bisect_left(line, end, key=at)]
    if any(b.index != a.index + 1 for a, b in zip(inside, inside[1:])):
        return None
    states = [RUN] + [change.kind for change in inside]
    edges = [begin] + [change.at for change in inside] + [end]
    spans = [("blocked" if kind in ASLEEP else "runqueue" if kind in RUNNABLE else "on_cpu", b - a)
             for kind, a, b in zip(states, edges, edges[1:])]
    return spans if spans[-1][0] == "on_cpu" else None


def calls_of(run, messages):
    """
    Round trips: a client's request and the answer that has its number. Traced, both must have been
    seen by the kernel, too: `messages` are those.
    """
    answers = {(s["client"], s["index"]): s for s in kept_stamps(run) if not s["to_server"]}
    requests = {(s["client"], s["index"]): s for s in kept_stamps(run) if s["to_server"]}
    seen = {(m["client"], m["round"] + run.workload["warmup"], m["to_server"]) for m in messages}
    calls, lines, spans = [], records.timelines(run), []
    for key in sorted(requests.keys() & answers.keys()):
        request, answer = requests[key], answers[key]
        instants = [request["stamp_ns"], request["user_ns"], answer["stamp_ns"], answer["user_ns"]]
        if instants != sorted(instants) or not {(*key, False), (*key, True)} <= seen:
            continue
        calls.append(instants + [answer["due_ns"]])
        if run.header["traced"]:
            spans.append(spans_of(lines[request["tid"]], request["user_ns"], answer["stamp_ns"]))
    return calls_figures(calls, spans)


def due_of(instants):
    """How long after it was due everything came, of (due, came); None: nothing was due."""
    late = [came - due for due, came in instants if 0 < due <= came]
    return stat_of(late) if late else None


def calls_figures(calls, spans):
    if not calls:
        return None
    known = [span for span in spans if span is not None]
    states = collections.Counter()
    for span in known:
        for state, ns in span:
            states[state] += ns
    means = {state: states[state] / len(known) for state in SERVICE_STATES} if known else {}
    service = stat_of([c[2] - c[1] for c in calls])
    service["states_ns"] = {"count": len(known)} | means if known else None
    return {
        "count": len(calls),
        "round_trip_ns": stat_of([c[3] - c[0] for c in calls]),
        "request_ns": stat_of([c[1] - c[0] for c in calls]),
        "service_ns": service,
        "response_ns": stat_of([c[3] - c[2] for c in calls]),
        "from_due_ns": due_of([(c[4], c[3]) for c in calls]),
    }


def kept(run, count):
    return max(0, count - run.workload["warmup"])


def sent_of(run):
    """Ticks say what a push has sent, the links what else was."""
    if run.workload["pattern"] == "push":
        return sum(tick["sent"] for tick in run.of("tick")
                   if tick["round"] >= run.workload["warmup"])
    return sum(kept(run, traffic["sent"]) for traffic in run.of("traffic"))


def flow_of(run):
    """What went over the links; an exchange counts once, when it is back at its client."""
    directions = [t for t in run.of("traffic") if not (has_stamps(run) and t["to_server"])]
    messages = sum(kept(run, t["received"]) for t in directions)
    if not messages:
        return None
    spans = [(t["first_ns"], t["last_ns"]) for t in directions if t["first_ns"]]
    sent, delivered = (sum(t["wakes_" + what] for t in directions) for what in ("sent", "delivered"))
    return {
        "messages": messages,
        "bytes": sum(t["bytes"] for t in directions),
        "seconds": (max(s[1] for s in spans) - min(s[0] for s in spans)) / 1e9,
        "signals": {"sent": sent, "delivered": delivered, "merged": max(0, sent - delivered)}
                   if sent else None,
    }


def client_of(run, client, messages):
    """One client's latency, how long all of its messages took, and its longest wait for one."""
    stamps = [s for s in kept_stamps(run) if s["client"] == client and not s["to_server"]]
    came = sorted(s["user_ns"] for s in stamps)
    begin = min((s["stamp_ns"] for s in stamps), default=0)
    time_ns = came[-1] - begin if came else 0
    if not has_stamps(run):
        time_ns = sum(t["last_ns"] - t["first_ns"] for t in run.of("traffic")
                      if t["client"] == client)
    gap_ns = max((b - a for a, b in zip([begin] + came, came)), default=0)
    return {"latency_ns": stat_of([m["latency_ns"] for m in messages if m["client"] == client]),
            "time_ns": time_ns or None, "gap_ns": gap_ns if time_ns else None}


def matched_of(run, messages):
    """Without tracing a flood is only counted."""
    if run.header["traced"] or has_stamps(run):
        return len(messages)
    return sum(kept(run, traffic["received"]) for traffic in run.of("traffic"))


def figures(run):
    """What the summary of this run must say."""
    traced, pattern = run.header["traced"], run.workload["pattern"]
    messages = messages_of(run) if traced else own_messages(run)
    flow = flow_of(run) if pattern != "push" else None
    result = {
        "traced": traced,
        "shows_switch": run.header["shows_switch"],
        "truncated": not run.complete,
        "sent": sent_of(run),
        "matched": matched_of(run, messages),
        "corrupt": sum(traffic["corrupt"] for traffic in run.of("traffic"))
                   if run.workload["transport"] != "kernel" else None,
        "latency_ns": stat_of([m["latency_ns"] for m in messages]),
        "from_due_ns": due_of([(m.due_ns, m["user_ns"]) for m in messages if not m["to_server"]]),
        "clients": [client_of(run, client + 1, messages)
                    for client in range(run.workload["clients"])],
        "rounds": rounds_of(run, messages) if pattern == "push" else None,
        "calls": calls_of(run, messages) if pattern in ("pingpong", "request") else None,
        "flow": flow,
    }
    if traced:
        result |= traced_figures(run, messages)
    return result


def traced_figures(run, messages):
    """Figures that only the kernel's records show."""
    shows_switch, shows_room = run.header["shows_switch"], run.header.get("shows_room", False)
    return {
        "unseen_switches": sum(message.unseen_switch for message in messages),
        "unseen_wakeups": sum(message.unseen_wakeup for message in messages),
        "paths": dict(collections.Counter(m["path"] for m in messages)),
        "components_ns": {
            c: None if (c == "switch" and not shows_switch) or (c == "room" and not shows_room)
            else stat_of([m[c + "_ns"] or 0 for m in messages]) for c in model.COMPONENTS},
        "blame": blame_of(run, messages),
    }


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__.strip())
    print(json.dumps({os.path.basename(path): [figures(run) for run in records.read(path)]
                      for path in sys.argv[1:]}, indent=1))


if __name__ == "__main__":
    main()
