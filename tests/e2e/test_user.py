# SPDX-License-Identifier: BSD-2-Clause
"""The workload runs as the user that called sudo, with the policy that was asked for."""

import os
import signal
import stat

import harness
import tap


def ids_of(pid):
    """(user ids, group ids, groups) of a process: real, effective, saved and file system's."""
    fields = {}
    with open(f"/proc/{pid}/status", encoding="utf-8") as status:
        for line in status:
            name, _, value = line.partition(":")
            fields[name] = value.split()
    return ({int(uid) for uid in fields["Uid"]}, {int(gid) for gid in fields["Gid"]},
            fields["Groups"])


class User(harness.TestCase):
    """Looks at the processes of the workload while it runs."""

    def look(self, look, *options, user=harness.STRANGER):
        """look({pid: name}) in the middle of a run, which is then interrupted and ends well."""
        env = {"SUDO_UID": str(user), "SUDO_GID": str(user)} if user is not None else {}
        process = harness.start("--clients", 2, "--messages", 10000, "-f", "json", *options, env=env)
        try:
            look(harness.wait_for_rounds(process, 2))
        finally:
            process.send_signal(signal.SIGINT)
            result = harness.finish(process)
        self.check_quiet(result)
        self.check_integrity(result.json())

    def test_identity(self):
        """all processes are the user's, in all respects"""
        def look(children):
            for pid, name in children.items():
                self.assertEqual(ids_of(pid), ({harness.STRANGER}, {harness.STRANGER}, []), name)

        self.look(look)

    def test_root(self):
        """called by root itself, or by sudo from root, they are root's"""
        def look(children):
            for pid in children:
                self.assertEqual(ids_of(pid)[:2], ({0}, {0}))

        self.look(look, user=None)
        self.look(look, user=0)

    def test_bad_user(self):
        """SUDO_UID that is no number is refused, not ignored"""
        result = harness.ipctrace(env={"SUDO_UID": "joe", "SUDO_GID": "1000"})
        self.check_refused(result, "SUDO_UID='joe'", status=2)

    def check_policy(self, policy, server, client, *options):
        """Policy and priority of the sending thread and of the clients."""
        def look(children):
            for pid, name in children.items():
                wanted = server if name == "ipctrace-server" else client
                got = os.sched_getscheduler(pid) & ~os.SCHED_RESET_ON_FORK
                self.assertEqual(got, policy, name)
                self.assertEqual(os.sched_getparam(pid).sched_priority, wanted, name)

        self.look(look, *options)

    def test_rr(self):
        """SCHED_RR 99 and 98 without being asked"""
        self.check_policy(os.SCHED_RR, 99, 98)

    def test_fifo(self):
        """--policy fifo with priorities of its own"""
        self.check_policy(os.SCHED_FIFO, 42, 41, "--policy", "fifo", "--server-priority", 42,
                          "--client-priority", 41)

    def test_other(self):
        """--policy other"""
        self.check_policy(os.SCHED_OTHER, 0, 0, "--policy", "other")

    def test_deadline(self):
        """--policy deadline"""
        self.check_policy(6, 0, 0, "--policy", "deadline")

    def test_control(self):
        """the server has a control thread of SCHED_RR 97"""
        def look(children):
            server = next(pid for pid, name in children.items() if name == "ipctrace-server")
            threads = {}
            for tid in map(int, os.listdir(f"/proc/{server}/task")):
                with open(f"/proc/{server}/task/{tid}/comm", encoding="utf-8") as comm:
                    threads[comm.read().strip()] = (os.sched_getscheduler(tid),
                                                    os.sched_getparam(tid).sched_priority)
            self.assertEqual(threads, {"ipctrace-server": (os.SCHED_RR, 99),
                                       "ipctrace-ctl": (os.SCHED_RR, 97)})

        self.look(look)

    def test_directory(self):
        """the sockets lie in a directory of mode 0700 that is the user's, and goes away"""
        def look(_):
            self.assertEqual(len(harness.left_directories()), 1)
            path = harness.left_directories()[0]
            status = os.stat(path)
            self.assertEqual(stat.S_IMODE(status.st_mode), 0o700)
            self.assertEqual(status.st_gid, harness.STRANGER)
            for name in os.listdir(path):
                entry = os.stat(os.path.join(path, name))
                self.assertTrue(stat.S_ISSOCK(entry.st_mode), name)
                self.assertEqual(entry.st_uid, harness.STRANGER, name)

        self.look(look)
        self.assertEqual(harness.left_directories(), [])

    def test_files(self):
        """a recording and a report are the user's, and an old one keeps its owner"""
        recording, report, old = map(self.file, ("user.ipct", "user.json", "old.json"))
        with open(old, "w", encoding="ascii"):
            os.chown(old, 1, 1)
        self.check_quiet(harness.ipctrace("--messages", 5, "--record", recording, "-o", report,
                                          env=harness.AS_STRANGER))
        self.check_quiet(harness.ipctrace("report", recording, "-o", old, env=harness.AS_STRANGER))
        owners = [os.stat(path)[stat.ST_UID:stat.ST_GID + 1] for path in (recording, report, old)]
        self.assertEqual(owners, 2 * [2 * (harness.STRANGER,)] + [(1, 1)])


if __name__ == "__main__":
    tap.main()
