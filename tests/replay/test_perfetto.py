# SPDX-License-Identifier: BSD-2-Clause
"""`-f perfetto` on recordings of real runs, decoded with Perfetto's own definitions."""

import collections
import json
import os
import pty
import re
import subprocess
import tempfile
import unittest

import model
import tap
from replay import records, test_recordings, trace

PROGRAM = test_recordings.PROGRAM
TRACED = sorted(set(test_recordings.NAMES) - set(test_recordings.UNTRACED))
# So many SLICE records of each recording are left out, one at a time.
LEFT_OUT = 8
HOSTILE = (b"<script>", b"\x1b[31mred", b"a\nb\tc", b"\xff\xfe\x80", b"\"'\\{}", "‮​ü".encode())


class Case(unittest.TestCase):
    """Makes files in a folder that is removed."""

    maxDiff = 2000

    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="test-ipctrace-")
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def run_report(self, recording, *options, name="out.pftrace"):
        """(path, process)"""
        path = os.path.join(self.folder, name)
        done = subprocess.run([PROGRAM, "report", recording, "-f", "perfetto", "-o", path, *options],
                              capture_output=True, text=True, timeout=240, check=False)
        return path, done

    def traced(self, recording, *options, is_cut=False):
        path, done = self.run_report(recording, *options)
        self.assertEqual((done.returncode, bool(done.stderr)), (int(is_cut), is_cut), done.stderr)
        return trace.Trace(path)

    def messages(self, recording, *options):
        """[run: {(channel, seq): message}] by ndjson."""
        done = subprocess.run([PROGRAM, "report", recording, "-f", "ndjson", *options], capture_output=True,
                              text=True, timeout=240, check=False)
        runs = []
        for line in map(json.loads, done.stdout.splitlines()):
            if "schema" in line:
                runs.append({})
            elif line.get("kind") == "message":
                runs[-1][line["channel"], line["seq"]] = line
        return runs

    def write(self, run, raws):
        """A recording with the header of another one."""
        path = os.path.join(self.folder, "edited.ipct")
        header = json.dumps(run.header).encode()
        preamble = records.PREAMBLE.pack(records.MAGIC, run.version, len(header))
        with open(path, "wb") as file:
            data = preamble + header
            if run.version >= records.CHECKED:
                data += records.CHECK.pack(records.zlib.crc32(data))
            file.write(records.plain_file(data, raws))
        return path


def root_of(decoded, piece):
    """The number of the run of a slice below a root, from 0."""
    uuid = piece.track
    while decoded.tracks[uuid].parent_uuid:
        uuid = decoded.tracks[uuid].parent_uuid
    return [track.uuid for track in decoded.roots()].index(uuid)


def by_place(decoded, slices):
    """{(run, channel, seq): slice}"""
    return {(root_of(decoded, piece), piece.notes["channel"], piece.notes["seq"]): piece for piece in slices}


class Files(Case):
    """Every recording, against what ndjson says of it."""

    read = {}  # {name: (path, trace, messages)}: decoding takes longest

    def read_once(self, name):
        path = test_recordings.path_of(name)
        runs = self.messages(path)
        expected = {(run, *place): message for run, messages in enumerate(runs)
                    for place, message in messages.items()}
        self.assertTrue(expected)
        return path, self.traced(path, is_cut=name == "truncated"), expected

    def each(self, check):
        """Calls `check` with the path of a recording, its trace, and its messages by ndjson, which it may not change."""
        for name in TRACED:
            with self.subTest(name):
                if name not in self.read:
                    self.read[name] = self.read_once(name)
                check(*self.read[name])

    def test_messages(self):
        """each message is a slice as long as its latency, which its components fill"""
        def check(_path, decoded, expected):
            slices = decoded.below("channels")
            found = by_place(decoded, slices)
            self.assertEqual(len(found), len(slices))
            self.assertEqual(found.keys(), expected.keys())
            for place, piece in found.items():
                self.check_message(piece, expected[place])

        self.each(check)

    def check_message(self, piece, message):
        self.assertEqual(piece.length, message["latency_ns"])
        self.assertEqual(piece.notes["latency_ns"], message["latency_ns"])
        sums = collections.Counter()
        at = piece.begin
        for child in piece.children:
            self.assertEqual((child.category, child.begin), ("component", at))
            sums[child.name] += child.length
            at = child.end
        self.assertEqual(at, piece.end)
        expected = {title: message[name + "_ns"] for name, title in model.TITLES.items() if message[name + "_ns"]}
        self.assertEqual(dict(sums), expected)

    def test_culprits(self):
        """in the run queue are the threads and interrupts that ran, for as long as they are to blame"""
        def check(_path, decoded, expected):
            found = by_place(decoded, decoded.below("channels"))
            for place, piece in found.items():
                waits = [child for child in piece.children if child.name == "run queue"]
                ran = collections.Counter()
                for wait in waits:
                    for culprit in wait.children:
                        self.assertEqual(culprit.category, "culprit")
                        ran[culprit.notes["class"]] += culprit.length
                    self.assertLessEqual(sum(child.length for child in wait.children), wait.length)
                blamed = collections.Counter()
                for blame in expected[place]["blame"]:
                    blamed[blame["class"]] += blame["ns"]
                for kind, ns in ran.items():
                    self.assertLessEqual(ns, blamed[kind])
                if all(len(wait.children) < 8 for wait in waits):
                    del blamed["unknown"]
                    self.assertEqual(ran, blamed)

        self.each(check)

    def test_flows(self):
        """one arrow for each message leads from its send to its receive, on the tracks of two threads"""
        def check(path, decoded, expected):
            begins, ends = collections.Counter(), collections.Counter()
            sends, receives = {}, {}
            for uuid, event in decoded.all_events():
                begins.update(event.flows)
                ends.update(event.ends)
                sends.update({flow: (uuid, event) for flow in event.flows})
                receives.update({flow: (uuid, event) for flow in event.ends})
            self.assertEqual(begins, ends)
            self.assertEqual(set(begins.values()), {1})
            self.assertEqual(len(begins), len(expected))
            places = set()
            for flow, (uuid, event) in sends.items():
                to_uuid, end = receives[flow]
                places.add((event.notes["channel"], event.notes["seq"]))
                self.assertEqual((event.name, end.name), ("send", "receive"))
                self.assertEqual(end.notes, event.notes)
                self.assertEqual((event.kind, end.kind), (trace.INSTANT, trace.INSTANT))
                self.assertLessEqual(event.at, end.at)
                self.assertNotEqual(uuid, to_uuid)
                self.assertTrue(decoded.tracks[to_uuid].HasField("thread"))
                # No thread sends what a timer of the kernel does.
                self.assertEqual(decoded.tracks[uuid].HasField("thread"), "kernel" not in path)
            self.assertEqual(places, {place[1:] for place in expected})

        self.each(check)

    def test_tracks(self):
        """slices of a track nest, states of a thread do not overlap, and all groups are there"""
        def check(path, decoded, expected):
            self.assertEqual(len(decoded.roots()), 1 + max(place[0] for place in expected))
            # Ends have no names: slices that overlap would be in one another, where none of their kind belong.
            for call in decoded.below("calls"):
                self.assertEqual([child.name for child in call.children], ["request", "service", "response"])
                self.assertEqual(sum(child.length for child in call.children), call.length)
            for piece in decoded.all_slices():
                on_root = not decoded.tracks[piece.track].parent_uuid
                inside = {child.category for child in piece.children}
                self.assertLessEqual(inside, {"message": {"component"}, "component": {"culprit"},
                                              "call": {"call", *["component"] * on_root}}.get(piece.category, set()))
                for child in piece.children:
                    self.assertTrue(piece.begin <= child.begin <= child.end <= piece.end)
                for before, after in zip(piece.children, piece.children[1:]):
                    self.assertLessEqual(before.end, after.begin)
            for slices in decoded.slices.values():
                for before, after in zip(slices, slices[1:]):
                    self.assertLessEqual(before.end, after.begin)
            header = test_recordings.records.read(path)[0].header
            self.assertEqual(bool(decoded.below("rounds")), header["workload"]["pattern"] in ("push", "kernel"))
            self.assertEqual(bool(decoded.below("calls")),
                             header["workload"]["pattern"] in ("pingpong", "request"))

        self.each(check)

    def test_states(self):
        """the states of threads agree with their changes in the recording"""
        known = {"running", "runnable", "asleep", "stopped"}
        def check(path, decoded, _expected):
            self.assertTrue(decoded.states)
            self.assertLessEqual({state.name for state in decoded.states}, known)
            instants = collections.defaultdict(set)
            for run in records.read(path):
                for tid, line in records.timelines(run).items():
                    instants[tid].update(change.at for change in line)
            for state in decoded.states:
                self.assertIn(state.begin, instants[state.tid])
                self.assertIn(state.end, instants[state.tid])
            running = sorted((state.cpu, state.begin, state.end) for state in decoded.states
                             if state.name == "running")
            for before, after in zip(running, running[1:]):
                self.assertTrue(before[0] < after[0] or before[2] <= after[1], (before, after))

        self.each(check)

    def test_slowest(self):
        """the slowest messages stand by their rank"""
        def check(_path, decoded, expected):
            for run in {place[0] for place in expected}:
                slowest = [piece for piece in decoded.below("slowest") if root_of(decoded, piece) == run]
                slowest.sort(key=lambda piece: int(decoded.path(piece.track)[-1].removeprefix("rank ")))
                latencies = sorted((message["latency_ns"] for place, message in expected.items()
                                    if place[0] == run), reverse=True)
                self.assertEqual([piece.length for piece in slowest], latencies[:20])

        self.each(check)

    def test_first_view(self):
        """the slowest call, or else message, stands on the root, and the viewer begins with it"""
        def check(_path, decoded, expected):
            slowest = []
            for run, root in enumerate(decoded.roots()):
                piece, = decoded.slices[root.uuid]
                slowest.append(piece)
                calls = [call.length for call in decoded.below("calls") if root_of(decoded, call) == run]
                messages = [message["latency_ns"] for place, message in expected.items() if place[0] == run]
                self.assertEqual((piece.name, piece.length),
                                 ("slowest call", max(calls)) if calls else ("slowest message", max(messages)))
                for part in [piece, *(inner for inner in piece.children if calls and inner.children)]:
                    self.assertEqual(sum(inner.length for inner in part.children), part.length)
            first = max(slowest, key=lambda piece: piece.length)
            begin, end = decoded.view
            self.assertEqual((begin, end), (first.begin - first.length // 4, first.end + first.length // 4))

        self.each(check)

    def test_counters(self):
        """the number in flight begins and ends at 0, and is right in between"""
        def check(_path, decoded, _expected):
            slices = decoded.below("channels")
            for uuid, events in decoded.events.items():
                if decoded.path(uuid)[-1] != "in flight":
                    continue
                run = [track.uuid for track in decoded.roots()].index(
                    next(track.uuid for track in decoded.roots() if decoded.path(uuid)[0] == track.name))
                mine = [piece for piece in slices if root_of(decoded, piece) == run]
                changes = collections.Counter()
                for piece in mine:
                    changes[piece.begin] += 1
                    changes[piece.end] -= 1
                level, expected = 0, {}
                for at in sorted(changes):
                    level += changes[at]
                    expected[at] = level
                self.assertEqual({event.at: event.value for event in events}, expected)

        self.each(check)

    def test_clock(self):
        """instants are those of CLOCK_MONOTONIC, and the file says what the wall clock showed"""
        def check(path, decoded, _expected):
            for snapshot, run in zip(decoded.clocks, records.read(path), strict=True):
                clocks = {clock.clock_id: clock.timestamp for clock in snapshot.clocks}
                self.assertEqual(snapshot.primary_trace_clock, trace.perfetto.BUILTIN_CLOCK_MONOTONIC)
                self.assertEqual(clocks[3], clocks[6])
                begin = run.header.get("began")
                if begin and begin.get("ns"):
                    self.assertEqual((clocks[3], clocks[1]), (begin["ns"], begin["unix_ns"]))

        self.each(check)

    def test_names(self):
        """names of slices are those of kinds and programs: a viewer gives each a colour, and adds up slices of one"""
        numbered = re.compile(r"[0-9#]")
        def check(_path, decoded, _expected):
            for piece in decoded.all_slices():
                if piece.category == "culprit":
                    self.assertTrue(piece.notes["culprit"].startswith(piece.name) or piece.name in ("irq", "softirq"))
                elif piece.category != "sleep":
                    self.assertIsNone(numbered.search(piece.name), piece.name)
            others = {event.name for _, event in decoded.all_events() if event.kind == trace.INSTANT}
            self.assertEqual(others, {"about", "send", "receive"})

        self.each(check)

    def test_same_bytes(self):
        """the same recording gives the same bytes, in any locale"""
        for name in TRACED:
            with self.subTest(name):
                path = test_recordings.path_of(name)
                first, _ = self.run_report(path)
                second, _ = self.run_report(path, name="second.pftrace")
                with open(first, "rb") as one, open(second, "rb") as two:
                    self.assertEqual(one.read(), two.read())


class Gaps(Case):
    """A record that is missing makes nothing longer."""

    def slices_of(self, path):
        """{(track, category, begin, name): length} without those of the track `lost`."""
        found = {}
        decoded = self.traced(path)
        for piece in decoded.all_slices():
            if piece.category != "lost":
                place = decoded.path(piece.track)
                key = (place if place != ("ipctrace",) and place[:2] != ("ipctrace", "slowest") else "slowest",
                       piece.category, piece.begin, piece.name)
                found[key] = max(piece.length, found.get(key, 0))
        for state in decoded.states:
            found[state.tid, "state", state.begin, state.name] = state.end - state.begin
        return found, decoded

    def test_slice_left_out(self):
        """no slice is longer if a SLICE record is missing, and the track `lost` shows where it was"""
        shown = 0
        for name in ("one-cpu", "spinner", "uds-pingpong", "tcp-request", "stream-pingpong", "no-switch"):
            run = records.read(test_recordings.path_of(name))[0]
            raws = [record.raw for record in run.all]
            places = [i for i, record in enumerate(run.all) if record.kind == "slice"]
            before, _ = self.slices_of(self.write(run, raws))
            for place in places[::max(1, len(places) // LEFT_OUT)]:
                with self.subTest(name, place=place):
                    after, decoded = self.slices_of(self.write(run, raws[:place] + raws[place + 1:]))
                    self.assertLessEqual(set(after), set(before))
                    longer = {key: (before[key], ns) for key, ns in after.items() if ns > before[key]}
                    self.assertEqual(longer, {})
                    if len(after) < len(before) or after != before:
                        shown += bool(decoded.below("lost"))
        self.assertGreater(shown, 0)

    def test_changes_left_out(self):
        """where the changes of a thread are missing, it has no state"""
        run = records.read(test_recordings.path_of("uds-pingpong"))[0]
        raws = [record.raw for record in run.all]
        before, _ = self.slices_of(self.write(run, raws))
        places = [i for i, record in enumerate(run.all) if record.kind == "receive" and record.words]
        shown = 0
        for place in places[5::len(places) // LEFT_OUT]:
            with self.subTest(place=place):
                after, decoded = self.slices_of(self.write(run, raws[:place] + raws[place + 1:]))
                states = {key for key in after if key[1] == "state"}
                self.assertLessEqual(states, set(before))
                self.assertEqual([key for key in states if after[key] > before[key]], [])
                shown += any(piece.name.startswith("what ") for piece in decoded.below("lost"))
        self.assertGreater(shown, 3)


class Names(Case):
    """Names are those of other programs, and may have any bytes."""

    def hostile(self, run):
        number = 0
        for record in run.all:
            layout = run.header["layouts"][record.kind]
            raw = bytearray(record.raw)
            for field, offset, size in layout["fields"]:
                if field == "comm" and size >= 16:
                    text = HOSTILE[number % len(HOSTILE)][:size - 1]
                    raw[offset:offset + size] = text.ljust(size, b"\0")
                    number += 1
            yield bytes(raw)

    def test_hostile(self):
        """names with markup, escapes, newlines and bytes that are no UTF-8 are inert"""
        for name in ("uds-pingpong", "one-cpu"):
            run = records.read(test_recordings.path_of(name))[0]
            run.header["command_line"] = "x\x1b\n<b>"
            decoded = self.traced(self.write(run, list(self.hostile(run))))
            text = "".join(decoded.texts())
            self.assertEqual([c for c in text if not c.isprintable()], [])
            self.assertIn("\\377\\376\\200", text)
            self.assertIn("\\033[31mred", text)
            self.assertIn("<script>", text)


class Choices(Case):
    """The options choose the same messages as those of ndjson, and a file has a limit."""

    def test_selection(self):
        """each way to choose messages shows the same ones as ndjson"""
        path = test_recordings.path_of("one-cpu")
        channel = str(min(self.messages(path)[0])[0])
        for options in (["--slowest", "7"], ["--slowest", "1%"], ["--channel", channel], ["--client", "1"],
                        ["--round", "3-9"], ["--slower-than", "60us"], ["--peer", "*cl-2"],
                        ["--slowest", "5", "--client", "2"]):
            with self.subTest(options):
                expected = self.messages(path, *options)[0]
                decoded = self.traced(path, *options)
                self.assertEqual({place[1:] for place in by_place(decoded, decoded.below("channels"))},
                                 set(expected))
                about = next(event for _, event in decoded.all_events() if event.name == "about")
                self.assertTrue(about.notes.get("selected") or options[0] == "--slower-than")
                self.assertEqual(about.notes["messages in this file"], len(expected))

    def test_message(self):
        """one message, and what is around it"""
        path = test_recordings.path_of("one-cpu")
        everything = self.messages(path)[0]
        place = sorted(everything, key=lambda place: everything[place]["stamp_ns"])[len(everything) // 2]
        middle = everything[place]
        alone = self.messages(path, "--message", "%u/%u" % place)[0]
        self.assertEqual(set(alone), {place})
        around = set(self.messages(path, "--around", "%u/%u" % place)[0])
        begin, end = middle["stamp_ns"] - 5_000_000, middle["user_ns"] + 5_000_000
        self.assertEqual(around, {other for other, message in everything.items()
                                  if message["user_ns"] >= begin and message["stamp_ns"] <= end})
        self.assertLess(len(around), len(everything))
        decoded = self.traced(path, "--around", "%u/%u" % place)
        self.assertEqual({other[1:] for other in by_place(decoded, decoded.below("channels"))}, around)

    def test_limit(self):
        """a file that would be too large has the slowest messages, and says so"""
        path = test_recordings.path_of("one-cpu")
        everything = self.messages(path)[0]
        out, done = self.run_report(path, "--max-size", "120kB")
        self.assertEqual((done.returncode, done.stderr.count("\n")), (0, 1), done.stderr)
        self.assertIn("the file has only the slowest", done.stderr)
        self.assertLess(os.path.getsize(out), 120_000)
        decoded = trace.Trace(out)
        shown = by_place(decoded, decoded.below("channels"))
        self.assertTrue(0 < len(shown) < len(everything))
        slowest = max(everything, key=lambda place: everything[place]["latency_ns"])
        self.assertIn((0, *slowest), shown)
        about = next(event for _, event in decoded.all_events() if event.name == "about")
        self.assertIn("the slowest", about.notes["limited to"])
        self.assertEqual(about.notes["messages in this file"], len(shown))

    def test_small_limits(self):
        """a small file keeps its limit, too, with the slowest message; and one that cannot says so"""
        for name in ("one-cpu", "stream-request", "tcp-request", "sweep"):
            path = test_recordings.path_of(name)
            for size, limit in (("20kB", 20_000), ("100kB", 100_000)):
                with self.subTest(name, size=size):
                    out, done = self.run_report(path, "--max-size", size)
                    self.assertEqual(done.returncode, 0, done.stderr)
                    self.assertNotIn("is larger", done.stderr)
                    self.assertLessEqual(os.path.getsize(out), limit)
                    decoded = trace.Trace(out)
                    for run, messages in enumerate(self.messages(path)):
                        slowest = max(message["latency_ns"] for message in messages.values())
                        first = [piece for piece in decoded.below("slowest") if root_of(decoded, piece) == run]
                        self.assertIn(slowest, [piece.notes["latency_ns"] for piece in first])
        out, done = self.run_report(test_recordings.path_of("one-cpu"), "--max-size", "1kB")
        self.assertEqual(done.returncode, 0)
        self.assertRegex(done.stderr, f"the file is larger than --max-size: '{re.escape(out)}': 3 kB, as .*: allow more")

    def test_refused(self):
        """a terminal, an untraced run, a message that is not there and wrong sizes are refused"""
        path = test_recordings.path_of("uds-pingpong")
        main, other = pty.openpty()
        done = subprocess.run([PROGRAM, "report", path, "-f", "perfetto"], stdout=other, stderr=subprocess.PIPE,
                              text=True, timeout=60, check=False)
        os.close(other)
        os.close(main)
        self.assertEqual(done.returncode, 2)
        self.assertIn("a terminal cannot show it", done.stderr)
        for options, status, words in ((["--around", "77/1"], 1, "no such message"),
                                       (["--around", "77"], 2, "no unit"),
                                       (["--max-size", "200"], 2, "no unit"),
                                       (["--from", "2s", "--to", "1s"], 2, "before --from")):
            with self.subTest(options):
                _, done = self.run_report(path, *options)
                self.assertEqual((done.returncode, done.stderr.count("\n")), (status, 1), done.stderr)
                self.assertIn(words, done.stderr)
        _, done = self.run_report(test_recordings.path_of("no-trace"))
        self.assertEqual(done.returncode, 1)
        self.assertIn("untraced", done.stderr)


if __name__ == "__main__":
    tap.main()
