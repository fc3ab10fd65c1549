# SPDX-License-Identifier: BSD-2-Clause
"""
The limits of the kernel that the end-to-end tests need, for as long as they run. Several programs run at a
time, and one that ends must not lower them for the others.
"""

import contextlib

# Messages in a queue. The default is ten: a client of a fast server is dropped as soon as a busy machine delays
# it for ten ticks. systemd raises the first limit as well.
# A System V queue is limited in bytes: it holds as many messages of 1500 bytes.
QUEUE_LENGTHS = {"/proc/sys/net/unix/max_dgram_qlen": 512, "/proc/sys/fs/mqueue/msg_max": 256,
                 "/proc/sys/kernel/msgmnb": 256 * 1500}


def read_number(path):
    with open(path, encoding="ascii") as file:
        return int(file.read())


def write_number(path, number):
    """The kernel silently ignores what is not written at the beginning of the file."""
    with open(path, "w", encoding="ascii") as file:
        file.write(str(number))
    if read_number(path) != number:
        raise AssertionError(f"{path} is still {read_number(path)}, not {number}")


@contextlib.contextmanager
def lengthened(lengths):
    """Raises the limits {path: number} for objects that are made until the block ends."""
    before = {path: read_number(path) for path in lengths}
    short = {path: number for path, number in before.items() if number < lengths[path]}
    for path in short:
        write_number(path, lengths[path])
    try:
        yield
    finally:
        for path, number in short.items():
            write_number(path, number)
