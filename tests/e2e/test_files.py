# SPDX-License-Identifier: BSD-2-Clause
"""Where recordings and reports go: nothing is lost there, and no other file is touched."""

import contextlib
import os
import resource
import shutil
import signal
import stat
import subprocess
import threading

import harness
import tap

USAGE = 2
REPLAY = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "replay")
SAMPLE = os.path.join(REPLAY, "no-trace.ipct")
TRACED = os.path.join(REPLAY, "one-client.ipct")
OLD = b"what was here before\n" * 500
RUN = ["--no-trace", "--policy", "other", "--messages", 20, "--warmup", 5, "--period", "1ms"]


def read(path):
    with open(path, "rb") as file:
        return file.read()


def write(path, data=OLD, owner=None, mode=0o644):
    with open(path, "wb") as file:
        file.write(data)
    os.chmod(path, mode)
    if owner is not None:
        os.chown(path, owner, owner)
    return path


class TestCase(harness.TestCase):
    """Every test has a folder of its own, which holds nothing but what it made."""

    def setUp(self):
        self.place = self.file(self.id().rsplit(".", 1)[-1])
        os.mkdir(self.place)
        self.recording = shutil.copy(SAMPLE, self.file("sample.ipct"))

    def path(self, name):
        return os.path.join(self.place, name)

    def check_files(self, *names):
        self.assertEqual(sorted(os.listdir(self.place)), sorted(names))

    def shell(self, command, **variables):
        """The result of a bash script, which knows $ipctrace and $recording."""
        done = subprocess.run(["bash", "-c", command], capture_output=True, text=True,
                              env=harness.environment({"ipctrace": os.path.abspath(harness.PROGRAM),
                                                       "recording": self.recording, **variables}))
        return harness.Result(done.returncode, done.stdout, done.stderr)


class OldFile(TestCase):
    """An old file stays until there is something to replace it."""

    def test_nothing_runs(self):
        """an old recording is whole after a run that may not trace"""
        os.chown(self.place, harness.NOBODY, harness.NOBODY)
        path = write(self.path("run.ipct"), owner=harness.NOBODY)
        self.program_for_all()
        result = harness.ipctrace("--record", path, uid=harness.NOBODY)
        self.check_error(result, "CAP_BPF")
        result = harness.ipctrace("attach", "-p", os.getpid(), "--record", path, "-o",
                                  write(self.path("report"), owner=harness.NOBODY),
                                  uid=harness.NOBODY)
        self.assertEqual(result.status, 1)
        self.assertEqual((read(path), read(self.path("report"))), (OLD, OLD))
        self.check_files("run.ipct", "report")

    def test_command_fails(self):
        """old files are whole after an attach whose command cannot be started"""
        path, report = write(self.path("run.ipct")), write(self.path("report"))
        result = harness.ipctrace("attach", "--record", path, "-o", report, "--", "/nonexistent")
        self.check_error(result, "/nonexistent")
        self.assertEqual((read(path), read(report)), (OLD, OLD))
        self.check_files("run.ipct", "report")

    def test_replaced(self):
        """a new recording and a new report have the mode and the owner of the old ones"""
        path = write(self.path("run.ipct"), owner=harness.STRANGER, mode=0o640)
        report = write(self.path("report"), owner=harness.STRANGER, mode=0o604)
        self.check_quiet(harness.ipctrace(*RUN, "--record", path, "-o", report))
        self.check_quiet(harness.ipctrace("report", path))
        self.assertIn(b"messages", read(report))
        self.check_files("run.ipct", "report")
        for name, mode in ((path, 0o640), (report, 0o604)):
            status = os.stat(name)
            self.assertEqual((stat.S_IMODE(status.st_mode), status.st_uid, status.st_gid),
                             (mode, harness.STRANGER, harness.STRANGER))

    def test_read_only(self):
        """a file that the user may not write is not replaced, though the folder is theirs"""
        os.chown(self.place, harness.NOBODY, harness.NOBODY)
        path = write(self.path("report"), owner=harness.NOBODY, mode=0o444)
        self.program_for_all()
        result = harness.ipctrace("report", self.recording, "-o", path, uid=harness.NOBODY)
        self.check_error(result, path, "Permission denied")
        self.assertEqual(read(path), OLD)

    def test_folder_of_others(self):
        """a file that the user may write, in a folder that they may not: it is written directly"""
        path = write(self.path("report"), owner=harness.NOBODY)
        self.program_for_all()
        result = harness.ipctrace("report", self.recording, "-o", path, uid=harness.NOBODY)
        self.check_quiet(result)
        self.assertEqual(read(path).decode(), harness.ipctrace("report", self.recording).out)
        write(path)
        self.assertEqual(harness.ipctrace("--record", path, uid=harness.NOBODY).status, 1)
        self.assertEqual(read(path), OLD)

    def test_mounted(self):
        """a file that is a mount point is written in place"""
        path, other = write(self.path("report")), write(self.path("other"))
        self.mount("--bind", other, path)
        self.check_quiet(harness.ipctrace("report", self.recording, "-o", path))
        self.assertEqual(read(other).decode(), harness.ipctrace("report", self.recording).out)
        self.check_files("report", "other")

    def test_list_and_doctor(self):
        """list and doctor replace files by the same rules"""
        for words in (["list", "-q"], ["doctor", "-q"]):
            path = write(self.path("report"), mode=0o600)
            harness.ipctrace(*words, "-f", "json", "-o", path)
            self.assertTrue(read(path).startswith(b"{"), words)
            self.assertEqual(stat.S_IMODE(os.stat(path).st_mode), 0o600)
            self.check_files("report")


class SameFile(TestCase):
    """A call that would overwrite or mix two files is refused before it changes any."""

    def test_report_onto_itself(self):
        """a report onto its recording, by its own name, by links and by descriptors"""
        path, data = shutil.copy(SAMPLE, self.path("run.ipct")), read(SAMPLE)
        os.symlink("run.ipct", self.path("soft"))
        os.link(path, self.path("hard"))
        for name in ("run.ipct", "soft", "hard"):
            with self.subTest(name):
                result = harness.ipctrace("report", path, "-o", self.path(name))
                self.check_error(result, self.path(name), "recording that is read", status=USAGE)
        for command in ('"$ipctrace" report "$path" -o /dev/fd/3 3>> "$path"',
                        '"$ipctrace" report "$path" >> "$path"'):
            with self.subTest(command):
                self.check_error(self.shell(command, path=path), "recording that is read",
                                 status=USAGE)
        self.assertEqual(read(path), data)

    def test_two_in_one(self):
        """a recording and a report of the same name, old or new, by links and by descriptors"""
        write(self.path("old"))
        os.symlink("old", self.path("soft"))
        os.link(self.path("old"), self.path("hard"))
        os.symlink("new", self.path("dangling"))
        files = sorted(os.listdir(self.place))
        for one, other in (("old", "old"), ("old", "soft"), ("soft", "hard"), ("new", "new"),
                           ("new", "dangling")):
            with self.subTest((one, other)):
                for words in (RUN, ["attach", "-d", "1ms", "-p", os.getpid()]):
                    result = harness.ipctrace(*words, "--record", self.path(one), "-o",
                                              self.path(other))
                    self.check_error(result, self.path(one), "the report goes to the same file",
                                     status=USAGE)
        self.assertEqual(read(self.path("old")), OLD)
        self.check_files(*files)

    def test_standard_output(self):
        """a recording to where the report goes, if that is standard output"""
        for path in ("/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"):
            with self.subTest(path):
                result = harness.ipctrace(*RUN, "--record", path)
                self.check_error(result, path, "standard output", status=USAGE)
                self.assertEqual(result.out, "")
        words = " ".join(map(str, RUN))
        result = self.shell(f'"$ipctrace" {words} --record "$path" > "$path"',
                            path=self.path("run.ipct"))
        self.check_error(result, "standard output", status=USAGE)

    def test_thrown_away(self):
        """two outputs to /dev/null do not count as mixed"""
        self.check_quiet(harness.ipctrace(*RUN, "--record", "/dev/null", "-o", "/dev/null"))
        words = " ".join(map(str, RUN))
        self.check_quiet(self.shell(f'"$ipctrace" {words} --record /dev/null > /dev/null'))


class FullDisk(TestCase):
    """A disk without room, or a limit for the size of files."""

    def setUp(self):
        super().setUp()
        self.mount("-t", "tmpfs", "-o", "size=256k", "none", self.place)

    def leave_pages(self, pages):
        """Room for so many more pages of data."""
        with open(self.path("rest"), "wb") as rest:
            free = os.statvfs(self.place).f_bavail - pages
            rest.write(b"x" * free * os.sysconf("SC_PAGE_SIZE"))

    def record(self, path):
        return harness.ipctrace("--no-trace", "--policy", "other", "--messages", 300, "--warmup", 5,
                                "--period", "1ms", "--clients", 20, "--record", path, "-f", "json")

    def check_old(self, result, path):
        """Nothing new, and stderr says so."""
        self.check_error(result, path, "No space left", "nothing was recorded, and the old file")
        self.assertEqual(read(path), OLD)

    def test_old_recording(self):
        """with room for less than the first block the old recording stays, and stderr says so"""
        path = write(self.path("run.ipct"))
        for pages in range(20):
            with self.subTest(pages=pages):
                self.leave_pages(pages)
                result = self.record(path)
                self.check_files("rest", "run.ipct")
                os.unlink(self.path("rest"))
                if read(path) != OLD:
                    break
                self.check_old(result, path)
        self.assertGreater(pages, 1)
        if result.status:  # there was room for the first block, but not for all of them
            self.check_error(result, path, "No space left", "what was written so far is readable")
        self.check_readable(path)

    def check_readable(self, path):
        report = harness.ipctrace("report", path, "-f", "json")
        self.assertGreater(report.json()["integrity"]["sent"], 0)

    def test_no_recording(self):
        """without an old one nothing is left, and nothing is said to be readable"""
        self.leave_pages(0)
        result = self.record(self.path("run.ipct"))
        self.check_error(result, "No space left", "nothing was recorded")
        self.assertNotIn("readable", result.err)
        self.check_files("rest")

    def test_old_report(self):
        """an old report stays, in every format"""
        path = write(self.path("report"))
        self.leave_pages(0)
        for name in ("text", "json", "ndjson"):
            with self.subTest(name):
                result = harness.ipctrace("report", TRACED, "-f", name, "-o", path)
                self.check_error(result, path, "No space left", "make room")
                self.assertEqual(read(path), OLD)
                self.check_files("report", "rest")

    def test_limit(self):
        """a limit for the size of files is an error like a full disk: it does not kill"""
        with open(self.path("out"), "wb") as out:
            for words in ([*RUN, "--record", self.path("run.ipct")],
                          ["report", self.recording, "-o", self.path("report")],
                          ["report", self.recording]):
                with self.subTest(words):
                    process = subprocess.run(
                        [harness.PROGRAM, *map(str, words)], stdout=out, stderr=subprocess.PIPE,
                        text=True, env=harness.environment(), preexec_fn=limit_files)
                    result = harness.Result(process.returncode, "", process.stderr)
                    self.check_error(result, "File too large", "ulimit -f")
        self.check_files("out")


def limit_files():
    resource.setrlimit(resource.RLIMIT_FSIZE, (100, 100))
    signal.signal(signal.SIGXFSZ, signal.SIG_DFL)  # Python ignores it


class ForAll(TestCase):
    """A folder that all users may write, sticky like /tmp or not."""

    def setUp(self):
        super().setUp()
        self.secret = write(self.file("secret"), mode=0o600)

    def each_folder(self):
        for mode in (0o1777, 0o777, 0o1770):
            with self.subTest(f"{mode:o}"):
                os.chmod(self.place, mode)
                yield mode
                for name in os.listdir(self.place):
                    os.unlink(self.path(name))

    def described(self):
        """All that is in the folder. To read a link changes nothing but the time of its last use."""
        status = {name: os.lstat(self.path(name)) for name in os.listdir(self.place)}
        return {name: (s.st_ino, s.st_mode, s.st_uid, s.st_size, s.st_mtime_ns, s.st_ctime_ns)
                for name, s in status.items()}

    def refuse(self, name, *words):
        """By every option that names a file to write."""
        before = self.described()
        for how in (["report", self.recording, "-o"], ["list", "-q", "-o"], ["doctor", "-o"],
                    [*RUN, "--record"], ["attach", "-d", "1ms", "-p", os.getpid(), "--record"]):
            with self.subTest(how):
                result = harness.ipctrace(*how, self.path(name))
                self.check_error(result, "another user", "in a folder that all users can write",
                                 *words)
                self.assertEqual(read(self.secret), OLD)
                self.assertEqual(self.described(), before)

    def link(self, target, name, owner):
        os.symlink(target, self.path(name))
        os.chown(self.path(name), owner, owner, follow_symlinks=False)

    def test_link(self):
        """a link of another user is not followed, wherever it leads"""
        for _ in self.each_folder():
            for name, target in (("file", self.secret), ("new", self.file("new")),
                                 ("device", "/dev/null"), ("proc", "/dev/stderr")):
                self.link(target, name, harness.NOBODY)
                self.refuse(name, name, "a symbolic link", str(harness.NOBODY))
            self.assertFalse(os.path.exists(self.file("new")))

    def test_link_on_the_way(self):
        """a link of another user is not followed on the way to the file, or behind another link"""
        for _ in self.each_folder():
            self.link(self.folder, "folder", harness.NOBODY)
            self.link("folder/secret", "mine", os.geteuid())
            self.refuse("folder/secret", "'folder' is a symbolic link")
            self.refuse("mine", "'folder' is a symbolic link")

    def test_file(self):
        """a file or a pipe of another user is not written"""
        for _ in self.each_folder():
            write(self.path("file"), owner=harness.NOBODY, mode=0o666)
            self.refuse("file", "'file' is a file")
            self.assertEqual(read(self.path("file")), OLD)
            os.mkfifo(self.path("pipe"))
            os.chown(self.path("pipe"), harness.NOBODY, harness.NOBODY)
            self.refuse("pipe", "'pipe' is a file")

    def test_hard_link(self):
        """of a hard link, which another user may have made, only the name is replaced"""
        for _ in self.each_folder():
            os.link(self.secret, self.path("report"))
            self.check_quiet(harness.ipctrace("report", self.recording, "-o", self.path("report")))
            self.assertEqual(read(self.secret), OLD)
            self.assertNotEqual(read(self.path("report")), OLD)

    def test_trusted(self):
        """files and links of root, of the folder's owner and of the user that called sudo are used"""
        os.chown(self.place, harness.NOBODY, harness.NOBODY)
        for _ in self.each_folder():
            for owner in (os.geteuid(), harness.NOBODY, harness.STRANGER):
                write(self.file("target"))
                write(self.path("report"), owner=owner)
                self.link(self.file("target"), "link", owner)
                for name in ("report", "link"):
                    result = harness.ipctrace("report", self.recording, "-o", self.path(name),
                                              env=harness.AS_STRANGER)
                    self.check_quiet(result)
                    self.assertNotEqual(read(self.path(name)), OLD)
                self.assertTrue(os.path.islink(self.path("link")))
                os.unlink(self.path("link"))
                os.unlink(self.path("report"))

    def test_link_of_own_folder(self):
        """in a folder that only its owner may write every link is followed"""
        self.link(self.secret, "link", harness.NOBODY)
        self.check_quiet(harness.ipctrace("report", self.recording, "-o", self.path("link")))
        self.assertEqual(read(self.secret).decode(), harness.ipctrace("report", self.recording).out)


class NoFile(TestCase):
    """Targets that are no regular files are written directly."""

    def setUp(self):
        super().setUp()
        self.expected = harness.ipctrace("report", self.recording).out

    def test_pipe(self):
        """a named pipe: for a report and for a recording"""
        for words in (["report", self.recording, "-o"], [*RUN, "-o", "/dev/null", "--record"]):
            with self.subTest(words):
                path, got = self.path("pipe"), []
                os.mkfifo(path)
                reader = threading.Thread(target=lambda: got.append(read(path)))
                reader.start()
                self.check_quiet(harness.ipctrace(*words, path))
                reader.join()
                self.assertTrue(stat.S_ISFIFO(os.stat(path).st_mode))
                os.unlink(path)
                self.assertGreater(len(got[0]), 1000)
                if words[0] == "report":
                    self.assertEqual(got[0].decode(), self.expected)

    def test_process_substitution(self):
        """process substitution of the shell"""
        words = " ".join(map(str, RUN))
        result = self.shell('"$ipctrace" report "$recording" -o >(cat > "$path"); wait $!',
                            path=self.path("report"))
        self.check_quiet(result)
        self.assertEqual(read(self.path("report")).decode(), self.expected)
        result = self.shell(f'"$ipctrace" {words} --record >(cat > "$path"); wait $!',
                            path=self.path("run.ipct"))
        self.check_quiet(result)
        self.check_quiet(harness.ipctrace("report", self.path("run.ipct")))

    def test_standard_output(self):
        """/dev/stdout, also where a shell appends it to a file"""
        result = harness.ipctrace("report", self.recording, "-o", "/dev/stdout")
        self.assertEqual((result.status, result.out, result.err), (0, self.expected, ""))
        write(self.path("log"), b"a line\n")
        result = self.shell('"$ipctrace" report "$recording" -o /dev/stdout >> "$path"',
                            path=self.path("log"))
        self.check_quiet(result)
        self.assertEqual(read(self.path("log")).decode(), "a line\n" + self.expected)
        words = " ".join(map(str, RUN))
        result = self.shell(f'"$ipctrace" {words} -o /dev/null --record /dev/stdout > "$path"',
                            path=self.path("run.ipct"))
        self.check_quiet(result)
        self.check_quiet(harness.ipctrace("report", self.path("run.ipct")))

    def test_devices(self):
        """/dev/null takes everything and stays what it is, /dev/full is full"""
        self.check_quiet(harness.ipctrace(*RUN, "--record", "/dev/null"))
        self.check_quiet(harness.ipctrace("report", self.recording, "-o", "/dev/null"))
        result = harness.ipctrace("report", self.recording, "-o", "/dev/full")
        self.check_error(result, "/dev/full", "No space left", "make room")
        result = harness.ipctrace(*RUN, "--record", "/dev/full")
        self.check_error(result, "/dev/full", "No space left")
        self.assertNotIn("readable", result.err)
        for path in ("/dev/null", "/dev/full"):
            self.assertTrue(stat.S_ISCHR(os.stat(path).st_mode))


class Interrupted(TestCase):
    """A run that ends before its time."""

    LONG = ["--no-trace", "--policy", "other", "--messages", 1000000, "--period", "1ms"]

    def hidden(self):
        return [name for name in os.listdir(self.place) if name.startswith(".ipctrace-")]

    def start(self, *words):
        """Runs until the recording is at its place; the report waits without a name."""
        process = harness.start(*self.LONG, "--record", self.path("run.ipct"), "-o",
                                self.path("report"), *words)
        harness.wait_until(lambda: os.path.exists(self.path("run.ipct")))
        return process

    def test_interrupt(self):
        """^C: both are there, and nothing else"""
        write(self.path("report"))
        process = self.start()
        self.assertEqual(self.hidden(), [])
        self.assertEqual(read(self.path("report")), OLD)
        process.send_signal(signal.SIGINT)
        self.check_quiet(harness.finish(process))
        self.check_files("run.ipct", "report")
        self.assertNotEqual(read(self.path("report")), OLD)

    def test_two_interrupts(self):
        """two of them: the old report, the recording so far, and nothing else"""
        write(self.path("report"))
        process = self.start()
        process.send_signal(signal.SIGSTOP)
        process.send_signal(signal.SIGINT)
        process.send_signal(signal.SIGTERM)
        process.send_signal(signal.SIGCONT)
        self.assertEqual(harness.finish(process).status, 1)
        self.assertEqual(read(self.path("report")), OLD)
        self.check_files("run.ipct", "report")

    def test_quit(self):
        """a signal that ends it leaves nothing hidden"""
        core = resource.getrlimit(resource.RLIMIT_CORE)
        resource.setrlimit(resource.RLIMIT_CORE, (0, core[1]))
        self.addCleanup(resource.setrlimit, resource.RLIMIT_CORE, core)
        process = self.start()
        process.send_signal(signal.SIGQUIT)
        harness.finish(process)
        self.check_files("run.ipct")

    def test_killed(self):
        """killed the hard way, it leaves nothing hidden: the recording so far is at its place"""
        write(self.path("report"))
        process = self.start()
        process.kill()
        harness.finish(process)
        self.assertEqual(read(self.path("report")), OLD)
        self.check_files("run.ipct", "report")
        again = harness.ipctrace("report", self.path("run.ipct"))
        self.assertIn("cut short", again.err)
        self.assertTrue(again.out)

    def is_writing(self, process):
        """Whether the recording is open, under whatever name."""
        folder = f"/proc/{process.pid}/fd"
        for fd in os.listdir(folder):
            with contextlib.suppress(FileNotFoundError):  # it was closed meanwhile
                if os.readlink(os.path.join(folder, fd)).startswith(os.path.realpath(self.place) + "/"):
                    return True
        return False

    def test_killed_early(self):
        """killed before the first block, it leaves the old recording and nothing else"""
        for old in ((), ("run.ipct",)):
            for name in old:
                write(self.path(name))
            process = harness.start(*self.LONG, "--record", self.path("run.ipct"))
            harness.wait_until(lambda process=process: self.is_writing(process))
            process.kill()
            harness.finish(process)
            self.check_files(*old)
            for name in old:
                self.assertEqual(read(self.path(name)), OLD)

    def test_growing(self):
        """messages in ndjson can be read while the run goes on"""
        process = harness.start("--messages", 100000, "-f", "ndjson", "-o", self.path("messages"))
        harness.wait_until(lambda: process.poll() is not None or
                           os.path.exists(self.path("messages")))
        size = os.path.getsize(self.path("messages"))
        harness.wait_until(lambda: os.path.getsize(self.path("messages")) > size)
        process.send_signal(signal.SIGINT)
        self.check_quiet(harness.finish(process))
        self.check_files("messages")
        headers, messages = harness.read_ndjson(read(self.path("messages")).decode())
        self.assertEqual(len(headers), 1)
        self.assertGreater(len(messages), 0)


if __name__ == "__main__":
    tap.main()
