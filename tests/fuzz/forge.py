# SPDX-License-Identifier: BSD-2-Clause
"""
Takes recordings apart and puts them together again, with right checksums whatever they contain. Reading is that of
tests/replay/records.py; records are written as they are (PLAIN).
"""

import json
import zlib

from replay import records

VERSION = 13
BLOCK_BYTES = 200_000  # below what a reader accepts
HEADER_ALIGNMENT = 8


class Cell:
    """A run or attach: its header, and its records as bytes."""

    def __init__(self, header, raws):
        self.header = header
        self.raws = raws

    def copy(self):
        return Cell(json.loads(json.dumps(self.header)), [bytearray(raw) for raw in self.raws])

    def layouts(self):
        return {layout["type"]: layout for layout in self.header["layouts"].values()}


def read(path):
    """The cells of a recording."""
    return [Cell(run.header, [bytearray(record.raw) for record in run.all]) for run in records.read(path)]


def header_bytes(header):
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % HEADER_ALIGNMENT)
    return records.PREAMBLE.pack(records.MAGIC, VERSION, len(text)) + text


def blocks_of(raws):
    """Lists of records that fit into a block each; at least one list."""
    blocks, size = [[]], 0
    for raw in raws:
        if size + len(raw) > BLOCK_BYTES:
            blocks.append([])
            size = 0
        blocks[-1].append(raw)
        size += len(raw)
    return blocks


def cell_bytes(cell):
    """The cell with its checks."""
    data = header_bytes(cell.header)
    check = zlib.crc32(data)
    data += records.CHECK.pack(check)
    blocks = blocks_of(cell.raws)
    for number, raws in enumerate(blocks):
        flags = records.BLOCK_PLAIN | (records.BLOCK_LAST if number == len(blocks) - 1 else 0)
        contents = b"".join(bytes(raw) for raw in raws)
        head = records.BLOCK.pack(len(contents), len(contents), flags, len(raws))
        check = zlib.crc32(contents, zlib.crc32(head, check))
        data += head + records.CHECK.pack(check) + contents
    return data


def file_bytes(cells):
    return b"".join(cell_bytes(cell) for cell in cells) + records.end_mark(len(cells))


def coded_blocks(path):
    """[(header's bytes, [(flags, records, coded contents)])] of a recording, decompressed but not decoded."""
    with open(path, "rb") as file:
        data = file.read()
    cells, at = [], 0
    while at + records.PREAMBLE.size <= len(data):
        _, version, size = records.PREAMBLE.unpack_from(data, at)
        if version < records.CHECKED or not size:
            break
        header = data[at:at + records.PREAMBLE.size + size]
        at += len(header) + records.CHECK.size
        blocks, flags = [], 0
        while not flags & records.BLOCK_LAST and at + records.BLOCK.size < len(data):
            stored, coded, flags, count = records.BLOCK.unpack_from(data, at)
            at += records.BLOCK.size + records.CHECK.size
            contents = data[at:at + stored]
            at += stored
            if not flags & (records.BLOCK_PLAIN | records.BLOCK_UNPACKED):
                contents = records.decompress(contents, coded)
            blocks.append((flags, count, bytearray(contents)))
        cells.append((header, blocks))
    return cells


def coded_bytes(cells):
    """A recording of such cells: its blocks are not compressed, and their checks are right."""
    data = b""
    for header, blocks in cells:
        check = zlib.crc32(header)
        data += header + records.CHECK.pack(check)
        for flags, count, contents in blocks:
            if not flags & records.BLOCK_PLAIN:
                flags |= records.BLOCK_UNPACKED
            head = records.BLOCK.pack(len(contents), len(contents), flags, count)
            check = zlib.crc32(contents, zlib.crc32(head, check))
            data += head + records.CHECK.pack(check) + contents
    return data + records.end_mark(len(cells), VERSION)
