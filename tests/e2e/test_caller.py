# SPDX-License-Identifier: BSD-2-Clause
"""Commands and files of a run under sudo belong to the user that called sudo."""

import json
import os
import shlex
import signal
import sys

import harness
import tap

STRANGER = harness.STRANGER
AS_STRANGER = {"SUDO_UID": str(STRANGER), "SUDO_GID": str(STRANGER), "SUDO_USER": "stranger",
               "SUDO_COMMAND": "ipctrace", "HOME": "/root", "USER": "root", "LOGNAME": "root",
               "SHELL": "/bin/roots", "MAIL": "/var/mail/root"}

# Says what it is, and with which environment and descriptors it was started. All users may run it.
LOOK = """#!/usr/bin/python3 -I
import json, os, sys
fds = [fd for fd in map(int, os.listdir("/proc/self/fd")) if os.path.exists(f"/proc/self/fd/{fd}")]
caps = [line for line in open("/proc/self/status") if line.startswith(("CapEff", "CapPrm", "CapInh"))]
json.dump({"uids": os.getresuid(), "gids": os.getresgid(), "groups": os.getgroups(),
           "caps": max(int(line.split()[1], 16) for line in caps), "env": dict(os.environ),
           "fds": fds}, open(sys.argv[0] + ".new", "w"))
os.rename(sys.argv[0] + ".new", sys.argv[0] + ".json")
"""

# Stands between a user and the program as sudo does: called with this user's environment, runs a
# command with another one. Its parent is the user's.
FAKE_SUDO = """
import json, os, sys
uid, environment, command = json.loads(sys.argv[1])
if "inner" not in sys.argv:
    ready, go = os.pipe()
    pid = os.fork()
    if pid:
        os.setgroups([])
        os.setresgid(uid, uid, uid)
        os.setresuid(uid, uid, uid)
        os.write(go, b"x")
        os._exit(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
    os.read(ready, 1)
    os.execv(sys.executable, [*sys.orig_argv, "inner"])
open("/proc/self/comm", "w").write("sudo")
os._exit(os.spawnve(os.P_WAIT, command[0], command, environment))
"""


class Caller(harness.TestCase):
    """The folder of these tests is writable for all users."""

    def setUp(self):
        os.chmod(self.folder, 0o777)
        self.look = self.script("look", LOOK)

    def script(self, name, text, mode=0o755):
        path = self.file(name)
        with open(path, "w", encoding="ascii") as file:
            file.write(text)
        os.chmod(path, mode)
        return path

    def looked(self):
        """What the last start of `look` found."""
        with open(self.file("look.json"), encoding="utf-8") as file:
            found = json.load(file)
        os.unlink(self.file("look.json"))
        return found

    def attach(self, *options, env):
        """What `look` found as a COMMAND."""
        result = harness.ipctrace("attach", *options, "--", self.look, env=env)
        self.assertEqual((result.status, result.err), (0, ""))
        return self.looked()

    def check_user(self, found, uid=STRANGER, groups=()):
        self.assertEqual((found["uids"], found["gids"]), ([uid] * 3, [uid] * 3))
        self.assertEqual((sorted(found["groups"]), found["caps"]), (sorted(groups), 0))
        self.assertEqual([name for name in found["env"] if name.startswith("SUDO_")], [])

    def check_environment(self, found, **expected):
        got = {name: found["env"].get(name) for name in expected}
        self.assertEqual(got, expected)

    def test_command(self):
        """COMMAND: ids of a user without an entry in passwd, and nothing of root's"""
        found = self.attach(env=AS_STRANGER)
        self.check_user(found)
        self.check_environment(found, HOME="/", USER="stranger", LOGNAME="stranger", MAIL=None,
                               SHELL="/bin/sh", PATH=os.environ["PATH"], LC_ALL="C")

    def test_account(self):
        """COMMAND: groups, home and shell are those of the user's entries, found by the name"""
        passwd = self.script("passwd", "root:x:0:0::/root:/bin/bash\n"
                                       f"other:x:{STRANGER}:{STRANGER}::/home/other:/bin/other\n"
                                       f"joe:x:{STRANGER}:{STRANGER}::/home/joe:/bin/joes\n", 0o644)
        group = self.script("group", f"root:x:0:\njoe:x:{STRANGER}:\naudio:x:4001:other\n"
                                     "video:x:4002:root,joe\n", 0o644)
        words = shlex.join([os.path.abspath(harness.PROGRAM), "attach", "--", self.look])
        script = self.script("mounted", f"mount --bind {passwd} /etc/passwd && "
                                        f"mount --bind {group} /etc/group && exec {words}\n")
        for name, groups in (("joe", (STRANGER, 4002)), (None, (STRANGER, 4001))):
            user = {k: v for k, v in AS_STRANGER.items() if k != "SUDO_USER"}
            result = self.run_words(["unshare", "--mount", "sh", script],
                                    user | ({"SUDO_USER": name} if name else {}))
            self.assertEqual((result.status, result.err), (0, ""))
            found = self.looked()
            name = name or "other"
            self.check_user(found, groups=groups)
            self.check_environment(found, HOME=f"/home/{name}", USER=name, LOGNAME=name,
                                   SHELL="/bin/joes" if name == "joe" else "/bin/other")

    def run_words(self, words, env):
        """As harness.ipctrace() does it, through other programs."""
        program, harness.PROGRAM = harness.PROGRAM, words[0]
        try:
            return harness.ipctrace(*words[1:], env=env)
        finally:
            harness.PROGRAM = program

    def under_sudo(self, uid, theirs, ours):
        """What `look` found as a COMMAND below a sudo that `uid` has called with the variables `theirs`."""
        words = [os.path.abspath(harness.PROGRAM), "attach", "--", self.look]
        setup = json.dumps([uid, harness.environment(ours), words])
        result = self.run_words([sys.executable, "-I", "-c", FAKE_SUDO, setup], theirs)
        self.assertEqual((result.status, result.err), (0, ""))
        return self.looked()

    def test_environment(self):
        """COMMAND: below sudo it has the environment that sudo was called with"""
        theirs = {"HOME": "/home/joe", "USER": "joe", "LOGNAME": "joe", "SHELL": "/bin/joes",
                  "PATH": "/home/joe/bin:/bin", "MAIL": "/var/mail/joe", "JOES": "1", "BOTH": "1"}
        ours = AS_STRANGER | {"PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "BOTH": "2", "OURS": "3"}
        found = self.under_sudo(STRANGER, theirs, ours)
        self.check_user(found)
        self.check_environment(found, **theirs | {"BOTH": "2", "OURS": "3"})
        # The environment of a sudo that another user called does not count.
        found = self.under_sudo(STRANGER + 1, theirs, ours)
        self.check_user(found)
        self.check_environment(found, HOME="/", PATH=ours["PATH"], JOES=None, BOTH="2", OURS="3")

    def test_root(self):
        """COMMAND: root's with --as-root, if root called sudo, and without sudo"""
        calls = ((("--as-root",), AS_STRANGER), ((), AS_STRANGER | {"SUDO_UID": "0", "SUDO_GID": "0"}),
                 ((), {"HOME": "/root"}))
        for options, env in calls:
            found = self.attach(*options, env=env)
            self.assertEqual((found["uids"], found["gids"]), ([0] * 3, [0] * 3))
            self.check_environment(found, **env)

    def test_descriptors(self):
        """COMMAND has stdin, stdout and stderr alone, as the user and as root"""
        words = shlex.join([os.path.abspath(harness.PROGRAM), "attach", "--", self.look])
        for env in (AS_STRANGER, {}):
            result = self.run_words(["sh", "-c", f"exec 9</etc/hostname; exec {words}"], env)
            self.assertEqual((result.status, result.err), (0, ""))
            self.assertEqual(self.looked()["fds"], [0, 1, 2])

    def test_refusals(self):
        """a command that cannot start is refused in one line"""
        script = self.script("roots-own", "#!/bin/sh\n", 0o700)
        calls = ((("attach", "--", script), AS_STRANGER, 1, f"let user {STRANGER} execute it"),
                 (("attach", "--", "no-such-program"), AS_STRANGER | {"PATH": "/bin"}, 1, "PATH of the user"),
                 (("attach", "--as-root", "-p", "1"), {}, 2, "--as-root: no command"),
                 (("attach", "--", "true"), {"SUDO_UID": "joe", "SUDO_GID": "1"}, 2, "SUDO_UID='joe'"),
                 (("attach", "--", "true"), {"SUDO_UID": "1000"}, 2, "SUDO_GID="))
        for words, env, status, part in calls:
            result = harness.ipctrace(*words, env=env)
            self.check_refused(result, part, status=status)
        self.assertEqual(harness.ipctrace("attach", "--as-root", "--", script, env=AS_STRANGER).status, 0)

    def test_ids(self):
        """an id of sudo that is not digits alone, or no id, is refused and not read as another user's"""
        for name, other in (("SUDO_UID", "SUDO_GID"), ("SUDO_GID", "SUDO_UID")):
            for value in (" 5", "5 ", "\t5", "\n5", "+5", "-1", "", "5x", "0x5", "5.0", "5,6", "\u0665", "4294967295",
                          "4294967296", "18446744073709551616", "99999999999999999999999"):
                for words in (("attach", "--", "true"), ("doctor",), ("--no-trace", "--messages", "1")):
                    result = harness.ipctrace(*words, env={name: value, other: "5"})
                    self.check_refused(result, f"{name}='", "no user or group id", status=2)
        self.check_user(self.attach(env={"SUDO_UID": "0004711", "SUDO_GID": "4711"}), uid=4711)

    def test_handler(self):
        """a handler has the user's HOME, and no descriptors of the server's"""
        for transport in ("tcp", "pipe"):
            result = harness.ipctrace("--pattern", "request", "--transport", transport, "--messages", 1,
                                      "--warmup", 0, "--handler", f"exec={self.look}",
                                      "-f", "json", env=AS_STRANGER)
            self.check_quiet(result)
            found = self.looked()
            self.check_user(found)
            self.check_environment(found, HOME="/", USER="stranger")
            self.assertEqual(found["fds"], [0, 1, 2])

    def test_load(self):
        """a load has the user's HOME, too"""
        process = harness.start("--messages", 10000, "--load", f"{self.look}; sleep 1000", "-f", "json",
                                env=AS_STRANGER)
        harness.wait_until(lambda: os.path.exists(self.file("look.json")) or process.poll() is not None)
        process.send_signal(signal.SIGINT)
        harness.finish(process)
        found = self.looked()
        self.check_user(found)
        self.check_environment(found, HOME="/", USER="stranger")
        self.assertEqual(found["fds"], [0, 1, 2])

    def test_files(self):
        """recordings and reports are the user's, but for files that were there"""
        def owner(name):
            status = os.stat(self.file(name))
            return status.st_uid, status.st_gid

        def new(name):
            names.append(name)
            return self.file(name)

        names = []
        calls = (("attach", "--record", new("a.ipct"), "-o", new("a.txt"), "--", "true"),
                 ("--messages", 20, "--record", new("b.ipct"), "-f", "json", "-o", new("b.json")),
                 ("report", self.file("b.ipct"), "-o", new("c.txt")),
                 ("list", "-o", new("d.txt")), ("doctor", "-f", "json", "-o", new("e.json")))
        for words in calls:
            result = harness.ipctrace(*words, env=AS_STRANGER)
            self.assertEqual(result.status, 0, result.err)
        self.assertEqual({name: owner(name) for name in names},
                         {name: (STRANGER, STRANGER) for name in names})
        with open(self.file("old"), "w", encoding="ascii"):
            pass
        for path in (self.file("old"), "/dev/null"):
            result = harness.ipctrace("list", "-o", path, env=AS_STRANGER)
            self.assertEqual(result.status, 0, result.err)
        self.assertEqual(owner("old"), (0, 0))
        self.assertEqual(os.stat("/dev/null").st_uid, 0)
        result = harness.ipctrace("list", "-o", self.file("roots"))
        self.assertEqual((result.status, owner("roots")), (0, (0, 0)))


if __name__ == "__main__":
    tap.main()
