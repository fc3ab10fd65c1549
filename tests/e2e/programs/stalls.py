# SPDX-License-Identifier: BSD-2-Clause
"""Sends datagrams, bytes and requests for some seconds. One receiver stalls once, at a random instant.

    stalls.py SECONDS STALL_MS

The datagram and the pipe go on meanwhile. Prints the instant of the stall, in ns of CLOCK_MONOTONIC.
"""

import ctypes
import os
import random
import signal
import socket
import sys
import time

SECONDS, STALL_S = float(sys.argv[1]), float(sys.argv[2]) / 1000
PAUSE_S = 0.002
PR_SET_PDEATHSIG = 1

ends = time.monotonic() + SECONDS
stalls = time.monotonic() + SECONDS * random.uniform(0.4, 0.8)
children = []


def fork(work, *arguments):
    pid = os.fork()
    if not pid:
        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
        work(*arguments)
        os._exit(0)
    children.append(pid)


def send(put):
    number = 0
    while time.monotonic() < ends:
        put(b"x" * (20 + number % 30))
        number += 1
        time.sleep(PAUSE_S)


def receive(get, stalls_once=False):
    while get(1000):
        if stalls_once and time.monotonic() >= stalls:
            stalls_once = False
            print(time.monotonic_ns(), flush=True)
            time.sleep(STALL_S)


def ask(end):
    while time.monotonic() < ends:
        end.sendall(b"request")
        end.recv(100)
        time.sleep(PAUSE_S)


def answer(end):
    while data := end.recv(100):
        end.sendall(data)


for stalling in True, False:
    sender, receiver = socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM)
    fork(receive, receiver.recv, stalling)
    fork(send, sender.send)
reader, writer = os.pipe()
fork(receive, lambda size: os.read(reader, size))
fork(send, lambda data: os.write(writer, data))
client, server = socket.socketpair()
fork(answer, server)
fork(ask, client)
time.sleep(SECONDS + 0.2)
for child in children:
    os.kill(child, signal.SIGKILL)
