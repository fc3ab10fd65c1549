# SPDX-License-Identifier: BSD-2-Clause
"""
--level deep: sleeps that nothing ended before the thread's own timeout, and sleeps that look alike. Each test plants
one kind, and looks for its records and for what an explanation says.
"""

import collections
import os
import struct
import sys

import harness
import patience
import tap
import test_level_deep

IN_TICKS = 1  # enum timeout_flag
SLACK_NS = 50_000  # of threads without a real-time policy
NUMBERS = {"x86_64": {"clock_nanosleep": 230, "epoll_wait": 232, "pselect6": 270, "recvmsg": 47, "futex": 202},
           "aarch64": {"clock_nanosleep": 115, "epoll_wait": 22, "pselect6": 72, "recvmsg": 212, "futex": 98},
           }[os.uname().machine]

# A socket to which nothing is sent, and a lock that stays taken. A limit of the socket is counted in ticks.
SETS = """
import ctypes, select, signal, struct
never, other = socket.socketpair()
epoll = select.epoll()
epoll.register(never, select.EPOLLIN)
lock = threading.Lock()
lock.acquire()

def limit(ns):
    never.setsockopt(socket.SOL_SOCKET, socket.SO_RCVTIMEO, struct.pack("ll", *divmod(ns // 1000, 1000000)))

def receive():
    try:
        never.recvmsg(1)
    except BlockingIOError:
        pass
"""
RECEIVES = test_level_deep.RECEIVES.replace("while", SETS + "SET_UP\nwhile", 1)

# What ends a sleep in a call with a timeout of 10 s within some milliseconds.
ALIKE = {
    "a timerfd that epoll_wait watches": ("""
libc = ctypes.CDLL(None)
clock = libc.timerfd_create(1, 0)
epoll.register(clock, select.EPOLLIN)
""", """
    libc.timerfd_settime(clock, 0, struct.pack("qqqq", 0, 0, 0, 3000000), None)
    assert epoll.poll(10)
    os.read(clock, 8)
""", "epoll_wait"),
    "a signal of a timer": ("""
class Rings(Exception): pass
def ring(*_): raise Rings
signal.signal(signal.SIGALRM, ring)
""", """
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.003)
        time.sleep(10)
    except Rings:
        pass
""", "clock_nanosleep"),
    "a lock that another thread gives back": ("""
asks = threading.Semaphore(0)
def gives():
    while True:
        asks.acquire()
        time.sleep(0.003)
        lock.release()
threading.Thread(target=gives, daemon=True).start()
""", """
    asks.release()
    assert lock.acquire(timeout=10)
""", "futex"),
    "data for a receive with a limit": ("""
limit(10_000_000_000)
asks = threading.Semaphore(0)
def writes():
    while True:
        asks.acquire()
        time.sleep(0.003)
        other.send(b"d")
threading.Thread(target=writes, daemon=True).start()
""", """
    asks.release()
    never.recvmsg(1)
""", "recvmsg"),
}

# Edge-triggered: of two datagrams, one is read for each event. The sender notes when it sent.
EDGE = test_level_deep.BEGIN + """
import select
end.setblocking(False)
epoll = select.epoll()
epoll.register(end, select.EPOLLIN | select.EPOLLET)
while True:
    epoll.poll(0.04)
    try:
        while end.recv(100):
            READS_ON
    except BlockingIOError:
        pass
"""
SENDS_TWO = test_level_deep.BEGIN + """
sys.stdin.readline()
for _ in range(int(sys.argv[2])):
    end.send(b"m")
    end.send(b"m")
    time.sleep(float(sys.argv[3]))
"""


WOKEN, POLL_IN = 10, 12  # enum change_kind


class Timeouts(test_level_deep.Deep):
    """What a thread sets itself, and what ends its sleeps."""

    def record_timeouts(self, receiver, *senders):
        self.record(receiver, *senders)
        self.timeouts = {(t["tid"], t["wake_ns"]): t for t in self.run.of("timeout")}
        for (tid, at), timeout in self.timeouts.items():
            self.assertLessEqual(timeout["started_ns"], at)
            waker = self.wakers.get((tid, at))
            self.assertTrue(waker is None or waker.flags, "no thread by itself")
            if not timeout.flags & IN_TICKS:
                self.assertLessEqual(timeout["started_ns"] + timeout["asked_ns"], at, timeout)

    def of_call(self, tid, call):
        """(sleeps in the call, timeouts that ended them)"""
        # The wakeup of a thread that polls is a change of its own.
        line, kinds = [c for c in self.lines[tid] if c.kind != WOKEN], (test_level_deep.SLEEP_IN, POLL_IN)
        sleeps = [after.at for before, after in zip(line, line[1:]) if before.kind in kinds
                  and before.cpu == NUMBERS[call] and after.kind == test_level_deep.WAKE]
        return sleeps, [self.timeouts[tid, at] for at in sleeps if (tid, at) in self.timeouts]

    def check_own(self, call, work, asked_ns, set_up="", in_ticks=False):
        receives = RECEIVES.replace("SET_UP", set_up)
        receiver, sender = self.pair(receives=receives, work=work, count=30, pause_s=0.012)
        self.record_timeouts(receiver, sender)
        sleeps, ended = self.of_call(receiver.pid, call)
        patience.demand(len(ended), max(20, 0.9 * len(sleeps)), f"timeouts of {len(sleeps)} sleeps in {call}")
        for timeout in ended:
            self.assertEqual(timeout.flags & IN_TICKS, in_ticks)
            self.assertEqual(timeout["slack_ns"], 0 if in_ticks else SLACK_NS)
            if not in_ticks:
                self.assertLessEqual(timeout["asked_ns"], asked_ns)
        least = asked_ns if in_ticks else 0.9 * asked_ns
        near = [t for t in ended if least <= t["asked_ns"] <= asked_ns + 11_000_000 * in_ticks]
        patience.demand(len(near), 0.8 * len(ended), f"timeouts of {asked_ns} ns of {ended}")

    def test_own(self):
        """a pause, a poll, a select, a lock and a receive with a time limit: each its own timeout, and its length"""
        self.check_own("clock_nanosleep", "time.sleep(0.003)", 3_000_000)
        self.check_own("epoll_wait", "epoll.poll(0.003)", 3_000_000)
        self.check_own("pselect6", "select.select([never], [], [], 0.003)", 3_000_000)
        self.check_own("futex", "lock.acquire(timeout=0.003)", 3_000_000)
        self.check_own("recvmsg", "receive()", 4_000_000, "limit(4_000_000)", in_ticks=True)

    def test_alike(self):
        """a timerfd, a signal, another thread and data end a sleep before its timeout of 10 s"""
        for name, (set_up, work, call) in ALIKE.items():
            with self.subTest(name):
                receives = RECEIVES.replace("SET_UP", set_up).replace("    WORK", work)
                receiver, sender = self.pair(receives=receives, count=30, pause_s=0.008)
                self.record_timeouts(receiver, sender)
                sleeps, ended = self.of_call(receiver.pid, call)
                self.assertEqual(ended, [])
                patience.demand(len(sleeps), 20, f"sleeps in {call}")


class Explained(test_level_deep.Deep):
    """What an explanation says of such sleeps."""

    def rows(self, reads_on):
        receiver, sender = self.pair(receives=EDGE.replace("READS_ON", reads_on), sends=SENDS_TWO,
                                     count=30, pause_s=0.1)
        with self.attached("--level", "deep", "-p", receiver.pid) as attachment:
            self.go(sender)
            self.join(sender)
        result = harness.ipctrace("explain", attachment.recording, "-f", "json", "--unit", "message",
                                  "--slowest", "30%")
        self.check_quiet(result)
        return result.json()

    def test_data_ready(self):
        """an edge that was lost: the receiver sleeps until its own timeout, although data are there"""
        found = self.rows("break")
        rows = [row for row in found["rows"] if row.get("reason") == "timeout_data"]
        patience.demand(len(rows), 1, f"rows of the timeout: {found['rows'][:6]}")
        row = max(rows, key=lambda row: row["ns"])
        self.assertEqual((row["component"], row["call"], row["culprit"]["class"]), ("blocked", "epoll_wait", "itself"))
        self.assertLessEqual(row["asked_ns"], 40_000_000)
        patience.demand(row["ns"], 0.8 * found["difference_ns"], "the part of the difference")

    def test_read_on(self):
        """the same with all data read: no timeout delays a message"""
        found = self.rows("pass")
        reasons = [row["reason"] for row in found["rows"] if row.get("reason")]
        self.assertEqual([reason for reason in reasons if reason.startswith(("timeout", "slack"))], [])


if __name__ == "__main__":
    tap.main()
