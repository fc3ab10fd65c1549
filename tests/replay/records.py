# SPDX-License-Identifier: BSD-2-Clause
"""Reads recordings: the records of every cell, by the layouts that the recording itself names."""

import collections
import json
import struct

MAGIC = b"IPCTRACE"
PREAMBLE = struct.Struct("<8sII")
WORD = 8

# A change is one word: kind in the top 4 bits, CPU in the next 14, nanoseconds modulo 2^46.
CHANGE_TIME_BITS, CHANGE_CPU_BITS = 46, 14

# The first change of a RECEIVE that the workload has noted itself, and that carries none.
FROM_WORKLOAD = (1 << 64) - 1

Change = collections.namedtuple("Change", "index at cpu kind")


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
        self.workload = header["workload"]
        self.records = collections.defaultdict(list)
        self.all = []
        self.complete = False

    def add(self, record):
        self.records[record.kind].append(record)
        self.all.append(record)

    def of(self, kind):
        return self.records[kind]


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
        cell.add(record)
        at += words * WORD
        if name == "end":
            cell.complete = True
            return at
    return len(data)


def field_of(data, name):
    """Names are text, whatever is up to eight bytes a number, the rest is an array of numbers."""
    if name == "comm":
        return data.split(b"\0")[0].decode()
    if len(data) <= WORD:
        return int.from_bytes(data, "little")
    return struct.unpack(f"<{len(data) // WORD}Q", data)


def timelines(cell):
    """{tid: [Change, in order]} of all threads, whichever record carried a change."""
    lines = collections.defaultdict(list)
    for record in cell.of("receive") + cell.of("changes"):
        at = record["exit_ns"] if record.kind == "receive" else record["base_ns"]
        for i, word in reversed(list(enumerate(record.words))):
            at -= (at - word) % (1 << CHANGE_TIME_BITS)
            cpu = word >> CHANGE_TIME_BITS & ((1 << CHANGE_CPU_BITS) - 1)
            lines[record["tid"]].append(Change(
                record["first"] + i, at, cpu, word >> CHANGE_TIME_BITS + CHANGE_CPU_BITS))
    for line in lines.values():
        line.sort()
    return lines
