# SPDX-License-Identifier: BSD-2-Clause
"""Copies stdin to stdout, and spins 1 ms per 64 KiB: slow_filter.py FILE; how long it spun is in FILE."""

import os
import sys
import time

with open("/proc/self/comm", "w", encoding="ascii") as comm:
    comm.write("slow-reader")
spun = 0
while data := os.read(0, 65536):
    begin = time.monotonic_ns()
    while time.monotonic_ns() - begin < 1e6 * len(data) / 65536:
        pass
    spun += time.monotonic_ns() - begin
    left = memoryview(data)
    while left:
        left = left[os.write(1, left):]
with open(sys.argv[1], "w", encoding="ascii") as file:
    file.write(str(spun))
