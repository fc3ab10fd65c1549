# SPDX-License-Identifier: BSD-2-Clause
"""
--level deep: a real-time thread loses its CPU to an ordinary one, because the kernel reserves time for those; and two
waits for an ordinary thread that look alike.
"""

import subprocess
import sys

import attach
import harness
import patience
import tap
import test_level_deep

POLLS = test_level_deep.BEGIN + """
end.setblocking(False)
while True:
    try:
        end.recv(100)
    except BlockingIOError:
        pass
"""
SPINS = """
import os, sys
os.sched_setaffinity(0, {int(sys.argv[1])})
while True: pass
"""

# An ordinary thread inherits a real-time priority from one that waits for its lock, and spends 5 ms of 50 on the CPU
# of the receiver then.
LENDS = """
import ctypes, os, sys, threading, time
libc = ctypes.CDLL(None)
libc.prctl(15, b"lends", 0, 0, 0)
mutex, kind = ctypes.create_string_buffer(64), ctypes.create_string_buffer(16)
libc.pthread_mutexattr_init(kind)
assert not libc.pthread_mutexattr_setprotocol(kind, 1)
assert not libc.pthread_mutex_init(mutex, kind)
held = threading.Semaphore(0)

def wants():
    os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(60))
    while True:
        held.acquire()
        libc.pthread_mutex_lock(mutex)
        libc.pthread_mutex_unlock(mutex)

other = os.sched_getaffinity(0) - {int(sys.argv[1])}
os.sched_setaffinity(0, other)
threading.Thread(target=wants, daemon=True).start()
while True:
    libc.pthread_mutex_lock(mutex)
    held.release()
    time.sleep(0.002)
    os.sched_setaffinity(0, {int(sys.argv[1])})
    until = time.thread_time() + 0.005
    while time.thread_time() < until: pass
    os.sched_setaffinity(0, other)
    libc.pthread_mutex_unlock(mutex)
    time.sleep(0.043)
"""


class Reserve(test_level_deep.Deep):
    """What a receiver with a real-time policy waits for."""

    def rows(self, receives, beside, count, pause_s=0.005):
        """(explanation, rows of waits of its slow messages for a CPU), with another program beside it."""
        receiver, sender = self.pair(receives=receives, count=count, pause_s=pause_s, cpu=attach.SERVER_CPU, priority=50)
        self.spawn([sys.executable, "-c", beside, attach.SERVER_CPU], stdout=subprocess.DEVNULL)
        with self.attached("--level", "deep", "-p", receiver.pid) as attachment:
            self.go(sender)
            self.join(sender)
        result = harness.ipctrace("explain", attachment.recording, "-f", "json", "--unit", "message",
                                  "--slowest", "2%")
        self.check_quiet(result)
        found = result.json()
        return found, [row for row in found["rows"] if row["component"] == "runqueue" and row["culprit"]]

    def test_reserve(self):
        """it polls, and an ordinary thread spins: now and then the kernel gives that one the CPU"""
        found, rows = self.rows(POLLS, SPINS, count=500)
        reserve = [row for row in rows if row.get("reason") == "reserve"]
        patience.demand(len(reserve), 1, f"rows of the reserve of {rows}")
        self.assertEqual(max(reserve, key=lambda row: row["ns"])["culprit"]["scheduling"], "nice 0")
        patience.demand(sum(row["ns"] for row in reserve), 0.7 * found["difference_ns"], "its part of the difference")

    def test_woken(self):
        """it sleeps until each message comes, and the other thread spins: no reserve"""
        _, rows = self.rows(test_level_deep.RECEIVES.replace("WORK", "pass"), SPINS, count=200)
        self.assertEqual([row for row in rows if row["reason"] == "reserve"], [])

    def test_lent(self):
        """the other thread inherits a priority above that of the receiver, by a lock: it needs no reserve"""
        _, rows = self.rows(POLLS, LENDS, count=200)
        lent = [row for row in rows if row["culprit"]["comm"] == "lends"]
        patience.demand(len(lent), 1, f"rows of the other thread of {rows}")
        self.assertEqual([row for row in lent if row["reason"] == "reserve"], [])


if __name__ == "__main__":
    tap.main()
