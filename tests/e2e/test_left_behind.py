# SPDX-License-Identifier: BSD-2-Clause
"""
What a run that was killed the hard way has left in the system is removed by the next one, and nothing
else is: not what a living run uses, nor what is another user's or has another name.
"""

import contextlib
import os
import signal
import subprocess
import sys
import uuid

import harness
import tap

UNTRACED = ("--no-trace", "--policy", "other")
TRANSPORTS = ("uds", "uds-stream", "uds-seqpacket", "tcp", "pipe", "fifo", "mqueue", "sysv")


# In struct msqid_ds the owner comes right behind the key.
GIVE_QUEUE = """
import ctypes, struct, sys
libc, ds = ctypes.CDLL(None, use_errno=True), ctypes.create_string_buffer(256)
key, owner = map(int, sys.argv[1:])
queue = libc.msgget(key, 0o1600 | (0o2000 if key else 0))
assert queue >= 0 and not libc.msgctl(queue, 2, ds), ctypes.get_errno()
struct.pack_into("II", ds, 4, owner, owner)
assert not libc.msgctl(queue, 1, ds), ctypes.get_errno()
print(queue)
"""


class LeftBehind(harness.TestCase):
    """Runs of STRANGER, whose directories these tests alone make."""

    def run_next(self, *arguments):
        """A short run, which tidies up first. What it said with -v."""
        result = harness.ipctrace(*UNTRACED, "--messages", 3, "--warmup", 0, "-v", "-f", "json",
                                  *arguments, env=harness.AS_STRANGER)
        self.assertEqual(result.status, 0, result.err)
        return result.err

    def start_long(self, *arguments):
        process = harness.start(*UNTRACED, "--messages", 100000, *arguments, env=harness.AS_STRANGER)
        harness.wait_until(lambda: len(harness.children_of(process.pid)) >= 2)
        return process

    def kill(self, *processes):
        """The programs, and then nothing of theirs lives."""
        for process in processes:
            process.kill()
            process.communicate()
        harness.wait_until(lambda: not harness.left_processes())

    def make(self, name, owner=harness.STRANGER):
        """A directory in /tmp that no process holds, with a file in it; it goes with the test."""
        path = f"/tmp/{name}"
        os.mkdir(path, 0o700)
        self.addCleanup(subprocess.run, ["rm", "-rf", path], check=True)
        with open(os.path.join(path, "file"), "w", encoding="ascii"):
            pass
        os.chown(path, owner, owner)
        return path

    @staticmethod
    def name(kind="run"):
        return f"ipctrace-{kind}-{uuid.uuid4().hex[:6]}"

    def test_killed(self):
        """the directories of killed runs over every transport that has one, and of a load"""
        processes = [self.start_long("--transport", transport) for transport in TRANSPORTS]
        processes.append(self.start_long("--load", "sleep 1000"))
        self.kill(*processes)
        self.assertGreaterEqual(len(harness.left_directories()), len(processes))
        said = self.run_next()
        self.assertEqual(harness.left_directories(), [])
        self.assertGreaterEqual(said.count("removed what a killed run had left"), len(processes), said)

    def test_supervisor_killed(self):
        """the directory of a load of which all processes were killed at once"""
        process = self.start_long("--load", "sleep 1000")
        harness.wait_until(lambda: any("load" in path for path in harness.left_directories()))
        for number in signal.SIGSTOP, signal.SIGKILL:
            for pid in harness.left_processes():
                with contextlib.suppress(ProcessLookupError):  # it ended with its parent
                    os.kill(pid, number)
        self.kill(process)
        self.assertTrue(any("load" in path for path in harness.left_directories()))
        self.run_next()
        self.assertEqual(harness.left_directories(), [])

    def test_living(self):
        """the directories of a run that goes on stay, however many others come and go"""
        process = self.start_long("--transport", "uds", "--load", "sleep 1000")
        harness.wait_until(lambda: len(harness.left_directories()) == 2)
        before = harness.left_directories()
        for _ in range(5):
            self.assertNotIn("removed", self.run_next())
            self.assertEqual(sorted(harness.left_directories()), sorted(before))
        process.send_signal(signal.SIGINT)
        self.assertEqual(harness.finish(process).status, 0)
        self.assertEqual(harness.left_directories(), [])

    def test_side_by_side(self):
        """runs that begin at the same time do not take each other's directories away"""
        for _ in range(5):
            processes = [harness.start(*UNTRACED, "--messages", 3, "--warmup", 0, "-f", "json",
                                       env=harness.AS_STRANGER) for _ in range(8)]
            for process in processes:
                self.check_quiet(harness.finish(process))
        self.assertEqual(harness.left_directories(), [])

    def test_queues(self):
        """System V queues whose guard was killed, too"""
        process = self.start_long("--transport", "sysv", "--clients", 3)
        harness.wait_until(lambda: len(sysv_queues()) == 4)
        other = make_sysv_queue()
        self.addCleanup(subprocess.run, ["ipcrm", "-q", str(other)], check=True)

        def guards():  # it takes its name when it gets a CPU
            return [pid for pid, name in harness.children_of(process.pid).items() if name == "ipc-guard"]

        guard, = harness.wait_until(guards)
        os.kill(guard, signal.SIGKILL)
        self.kill(process)
        self.assertEqual(len(sysv_queues()), 5)
        self.run_next()
        self.assertEqual(sysv_queues(), [other])

    def test_foreign_queues(self):
        """a note that names another user's queue removes nothing"""
        key = int(uuid.uuid4()) & 0x7fffffff
        queue = make_sysv_queue(key, owner=harness.STRANGER + 1)
        self.addCleanup(subprocess.run, ["ipcrm", "-q", str(queue)], check=True)
        path = self.make(self.name())
        with open(os.path.join(path, f"sysv-{key:08x}"), "w", encoding="ascii"):
            pass
        self.run_next()
        self.assertFalse(os.path.exists(path))
        self.assertEqual(sysv_queues(harness.STRANGER + 1), [queue])

    def test_named_queue(self):
        """a POSIX queue of a run that was killed before it could take its name away"""
        queues = self.file("queues")
        os.mkdir(queues)
        self.mount("-t", "mqueue", "none", queues)
        pid = 1 << 22  # more than there are
        noted, other = (os.path.join(queues, f"ipctrace-{number}") for number in (pid, pid + 1))
        for queue in (noted, other):
            with open(queue, "x", encoding="ascii"):
                self.addCleanup(lambda path=queue: os.path.exists(path) and os.unlink(path))
        with open(os.path.join(self.make(self.name()), f"mqueue-{pid}"), "x", encoding="ascii"):
            pass
        self.run_next()
        self.assertEqual([os.path.exists(queue) for queue in (noted, other)], [False, True])
        os.unlink(other)

    def test_deep(self):
        """whatever is in it goes, links are not followed"""
        outside = self.file("outside")
        with open(outside, "w", encoding="ascii") as file:
            file.write("kept")
        path = self.make(self.name())
        os.makedirs(os.path.join(path, *"abcdefgh"))
        for link in ("link", "a/b/link"):
            os.symlink(self.folder, os.path.join(path, link))
        os.link(outside, os.path.join(path, "a/hard"))
        os.mkfifo(os.path.join(path, "a/fifo"))
        self.run_next()
        self.assertFalse(os.path.lexists(path))
        with open(outside, encoding="ascii") as file:
            self.assertEqual(file.read(), "kept")

    def test_not_ours(self):
        """of other users, with other names, links, files and what is mounted there: all stay"""
        kept = [self.make(self.name(), owner=harness.STRANGER + 1), self.make(self.name() + "x"),
                self.make(f"ipctrace-{uuid.uuid4().hex[:6]}"), self.make(self.name("other-run"))]
        target = self.make(f"target-{uuid.uuid4().hex}")
        link = f"/tmp/{self.name()}"
        os.symlink(target, link)
        os.chown(link, harness.STRANGER, harness.STRANGER, follow_symlinks=False)
        self.addCleanup(os.unlink, link)
        mounted = self.make(self.name())
        self.mount("-t", "tmpfs", "-o", f"uid={harness.STRANGER},mode=700", "none", mounted)
        with open(os.path.join(mounted, "file"), "w", encoding="ascii"):
            pass
        self.run_next()
        for path in (*kept, target, link, mounted):
            with self.subTest(path):
                self.assertTrue(os.path.exists(os.path.join(path, "file")))

    def test_mounted_inside(self):
        """a mount inside stays, and one line reports it"""
        path = self.make(self.name())
        inside = os.path.join(path, "inside")
        os.mkdir(inside)
        self.mount("-t", "tmpfs", "none", inside)
        with open(os.path.join(inside, "file"), "w", encoding="ascii"):
            pass
        said = self.run_next()
        self.assertTrue(os.path.exists(os.path.join(inside, "file")))
        warned, = (line for line in said.splitlines() if "cannot remove" in line)
        self.assertIn(path, warned)
        self.assertIn("by hand", warned)


def sysv_queues(owner=harness.STRANGER):
    """Identifiers of the System V queues of a user."""
    with open("/proc/sysvipc/msg", encoding="ascii") as file:
        names, *queues = (line.split() for line in file)
    rows = [dict(zip(names, map(int, queue))) for queue in queues]
    return sorted(row["msqid"] for row in rows if row["uid"] == owner)


def make_sysv_queue(key=0, owner=harness.STRANGER):
    """Its identifier. It is made by root and then given away, as those of runs are."""
    made = subprocess.run([sys.executable, "-c", GIVE_QUEUE, str(key), str(owner)], check=True,
                          capture_output=True, text=True)
    return int(made.stdout)


if __name__ == "__main__":
    tap.main()
