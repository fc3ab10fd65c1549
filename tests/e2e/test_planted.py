# SPDX-License-Identifier: BSD-2-Clause
"""
Causes of tests/causes that level deep records: the explanation says them, and does not with the cure, nor of causes
that look alike.
"""

import harness
import patience
import planting
import tap
from replay import records

OF_FROZEN, OF_TRACED = 16, 32  # enum waker_flag
RWSEM = 2  # enum kernel_lock

# A clause of a sentence, or a label of a row.
BUFFER = r"own send buffer (\(SO_SNDBUF\) is )?full"
LOCK = r"(lock of the kernel \(rwsem\)|rwsem of the kernel) in \w+ until copier"
MAP_LOCK = r"(lock of the kernel \(rwsem\)|rwsem of the kernel) in (vm_mmap_pgoff|__vm_munmap) \(mmap_lock\)"

# The receiver has little room, and reads it slowly: the window is closed, and the sender's buffer full, too.
SLOW_READER = """
import os, socket, time
listener = socket.socket()
listener.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
listener.bind(("127.0.0.1", 0))
listener.listen()
if not os.fork():
    sender = socket.create_connection(listener.getsockname())
    sender.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 4096)
    while True:
        sender.sendall(bytes(20000))
reader = listener.accept()[0]
print(os.getpid(), flush=True)
while True:
    time.sleep(.005)
    reader.recv(2000)
"""


class Planted(planting.PlantedCase):
    """What is planted for two seconds."""

    def held(self, run, flag):
        return [w for w in run.of("waker") if w.flags & flag]

    def rows_of(self, culprit):
        """Other programs may be in the way of the slowest calls, but not of all that are slow."""
        found = harness.ipctrace("explain", self.recording, "--slowest", "30%", "-f", "json").json()
        return [row for row in found["rows"] if row["culprit"] and row["culprit"]["comm"] == culprit]

    def demand_reason(self, reason, culprit):
        rows = [row for row in self.rows_of(culprit) if row["reason"] == reason]
        patience.demand(len(rows), 1, f"rows of {reason} by {culprit}")

    def demand_followed(self, rows):
        """The one that holds the server sleeps meanwhile, and wakes it only by a signal, or by a write to a file."""
        held_ns = sum(row["ns"] for row in rows)
        slept_ns = sum(below["ns"] for row in rows for below in row["followed"]
                       if below["reason"] == "timeout" and below["call"] == "clock_nanosleep")
        patience.demand(slept_ns, 0.5 * held_ns, "ns of a sleep until the own timeout, meanwhile")

    def test_frozen(self):
        """a frozen control group: each thaw ends a sleep of that kind, and the explanation says so"""
        run, text = self.plant("frozen")
        patience.demand(len(self.held(run, OF_FROZEN)), 10, "sleeps of a frozen thread")
        self.assertEqual(self.held(run, OF_TRACED), [])
        self.demand_reason("frozen", "pauser")
        self.demand_followed([row for row in self.rows_of("pauser") if row["reason"] == "frozen"])
        run, text = self.plant("frozen", cured=True)
        self.assertEqual(self.held(run, OF_FROZEN), [])
        self.assertNotRegex(text, r"\bfrozen\b")

    def test_debugger(self):
        """a debugger, and a signal, which looks alike"""
        run, text = self.plant("ptrace-stop")
        patience.demand(len(self.held(run, OF_TRACED)), 10, "sleeps under a debugger")
        self.assertEqual(self.held(run, OF_FROZEN), [])
        self.demand_reason("traced", "sampler")
        self.demand_followed([row for row in self.rows_of("sampler") if row["reason"] == "traced"])
        run, text = self.plant("stopped")
        self.assertEqual(self.held(run, OF_FROZEN | OF_TRACED), [])
        stops = [row for row in self.rows_of("stopper") if row["call"] == "stopped" and not row["reason"]]
        patience.demand(len(stops), 1, "rows of a thread that a signal has stopped")
        self.demand_followed(stops)
        self.assertNotIn("debugger", text)

    def test_send_buffer(self):
        """a small send buffer, its cure, and a slow reader, which looks alike"""
        run, text = self.plant("small-send-buffer")
        full = [room for room in run.of("own_room") if not room.flags]
        patience.demand(len(full), 10, "sleeps for room in the own buffer")
        self.assertEqual({room["buffer_bytes"] for room in full}, {4608})
        patience.demand_said(BUFFER, text)
        run, text = self.plant("small-send-buffer", cured=True)
        self.assertNotRegex(text, BUFFER)
        run, text = self.trace(["-c", SLOW_READER])
        self.assertNotRegex(text, BUFFER)

    def test_lock_of_kernel(self):
        """writers of one file wait for the lock of its inode, those of two do not"""
        run, text = self.plant("inode-lock")
        waits = [lock for lock in run.of("kernel_lock") if lock["kind"] == RWSEM]
        patience.demand(len(waits), 5, "waits for a rwsem")
        for wait in run.of("kernel_lock"):
            self.assertGreaterEqual(wait["to_ns"] - wait["from_ns"], 5000)
        patience.demand_said(LOCK, text)
        for wait in waits:
            self.assertIn("_write", records.lock_function(wait))
        run, text = self.plant("inode-lock", cured=True)
        self.assertNotRegex(text, LOCK)

    def test_lock_of_memory_map(self):
        """a program that reads smaps holds the lock of the server's memory map, one that reads stat does not"""
        run, text = self.plant("memory-map")
        names = [records.lock_function(wait) for wait in run.of("kernel_lock") if wait["kind"] == RWSEM]
        patience.demand(sum(name in ("vm_mmap_pgoff", "__vm_munmap") for name in names), 5, "waits for mmap_lock")
        patience.demand_said(MAP_LOCK, text)
        run, text = self.plant("memory-map", cured=True)
        self.assertNotRegex(text, MAP_LOCK)

    def test_holder(self):
        """a wait for a lock in another process is no message: the calls have it in their service"""
        run, text = self.plant("holder-sleeps")
        patience.demand_said(r"in futex until cleaner \(pid \d+, nice 0\) wakes it", text)
        patience.demand_said("in clock_nanosleep until its own timeout of 20.0 ms", text)
        _, text = self.plant("holder-sleeps", cured=True)
        # The slowest call may have waited for the lock, for microseconds: but no call for the sleep outside of it.
        self.assertNotIn("timeout of 20.0 ms", text)
        self.assertNotRegex(text, r"usual call \([\w. ]+\), the server sleeps in futex until cleaner")

    def test_busy_handler(self):
        """a server that tries to lock a file, and sleeps in between: the call that fails is named"""
        tried = r"in clock_nanosleep until its own timeout of [\w. ]+ ends, after fcntl has failed \(EAGAIN\)"
        _, text = self.plant("busy-handler")
        patience.demand_said(tried, text)
        found = harness.ipctrace("explain", self.recording, "-f", "json").json()
        failed = {(row["failed_call"], row["failed_error"]) for row in found["rows"] if row.get("reason") == "tried"}
        self.assertIn(("fcntl", "EAGAIN"), failed)
        _, text = self.plant("busy-handler", cured=True)
        self.assertNotIn("has failed", text)

    def test_accepting_thread(self):
        """what keeps the accepting thread from a connection is said of the call on it, not of the thread that answers"""
        _, text = self.plant("descriptors-run-out")
        patience.demand_said(r"In the request of .*, after accept4? has failed \(EMFILE\)", text)
        _, text = self.plant("descriptors-run-out", cured=True)
        self.assertNotIn("EMFILE", text)


if __name__ == "__main__":
    tap.main()
