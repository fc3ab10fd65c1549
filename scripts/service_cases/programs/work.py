# SPDX-License-Identifier: BSD-2-Clause
"""The planted handlers of the servers in Python. The other languages have the same."""

import threading
import time

SPIN_S, SLEEP_S, LOCK_S = 500e-6, 3e-3, 2e-3


def spin():
    end = time.monotonic() + SPIN_S
    while time.monotonic() < end:
        pass


def sleep():
    time.sleep(SLEEP_S)


class Lock:
    """Another thread holds a lock for a while."""

    def __init__(self):
        self.wanted, self.free = threading.Semaphore(0), threading.Semaphore(0)
        threading.Thread(target=self.hold, daemon=True).start()

    def hold(self):
        while True:
            self.wanted.acquire()
            time.sleep(LOCK_S)
            self.free.release()

    def __call__(self):
        self.wanted.release()
        self.free.acquire()


def handler(name):
    return {"none": lambda: None, "spin": spin, "sleep": sleep}.get(name) or Lock()
