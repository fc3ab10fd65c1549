# SPDX-License-Identifier: BSD-2-Clause
"""
Limits of the kernel's that the end-to-end tests need, for as long as all of them run: several programs
run at a time, and one that ends must not take them from the others.
"""

import contextlib

# Messages of a queue: of ten, which is the kernel's own choice, a client of a fast server is dropped
# as soon as a busy machine holds it up for ten ticks. systemd lengthens the first as well.
QUEUE_LENGTHS = {"/proc/sys/net/unix/max_dgram_qlen": 512, "/proc/sys/fs/mqueue/msg_max": 256}


def read_number(path):
    with open(path, encoding="ascii") as file:
        return int(file.read())


def write_number(path, number):
    """The kernel ignores what is not written at the beginning, without a word."""
    with open(path, "w", encoding="ascii") as file:
        file.write(str(number))
    if read_number(path) != number:
        raise AssertionError(f"{path} is still {read_number(path)}, not {number}")


@contextlib.contextmanager
def lengthened(lengths):
    """Raises limits, {path: number}, for what is made from now on, until the block ends."""
    before = {path: read_number(path) for path in lengths}
    short = {path: number for path, number in before.items() if number < lengths[path]}
    for path in short:
        write_number(path, lengths[path])
    try:
        yield
    finally:
        for path, number in short.items():
            write_number(path, number)
