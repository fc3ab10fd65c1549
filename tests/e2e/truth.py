# SPDX-License-Identifier: BSD-2-Clause
"""The calls that the tests' programs logged (programs/log.h), and whether ipctrace agrees with them.

A thread is in one call at a time. So the instants of a record name exactly two calls, and the ids in their
messages show whether these two belong together.
"""

import array
import bisect
import collections
import os

WORDS = 4  # of struct entry
SEND, RECEIVE, WOKEN, PEEK, BUSY, SERVICE, SLEPT, PREEMPTED, CONNECT = map(ord, "SRFPBCWEO")

Entry = collections.namedtuple("Entry", "tid kind enter_ns exit_ns bytes id")


def id_name(word):
    """An id as it stands in a message: its sender and its number."""
    return f"{word & 0xffffffff}:{word >> 32}"


class Calls:
    """The calls of one kind of a thread in order of time, with one entry for each message."""

    def __init__(self, tid, kind, words):
        self.tid, self.kind = tid, kind
        self.enter, self.exit = words[0::WORDS], words[1::WORDS]
        self.bytes = array.array("Q", (word & 0xffffffff for word in words[2::WORDS]))
        self.id = words[3::WORDS]

    def __len__(self):
        return len(self.enter)

    def at(self, instant):
        """The entries of the call that was under way at an instant; empty if there was none."""
        end = bisect.bisect_right(self.enter, instant)
        if not end or instant > self.exit[end - 1]:
            return range(0)
        return range(bisect.bisect_left(self.enter, self.enter[end - 1]), end)

    def entry(self, i):
        return Entry(self.tid, self.kind, self.enter[i], self.exit[i], self.bytes[i], self.id[i])


class Truth:
    """The logs in a folder: one file for each thread."""

    def __init__(self, folder):
        self.calls = {}  # (tid, kind): Calls
        for name in os.listdir(folder):
            words = array.array("Q")
            with open(os.path.join(folder, name), "rb") as file:
                words.frombytes(file.read())
            self.take(int(name), words)

    def take(self, tid, words):
        of_kind = collections.defaultdict(lambda: array.array("Q"))
        for at in range(0, len(words), WORDS):
            of_kind[words[at + 2] >> 32].extend(words[at:at + WORDS])
        for kind, part in of_kind.items():
            self.calls[tid, kind] = Calls(tid, kind, part)

    def entries(self, kind, tid=None):
        """All entries of a kind in order of time."""
        found = [calls.entry(i) for (owner, k), calls in self.calls.items()
                 if k == kind and tid in (None, owner) for i in range(len(calls))]
        return sorted(found, key=lambda entry: entry.enter_ns)

    def longest_gap_ns(self, kind, begin_ns=0, end_ns=2 ** 63):
        """The longest time between the begins of two calls of a thread: it had no CPU for most of a very long one."""
        gaps = [0]
        for (_, k), calls in self.calls.items():
            enters = [at for at in calls.enter if begin_ns <= at <= end_ns] if k == kind else []
            gaps += [after - before for before, after in zip(enters, enters[1:])]
        return max(gaps)

    def by_id(self, kind):
        return {entry.id: entry for entry in self.entries(kind)}

    def call_at(self, tid, kind, instant):
        """(calls of this thread, numbers of the entries of the call that it was in)."""
        calls = self.calls.get((tid, kind))
        return (calls, calls.at(instant)) if calls else (None, range(0))

    def ends_of(self, record):
        """(calls, numbers) of the sender and of the receiver of a record."""
        return (self.call_at(record["sender_tid"], SEND, record["send_ns"]),
                self.call_at(record["receiver_tid"], RECEIVE, record["recv_ns"]))

    def ids_of(self, record):
        """The ids of the messages that both calls of a record carried."""
        (sender, sent), (receiver, received) = self.ends_of(record)
        return {sender.id[i] for i in sent} & {receiver.id[i] for i in received}

    def wrong(self, records):
        """[(record, problem)] of records whose calls do not belong together, or that repeat a message."""
        problems, used = [], collections.Counter()
        for record in records:
            (sender, sent), (receiver, received) = self.ends_of(record)
            if not sent or not received:
                problems.append((record, f"no such {'receive' if sent else 'send'} call"))
                continue
            common = self.ids_of(record)
            calls = sender.tid, sender.enter[sent[0]], receiver.tid, receiver.enter[received[0]]
            used[calls] += 1
            if used[calls] > len(common):
                problems.append((record, f"sent {[id_name(sender.id[i]) for i in sent]}, "
                                         f"received {[id_name(receiver.id[i]) for i in received]}"))
            elif record["bytes"] not in {sender.bytes[i] for i in sent}:
                problems.append((record, f"sent {[sender.bytes[i] for i in sent]} bytes"))
        return problems


def stream_pairs(sends, receives):
    """
    [(send, receive that took its last byte, number of receives that took a part of it)] of one stream,
    whose calls are given in order. Sends that were not received are left out.
    """
    pairs, start, taken = [], 0, 0
    ends = []  # the position after each receive
    for receive in receives:
        taken += receive.bytes
        ends.append(taken)
    for send in sends:
        end = start + send.bytes
        first = bisect.bisect_right(ends, start)
        last = bisect.bisect_left(ends, end)
        if last == len(ends):
            break
        pairs.append((send, receives[last], last - first + 1))
        start = end
    return pairs


def overlap(begin, end, intervals):
    """How much of the time between begin and end these intervals cover, which do not overlap."""
    return sum(max(0, min(end, b[1]) - max(begin, b[0])) for b in intervals)
