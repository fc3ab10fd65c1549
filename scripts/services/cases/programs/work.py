# SPDX-License-Identifier: BSD-2-Clause
"""The planted handlers of the servers in Python. The other languages have the same."""

import threading
import time

SPIN_S, SLEEP_S, LOCK_S = 500e-6, 3e-3, 2e-3


def be(name):
    """Its name in a report: that of the interpreter says little."""
    with open("/proc/self/comm", "w", encoding="ascii") as comm:
        comm.write(name)


def spin():
    end = time.monotonic() + SPIN_S
    while time.monotonic() < end:
        pass


def sleep():
    time.sleep(SLEEP_S)


class Lock:
    """Another thread holds a lock until 2 ms after it was wanted."""

    def __init__(self):
        self.until = 0
        self.wanted, self.free = threading.Semaphore(0), threading.Semaphore(0)
        threading.Thread(target=self.hold, daemon=True).start()

    def hold(self):
        while True:
            self.wanted.acquire()
            time.sleep(max(0, self.until - time.monotonic()))
            self.free.release()

    def __call__(self):
        self.until = time.monotonic() + LOCK_S
        self.wanted.release()
        self.free.acquire()


def handler(name):
    return {"none": lambda: None, "spin": spin, "sleep": sleep}.get(name) or Lock()
