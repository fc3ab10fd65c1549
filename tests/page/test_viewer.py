# SPDX-License-Identifier: BSD-2-Clause
"""`-f perfetto` in Perfetto's own viewer: what its trace processor reads, against what the report says."""

import collections
import json
import os
import subprocess
import tempfile
import unittest

import model
import tap
from page import chromium, pages, viewer
from replay import trace

NAMES = ("attach", "run")
PARTS = ("request", "service", "response")
STATES = {"Running": "running", "R": "runnable", "S": "asleep", "T": "stopped"}
# The slices of a track with these tracks above it, and which is not below another one.
BELOW = """
    WITH RECURSIVE below(id) AS (
        SELECT id FROM track WHERE name = '{}' AND parent_id IS NOT NULL
        UNION SELECT track.id FROM track JOIN below ON track.parent_id = below.id
    )
    {} FROM slice JOIN below ON slice.track_id = below.id
"""
OPENED = """(() => {
    const window = app.trace.timeline.visibleWindow.toTimeSpan();
    return [Number(window.start), Number(window.end)];
})()"""


class Case(unittest.TestCase):
    """One recording in the viewer, for all tests of a class."""

    name = None

    @classmethod
    def setUpClass(cls):
        folder = cls.enterClassContext(tempfile.TemporaryDirectory(prefix="test-ipctrace-"))
        path = os.path.join(folder, "out.pftrace")
        subprocess.run([pages.PROGRAM, "report", pages.path_of(cls.name), "-f", "perfetto", "-o", path], check=True)
        done = subprocess.run([pages.PROGRAM, "report", pages.path_of(cls.name), "-f", "ndjson"], check=True,
                              capture_output=True, text=True)
        cls.lines = collections.defaultdict(list)
        for line in map(json.loads, done.stdout.splitlines()):
            cls.lines[line.get("kind", "header")].append(line)
        cls.decoded = trace.Trace(path)
        browser = cls.enterClassContext(chromium.Browser())
        cls.view = cls.enterClassContext(viewer.view(browser, path, width=1600))


class Checks:
    """For each recording."""

    def below(self, name, what, rest=""):
        return self.view.query(BELOW.format(name, f"SELECT {what}") + rest)

    def test_errors(self):
        """nothing is refused, lost or negative"""
        self.assertEqual(self.view.query("SELECT name, idx, value FROM stats WHERE value != 0 AND severity != 'info'"),
                         [])
        self.assertEqual(self.view.value("SELECT COUNT() FROM slice WHERE dur < 0"), 0)
        self.assertGreater(self.view.value("SELECT COUNT() FROM slice"), 1000)

    def test_messages(self):
        """messages and their components have the sums of the report, and nest without a gap"""
        messages = self.lines["message"]
        self.assertEqual(self.below("channels", "COUNT(), SUM(dur)", "WHERE slice.name = 'message'"),
                         [(len(messages), sum(line["latency_ns"] for line in messages))])
        sums = {title: sum(line[name + "_ns"] or 0 for line in messages) for name, title in model.TITLES.items()}
        self.assertEqual(dict(self.below("channels", "slice.name, SUM(dur)",
                                         "WHERE category = 'component' GROUP BY 1")),
                         {title: ns for title, ns in sums.items() if ns})
        self.assertEqual(self.view.value("""
            SELECT COUNT() FROM slice JOIN slice parent ON slice.parent_id = parent.id
            WHERE slice.ts < parent.ts OR slice.ts + slice.dur > parent.ts + parent.dur"""), 0)
        self.assertEqual(self.view.value("""
            SELECT COUNT() FROM (SELECT parent.dur - SUM(slice.dur) AS rest
                FROM slice JOIN slice parent ON slice.parent_id = parent.id
                WHERE slice.category = 'component' GROUP BY parent.id) WHERE rest != 0"""), 0)

    def test_flows(self):
        """one arrow for each message leads from a send to a receive of the same channel and number"""
        self.assertEqual(self.view.value("SELECT COUNT() FROM flow"), len(self.lines["message"]))
        found = self.view.query("""
            SELECT a.name, b.name, EXTRACT_ARG(a.arg_set_id, 'debug.channel'), EXTRACT_ARG(a.arg_set_id, 'debug.seq'),
                EXTRACT_ARG(b.arg_set_id, 'debug.channel'), EXTRACT_ARG(b.arg_set_id, 'debug.seq'), b.ts - a.ts
            FROM flow JOIN slice a ON a.id = flow.slice_out JOIN slice b ON b.id = flow.slice_in""")
        self.assertEqual({row[:2] for row in found}, {("send", "receive")})
        self.assertEqual({row[2:4] == row[4:6] and row[6] >= 0 for row in found}, {True})
        self.assertEqual({row[2:4] for row in found}, {(line["channel"], line["seq"]) for line in self.lines["message"]})

    def test_states(self):
        """states of threads and slices of CPUs are as long as what the file says, and end where it is not known"""
        expected = collections.Counter()
        running = collections.Counter()
        for state in self.decoded.states:
            expected[state.tid, state.name] += state.end - state.begin
            if state.name == "running":
                running[state.cpu] += state.end - state.begin
        found = self.view.query("""
            SELECT tid, state, SUM(dur) FROM thread_state JOIN thread USING (utid)
            WHERE dur > 0 AND state IS NOT NULL GROUP BY 1, 2""")
        self.assertEqual({(tid, STATES[state]): ns for tid, state, ns in found}, expected)
        self.assertEqual(dict(self.view.query("""
            SELECT ucpu, SUM(dur) FROM sched JOIN thread USING (utid) WHERE tid != 0 AND dur != 0 GROUP BY 1""")),
                         running)
        # After the last change of a thread nothing is known: no state goes on to the end.
        self.assertEqual(self.view.query("SELECT DISTINCT state FROM thread_state WHERE dur < 0"), [(None,)])

    def test_threads(self):
        """threads stand below their processes, and none of them is apart"""
        messages = self.lines["message"]
        tids = {line[end] for line in messages for end in ("sender_tid", "receiver_tid")}
        known = dict(self.view.query("SELECT tid, pid FROM thread JOIN process USING (upid)"))
        self.assertLessEqual(tids, set(known))
        self.assertEqual(self.view.query("SELECT * FROM thread WHERE upid IS NULL AND tid != 0"), [])
        self.assertEqual(self.view.query("SELECT * FROM track WHERE name LIKE 'threads of unknown%'"), [])

    def test_names(self):
        """a name has one colour, so that there are few of them; numbers are arguments"""
        names = {name for name, in self.view.query(
            "SELECT DISTINCT name FROM slice WHERE category NOT IN ('culprit', 'sleep')")}
        self.assertEqual([name for name in names if any(c.isdigit() for c in name)], [])
        self.assertEqual(self.view.value("SELECT COUNT() FROM args WHERE key LIKE '%correlation%'"), 0)

    def test_first_view(self):
        """at first the viewer shows the slowest call or message, and its row needs no unfolding"""
        (name, begin, length), = self.view.query("SELECT name, ts, dur FROM slice WHERE name LIKE 'slowest %'")
        self.assertEqual(name, self.slowest)
        opened, closed = self.view.page.evaluate(OPENED)
        self.assertTrue(opened < begin < begin + length < closed, (opened, begin, length, closed))
        self.assertGreater(length / (closed - opened), 0.5)
        root, depth = self.view.query("""
            SELECT track.name, MAX(slice.depth) FROM slice JOIN track ON slice.track_id = track.id
            WHERE track.parent_id IS NULL AND slice.dur > 0 AND track.name = 'ipctrace' GROUP BY 1""")[0]
        self.assertEqual(root, "ipctrace")
        self.assertGreaterEqual(depth, 1)


class Attach(Checks, Case):
    """An attach, with calls."""

    name = "attach"
    slowest = "slowest call"

    def test_calls(self):
        """calls and their parts have the sums of the report"""
        calls = self.lines["call"]
        found = dict(self.below("calls", "slice.name, SUM(dur)", "GROUP BY 1"))
        ordered = {number for number, in self.below("calls", "EXTRACT_ARG(slice.arg_set_id, 'debug.call')",
                                                    "WHERE slice.name = 'call'")}
        shown = [line for line in calls if line["call"] in ordered]
        self.assertEqual(len(shown), len(calls))
        self.assertEqual({part: found[part] for part in PARTS},
                         {part: sum(line[part + "_ns"] for line in shown) for part in PARTS})
        self.assertEqual(found["call"], sum(found[part] for part in PARTS))


class Run(Checks, Case):
    """A run, with rounds."""

    name = "run"
    slowest = "slowest message"

    def test_rounds(self):
        """each complete round has all of its messages"""
        found = self.below("rounds", "EXTRACT_ARG(slice.arg_set_id, 'debug.round'), dur")
        last = collections.defaultdict(int)
        for line in self.lines["message"]:
            last[line["round"]] = max(last[line["round"]], line["latency_ns"])
        self.assertEqual(dict(found), last)


if __name__ == "__main__":
    tap.main()
