# SPDX-License-Identifier: BSD-2-Clause
"""Changes recordings at random, as their structure suggests: fields, words, whole records, headers, coded bytes."""

import struct

from fuzz import forge

HEAD_BYTES = 8
WORD = 8
WORDS_MAX = 255
TYPE_MAX = 45
EXTREMES = (0, 1, 2, 7, 0x7f, 0xff, 0x7fff, 0xffff, 0x7fffffff, 0x80000000, 0xffffffff, 1 << 40, 1 << 53, 1 << 60,
            (1 << 60) + 1, 1 << 62, (1 << 63) - 1, 1 << 63, (1 << 64) - 2, (1 << 64) - 1)
TEXTS = ("", "x", "<&\"'>", "\x1b[31m\n\r\t", "é" * 300, "%s%n%d", "x" * 3000, "push", "request", "flood", "pingpong",
         "connect", "uds", "tcp", "shm", "kernel", "grame", "studio6", "colorado", "lipc", "ipc-bench")


def place_of(random, cells):
    """(cell, index of a record); early and late ones, and rare types, are as likely as others."""
    cell = random.choice(cells)
    if not cell.raws:
        return cell, None
    how = random.randrange(4)
    if how == 0:
        kinds = sorted({raw[0] for raw in cell.raws})
        kind = random.choice(kinds)
        return cell, random.choice([i for i, raw in enumerate(cell.raws) if raw[0] == kind])
    if how == 1:
        return cell, random.randrange(min(20, len(cell.raws)))
    if how == 2:
        return cell, len(cell.raws) - 1 - random.randrange(min(50, len(cell.raws)))
    return cell, random.randrange(len(cell.raws))


def number(random, before, size):
    """Another value of a field of so many bytes."""
    how = random.randrange(6)
    if how < 3:
        value = random.choice(EXTREMES)
    elif how == 3:
        value = before + random.choice((-1000000, -1000, -1, 1, 2, 1000, 1000000, 10**9, 10**12))
    elif how == 4:
        value = before ^ 1 << random.randrange(size * 8)
    else:
        value = random.getrandbits(random.randrange(1, size * 8 + 1))
    return value & ((1 << size * 8) - 1)


def change_bytes(random, raw, at, size):
    size = min(size, WORD)
    if at + size > len(raw):
        return
    before = int.from_bytes(raw[at:at + size], "little")
    raw[at:at + size] = number(random, before, size).to_bytes(size, "little")


def change_field(random, cells):
    """One field, sometimes in all records of its type."""
    cell, i = place_of(random, cells)
    layout = i is not None and cell.layouts().get(cell.raws[i][0])
    if not layout or not layout["fields"]:
        return
    name, at, size = random.choice(layout["fields"])
    if size > WORD:
        at += random.randrange(size // WORD) * WORD
    kind = cell.raws[i][0]
    rate = random.choice((1, 0.3)) if random.randrange(8) == 0 else 0
    for k, raw in enumerate(cell.raws):
        if k == i or (raw[0] == kind and random.random() < rate):
            change_bytes(random, raw, at, min(size, WORD))


def copy_field(random, cells):
    """The value of the same field of another record."""
    cell, i = place_of(random, cells)
    layout = i is not None and cell.layouts().get(cell.raws[i][0])
    if not layout or not layout["fields"]:
        return
    _, at, size = random.choice(layout["fields"])
    others = [raw for raw in cell.raws if raw[0] == cell.raws[i][0] and len(raw) >= at + size]
    if others and len(cell.raws[i]) >= at + size:
        cell.raws[i][at:at + size] = random.choice(others)[at:at + size]


def change_head(random, cells):
    """CPU, thread, flags or type."""
    cell, i = place_of(random, cells)
    if i is None:
        return
    raw = cell.raws[i]
    what = random.randrange(4)
    if what == 0:
        raw[0] = random.randrange(TYPE_MAX)
    elif what == 1:
        change_bytes(random, raw, 2, 2)
    elif what == 2:
        raw[7] = random.getrandbits(8)
    else:
        other = random.choice(cell.raws)
        raw[4:7] = other[4:7] if random.randrange(2) else random.getrandbits(24).to_bytes(3, "little")


def change_tail(random, cells):
    """A word behind the fields: a change of state, or a part of the kept statistics."""
    cell, i = place_of(random, cells)
    layout = i is not None and cell.layouts().get(cell.raws[i][0])
    if not layout or len(cell.raws[i]) <= layout["bytes"]:
        return
    raw = cell.raws[i]
    for _ in range(random.choice((1, 1, 1, 5))):
        change_bytes(random, raw, random.randrange(layout["bytes"], len(raw), WORD), WORD)


def change_summary(random, cells):
    """Words of kept statistics."""
    cell = random.choice(cells)
    kept = [raw for raw in cell.raws if raw[0] == cell.header["layouts"]["kept"]["type"] and len(raw) > 16] \
        if "kept" in cell.header["layouts"] else []
    for _ in range(random.choice((1, 1, 1, 3, 20)) if kept else 0):
        raw = random.choice(kept)
        change_bytes(random, raw, random.randrange(16, len(raw), WORD), random.choice((WORD, 4, 1)))


def resize(random, cells):
    """Longer or shorter, with the length in its head."""
    cell, i = place_of(random, cells)
    if i is None:
        return
    raw = cell.raws[i]
    words = random.choice((0, 1, len(raw) // WORD - 1, len(raw) // WORD + 1, random.randrange(WORDS_MAX + 1), WORDS_MAX))
    words = max(1, min(WORDS_MAX, words))
    del raw[words * WORD:]
    raw.extend(random.randbytes(words * WORD - len(raw)) if random.randrange(2) else bytes(words * WORD - len(raw)))
    raw[1] = words


def span_of(random, cell, i):
    return i, min(len(cell.raws), i + random.choice((1, 1, 2, 10, 100, 1000)))


def delete(random, cells):
    cell, i = place_of(random, cells)
    if i is not None:
        begin, end = span_of(random, cell, i)
        del cell.raws[begin:end]


def repeat(random, cells):
    cell, i = place_of(random, cells)
    if i is None:
        return
    begin, end = span_of(random, cell, i)
    copies = [bytearray(raw) for raw in cell.raws[begin:end] * random.choice((1, 1, 2, 50))][:5000]
    at = random.choice((end, len(cell.raws), 0, random.randrange(len(cell.raws) + 1)))
    cell.raws[at:at] = copies


def move(random, cells):
    cell, i = place_of(random, cells)
    if i is None:
        return
    begin, end = span_of(random, cell, i)
    part = cell.raws[begin:end]
    del cell.raws[begin:end]
    at = random.choice((0, len(cell.raws), random.randrange(len(cell.raws) + 1)))
    cell.raws[at:at] = part


def shuffle(random, cells):
    cell, i = place_of(random, cells)
    if i is None:
        return
    begin, end = span_of(random, cell, i)
    part = cell.raws[begin:end]
    random.shuffle(part)
    cell.raws[begin:end] = part


def drop_type(random, cells):
    cell, i = place_of(random, cells)
    if i is not None:
        kind, rate = cell.raws[i][0], random.choice((1, 0.5, 0.1))
        cell.raws[:] = [raw for raw in cell.raws if raw[0] != kind or random.random() >= rate]


def few_threads(random, cells):
    """All records of some thread are those of another."""
    cell, i = place_of(random, cells)
    if i is None:
        return
    old, new = bytes(cell.raws[i][4:7]), bytes(random.choice(cell.raws)[4:7])
    for raw in cell.raws:
        if raw[4:7] == old:
            raw[4:7] = new


def change_header(random, cells):
    """A value of the header, which keeps its type most times."""
    cell = random.choice(cells)
    part = cell.header
    while True:
        name = random.choice([name for name in part if name != "layouts"])
        if not isinstance(part[name], dict):
            break
        part = part[name]
    value = part[name]
    if isinstance(value, bool):
        part[name] = not value
    elif isinstance(value, int):
        part[name] = random.choice((value + 1, value - 1, 0, 1, 2, 3, 100, 1 << 31, (1 << 31) - 1, 1 << 32, 1 << 60,
                                    (1 << 63) - 1, -1, -(1 << 31), -(1 << 63)))
    else:
        part[name] = random.choice(TEXTS)


def add_window(random, cells):
    """A window or a watermark where there was none."""
    cell, i = place_of(random, cells)
    if i is None:
        return
    at = number(random, 0, 8)
    if random.randrange(2) and "window" in cell.header["layouts"]:
        kind = cell.header["layouts"]["window"]["type"]
        raw = struct.pack("<BBHIQQ", kind, 3, 0, 0, at, number(random, at, 8))
    else:
        raw = struct.pack("<BBHIQ", cell.header["layouts"]["watermark"]["type"], 2, 0, 0, at)
    cell.raws.insert(i, bytearray(raw))


KINDS = (change_field, change_field, change_field, change_field, copy_field, change_head, change_tail, change_tail,
         change_summary, change_summary, resize, delete, repeat, move, shuffle, drop_type, few_threads, change_header,
         add_window)


def records_of(random, cells, others):
    """The bytes of a recording like these cells; others gives cells of another one."""
    cells = [cell.copy() for cell in cells]
    if random.randrange(12) == 0:
        more = others()
        source, target = random.choice(more), random.choice(cells)
        begin = random.randrange(len(source.raws) or 1)
        target.raws[len(target.raws) // 2:0] = [bytearray(raw) for raw in source.raws[begin:begin + 300]]
    if random.randrange(20) == 0:
        cells += [cell.copy() for cell in random.choice((cells, others()))]
    for _ in range(random.choice((1, 1, 1, 2, 3, 5, 10, 30))):
        random.choice(KINDS)(random, cells)
    return forge.file_bytes(cells)


def coded_of(random, cells):
    """The bytes of a recording whose coded contents were changed."""
    cells = [(header, [(flags, count, bytearray(contents)) for flags, count, contents in blocks])
             for header, blocks in cells]
    for _ in range(random.choice((1, 2, 5, 20))):
        header, blocks = random.choice(cells)
        if not blocks:
            continue
        i = random.randrange(len(blocks))
        flags, count, contents = blocks[i]
        what = random.randrange(8)
        if what == 0:
            blocks.insert(random.randrange(len(blocks) + 1), (flags, count, bytearray(contents)))
        elif what == 1:
            blocks[i] = flags, max(1, count + random.choice((-1, 1, 100))), contents
        elif what == 2 and len(blocks) > 1:
            del blocks[i]
        elif contents:
            contents[random.randrange(len(contents))] ^= 1 << random.randrange(8)
    return forge.coded_bytes(cells)
