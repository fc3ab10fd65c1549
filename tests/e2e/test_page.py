# SPDX-License-Identifier: BSD-2-Clause
"""-f html of what is traced now: the page is that of the recording, and a browser shows it; by hostile programs, too."""

import json
import sys

import attach
import harness
import tap
from page import chromium, hostile, looks, numbers, pages
from page.test_hostile import TRAP

# It serves itself on a socket of this name, under another name than its own, forever.
TALKER = """
import os, socket, sys, time
with open("/proc/self/comm", "wb") as comm:
    comm.write(bytes.fromhex(sys.argv[1]))
listener = socket.socket(socket.AF_UNIX)
listener.bind(sys.argv[2])
listener.listen()
a = socket.socket(socket.AF_UNIX)
a.connect(sys.argv[2])
b, _ = listener.accept()
print("ready", flush=True)
while True:
    a.send(b"question")
    b.send(b.recv(64))
    a.recv(64)
    time.sleep(0.001)
"""


class Live(attach.AttachCase):
    """Runs and attaches that write a page, and a recording to compare it with."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.browser = cls.enterClassContext(chromium.Browser())

    def made(self, *arguments):
        """(path of the page, that of the recording): the page is the same as from the recording."""
        html, recording, again = map(self.file, ("live.html", "live.ipct", "again.html"))
        result = harness.ipctrace(*arguments, "-q", "-f", "html", "-o", html, "--record", recording)
        self.assertEqual((result.status, result.out, result.err), (0, "", ""))
        self.assertEqual(harness.ipctrace("report", recording, "-f", "html", "-o", again).status, 0)
        with open(html, "rb") as live, open(again, "rb") as recorded:
            self.assertEqual(live.read(), recorded.read())
        return html, recording

    def check_page(self, html, figures):
        """The page, opened: it is quiet and legible, and has these figures."""
        page = self.enterContext(self.browser.page())
        page.before_scripts(TRAP)
        page.open(html)
        page.evaluate(pages.OPEN)
        self.assertEqual(set(figures) - set(looks.figures(page)), set())
        for check in (looks.overlaps, looks.cuts, looks.wides, looks.empties, looks.nameless):
            self.assertEqual(check(page)[:5], [], check.__name__)
        self.assertEqual((page.problems, page.requests), ([], [chromium.address_of(html)]))
        return page

    def check_numbers(self, page, recording):
        result = harness.ipctrace("report", recording, "-f", "ndjson")
        lines = [line for line in map(json.loads, result.out.splitlines()) if "kind" in line]
        heat = pages.marks(page, "heat-map")
        kind, = (mark["unit"] for mark in heat if "columns" in mark)
        units = numbers.units(lines, kind)
        summary = json.loads(harness.ipctrace("report", recording, "-f", "json").out)
        self.assertGreater(numbers.heat_map(heat, units, pages.traced_until(summary)), 10)
        self.assertGreater(numbers.bands(pages.marks(page, "bands"), units), 2)
        self.assertEqual(numbers.slowest(pages.marks(page, "slowest"), units, 100), min(len(units), 100))

    def test_run(self):
        """five clients"""
        html, recording = self.made("--clients", 5, "--messages", 30, "--warmup", 5, "--period", "2ms")
        page = self.check_page(html, ("heat-map", "bands", "slowest", "percentiles", "series"))
        self.check_numbers(page, recording)

    def test_experiment(self):
        """an experiment, of several runs"""
        html, _ = self.made("--experiment", "studio6", "--messages", 20, "--transport", "pipe,tcp")
        self.check_page(html, ("heat-map", "bands", "slowest", "runs"))

    def test_attach(self):
        """a program whose name and whose socket would be markup"""
        name, path = hostile.COMMS[7], self.file("<img src=x onerror=p()>")
        talker = self.ready(self.spawn([sys.executable, "-c", TALKER, name.hex(), path]))
        html, recording = self.made("attach", "-p", talker.pid, "-d", "300ms")
        page = self.check_page(html, ("heat-map", "bands", "slowest", "percentiles"))
        self.check_numbers(page, recording)
        text = page.evaluate("document.body.textContent")
        self.assertIn(name.decode(), text)
        self.assertIn("onerror=p()>", text)
        self.assertEqual(page.evaluate("document.querySelectorAll('img').length"), 0)


if __name__ == "__main__":
    tap.main()
