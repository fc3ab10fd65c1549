# SPDX-License-Identifier: BSD-2-Clause
"""The browser and the checks of a page's looks, on pages made by hand: a good one, and one for each fault."""

import os
import shutil
import struct
import tempfile
import unittest

import tap
from page import chromium, looks

STYLE = """
:root { color-scheme: light dark; --paper: #fff; --ink: #222; --bar: #36c }
@media (prefers-color-scheme: dark) { :root { --paper: #111; --ink: #ddd; --bar: #69f } }
body { margin: 10px; background: var(--paper); color: var(--ink); font: 16px sans-serif }
svg { display: block } svg text { fill: var(--ink) } .bar { fill: var(--bar) }
.narrow { display: none }
@media (max-width: 600px) { .wide { display: none } .narrow { display: block } }
@media print { .screen { display: none } }
"""

FIGURE = """
<svg class="{kind}" data-figure="{kind}" role="img" aria-labelledby="{kind}-title" width="{width}" height="120"
     viewBox="0 0 {width} 120"><title id="{kind}-title">Bars</title>
<rect class="bar" x="0" y="0" width="100" height="20" data-ns="1234"/><rect class="bar" y="30" width="60" height="20"/>
<text x="110" y="15">first</text><text x="70" y="45">second</text><text x="10" y="110">µs</text>{more}</svg>
"""

SCRIPT = """
const noted = [];
document.querySelectorAll("rect").forEach(bar => bar.addEventListener("mousemove", () => noted.push("hover")));
document.addEventListener("click", event => noted.push("click " + event.detail));
document.addEventListener("keydown", event => noted.push(event.key));
document.addEventListener("wheel", event => noted.push("wheel " + event.deltaY));
let from; document.addEventListener("pointerdown", event => from = event.clientX);
document.addEventListener("pointerup", event => noted.push("drag " + (event.clientX - from)));
"""


def page_with(body="", figure="", script=SCRIPT, style=""):
    both = FIGURE.format(kind="wide", width=600, more=figure) + FIGURE.format(kind="narrow", width=300, more=figure)
    return (f"<!doctype html><html lang=en><meta charset=utf-8><title>A page</title><style>{STYLE}{style}</style>"
            f"<main><h1>Numbers</h1>{both}<p class=screen><button>more</button> a text{body}</main>"
            f"<script>{script}</script>")


class Case(unittest.TestCase):
    """One browser for all tests."""

    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.mkdtemp(prefix="test-page-")
        cls.addClassCleanup(shutil.rmtree, cls.folder)
        cls.browser = cls.enterClassContext(chromium.Browser())

    def file(self, text, name="page.html"):
        path = os.path.join(self.folder, name)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        return path

    def page(self, body="", how=(), **parts):
        return self.browser.page(self.file(page_with(body, **parts)), **dict(how))


class Browser(Case):
    """What the tests of the page rely on."""

    def test_quiet(self):
        """a page without faults says nothing and asks for nothing but itself"""
        path = self.file(page_with())
        with self.browser.page(path) as page:
            self.assertEqual((page.problems, page.requests), ([], [chromium.address_of(path)]))
            self.assertEqual(page.evaluate("document.title"), "A page")

    def test_problems(self):
        """errors, warnings, dialogs and what a policy forbids are noted"""
        for script, said in (("console.error('one', 2)", "console.error: one 2"), ("console.warn('w')", "warning: w"),
                             ("null.x", "TypeError"), ("Promise.reject(Error('late'))", "late"),
                             ("alert('help')", "dialog: help"), ("confirm('sure')", "dialog: sure")):
            with self.subTest(script), self.page(script=script) as page:
                self.assertIn(said, "\n".join(page.problems))

    def test_requests(self):
        """whatever a page asks for is noted, also late and by its style"""
        for body in ("<img src='file:///nonexistent/x.png' alt=''>", "<link rel=stylesheet href='http://127.0.0.1:9/s.css'>",
                     "<div style=\"background: url('http://127.0.0.1:9/b.png')\">x</div>",
                     "<script>setTimeout(() => fetch('http://127.0.0.1:9/x').catch(() => 0), 50)</script>",
                     "<svg width=9 height=9><image href='http://127.0.0.1:9/i.png' width=9 height=9 /></svg>"):
            with self.subTest(body), self.page(body) as page:
                page.wait_until("new Promise(done => setTimeout(() => done(true), 200))")
                self.assertEqual(len(page.requests), 2, page.requests)

    def test_mouse(self):
        """the mouse moves, clicks, drags and turns its wheel"""
        with self.page() as page:
            box = page.ask("() => document.querySelector('rect').getBoundingClientRect().toJSON()")
            x, y = box["x"] + 5, box["y"] + 5
            page.move(x, y)
            page.drag((x + 300, y), (x + 340, y))
            page.click(x + 300, y)
            page.click(x + 300, y, clicks=2)
            page.wheel(x + 300, y, 50)
            noted = page.wait_until("noted.includes('wheel 50') && noted")
            for what in ("hover", "click 1", "click 2", "drag 40"):
                self.assertIn(what, noted)

    def test_keys(self):
        """keys reach the page, and Tab goes to a button"""
        with self.page() as page:
            page.key("Tab")
            self.assertEqual(page.evaluate("document.activeElement.textContent"), "more")
            for key in ("Enter", " ", "Escape", "ArrowRight", "a"):
                page.key(key)
            noted = page.evaluate("noted")
            for what in ("Tab", "Enter", " ", "Escape", "ArrowRight", "a", "click 0"):
                self.assertIn(what, noted)

    def test_shapes(self):
        """width, colours, motion, print, and scripts that are off"""
        matches = "matchMedia('(%s)').matches"
        for how, question in (({}, f"innerWidth === 1200 && !{matches % 'prefers-color-scheme: dark'}"),
                              ({"dark": True}, matches % "prefers-color-scheme: dark"),
                              ({"width": 400}, "innerWidth === 400"),
                              ({"calm": True}, matches % "prefers-reduced-motion: reduce"),
                              ({"calm": False}, matches % "prefers-reduced-motion: no-preference"),
                              ({"printed": True}, "!document.querySelector('.screen').checkVisibility()"),
                              ({"scripts": False}, "typeof noted === 'undefined'"),
                              ({"scripts": True}, "Array.isArray(noted)")):
            with self.subTest(how=how), self.page(how=how) as page:
                self.assertTrue(page.evaluate(question), question)

    def test_pictures(self):
        """a picture of the window, of a part of it, and of the whole page"""
        def size_of(picture):
            return struct.unpack(">II", picture[16:24])

        with self.page("<div style='height: 4000px'></div>", how={"width": 500, "height": 300}) as page:
            self.assertEqual(size_of(page.screenshot()), (500, 300))
            self.assertEqual(size_of(page.screenshot(clip=(10, 10, 40, 30))), (40, 30))
            tiles = [(top, size_of(picture)) for top, picture in page.tiles()]
            self.assertEqual(tiles[0], (0, (500, chromium.TILE)))
            height = page.evaluate("document.documentElement.scrollHeight")
            self.assertEqual(tiles[1:], [(height - chromium.TILE, (500, chromium.TILE))])

    def test_end(self):
        """no process and no file of a browser is left, also if it is used no more"""
        with chromium.Browser() as browser:
            pid, folder = browser.pid, browser.folder
            os.kill(pid, 9)
            with self.assertRaisesRegex(chromium.BrowserError, "has ended"), browser.page():
                pass
        self.assertFalse(os.path.exists(folder))
        self.assertFalse(os.path.exists(f"/proc/{pid}"))


class Looks(Case):
    """Each check finds its fault, and nothing else does."""

    CHECKS = ("overlaps", "cuts", "wides", "empties", "nameless", "greys")

    def found(self, page):
        found = {check: getattr(looks, check)(page) for check in self.CHECKS}
        with self.browser.page() as helper:
            found["contrasts"] = looks.contrasts(page, helper)
        return {check: wrong for check, wrong in found.items() if wrong}

    def test_good(self):
        """nothing is wrong with a good page, wide and narrow, light and dark, without scripts and printed"""
        for how in ({}, {"width": 400}, {"dark": True}, {"width": 400, "dark": True}, {"scripts": False},
                    {"printed": True}):
            with self.subTest(how=how), self.page(how=how) as page:
                self.assertEqual(looks.figures(page), ["narrow" if "width" in how else "wide"])
                self.assertEqual(self.found(page), {})

    def test_faults(self):
        """every fault is found, and is named"""
        for check, said, parts in (
                ("overlaps", '"first" is on "again"', {"figure": "<text x='112' y='17'>again</text>"}),
                ("overlaps", '"one" is on "two"', {"body": "<div style='position: relative'><b>one</b>"
                                                   "<b style='position: absolute; left: 4px; top: 3px'>two</b></div>"}),
                ("cuts", '"beyond" is cut', {"figure": "<text x='280' y='60'>beyond</text>"
                                             "<text x='580' y='60'>beyond</text>"}),
                ("cuts", '"deep" is cut', {"figure": "<text x='100' y='122'>deep</text>", "style":
                                           "svg text { font-size: 40px } svg text:not(:last-child) { display: none }"}),
                ("cuts", 'hides "a long word"', {"body": "<div style='width: 40px; overflow: hidden; white-space: "
                                                 "nowrap'>a long word</div>"}),
                ("wides", "ends at", {"body": "<pre style='width: 1300px'>x</pre>"}),
                ("greys", "have one grey", {"figure": "<rect class=fill x=0 y=60 width=9 height=9 fill='#777777' />"
                                            "<rect class=fill x=9 y=60 width=9 height=9 fill='#c05050' />"}),
                ("empties", "wide", {"style": "svg rect, svg text { display: none }"}),
                ("nameless", "has no name", {"body": "<svg role=img width=9 height=9></svg>"}),
                ("nameless", "has no role", {"body": "<svg aria-label=x width=9 height=9></svg>"}),
                ("nameless", "can be reached and has no name", {"body": "<button></button>"}),
                ("nameless", 'id "a" is there 2 times', {"body": "<i id=a></i><i id=a></i>"}),
                ("nameless", "which is nowhere", {"body": "<i aria-describedby=nowhere>x</i>"})):
            with self.subTest(said), self.page(**parts) as page:
                found = getattr(looks, check)(page)
                self.assertIn(said, "\n".join(found))

    def test_contrast(self):
        """letters that are too pale are found, on whatever they stand, and a thin line behind them is none"""
        grey = "<p style='color: #888'>pale</p>"  # 3.5 on white, 5.3 on the dark paper
        on_bar = "<text x='5' y='16'>dark</text>"
        lined = "<path stroke='#222' d='M60 40h60'/>"
        thin = "<text x='10' y='80' opacity='0.5'>thin</text>"
        for parts, dark, said in (({"body": grey}, False, "pale"), ({"body": grey}, True, None),
                                  ({"figure": on_bar}, False, "dark"), ({"figure": on_bar}, True, "dark"),
                                  ({"figure": lined}, False, None), ({"figure": thin}, False, "thin")):
            with self.subTest(**parts, dark=dark), self.page(how={"dark": dark}, **parts) as page:
                with self.browser.page() as helper:
                    found = looks.contrasts(page, helper)
                self.assertEqual([said in wrong for wrong in found], [True] if said else [], found)


if __name__ == "__main__":
    tap.main()
