# SPDX-License-Identifier: BSD-2-Clause
"""What the clients of scripts/services/compare note: see harness.py."""

import json
import os
import time

WARMUP = 30


def wait_for_go(notes):
    with open(notes + ".ready", "w", encoding="ascii"):
        pass
    while not os.path.exists(notes + ".go"):
        time.sleep(0.005)


def write(notes, **figures):
    with open(notes + ".tmp", "w", encoding="ascii") as file:
        json.dump(figures, file)
    os.rename(notes + ".tmp", notes)


def warm_up(call):
    for _ in range(WARMUP):
        call()


def timed(call, count, pause_s=0.0):
    """How long each of some calls took."""
    took = []
    for _ in range(count):
        begin = time.monotonic_ns()
        call()
        took.append(time.monotonic_ns() - begin)
        if pause_s:
            time.sleep(pause_s)
    return took


def measure(notes, call, count, pause_s=0.0):
    """Calls, and how long each took."""
    warm_up(call)
    wait_for_go(notes)
    write(notes, took=timed(call, count, pause_s))
