# SPDX-License-Identifier: BSD-2-Clause
"""A sender and a reader that is too slow: slow_reader.py tcp|unix|pipe MESSAGES SIZE NOTES

The sender notes how long it slept in its writes, and how much lay unsent in its socket after each.
"""

import fcntl
import os
import socket
import struct
import sys
import time

import notes

SIOCOUTQNSD = 0x894B


def name(comm):
    with open("/proc/self/comm", "w", encoding="ascii") as file:
        file.write(comm)


def ends(kind):
    if kind == "pipe":
        return os.pipe()
    if kind == "unix":
        return [end.detach() for end in socket.socketpair()]
    listener = socket.create_server(("127.0.0.1", 0))
    sender = socket.create_connection(listener.getsockname())
    return listener.accept()[0].detach(), sender.detach()


def read(end, size):
    name("slow-reader")
    while data := os.read(end, size):
        until = time.monotonic() + 1e-3 * len(data) / size
        while time.monotonic() < until:
            pass


def awake():
    """How long this thread has run, and waited for a CPU."""
    with open("/proc/thread-self/schedstat", encoding="ascii") as file:
        return sum(map(int, file.read().split()[:2]))


def send(end, messages, size, kind):
    unsent = []
    begin, before = time.monotonic_ns(), awake()
    for _ in range(messages):
        left = memoryview(bytes(size))
        while left:
            left = left[os.write(end, left):]
        if kind == "tcp":
            unsent.append(struct.unpack("i", fcntl.ioctl(end, SIOCOUTQNSD, bytes(4)))[0])
    asleep = time.monotonic_ns() - begin - (awake() - before)
    return unsent, asleep, begin


def main():
    kind, messages, size, file = sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), sys.argv[4]
    receiving, sending = ends(kind)
    child = os.fork()
    if not child:
        os.close(sending)
        read(receiving, size)
        os._exit(0)
    os.close(receiving)
    name("fast-sender")
    notes.wait_for_go(file)
    unsent, asleep, begin = send(sending, messages, size, kind)
    os.close(sending)
    os.waitpid(child, 0)
    notes.write(file, unsent=unsent, asleep=asleep, all=time.monotonic_ns() - begin)


main()
