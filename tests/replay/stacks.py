# SPDX-License-Identifier: BSD-2-Clause
"""The stacks of a recording (--stacks), with the names of their functions."""

import collections
import struct

BLOCKED, RAN, LEFT = range(3)
KERNEL_CUT, USER_CUT = 1, 2

Stack = collections.namedtuple("Stack", "kind tid from_ns to_ns kernel user flags")


def symbols_of(run):
    """{number: name}."""
    names = {0: None}
    for record in run.of("symbol"):
        text = struct.pack(f"<{len(record.words)}Q", *record.words)[:record["length"]]
        names[record["symbol"]] = text.decode(errors="backslashreplace")
    return names


def frames_of(run):
    """{number of a stack: (names in the kernel, names in the program, flags)}."""
    names, frames = symbols_of(run), {}
    for record in run.of("frames"):
        data = struct.pack(f"<{len(record.words)}Q", *record.words)
        symbols = struct.unpack(f"<{len(data) // 4}I", data)
        kernel, user = record["kernel_cnt"], record["user_cnt"]
        frames[record["stack"]] = ([names[i] for i in symbols[:kernel]],
                                   [names[i] for i in symbols[kernel:kernel + user]], record.flags)
    return frames


def stacks_of(run):
    """All stacks, in the order of their records."""
    frames = frames_of(run)
    return [Stack(record["kind"], record["tid"], record["from_ns"], record["to_ns"],
                  *frames[record["stack"]]) for record in run.of("stack")]
