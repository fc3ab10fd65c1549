# SPDX-License-Identifier: BSD-2-Clause
"""
Outputs for programs, of real traces: each has the shape of its schema, other programs find the figures of the
summary again, and names that a reader could obey come back exactly.
"""

import json
import os
import subprocess
import sys

import harness
import schemas
import tap
from replay import again, records

CALLS = 60
# A spreadsheet, a reader of CSV or of HTML, and a terminal could obey them. A name has at most 15 bytes.
HOSTILE = ["=1+1;cmd", "@a,b\"c\"", "-x\ny\r", "<script>'&", "\x1b[31m\t\\u00e9", "+\xff\xfe".encode("latin-1"), "a:9=9;b:c"]

# A process calls another one, in turn by threads of all these names; then it sends without an answer.
PROGRAM = """
import os, socket, threading, time
names = {names!r}
a, b = socket.socketpair(socket.AF_UNIX, socket.SOCK_STREAM)
if not os.fork():
    a.close()
    while b.recv(100):
        b.send(b"answer")
    os._exit(0)
b.close()

def call(name):
    with open("/proc/self/task/%d/comm" % threading.get_native_id(), "wb") as comm:
        comm.write(name)
    for _ in range({calls}):
        a.send(b"request")
        a.recv(100)
        time.sleep(0.0005)

for name in names:
    thread = threading.Thread(target=call, args=(name,))
    thread.start()
    thread.join()
a.close()
os.wait()
"""


def raw(name):
    return name if isinstance(name, bytes) else name.encode()


def shown(name):
    """As JSON has it: what is not valid UTF-8 has '?' instead of each byte beyond ASCII."""
    cut = raw(name)[:15]
    try:
        return cut.decode()
    except UnicodeDecodeError:
        return "".join(chr(c) if c < 0x80 else "?" for c in cut)


class Case(harness.TestCase):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.schemas = schemas.of(harness.PROGRAM)

    def check_shapes(self, *documents):
        """Objects that name their schema, and lines of ndjson."""
        asked = [(schemas.name_of(d) if "end" not in d and "kind" not in d else "messages", d) for d in documents]
        for (name, _), problem in zip(asked, schemas.problems(self.schemas, asked)):
            self.assertIsNone(problem, name)

    def output(self, *arguments):
        result = harness.ipctrace(*arguments)
        self.assertEqual((result.status, result.err), (0, ""), arguments)
        return result.out


class Attach(Case):
    """One attach, recorded, in all formats."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        program = PROGRAM.format(names=[raw(name) for name in HOSTILE], calls=CALLS)
        cls.recording = os.path.join(cls.folder, "attach.ipct")
        cls.live = harness.ipctrace("attach", "-q", "-f", "json", "--level", "deep", "--stacks=1us", "--explain",
                                    "--record", cls.recording, "--", sys.executable, "-c", program)

    def report(self, *options):
        return self.output("report", self.recording, *options)

    def test_figures(self):
        """messages and calls give every figure of the summary again, as ndjson and as CSV"""
        self.assertEqual(self.live.status, 0, self.live.err)
        summary = json.loads(self.report("-f", "json"))
        (run,), _ = again.read_ndjson(self.report("-f", "ndjson"))
        (rows,), is_cut = again.read_csv(self.report("-f", "csv"))
        self.assertFalse(is_cut)
        self.assertGreater(summary["calls"]["count"], 0.9 * CALLS * len(HOSTILE))
        again.Again(self, summary, run["messages"], run["calls"]).check()
        self.assertEqual(rows, run["messages"])
        round_trips = [c["round_trip_ns"] for c in run["calls"] if c["match"] != "open_several"]
        again.check_hgrm(self, self.report("-f", "hgrm"), summary["calls"]["round_trip_ns"], round_trips)

    def test_shapes(self):
        """the live summary, the reports and the explanations have the shapes of their schemas"""
        live = self.live.json()
        self.assertIn("explanation", live)
        (run,), end = again.read_ndjson(self.report("-f", "ndjson"))
        lines = [run["header"], end, *run["messages"][:20], *run["messages"][-20:], *run["calls"][:20]]
        explained = [json.loads(self.output("explain", self.recording, "-f", "json", "--unit", unit))
                     for unit in ("call", "message")]
        self.check_shapes(live, json.loads(self.report("-f", "json")), *lines, *explained)

    def test_names(self):
        """a name comes back from CSV as JSON has it, and no cell begins a formula or ends early"""
        text = self.report("-f", "csv")
        (rows,), _ = again.read_csv(text)
        names = {row["sender_comm"] for row in rows}
        for name in HOSTILE:
            self.assertIn(shown(name), names)
        self.assertNotRegex(text, r"""["\t\r\x00-\x09\x0b-\x1f\x7f-\U0010ffff]""")
        self.assertNotRegex(text, r"(?m)(^|[,;])[=+@-]")
        columns = text.partition("\n")[0].count(",")
        self.assertEqual({line.count(",") for line in text.splitlines()}, {columns})

    def test_names_recorded(self):
        """the recording has every name byte for byte"""
        run, = records.read(self.recording)
        names = {name["comm"] for name in run.of("name")}
        for name in HOSTILE:
            self.assertIn(raw(name)[:15].decode(errors="backslashreplace"), names)

    def test_sqlite(self):
        """sqlite, which knows CSV, counts the same messages and nanoseconds"""
        done = subprocess.run([sys.executable, "-c", """
import csv, sqlite3, sys
rows = csv.reader(sys.stdin)
names = next(rows)
db = sqlite3.connect(":memory:")
db.execute("CREATE TABLE messages (%s)" % ", ".join('"%s"' % name for name in names))
db.executemany("INSERT INTO messages VALUES (%s)" % ", ".join("?" * len(names)), rows)
print(*db.execute("SELECT count(*), sum(latency_ns) FROM messages WHERE kind = 'message'").fetchone())
"""], input=self.report("-f", "csv"), capture_output=True, text=True, check=True)
        latency = json.loads(self.report("-f", "json"))["latency_ns"]
        count, total = map(int, done.stdout.split())
        self.assertEqual((count, again.printed(total / count)), (latency["count"], latency["mean"]))


class Run(Case):
    """Formats of a live run, and what commands say about the machine."""

    def run_in(self, *options):
        return self.output("-q", "--clients", "2", "--messages", "30", "--warmup", "2", "--period", "2ms", *options)

    def test_formats(self):
        """a live run writes CSV and percentiles as report does"""
        recording = self.file("run.ipct")
        for form in ("csv", "hgrm"):
            live = self.run_in("-f", form, "--record", recording)
            self.assertEqual(live, self.output("report", recording, "-f", form))
        self.assertIn("#[ipctrace: last latency of rounds, in milliseconds]\n", live)

    def test_several(self):
        """runs of a matrix have numbers in CSV, and no percentiles"""
        runs, is_cut = again.read_csv(self.run_in("--runs", "2", "-f", "csv"))
        self.assertEqual(([len(messages) for messages in runs], is_cut), ([60, 60], False))
        self.check_refused(harness.ipctrace("--clients", "1,2", "-f", "hgrm"), "'hgrm'", "several", "one at a time",
                           status=2)

    def test_shapes(self):
        """runs, traced or not, list and doctor have the shapes of their schemas"""
        self.check_shapes(json.loads(self.run_in("-f", "json")), json.loads(self.run_in("-f", "json", "--no-trace")),
                          json.loads(self.run_in("-f", "json", "--runs", "2", "--explain")),
                          harness.ipctrace("list", "-f", "json").json(),
                          harness.ipctrace("doctor", "-f", "json").json())


if __name__ == "__main__":
    tap.main()
