# SPDX-License-Identifier: BSD-2-Clause
"""The findings of the doctor agree with the runs that follow."""

import json
import os
import subprocess

import harness
import tap


class Doctor(harness.TestCase):
    """On this machine, as it is and with something taken away."""

    def examine(self, status, env=None, uid=None):
        result = harness.ipctrace("doctor", "-f", "json", env=env, uid=uid)
        self.assertEqual((result.status, result.err), (status, ""), "exit status and stderr")
        diagnosis = result.json()
        self.assertEqual(diagnosis["schema"], "ipctrace.doctor/1")
        self.assertEqual(diagnosis["main_job"], status == 0)
        for finding in diagnosis["findings"]:
            at_fault = finding["health"] in ("limited", "missing")
            self.assertEqual(finding["cost"] is not None, at_fault, finding)
            self.assertEqual(finding["remedy"] is not None, at_fault, finding)
            for name in finding["lost"]:
                self.assertFalse({**diagnosis["components"], **diagnosis["transports"]}[name])
        return diagnosis

    def test_this_machine(self):
        """the main job can run, and shows the components that the doctor names"""
        diagnosis = self.examine(0)
        summary = harness.ipctrace("--clients", 5, "--messages", 20, "-f", "json").json()
        shown = {name for name, stat in summary["components_ns"].items() if stat is not None}
        self.assertEqual({name for name, there in diagnosis["components"].items() if there}, shown)
        self.assertEqual(diagnosis["host"], summary["host"])

    def test_no_switch(self):
        """without sched_exit_tp the switch is not shown, and the main job runs all the same"""
        env = {"IPCTRACE_WITHOUT": "sched_exit_tp"}
        diagnosis = self.examine(0, env=env)
        summary = harness.ipctrace("--messages", 5, "-f", "json", env=env).json()
        self.assertIsNone(summary["components_ns"]["switch"])
        self.assertFalse(diagnosis["components"]["switch"])
        self.assertTrue(diagnosis["components"]["receive"])

    def test_no_right(self):
        """a user without capabilities gets the advice to use sudo, by the main job, too"""
        diagnosis = self.examine(1, uid=harness.NOBODY)
        missing = [f for f in diagnosis["findings"] if f["health"] == "missing"]
        self.assertIn("right to trace", [finding["subject"] for finding in missing])
        self.assertTrue(all("sudo" in finding["remedy"] for finding in missing), missing)
        self.assertFalse(any(diagnosis["components"].values()))
        refused = harness.ipctrace("--messages", 5, uid=harness.NOBODY)
        self.assertEqual(refused.status, 1)
        self.assertIn("sudo", refused.err)

    def test_text(self):
        """the text begins with the answer, says what to do, and goes to the file of -o"""
        path = os.path.join(self.folder, "doctor.txt")
        result = harness.ipctrace("doctor", "-o", path)
        self.assertEqual((result.status, result.out, result.err), (0, "", ""))
        with open(path, encoding="utf-8") as file:
            lines = file.read().splitlines()
        text = " ".join(" ".join(lines).split())
        diagnosis = self.examine(0)
        self.assertEqual(lines[0], diagnosis["answer"])
        for finding in diagnosis["findings"]:
            if finding["remedy"]:
                self.assertIn(f"to do {finding['remedy']}", text, json.dumps(finding))
        limits = len({finding["cost"] for finding in diagnosis["findings"] if finding["cost"]})
        self.assertTrue(lines[0].startswith("ipctrace works here"), lines[0])
        self.assertEqual((diagnosis["attach"]["works"], diagnosis["run"]["works"]), (True, True))
        if not limits:
            self.assertEqual(lines[0], "ipctrace works here")
            self.assertLessEqual(len(lines), 24, lines)

    def test_answers(self):
        """what the first line says of an attach and of a run is what they do"""
        def first(status, *command, **how):
            result = subprocess.run([*command, harness.PROGRAM, "doctor"], capture_output=True, text=True,
                                    env=harness.environment(how), check=False)
            self.assertEqual((result.returncode, result.stderr), (status, ""))
            return result.stdout.splitlines()[0]

        limits = {how: first(0, IPCTRACE_WITHOUT=how) for how in ("sched_exit_tp", "sched_exit_tp,sk_data_ready")}
        numbers = [int("0" + line.removeprefix("ipctrace works here").strip("; limts")) for line in limits.values()]
        self.assertEqual(numbers[1] - numbers[0], 1, limits)
        nobody = first(1, "setpriv", f"--reuid={harness.NOBODY}", "--clear-groups")
        self.assertEqual(nobody, "ipctrace does not work here: right to trace: no CAP_BPF: run it with sudo")
        without = ("setpriv", "--bounding-set=-sys_nice", "--inh-caps=-sys_nice")
        self.assertTrue(first(1, *without).startswith("ipctrace attach works here, ipctrace run does not: "))
        for status, words in ((1, ("--messages", "5")), (0, ("attach", "-d", "1ms", "-p", str(os.getpid())))):
            result = subprocess.run([*without, harness.PROGRAM, *words], capture_output=True, text=True,
                                    env=harness.environment(), check=False)
            self.assertEqual(result.returncode, status, result.stderr)

    def test_full_disk(self):
        """a diagnosis that cannot be written is an error"""
        result = harness.ipctrace("doctor", "-o", "/dev/full")
        self.assertEqual(result.status, 1)
        self.assertIn("/dev/full", result.err)


if __name__ == "__main__":
    tap.main()
