# SPDX-License-Identifier: BSD-2-Clause
"""Which SEND and which RECEIVE are one message, and which message of the workload that is."""

import bisect
import collections

CHANNEL_OF_LINK = 0x80000000  # client << 1 | to_server below it
CHANNEL_STREAM = 0x40000000
CHANNEL_UNKNOWN = 0xffffffff
ROLE_SERVER, ROLE_CLIENT = range(2)


class Roles:
    """The threads of the workload and their roles."""

    def __init__(self, run):
        roles = run.of("role")
        self.server = next((r["tid"] for r in roles if r["role"] == ROLE_SERVER), None)
        self.clients = {r["tid"]: r["client"] for r in roles if r["role"] == ROLE_CLIENT}


class Joined:
    """A SEND, the RECEIVE that completed it, how many there were, and its number in its channel."""

    def __init__(self, send, receive, receives, number, queued_ns):
        self.send = send
        self.receive = receive
        self.receives = receives
        self.number = number  # None: not known
        self.queued_ns = queued_ns  # 0: not known
        self.client = None
        self.to_server = False

    @property
    def direction(self):
        return self.client, self.to_server


def by_channel(records, streams):
    channels = collections.defaultdict(list)
    for record in records:
        channel = record["channel"]
        is_stream = not channel & CHANNEL_OF_LINK and bool(channel & CHANNEL_STREAM)
        if channel != CHANNEL_UNKNOWN and is_stream == streams:
            channels[channel].append(record)
    for channel in channels.values():
        channel.sort(key=lambda r: r["position"])
    return channels


def end_of(record):
    return record["position"] + record["bytes"]


def whole_messages(run):
    """Channels whose positions are messages."""
    receives = {(r["channel"], r["position"]): r for channel in
                by_channel(run.of("receive"), False).values() for r in channel}
    for channel in by_channel(run.of("send"), False).values():
        for send in channel:
            receive = receives.get((send["channel"], send["position"]))
            if receive and send["bytes"]:  # an empty one is how an end says that it closes
                yield Joined(send, receive, 1, send["position"], send["queued_ns"])


def byte_ranges(run):
    """Channels whose positions are bytes."""
    received = by_channel(run.of("receive"), True)
    arrivals = arrivals_of(run)
    for channel, sends in by_channel(run.of("send"), True).items():
        receives = received[channel]
        ends = [end_of(r) for r in receives]
        number = 0
        for send, before in zip(sends, [None] + sends):
            if before and number is not None:
                number = number + 1 if end_of(before) == send["position"] else None
            last = bisect.bisect_left(ends, end_of(send))
            first = bisect.bisect_right(ends, send["position"])
            parts = [overlap(send, r) for r in receives[first:last + 1]]
            if sum(parts) == send["bytes"]:
                yield Joined(send, receives[last], len(list(filter(None, parts))), number,
                             send["queued_ns"] or arrival_of(send, arrivals[channel]))


def overlap(a, b):
    """Bytes that two records of a stream have in common."""
    return max(0, min(end_of(a), end_of(b)) - max(a["position"], b["position"]))


def arrivals_of(run):
    """{channel: [(end, first instant at which as much or more was there)]}"""
    arrivals = collections.defaultdict(list)
    for arrival in sorted(run.of("arrival"), key=lambda a: a["end"], reverse=True):
        known = arrivals[arrival["channel"]]
        first_ns = min(arrival["at_ns"], known[-1][1]) if known else arrival["at_ns"]
        known.append((arrival["end"], first_ns))
    for known in arrivals.values():
        known.reverse()
    return arrivals


def arrival_of(send, arrivals):
    """The first news that all of it was there; 0: none."""
    i = bisect.bisect_left(arrivals, (end_of(send), 0))
    return arrivals[i][1] if i < len(arrivals) else 0


def place(joined, roles, has_rounds):
    """Which client's link it went over, and in which direction."""
    channel = joined.send["channel"]
    sender, receiver = joined.send["tid"], joined.receive["tid"]
    if channel & CHANNEL_OF_LINK:
        joined.client = (channel & ~CHANNEL_OF_LINK) >> 1
        joined.to_server = bool(channel & 1)
    elif sender == roles.server:
        joined.client = roles.clients.get(receiver)
    elif receiver == roles.server and not has_rounds:
        joined.client = roles.clients.get(sender)
        joined.to_server = True


def number_connections(messages):
    """Each message has a channel of its own; those of one client follow one another in time."""
    counted = collections.Counter()
    for message in sorted(messages, key=lambda m: m.receive["exit_ns"]):
        message.number = counted[message.direction]
        counted[message.direction] += 1


def messages_of(run):
    """Every message between the server and a client with both ends known."""
    roles = Roles(run)
    messages = list(whole_messages(run)) + list(byte_ranges(run))
    for message in messages:
        place(message, roles, run.workload["pattern"] == "push")
    messages = [m for m in messages if m.client]
    if run.workload["pattern"] == "connect":
        number_connections(messages)
    return messages
