# SPDX-License-Identifier: BSD-2-Clause
"""
Reads recordings as docs/recording.md describes them: the records of every run, by the layouts that
the recording itself names. Shares no code with the program, but for the library that decompresses.
"""

import collections
import ctypes
import json
import struct
import zlib

MAGIC = b"IPCTRACE"
CHECKED = 6  # the first version with checks, flags and an end mark
PREAMBLE = struct.Struct("<8sII")
CHECK = struct.Struct("<I")
END_MARK = struct.Struct("<8sIIII")
BLOCK = struct.Struct("<IIII")
BLOCK_LAST, BLOCK_PLAIN, BLOCK_UNPACKED = 1, 2, 4
HEAD = struct.Struct("<BBHI")
TID_BITS = 24  # the flags are above
WORD = 8
WORD_MASK = (1 << 64) - 1
SLOTS, TAIL_MAX, MASK_BITS = 64, 32, 64

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
        self.flags = 0
        self.raw = b""


class Run:
    """One run of a recording: its header and all of its records."""

    def __init__(self, header, version=CHECKED, check=0):
        self.header = header
        self.version = version
        self.check = check  # of all that was read so far
        self.workload = header["workload"]
        self.records = collections.defaultdict(list)
        self.all = []
        self.ends = []  # (where a block ends, how many records there are up to there)
        self.complete = False

    def add(self, record):
        self.records[record.kind].append(record)
        self.all.append(record)

    def of(self, kind):
        return self.records[kind]

    def cut(self, size):
        """The run as it would be read if the file broke off after so many bytes."""
        short = Run(self.header, self.version)
        for record in self.all[:max((count for end, count in self.ends if end <= size), default=0)]:
            short.add(record)
        return short


def read(path):
    """All runs of a recording."""
    with open(path, "rb") as file:
        data = file.read()
    runs, at = [], 0
    while at + PREAMBLE.size <= len(data):
        magic, version, size = PREAMBLE.unpack_from(data, at)
        if magic != MAGIC:
            raise ValueError(f"{path}: no recording at byte {at}")
        if version >= CHECKED and not size:
            return read_end_mark(data, at, runs, version)
        run, at = read_header(data, at)
        at = read_records(data, at, run)
        runs.append(run)
    return runs


def read_header(data, at):
    """The run that begins here, and where its blocks do."""
    _, version, size = PREAMBLE.unpack_from(data, at)
    end = at + PREAMBLE.size + size
    check = zlib.crc32(data[at:end])
    run = Run(json.loads(data[at + PREAMBLE.size:end]), version, check)
    if version < CHECKED:
        return run, end
    if CHECK.unpack_from(data, end) != (check,):
        raise ValueError("a header with a wrong check")
    return run, end + CHECK.size


def read_end_mark(data, at, runs, version):
    """The runs, which it must have counted if it is whole."""
    mark = data[at:]
    if len(mark) >= END_MARK.size and mark != end_mark(len(runs), version):
        raise ValueError("a wrong end mark")
    return runs


def read_records(data, at, run):
    """Up to the END record or to where the data break off."""
    coder = Coder(run.header["layouts"])
    size = BLOCK.size + (CHECK.size if run.version >= CHECKED else 0)
    while at + size <= len(data):
        begin, (stored, coded, flags, count) = at, BLOCK.unpack_from(data, at)
        at += size
        if at + stored > len(data):
            break
        block, at = data[at:at + stored], at + stored
        if run.version >= CHECKED:
            run.check = zlib.crc32(block, zlib.crc32(data[begin:begin + BLOCK.size], run.check))
            if CHECK.unpack_from(data, begin + BLOCK.size) != (run.check,):
                break
        if flags & BLOCK_PLAIN:
            raws = plain_records(block)
        else:
            contents = block if flags & BLOCK_UNPACKED else decompress(block, coded)
            raws = coder.records(contents, count)
        for raw in raws:
            run.add(parse(raw, coder.layouts))
        run.ends.append((at, len(run.all)))
        if flags & BLOCK_LAST:
            run.complete = True
            return at
    return len(data)


def lock_function(lock):
    """The kernel's function that waited, of a KERNEL_LOCK record; empty: not known."""
    return struct.pack(f"<{len(lock.words)}Q", *lock.words).split(b"\0")[0].decode()


def plain_file(header, raws, most=4000):
    """A recording of one run: its header, up to its blocks, and records as they are, so many in a block at most."""
    _, version, size = PREAMBLE.unpack_from(header)
    raws, file = list(raws), header
    check = zlib.crc32(header[:PREAMBLE.size + size])
    for at in range(0, max(len(raws), 1), most):
        part = raws[at:at + most]
        data = b"".join(part)
        flags = BLOCK_PLAIN | (BLOCK_LAST if at + most >= len(raws) else 0)
        head = BLOCK.pack(len(data), len(data), flags, len(part))
        file += head
        if version >= CHECKED:
            check = zlib.crc32(data, zlib.crc32(head, check))
            file += CHECK.pack(check)
        file += data
    return file if version < CHECKED else file + end_mark(1)


def end_mark(runs, version=CHECKED):
    """What follows so many runs."""
    mark = END_MARK.pack(MAGIC, version, 0, runs, 0)[:-CHECK.size]
    return mark + CHECK.pack(zlib.crc32(mark))


def plain_records(data):
    at = 0
    while at < len(data):
        size = data[at + 1] * WORD
        yield data[at:at + size]
        at += size


def decompress(block, size):
    data = ctypes.create_string_buffer(size)
    library = ctypes.CDLL("libzstd.so.1")
    library.ZSTD_decompress.restype = ctypes.c_size_t
    got = library.ZSTD_decompress(data, ctypes.c_size_t(size), block, ctypes.c_size_t(len(block)))
    if got != size:
        raise ValueError("a block that does not decompress")
    return data.raw


def parse(raw, layouts):
    """A record from its bytes."""
    kind, words, cpu, tid = HEAD.unpack_from(raw)
    name, layout = layouts[kind]
    tail = struct.unpack_from(f"<{words - layout['bytes'] // WORD}Q", raw, layout["bytes"])
    record = Record(name, cpu, tid % (1 << TID_BITS), tail)
    record.flags = tid >> TID_BITS
    for field, offset, size in layout["fields"]:
        record[field] = field_of(raw[offset:offset + size], field)
    record.raw = raw
    return record


class Slot:
    """What is remembered of the last record of a type and thread."""

    def __init__(self):
        self.words = self.flags = 0
        self.values = collections.defaultdict(int)
        self.steps = collections.defaultdict(int)
        self.highs = collections.defaultdict(int)


class Coder:
    """Brings coded records back."""

    def __init__(self, layouts):
        self.layouts = {layout["type"]: (name, layout) for name, layout in layouts.items()}
        self.slots = collections.defaultdict(Slot)
        self.time = self.cpu = self.tid = 0
        self.data, self.at = b"", 0

    def records(self, data, count):
        """The bytes of every record of a block."""
        self.data, self.at = data, 0
        for _ in range(count):
            yield self.record()
        if self.at != len(data):
            raise ValueError("a block that is longer than its records")

    def number(self):
        value = shift = 0
        while True:
            byte = self.data[self.at]
            self.at += 1
            value |= (byte & 0x7f) << shift
            shift += 7
            if byte < 0x80:
                return value

    def difference(self):
        folded = self.number()
        return folded >> 1 if folded % 2 == 0 else -(folded + 1 >> 1)

    def record(self):
        kind = self.data[self.at]
        self.at += 1
        mask = self.number()
        self.cpu += self.difference() if mask & 1 else 0
        self.tid += self.difference() if mask & 2 else 0
        slot = self.slots[kind, self.tid % SLOTS]
        if mask & 4:
            slot.flags, slot.words = divmod(self.number(), 256)
        _, layout = self.layouts[kind]
        raw = bytearray(slot.words * WORD)
        HEAD.pack_into(raw, 0, kind, slot.words, self.cpu, self.tid | slot.flags << TID_BITS)
        bit = 3
        for name, offset, size in layout["fields"]:
            for at in range(offset, offset + size, WORD):
                value = self.unit(slot, (at, mask >> bit & 1), name)
                width = min(size, WORD)
                raw[at:at + width] = value.to_bytes(WORD, "little")[:width]
                bit += 1
        for i in range(slot.words - layout["bytes"] // WORD):
            is_there = bit >= MASK_BITS or mask >> bit & 1
            struct.pack_into("<Q", raw, layout["bytes"] + i * WORD, self.tail(slot, i, is_there))
            bit += 1
        return bytes(raw)

    def unit(self, slot, unit, name):
        at, is_there = unit
        is_time, before = name.endswith("_ns"), slot.values[at]
        value = (self.time if before else 0) if is_time else before + slot.steps[at]
        value = (value + (self.difference() if is_there else 0)) & WORD_MASK
        slot.steps[at], slot.values[at] = value - before, value
        if is_time and value:
            self.time = value
        return value

    def tail(self, slot, i, is_there):
        high = slot.highs[i] ^ (self.number() if is_there else 0)
        self.time = (self.time + self.difference()) & WORD_MASK
        if i < TAIL_MAX:
            slot.highs[i] = high
        return self.time & ((1 << CHANGE_TIME_BITS) - 1) | high << CHANGE_TIME_BITS


def field_of(data, name):
    """Names are text, whatever is up to eight bytes a number, the rest is an array of numbers."""
    if name == "comm":
        return data.split(b"\0")[0].decode(errors="backslashreplace")
    if len(data) <= WORD:
        return int.from_bytes(data, "little")
    return struct.unpack(f"<{len(data) // WORD}Q", data)


def timelines(run):
    """{tid: [Change, in order]} of all threads, whichever record carried a change."""
    lines = collections.defaultdict(list)
    for record in run.of("receive") + run.of("changes"):
        at = record["exit_ns"] if record.kind == "receive" else record["base_ns"]
        for i, word in reversed(list(enumerate(record.words))):
            at -= (at - word) % (1 << CHANGE_TIME_BITS)
            cpu = word >> CHANGE_TIME_BITS & ((1 << CHANGE_CPU_BITS) - 1)
            lines[record["tid"]].append(Change(
                record["first"] + i, at, cpu, word >> CHANGE_TIME_BITS + CHANGE_CPU_BITS))
    for line in lines.values():
        line.sort()
    return lines
