# SPDX-License-Identifier: BSD-2-Clause
"""A reader that takes a millisecond for each 64 KiB: over TCP, a unix stream and a pipe, and in a shell pipeline."""

from harness import PYTHON, Client

from .case import Case, program

MESSAGES, SIZE = 400, 65536


def figures(client_cnt, report_cnt, room_ns, planted_ns, what):
    """(client's, report's): numbers and the time spent waiting for room."""
    return {"count": client_cnt, "p50_ns": None, "p99_ns": None}, \
        {"count": report_cnt, "p50_ns": None, "p99_ns": None, "service_ns": None, "states_ns": {},
         "known_pct": None, "what": what,
         "more": [("ms waiting for room", planted_ns / 1e6, room_ns / 1e6, 0.05)]}


def room_of(summary, reader):
    return sum(one["ns"] for one in summary.get("room") or () if one["reader"]["comm"] == reader)


class SlowReader(Case):
    planted = "a reader spins 1 ms per 64 KiB"
    true = "the sender waits for room: the reader is too slow, and runs on a CPU meanwhile"
    # What it wrote waits, too: as `busy`, in a pipe or a socket, until the reader comes back.
    says = r"(room|busy).*slow-reader"

    def __init__(self, kind, words):
        self.kind = kind
        self.name, self.program = f"room-{kind}", f"slow reader over {words}"

    def start(self, stage):
        self.client = Client(stage, "notes", PYTHON, program("slow_reader.py"), self.kind, MESSAGES, SIZE,
                             "NOTES")
        return [self.client.process.pid]

    def begin_client(self, stage):
        return self.client

    def figures(self, noted, summary):
        planted_ns = noted["asleep"] + sum(noted["all"] / (MESSAGES * SIZE) * unsent
                                           for unsent in noted["unsent"])
        sent = sum(one["bytes"] for one in summary["channels"] if one["sender"]["comm"] == "fast-sender")
        return figures(MESSAGES * SIZE, sent, room_of(summary, "slow-reader"), planted_ns, "bytes")


class Pipeline(SlowReader):
    """dd | slow reader | wc. Nearly all of the time that dd says that it took it waits for room."""

    planted = "a reader between dd and wc spins 1 ms per 64 KiB"
    true = "dd waits for room: the reader is too slow, and runs on a CPU meanwhile"

    def __init__(self):
        self.name, self.program = "pipeline", "shell pipeline: dd | slow reader | wc"

    def start(self, stage):
        command = (f"touch NOTES.ready; until [ -e NOTES.go ]; do sleep 0.02; done; "
                   f"LC_ALL=C dd if=/dev/zero bs={SIZE} count={MESSAGES} 2>NOTES.dd | "
                   f"{PYTHON} {program('slow_filter.py')} | wc -c >NOTES.bytes; "
                   'printf \'{"bytes": %d, "took_s": %s}\' "$(cat NOTES.bytes)" '
                   '"$(sed -n "s/.*copied, \\([0-9.]*\\) s.*/\\1/p" NOTES.dd)" >NOTES')
        self.client = Client(stage, "notes", "sh", "-c", command.replace("NOTES", stage.file("notes")))
        return [self.client.process.pid]

    def figures(self, noted, summary):
        sent = sum(one["bytes"] for one in summary["channels"]
                   if (one["sender"]["comm"], one["receiver"]["comm"]) in
                   (("dd", "slow-reader"), ("slow-reader", "wc")))
        return figures(2 * noted["bytes"], sent, room_of(summary, "slow-reader"), noted["took_s"] * 1e9, "bytes")


CASES = [SlowReader("tcp", "TCP"), SlowReader("unix", "a unix stream"), SlowReader("pipe", "a pipe"), Pipeline()]
