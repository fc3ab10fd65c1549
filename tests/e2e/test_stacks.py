# SPDX-License-Identifier: BSD-2-Clause
"""
--stacks: the functions in which a traced thread sleeps, and those of a thread that keeps it from its CPU, are
in the recording with their names.
"""

import os
import signal
import subprocess

import attach
import harness
import patience
import tap
from replay import records, stacks

REQUESTS = 40
DELAY_NS = 3_000_000  # of every request, see in_the_way.c
LONG_NS = DELAY_NS * 3 // 4  # a thread may have had the lock, or the CPU, for a moment before
MOST = 0.8
FLAGS = ("-O2", "-g", "-fno-optimize-sibling-calls", "-pthread")


EVERY = 5  # request is delayed
ASKED = 200


def rows_of(rows):
    """All rows of an explanation, also those that follow others."""
    return [row for top in rows for row in (top, *rows_of(top.get("followed", [])))]


def names(functions):
    """Without lines and versions: handle (server.c:120) is handle."""
    return [(function or "?").split(" ")[0] for function in functions]


class Stacks(harness.TestCase):
    """A program whose functions say what they do."""

    VARIANTS = (("-fno-omit-frame-pointer",),)

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.programs = {flags: cls.compile(number, *flags) for number, flags in enumerate(cls.VARIANTS)}

    @classmethod
    def compile(cls, number, *flags):
        folder = os.path.join(cls.folder, str(number))
        path = os.path.join(folder, "in_the_way")
        os.mkdir(folder)
        source = os.path.join(attach.PROGRAMS, "in_the_way.c")
        subprocess.run([os.environ.get("CC", "cc"), *FLAGS, *flags, "-o", path, source], check=True)
        return path

    def program(self, *flags):
        return self.programs[flags or self.VARIANTS[0]]

    def check_quiet(self, result):
        """Where the machine could not read a page of a file, functions in it have no names."""
        if f"(signal {signal.SIGBUS:d})" in result.err:
            raise patience.NotNear(result.err)
        super().check_quiet(result)


class Recorded(Stacks):
    """The stacks that an attach to it records."""

    VARIANTS = (("-fno-omit-frame-pointer",), ("-fomit-frame-pointer",), ("-s", "-g0"))

    def trace(self, program, how, env=None):
        """(the run in the recording, its stacks)."""
        path = self.file("stacks.ipct")
        result = harness.ipctrace("attach", "--as-root", "--stacks", "--record", path, "-f", "json",
                                  "--", program, how, REQUESTS, 1, env=env)
        self.check_integrity(result.json())
        self.err = result.err
        run, = records.read(path)
        return run, stacks.stacks_of(run)

    def check_lock(self, found):
        """Most requests waited in take_lock(), which handle_request() called."""
        waits = [stack for stack in found if stack.kind == stacks.BLOCKED
                 and stack.to_ns - stack.from_ns > LONG_NS and "take_lock" in names(stack.user)]
        patience.demand(len(waits), MOST * REQUESTS, "long waits for the lock")
        for stack in waits:
            user = names(stack.user)
            self.assertEqual(user[user.index("take_lock"):][:3], ["take_lock", "handle_request", "serve"])
            self.assertIn("do_futex", names(stack.kernel))
            self.assertNotIn("bpf", " ".join(names(stack.kernel)))
            self.assertFalse(stack.flags)
        return waits

    def test_lock(self):
        """a wait for a lock is in the function that takes it, with its line"""
        for flags in ("-fno-omit-frame-pointer", "-fomit-frame-pointer"):
            with self.subTest(flags):
                run, found = self.trace(self.program(flags), "lock")
                for stack in self.check_lock(found):
                    self.assertRegex(" ".join(stack.user), r"take_lock \(in_the_way\.c:\d+\)")
                held = [stack for stack in found if "hold_lock" in names(stack.user)]
                patience.demand(len(held), MOST * REQUESTS, "sleeps with the lock")
                self.check_counts(run, found)

    def check_counts(self, run, found):
        counts, = run.of("stacks")
        self.assertEqual(counts["taken"], len(found))
        self.assertEqual(counts["over_ns"], 100_000)
        self.assertEqual([counts["no_room"], counts["overfull"]], [0, 0])
        # Beside others the reader may be late, as no thread waits for room for stacks.
        if counts["lost"]:
            raise patience.NotNear(f"{counts['lost']} stacks were lost")
        for stack in found:
            self.assertGreaterEqual(stack.to_ns, stack.from_ns)

    def test_hog(self):
        """a thread that keeps the CPU is in the function that it spends its time in"""
        _, found = self.trace(self.program(), "hog")
        ran = [names(stack.user) for stack in found if stack.kind == stacks.RAN]
        spins = [user for user in ran if "spin_in_the_way" in user]
        # A tick comes every 1 to 10 ms.
        patience.demand(len(spins), REQUESTS * DELAY_NS / 10_000_000 / 2, "ticks in the function")
        for user in spins:
            self.assertEqual(user[user.index("spin_in_the_way"):][:3],
                             ["spin_in_the_way", "take_cpu", "delay"])
        left = [names(stack.user) for stack in found if stack.kind == stacks.LEFT
                and stack.to_ns - stack.from_ns > LONG_NS]
        patience.demand(len([user for user in left if "delay" in user]), REQUESTS / 2,
                        "switches away from the thread")

    def test_stripped(self):
        """without symbols, the place in the file is known"""
        program = self.program("-s", "-g0")
        _, found = self.trace(program, "lock")
        places = {name for stack in found for name in names(stack.user) if name.startswith("in_the_way")}
        patience.demand(len(places), 1, "functions: the reader read the maps of the program before it ended")
        for place in places:
            self.assertRegex(place, r"^in_the_way\+0x[0-9a-f]+$")

    def test_threshold(self):
        """shorter times have no stacks"""
        path = self.file("short.ipct")
        result = harness.ipctrace("attach", "--as-root", "--stacks=1s", "--record", path, "-f", "json", "--",
                                  self.program(), "lock", REQUESTS, 1)
        self.check_quiet(result)
        run, = records.read(path)
        self.assertEqual(run.of("stack"), [])
        self.assertEqual(run.of("stacks")[0]["over_ns"], 1_000_000_000)

    def test_run(self):
        """a run has the stacks of its clients, and the report is that of any recording"""
        path = self.file("run.ipct")
        result = harness.ipctrace("--stacks", "--record", path, "-f", "json", "--messages", 50, "--warmup",
                                  10, "--period", "2ms")
        self.check_quiet(result)
        run, = records.read(path)
        waits = [stack for stack in stacks.stacks_of(run) if stack.kind == stacks.BLOCKED]
        patience.demand(len(waits), 30, "sleeps of the client")
        self.assertTrue(any("dgram_recvmsg" in " ".join(names(stack.kernel)) for stack in waits))
        again = harness.ipctrace("report", path, "-f", "json")
        self.assertEqual(again.json(), result.json())

    def test_without(self):
        """a kernel that cannot show stacks gives a warning and a report"""
        env = {"IPCTRACE_WITHOUT": "get_task_stack"}
        run, found = self.trace(self.program(), "lock", env=env)
        self.assertEqual(found, [])
        self.assertEqual(run.of("stacks"), [])
        self.assertIn("no stacks are taken", self.err)


class Explained(Stacks):
    """
    The stacks of an explanation are those of its slow calls: the delay is longer than what a busy machine adds to
    most of the others.
    """

    VARIANTS = (("-fno-omit-frame-pointer", "-DDELAY_NS=20000000"),)

    def explain(self, how):
        """[(row, its stacks)]"""
        path = self.file("explained.ipct")
        self.check_quiet(harness.ipctrace(
            "attach", "--as-root", "--stacks", "--record", path, "-f", "json", "--",
            self.program(), how, ASKED, EVERY))
        result = harness.ipctrace("explain", path, "--slowest", ASKED // EVERY // 2, "-f", "json")
        self.check_quiet(result)
        text = harness.ipctrace("explain", path, "--slowest", ASKED // EVERY // 2)
        self.check_quiet(text)
        self.assertIn("-- stacks", text.out)
        self.text = " ".join(text.out.split())
        return [(row, stack) for row in rows_of(result.json()["rows"]) for stack in row.get("stacks", [])]

    def demand_stack(self, found, component, state, function, least):
        count = sum(stack["count"] for row, stack in found
                    if (row["component"], stack["state"]) == (component, state)
                    and function in names(stack["user"]))
        patience.demand(count, least, f"stacks with {function}")

    def test_lock(self):
        """the server is blocked in the function that takes the lock"""
        self.demand_stack(self.explain("lock"), "blocked", "slept", "take_lock",
                          ASKED / EVERY / 4)
        self.assertRegex(self.text, r"slept in \S.* < take_lock \(in_the_way\.c:\d+\) < handle_request")

    def test_hog(self):
        """the thread that keeps the CPU from the server spins in its function"""
        self.demand_stack(self.explain("hog"), "runqueue", "ran", "spin_in_the_way", 3)
        self.assertRegex(self.text, r"ran in .*spin_in_the_way \(in_the_way\.c:\d+\) < take_cpu")


if __name__ == "__main__":
    tap.main()
