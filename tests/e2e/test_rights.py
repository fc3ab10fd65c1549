# SPDX-License-Identifier: BSD-2-Clause
"""
A program whose file has capabilities, as an administrator gives them so that users can trace without root: the
users get nothing else by it. What they name is opened, and what they start runs, with their own rights.
"""

import contextlib
import json
import os
import shutil
import signal
import socket
import struct
import subprocess
import sys

import harness
import tap

NOBODY = harness.NOBODY

# The sets of a thread, as the kernel shows them.
SETS = ("CapInh", "CapPrm", "CapEff", "CapAmb")
NOTHING = dict.fromkeys(SETS, 0)

AS_NOBODY = ("setpriv", f"--reuid={NOBODY}", f"--regid={NOBODY}", "--clear-groups")
HANDED_ON = "+dac_read_search,+sys_ptrace,+sys_nice,+bpf,+perfmon"

LOOK = """#!/usr/bin/python3 -I
import json, os, sys
lines = dict(line.split(":") for line in open("/proc/self/status") if line.startswith("Cap"))
found = {"uids": os.getresuid(), "gids": os.getresgid(), "caps": {k: int(v, 16) for k, v in lines.items()}}
with open(sys.argv[0] + ".new", "w") as file:
    json.dump(found, file)
os.rename(sys.argv[0] + ".new", sys.argv[0] + ".json")
"""


def all_capabilities():
    """Those that this machine lets a program have: no program with more could be executed."""
    with open("/proc/self/status", encoding="utf-8") as status:
        return next(int(line.split()[1], 16) for line in status if line.startswith("CapBnd"))


def give(path, bits):
    """Gives the file these capabilities, as setcap(8) does with =ep (struct vfs_ns_cap_data)."""
    os.setxattr(path, "security.capability",
                struct.pack("<5I", 0x02000001, bits & 0xffffffff, 0, bits >> 32, 0))


def caps_of(task):
    """The sets of a thread, given its folder in /proc."""
    with open(f"{task}/status", encoding="utf-8") as status:
        fields = dict(line.split(":", 1) for line in status)
    return {name: int(fields[name], 16) for name in SETS}


class Rights(harness.TestCase):
    """The folder is writable for all users; `secret` is root's own."""

    def setUp(self):
        os.chmod(self.folder, 0o777)
        self.program_for_all()
        give(harness.PROGRAM, all_capabilities())
        shutil.rmtree(self.file("secret"), ignore_errors=True)
        os.mkdir(self.file("secret"), mode=0o700)

    def secret(self, name, text=""):
        path = self.file(f"secret/{name}")
        with open(path, "w", encoding="ascii") as file:
            file.write(text)
        os.chmod(path, 0o600)
        return path

    def user(self, *arguments, **keys):
        return harness.ipctrace(*arguments, uid=NOBODY, **keys)

    def refuse(self, *arguments, why="Permission denied", status=1, **keys):
        """One line that says why, and nothing of the file."""
        result = self.user(*arguments, **keys)
        self.assertEqual((result.status, result.out), (status, ""), result.err)
        self.assertIn(why, result.err)
        self.assertNotIn("rosebud", result.err)

    def recording(self):
        path = self.file("secret/run.ipct")
        self.check_quiet(harness.ipctrace("--no-trace", "--messages", 3, "--warmup", 0, "--record", path, "-f",
                                          "json"))
        os.chmod(path, 0o600)
        return path

    def test_recordings(self):
        """report and explain read no recording that the user may not read"""
        path = self.recording()
        for command in ("report", "explain"):
            self.refuse(command, path)
        shutil.copy(path, self.file("mine.ipct"))
        os.chown(self.file("mine.ipct"), NOBODY, NOBODY)
        os.chmod(self.file("mine.ipct"), 0o600)
        self.check_quiet(self.user("report", self.file("mine.ipct")))

    def test_dictionary(self):
        """a handler reads no dictionary that the user may not read, nor what /proc hides"""
        for path in (self.secret("words", "rosebud\n"), f"/proc/{os.getpid()}/environ",
                     f"/proc/{os.getpid()}/fd/0"):
            self.refuse("--no-trace", "--pattern", "request", "--handler", f"translate={path}", "--messages", 1,
                        status=2)

    def test_types(self):
        """--btf reads no file that the user may not read"""
        path = self.secret("types")
        shutil.copyfile("/sys/kernel/btf/vmlinux", path)
        self.refuse("--btf", path, "--messages", 1)

    def test_control_group(self):
        """attach --cgroup reads no folder that the user may not read"""
        self.secret("cgroup.procs", f"{os.getpid()}\n")
        self.refuse("attach", "--cgroup", self.file("secret"), "-d", "1ms")

    def test_outputs(self):
        """no command writes where the user may not write, and none replaces or removes a file there"""
        old = self.secret("old", "rosebud")
        own = self.file("mine")
        shutil.copy(self.recording(), own)
        os.chown(own, NOBODY, NOBODY)
        short = ("--messages", 3, "--warmup", 0)
        for path in (old, self.file("secret/new")):
            for words in (("report", own, "-o", path), ("explain", own, "-o", path), ("list", "-o", path),
                          ("doctor", "-o", path), (*short, "-o", path), (*short, "--record", path),
                          ("attach", "-d", "1ms", "-p", os.getpid(), "-o", path),
                          ("attach", "-d", "1ms", "-p", os.getpid(), "--record", path)):
                result = self.user(*words)
                self.assertEqual(result.status, 1, (words, result.err))
                self.assertIn("Permission denied", result.err)
        with open(old, encoding="ascii") as file:
            self.assertEqual(file.read(), "rosebud")
        self.assertEqual(sorted(os.listdir(self.file("secret"))), ["old", "run.ipct"])

    def test_tracing(self):
        """what the capabilities are given for works: a run is traced, and its files are the user's"""
        record, report = self.file("run.ipct"), self.file("run.json")
        result = self.user("--clients", 2, "--messages", 20, "--record", record, "-f", "json", "-o", report,
                           "--explain")
        self.assertEqual((result.status, result.err), (0, ""))
        with open(report, encoding="utf-8") as file:
            summary = json.load(file)
        self.check_integrity(summary)
        self.assertGreater(summary["integrity"]["matched"], 0)
        self.assertTrue(summary["components_ns"]["wakeup"])
        self.assertEqual({os.stat(path).st_uid for path in (record, report)}, {NOBODY})
        self.check_quiet(self.user("report", record))

    def test_list(self):
        """list names the processes of other users, as before"""
        listed, roots = (harness.ipctrace("list", "-f", "json", uid=uid).json() for uid in (NOBODY, None))
        self.assertEqual(listed["missing"]["processes"], roots["missing"]["processes"])
        self.assertEqual(self.user("list", "--pid", os.getpid()).status, 0)

    @staticmethod
    def server_of(pid):
        """The server of a run, once it has its name and the clients' process exists."""
        names = {name: child for child, name in harness.children_of(pid).items()}
        return names.get("ipctrace-server") if len(names) >= 2 else None

    def members(self, *options):
        """The rights of all threads of the workload's processes in the middle of a run."""
        process = harness.start("--clients", 2, "--messages", 10000, "-f", "json", *options, uid=NOBODY)
        try:
            if "--threads" in options:
                server = harness.wait_until(lambda: self.server_of(process.pid))
                before = harness.switches_of(server)
                harness.wait_until(lambda: harness.switches_of(server) >= before + 6)
                children = harness.children_of(process.pid)
            else:
                children = harness.wait_for_rounds(process, 2)
            found = []
            for pid in children:
                for tid in os.listdir(f"/proc/{pid}/task"):
                    with contextlib.suppress(FileNotFoundError):
                        found.append(caps_of(f"/proc/{pid}/task/{tid}"))
        finally:
            process.send_signal(signal.SIGINT)
            result = harness.finish(process)
        self.check_quiet(result)
        return found

    def test_members(self):
        """the members of a workload have no capabilities in any thread"""
        for options in ((), ("--threads",), ("--no-trace",)):
            found = self.members(*options)
            self.assertGreaterEqual(len(found), 3)
            self.assertEqual([caps for caps in found if caps != NOTHING], [], options)

    def looked(self):
        with open(self.file("look.json"), encoding="utf-8") as file:
            found = json.load(file)
        os.unlink(self.file("look.json"))
        return found

    def check_look(self, *words, before=()):
        """`look`, which these words start, has the user's ids and no capabilities."""
        command = [*before, harness.PROGRAM, *map(str, words)]
        with subprocess.Popen(command, env=harness.environment(), stdin=subprocess.DEVNULL,
                              stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True) as process:
            harness.wait_until(lambda: os.path.exists(self.file("look.json")) or process.poll() is not None)
            process.send_signal(signal.SIGINT)
            err = process.communicate(timeout=240)[1]
        self.assertTrue(os.path.exists(self.file("look.json")), (words, err))
        found = self.looked()
        self.assertEqual((found["uids"], found["gids"]), ([NOBODY] * 3, [NOBODY] * 3), words)
        self.assertEqual({name: found["caps"][name] for name in SETS}, NOTHING, words)

    def check_commands(self, before):
        look = self.file("look")
        with open(look, "w", encoding="ascii") as file:
            file.write(LOOK)
        os.chmod(look, 0o755)
        slow = ("--messages", 10000, "--slower-than", "1ns", "--on-slow", look)
        for words in (("attach", "--", look), ("attach", "--as-root", "--", look), slow,
                      ("--messages", 10000, "--load", f"{look}; sleep 1000"),
                      ("--pattern", "request", "--messages", 1, "--warmup", 0, "--handler", f"exec={look}")):
            self.check_look(*words, before=before)

    def test_commands(self):
        """COMMAND, handlers, loads and the command of --on-slow have no capabilities of the file"""
        self.check_commands(AS_NOBODY)

    def test_ambient(self):
        """nor those that a service manager gives to the program, which it would hand on"""
        os.removexattr(harness.PROGRAM, "security.capability")
        self.check_commands([*AS_NOBODY, f"--inh-caps={HANDED_ON}", f"--ambient-caps={HANDED_ON}"])

    def test_set_user_id(self):
        """a program with the set-user-ID bit of root is no other way in"""
        os.removexattr(harness.PROGRAM, "security.capability")
        os.chmod(harness.PROGRAM, 0o6755)
        self.test_recordings()
        self.test_dictionary()
        self.test_tracing()
        self.check_commands(AS_NOBODY)


class Sight(harness.TestCase):
    """With the capabilities for tracing alone, what other users' processes have open is not seen."""

    TRACE, SEE = 1 << 38 | 1 << 39, 1 << 19 | 1 << 2

    def setUp(self):
        os.chmod(self.folder, 0o755)
        self.program_for_all()

    def user(self, bits, *arguments):
        give(harness.PROGRAM, bits)
        return harness.ipctrace(*arguments, uid=NOBODY)

    @contextlib.contextmanager
    def server(self):
        """A process of root with an idle connection. Its PID, its socket and its port."""
        path = self.file("socket")
        with contextlib.suppress(FileNotFoundError):
            os.unlink(path)
        with contextlib.closing(socket.socket(socket.AF_UNIX)) as client:
            code = ("import socket, sys; s = socket.socket(socket.AF_UNIX); s.bind(sys.argv[1]); s.listen(); "
                    "t = socket.create_server(('127.0.0.1', 0)); print(t.getsockname()[1], flush=True); "
                    "c = s.accept()[0]; print('accepted', flush=True); sys.stdin.read()")
            process = subprocess.Popen([sys.executable, "-c", code, path], stdin=subprocess.PIPE,
                                       stdout=subprocess.PIPE, text=True, env=harness.environment())
            try:
                port = process.stdout.readline().strip()
                client.connect(path)
                process.stdout.readline()
                yield process.pid, path, port
            finally:
                process.communicate()

    def test_idle(self):
        """an attach without traffic does not say that nothing is open, but what would show it"""
        with self.server() as (pid, path, _):
            attach = ("attach", "-p", pid, "-d", "100ms")
            blind = self.user(self.TRACE, *attach)
            seeing = self.user(self.TRACE | self.SEE, *attach)
            half = self.user(self.TRACE | 1 << 2, *attach)
        for result in (blind, half, seeing):
            self.assertEqual(result.status, 0, result.err)
            self.assertIn("No message was seen", result.out)
        for result, names in ((blind, "with CAP_SYS_PTRACE and CAP_DAC_READ_SEARCH"), (half, "with CAP_SYS_PTRACE")):
            self.assertNotIn(" open", result.out)
            self.assertIn("the channels of the target are not known", result.err)
            self.assertEqual(result.err.rstrip()[-len(names):], names)
        self.assertRegex(" ".join(seeing.out.split()), r"It has \d+ local channels? open")
        self.assertIn(path, seeing.out)
        self.assertNotIn("not visible", seeing.err)

    def test_names(self):
        """--port and --unix do not say that no process has a socket open that they cannot see"""
        with self.server() as (_, path, port):
            for option, value in (("--port", port), ("--unix", path)):
                blind = self.user(self.TRACE, "attach", option, value, "-d", "1ms")
                self.check_refused(blind, f"{option}: '{value}'", "those of others are not visible without "
                                   "CAP_SYS_PTRACE and CAP_DAC_READ_SEARCH", "sudo", "--pid")
                seeing = self.user(self.TRACE | self.SEE, "attach", option, value, "-d", "1ms")
                self.assertEqual(seeing.status, 0, seeing.err)
                gone = self.user(self.TRACE, "attach", option, "1" if option == "--port" else path + "x", "-d", "1ms")
                self.check_refused(gone, "there is no such socket")

    def test_list(self):
        """nor does list, of a name or a number"""
        with self.server() as (pid, _, _):
            for words in (("--pid", pid), ("--comm", "ipctrace-none")):
                self.check_refused(self.user(self.TRACE, "list", *words), "visible descriptors" if words[0] == "--comm"
                                   else "not visible", "CAP_SYS_PTRACE and CAP_DAC_READ_SEARCH")

    def test_doctor(self):
        """the doctor names what is missing, and tracing goes without it"""
        def found(bits):
            result = self.user(bits, "doctor", "-f", "json")
            self.assertEqual(result.err, "")
            findings = {finding["subject"]: finding for finding in result.json()["findings"]}
            self.assertEqual(findings["right to trace"]["health"], "fine")
            return findings["right to see what is open"]

        blind, seeing = found(self.TRACE), found(self.TRACE | self.SEE)
        self.assertEqual((blind["health"], seeing["health"]), ("limited", "fine"))
        self.assertIn("CAP_SYS_PTRACE and CAP_DAC_READ_SEARCH", blind["value"])


if __name__ == "__main__":
    tap.main()
