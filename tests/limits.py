# SPDX-License-Identifier: BSD-2-Clause
"""
Limits of the kernel's that the end-to-end tests need, for as long as all of them run: several programs
run at a time, and one that ends must not take them from the others.
"""

import contextlib

# Messages of a queue, and bytes of a System V queue: of ten messages, which is the kernel's own choice, a
# client of a fast server is dropped as soon as a busy machine holds it up for ten ticks. systemd lengthens
# the first as well.
QUEUE_LENGTHS = {"/proc/sys/net/unix/max_dgram_qlen": 512, "/proc/sys/fs/mqueue/msg_max": 256,
                 "/proc/sys/kernel/msgmnb": 256 * 1500}


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
def lengthened(is_needed=True):
    """Raises them for what is made from now on, until the block ends."""
    before = {path: read_number(path) for path in QUEUE_LENGTHS} if is_needed else {}
    short = {path: number for path, number in before.items() if number < QUEUE_LENGTHS[path]}
    for path in short:
        write_number(path, QUEUE_LENGTHS[path])
    try:
        yield
    finally:
        for path, number in short.items():
            write_number(path, number)
