# SPDX-License-Identifier: BSD-2-Clause
"""What the tests of pages share: recordings as pages and figures, and what stands in these, read back."""

import functools
import json
import os
import shutil
import subprocess
import tempfile
import unittest

from page import chromium

PROGRAM = os.environ.get("IPCTRACE_PROGRAM", "build/ipctrace")
FOLDER = os.path.dirname(os.path.abspath(__file__))
NAMES = ("run", "sweep", "experiment", "attach")

# Every element of the visible form of a figure that carries data, in order, with its own data and the place of
# the nearest such element around it. A figure may stand in a file of its own.
MARKS = """id => {
	const svg = id === null ? document.documentElement
		: [...document.querySelectorAll(`[id="${id}"] svg`)].find(svg => svg.getBoundingClientRect().width > 0);
	const marks = [], places = new Map();
	for (const element of svg?.querySelectorAll("*") ?? []) {
		const names = element.getAttributeNames().filter(name => name.startsWith("data-"));
		if (!names.length)
			continue;
		let around = element.parentElement;
		while (around !== svg && !places.has(around))
			around = around.parentElement;
		places.set(element, marks.length);
		marks.push({tag: element.localName, classes: element.getAttribute("class") ?? "",
			    within: places.get(around) ?? null,
			    title: element.querySelector(":scope > title")?.textContent ?? null,
			    ...Object.fromEntries(names.map(name => [name.slice(5), element.getAttribute(name)]))});
	}
	return marks;
}"""


PLACE = """(selector, number) => {
	const element = [...document.querySelectorAll(selector)].filter(
		element => element.checkVisibility({visibilityProperty: true}) && element.getBoundingClientRect().width > 0)[number];
	element?.scrollIntoView({block: "center"});
	const box = element?.getBoundingClientRect();
	return box ? [box.x + box.width / 2, box.y + box.height / 2] : null;
}"""


OPEN = "document.querySelectorAll('details').forEach(details => details.open = true)"


def path_of(name):
    """A recording of this folder, or of tests/replay."""
    path = os.path.join(FOLDER, f"{name}.ipct")
    return path if os.path.exists(path) else os.path.join(FOLDER, f"../replay/{name}.ipct")


def ipctrace(*arguments):
    """The output of the program, as bytes. It must say nothing else."""
    result = subprocess.run([PROGRAM, *arguments], capture_output=True, timeout=240, check=False)
    if result.returncode or result.stderr:
        raise AssertionError(f"{arguments}: status {result.returncode}: {result.stderr.decode(errors='replace')}")
    return result.stdout


@functools.lru_cache(maxsize=None)
def summary(path):
    """The summary of a recording, or those of its runs."""
    shown = json.loads(ipctrace("report", path, "-f", "json"))
    return shown["cells"] if shown["schema"] == "ipctrace.sweep/1" else [shown]


@functools.lru_cache(maxsize=None)
def lines(path):
    """The messages and calls of every run of a recording."""
    runs = []
    for line in map(json.loads, ipctrace("report", path, "-f", "ndjson").splitlines()):
        if "schema" in line:
            runs.append([])
        elif "kind" in line:
            runs[-1].append(line)
    return runs


def traced_until(summary):
    """When tracing ended, by the clock of instants in -f ndjson. None: not known, as in runs."""
    tracing = summary["tracing"]
    return tracing["duration_ns"] and tracing["began"]["monotonic_ns"] + tracing["duration_ns"]


@functools.lru_cache(maxsize=None)
def explained(path):
    return json.loads(ipctrace("explain", path, "-f", "json"))


def marks(page, figure):
    """What the figure of this id has in its data, as dictionaries of texts. None: the page is the figure."""
    return page.ask(MARKS, figure)


class Case(unittest.TestCase):
    """A browser, and pages of recordings in a folder of their own."""

    maxDiff = 2000

    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.mkdtemp(prefix="test-page-")
        cls.addClassCleanup(shutil.rmtree, cls.folder)
        cls.browser = cls.enterClassContext(chromium.Browser())
        cls.made, cls.kept = {}, {}

    def file(self, name):
        return os.path.join(self.folder, name)

    def html(self, name, *options):
        """The path of the page of a recording of this folder, or of another path."""
        if (name, options) not in self.made:
            to = self.made[name, options] = self.file(f"{os.path.basename(name)}{len(self.made)}.html")
            path = name if "/" in name else path_of(name)
            self.assertEqual(ipctrace("report", path, "-f", "html", "-o", to, *options), b"")
        return self.made[name, options]

    def page(self, name, **how):
        return self.browser.page(self.html(name), **how)

    def kept_page(self, name, **how):
        """The page of a recording in this shape, with all of its runs opened. Tests share it."""
        if name not in self.kept:
            self.kept[name] = self.enterClassContext(self.page(name))
            self.kept[name].evaluate(OPEN)
        self.kept[name].shape(**how)
        self.kept[name].settle()
        return self.kept[name]

    @staticmethod
    def place(page, selector, number=0):
        """The middle of the nth visible element, which is brought into the window."""
        place = page.ask(PLACE, selector, number)
        if not place:
            raise AssertionError(f"there is no visible {selector} no. {number}")
        return place

    def check_quiet(self, page, path):
        """It says nothing, and asks for nothing but itself."""
        page.settle()
        self.assertEqual((page.problems, page.requests), ([], [chromium.address_of(path)]))
