# SPDX-License-Identifier: BSD-2-Clause
"""Threads that sleep for one condition: each call wakes all of them, or one; and these do something, or nothing."""

import json
import subprocess
import sys

import attach
import harness
import patience
import tap

WORKERS, CALLS = 12, 40

# The condition and its mutex lie in shared memory. `share`: each worker that is woken works for a while. `one`: only
# one of them is woken. The client goes on when all that were woken have run.
PROGRAM = """
import ctypes, mmap, os, socket, sys, time
kind, workers, calls = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
libc = ctypes.CDLL(None)
memory = mmap.mmap(-1, 4096)
begin = ctypes.addressof(ctypes.c_char.from_buffer(memory))
mutex, condition = ctypes.c_void_p(begin), ctypes.c_void_p(begin + 256)
woken = ctypes.c_int.from_address(begin + 1024)
for init, shared, make, what in (
        (libc.pthread_mutexattr_init, libc.pthread_mutexattr_setpshared, libc.pthread_mutex_init, mutex),
        (libc.pthread_condattr_init, libc.pthread_condattr_setpshared, libc.pthread_cond_init, condition)):
    attribute = (ctypes.c_char * 64)()
    init(attribute)
    shared(attribute, 1)
    make(what, attribute)

def worker():
    libc.pthread_mutex_lock(mutex)
    while True:
        libc.pthread_cond_wait(condition, mutex)
        woken.value += 1
        if kind == "share":
            libc.pthread_mutex_unlock(mutex)
            until = time.thread_time_ns() + 400_000
            while time.thread_time_ns() < until:
                pass
            libc.pthread_mutex_lock(mutex)

ours, theirs = socket.socketpair()
children = []
for i in range(workers + 1):
    child = os.fork()
    if not child:
        while i:
            worker()
        while theirs.recv(8):
            libc.pthread_mutex_lock(mutex)
            (libc.pthread_cond_signal if kind == "one" else libc.pthread_cond_broadcast)(condition)
            libc.pthread_mutex_unlock(mutex)
            time.sleep(0.004)
            theirs.sendall(b"ok")
        os._exit(0)
    children.append(child)
print("ready", *children, flush=True)
sys.stdin.readline()
for call in range(1, calls + 1):
    ours.sendall(b"question")
    ours.recv(2)
    # A worker that was not asleep yet has missed it.
    until = time.monotonic() + 0.1
    while woken.value < call * (1 if kind == "one" else workers) and time.monotonic() < until:
        time.sleep(0.001)
    time.sleep(0.004)
for child in children:
    os.kill(child, 9)
    os.waitpid(child, 0)
"""


class Broadcast(attach.AttachCase):
    """What an explanation says of such workers."""

    def wakes(self, kind):
        """How many threads each call wakes that do nothing."""
        process = self.spawn([sys.executable, "-c", PROGRAM, kind, WORKERS, CALLS], stdin=subprocess.PIPE,
                             stdout=subprocess.PIPE)
        children = process.stdout.readline().split()[1:]
        with self.attached("--level", "deep", "-p", ",".join(children), stop=False) as attachment:
            _, err = process.communicate("go\n", timeout=60 * harness.PATIENCE)
        self.assertEqual((process.returncode, err), (0, ""))
        explanation = json.loads(harness.ipctrace("explain", attachment.recording, "--unit", "call", "-f", "json").out)
        return (explanation["base_in_vain"] or {"wakes": 0})["wakes"]

    def test_broadcast(self):
        """most workers are woken, and sleep again"""
        wakes = self.wakes("broadcast")
        patience.demand(wakes, WORKERS / 3, "threads that a call wakes in vain")
        self.assertLessEqual(wakes, 1.5 * WORKERS)

    def test_signal(self):
        """the cure: one worker is woken"""
        self.assertLess(self.wakes("one"), 2)

    def test_share(self):
        """workers that share some work are not woken in vain, though they make no other call"""
        self.assertLess(self.wakes("share"), 2)


if __name__ == "__main__":
    tap.main()
