# SPDX-License-Identifier: BSD-2-Clause
"""Loads beside a run: they work, are counted, and nothing of them stays."""

import os
import shutil
import signal

import harness
import patience
import tap

COUNTED = ("launch", "ftp", "window")
OTHERS = ("cpu", "io", "memory", "while :; do :; done")
UNTRACED = ("--no-trace", "--policy", "other", "-f", "json")

# What has fled to a session of its own is of the load as well.
FLEEING = "setsid sleep 1000 & touch $TMPDIR/file; sleep 1000"


def some_sleep():
    return list(harness.left_processes().values()).count("sleep") == 2


def no_load_left():
    return not harness.left_processes() and not any(
        path.startswith("/tmp/ipctrace-load-") for path in harness.left_directories())


class Loads(harness.TestCase):
    """They run as STRANGER, so that what it leaves behind is known to be its own."""

    def check_none_left(self):
        self.assertEqual((harness.left_processes(), harness.left_directories()), ({}, []))

    def test_every_load(self):
        """each works from begin to end, and what it did is counted if it can be"""
        for name in (*COUNTED, *OTHERS):
            with self.subTest(load=name):
                result = harness.ipctrace(*UNTRACED, "--messages", 100, "--load", name, env=harness.AS_STRANGER)
                self.check_quiet(result)
                load = result.json()["load"]
                self.assertEqual((load["name"], load["ended"]), (name, False))
                if name in COUNTED:
                    patience.demand(load["count"] or 0, 1, name)
                else:
                    self.assertFalse(load["count"], load)
                self.check_none_left()

    def test_it_runs_as_the_user(self):
        """not as root, and not in real time"""
        script, path = self.file("load"), self.file("who")
        os.chmod(self.folder, 0o777)
        with open(script, "w", encoding="ascii") as file:
            file.write(f"(id -u; cut -d' ' -f41 /proc/self/stat) >{path}; sleep 99")
        result = harness.ipctrace("--no-trace", "--messages", 300, "--load", f"sh {script}", env=harness.AS_STRANGER)
        self.check_quiet(result)
        with open(path, encoding="ascii") as file:
            self.assertEqual(file.read().split(), [str(harness.STRANGER), "0"])
        self.check_none_left()

    def test_it_ends(self):
        """a load that ends by itself: a warning with its last words, and the run goes on"""
        command = "sleep 1.5; echo tired >&2; exit 3"
        result = harness.ipctrace(*UNTRACED, "--messages", 300, "--load", command)
        self.check_error(result, f"'{command}': it ended with status 3 (tired)", status=0)
        self.assertEqual(result.json()["load"]["ended"], True)
        self.assertEqual(result.json()["integrity"]["matched"], 300)

    def test_it_does_not_start(self):
        """the reason, in one line, and no run"""
        for name, env, status, reason in (
                ("lunch", {}, 1, "cannot start the load: 'lunch': it ended with status 127"),
                ("window", {"PATH": self.folder}, 2, "install the Debian package xvfb")):
            result = harness.ipctrace("--no-trace", "--load", name, env=env)
            self.check_refused(result, reason, status=status)

    def check_end(self, number):
        process = harness.start(*UNTRACED, "--messages", 100000, "--load", FLEEING, env=harness.AS_STRANGER)
        harness.wait_until(some_sleep)

        def server_serves():
            return [pid for pid, name in harness.children_of(process.pid).items()
                    if name == "ipctrace-server" and harness.switches_of(pid) > 20]

        harness.wait_until(server_serves)
        process.send_signal(number)
        result = harness.finish(process)
        harness.wait_until(no_load_left)
        return result

    def test_interrupt(self):
        """^C: a report, and nothing left"""
        result = self.check_end(signal.SIGINT)
        self.check_none_left()
        self.check_quiet(result)
        self.assertFalse(result.json()["load"]["ended"])

    def test_kill(self):
        """the program is killed: nothing of the load is left"""
        self.assertEqual(self.check_end(signal.SIGKILL).status, -signal.SIGKILL)
        for path in harness.left_directories():
            shutil.rmtree(path)  # the workload's own, which only the program could remove


if __name__ == "__main__":
    tap.main()
