# SPDX-License-Identifier: BSD-2-Clause
"""
What a run that was killed the hard way has left in the system is removed by the next one, and nothing
else is: not what a living run uses, nor what is another user's or has another name.
"""

import os
import signal
import subprocess
import uuid

import harness
import tap

USER = {"SUDO_UID": str(harness.STRANGER), "SUDO_GID": str(harness.STRANGER)}
UNTRACED = ("--no-trace", "--policy", "other")
TRANSPORTS = ("uds", "uds-stream", "uds-seqpacket", "tcp", "pipe", "fifo", "mqueue", "sysv")


class LeftBehind(harness.TestCase):
    """Runs of STRANGER, whose directories these tests alone make."""

    def run_next(self, *arguments):
        """A short run, which tidies up first. What it said with -v."""
        result = harness.ipctrace(*UNTRACED, "--messages", 3, "--warmup", 0, "-v", "-f", "json",
                                  *arguments, env=USER)
        self.assertEqual(result.status, 0, result.err)
        return result.err

    def start_long(self, *arguments):
        process = harness.start(*UNTRACED, "--messages", 100000, *arguments, env=USER)
        harness.wait_until(lambda: len(harness.children_of(process.pid)) >= 2)
        return process

    def kill(self, *processes):
        """The programs, and then nothing of theirs lives."""
        for process in processes:
            process.kill()
            process.communicate()
        harness.wait_until(lambda: not harness.left_processes())

    def make(self, name, owner=harness.STRANGER):
        """A directory in /tmp that nobody holds, with a file in it; it goes with the test."""
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
        for pid in harness.left_processes():
            os.kill(pid, signal.SIGSTOP)
        for pid in harness.left_processes():
            os.kill(pid, signal.SIGKILL)
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
                                       env=USER) for _ in range(8)]
            for process in processes:
                self.check_quiet(harness.finish(process))
        self.assertEqual(harness.left_directories(), [])

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
        subprocess.run(["mount", "-t", "tmpfs", "-o", f"uid={harness.STRANGER},mode=700", "none",
                        mounted], check=True)
        self.addCleanup(subprocess.run, ["umount", "--lazy", mounted], check=True)
        with open(os.path.join(mounted, "file"), "w", encoding="ascii"):
            pass
        self.run_next()
        for path in (*kept, target, link, mounted):
            with self.subTest(path):
                self.assertTrue(os.path.exists(os.path.join(path, "file")))

    def test_mounted_inside(self):
        """what is mounted inside stays, and one line says that something does"""
        path = self.make(self.name())
        inside = os.path.join(path, "inside")
        os.mkdir(inside)
        subprocess.run(["mount", "-t", "tmpfs", "none", inside], check=True)
        self.addCleanup(subprocess.run, ["umount", "--lazy", inside], check=True)
        with open(os.path.join(inside, "file"), "w", encoding="ascii"):
            pass
        said = self.run_next()
        self.assertTrue(os.path.exists(os.path.join(inside, "file")))
        warned, = (line for line in said.splitlines() if "cannot remove" in line)
        self.assertIn(path, warned)
        self.assertIn("by hand", warned)


if __name__ == "__main__":
    tap.main()
