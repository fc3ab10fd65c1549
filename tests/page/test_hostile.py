# SPDX-License-Identifier: BSD-2-Clause
"""Names of programs, threads, sockets and commands stay names: in the page, after its script has run, and in SVG."""

import re
import xml.etree.ElementTree

import tap
from page import hostile, looks, pages
from page.test_svg import FIGURES

# Whatever breaks out calls one of these, or makes an element with one of these ids.
TRAP = "globalThis.p = globalThis.x = globalThis.pwned = () => console.error('broken out')"
ELEMENTS = "[...new Set([...document.querySelectorAll('*')].map(element => element.nodeName))].sort()"
ATTRIBUTES = """[...new Set([...document.querySelectorAll('*')].flatMap(element => element.getAttributeNames()))].filter(
	name => !name.startsWith('data-')).sort()"""
LINKS = "[...document.querySelectorAll('[href], [src], [action]')].map(e => e.getAttribute('href') ?? 'another')"
# What the script answers to: pointers over marks with names, keys of legends, messages in full.
TOUCH = """(async () => {
	for (const mark of [...document.querySelectorAll("[data-tip], svg.zoomable")].filter(
			(mark, i) => !/^[\\w\\s.,:%µ–-]*$/.test(mark.dataset.tip) && i % 3 === 0))
		for (const name of ["pointerover", "pointermove", "pointerout"])
			mark.dispatchEvent(new PointerEvent(name, {bubbles: true, clientX: 200, clientY: 200}));
	for (const key of document.querySelectorAll(".key"))
		key.dispatchEvent(new MouseEvent("click", {bubbles: true}));
	for (const unit of [...document.querySelectorAll("section.unit")].filter((_, i) => i % 10 === 0)) {
		location.hash = "#" + unit.id;
		await new Promise(done => setTimeout(done));
	}
})()"""
FIRSTS = (0, 20)  # of the names


def forged(case, name, first):
    path = case.file(f"{name}-{first}")
    return path, hostile.forge(pages.path_of(name), path, first)


class Hostile(pages.Case):
    """Recordings of a run and of an attach, with other names."""

    def setUp(self):
        benign = [self.kept_page(name) for name in ("run", "attach")]
        for page in benign:
            page.evaluate(TOUCH)
        self.elements = set().union(*(page.evaluate(ELEMENTS) for page in benign))
        self.attributes = set().union(*(page.evaluate(ATTRIBUTES) for page in benign))

    def check_elements(self, page):
        """Nothing is there that other pages do not have; nothing leads away."""
        self.assertEqual(set(page.evaluate(ELEMENTS)) - self.elements, set())
        self.assertEqual(set(page.evaluate(ATTRIBUTES)) - self.attributes, set())
        self.assertEqual(page.evaluate("document.querySelectorAll('script, style').length"), 2)
        self.assertEqual([link for link in page.evaluate(LINKS) if not re.match(r"#|data:image/svg\+xml,", link)], [])
        self.assertIsNone(page.evaluate("document.querySelector('#pwn, #a, [onload], [onerror], [onclick]')"))

    def test_page(self):
        """no name breaks out of its place in the page, also by its script"""
        shown = ""
        for name in ("run", "attach"):
            for first in FIRSTS:
                path, _ = forged(self, name, first)
                with self.subTest(name, first=first), self.browser.page() as page:
                    page.before_scripts(TRAP)
                    page.open(self.html(path))
                    self.check_elements(page)
                    shown += page.evaluate("document.body.textContent")
                    page.evaluate(TOUCH)
                    self.check_elements(page)
                    self.check_quiet(page, self.html(path))
        names = {plain(name) for name in hostile.COMMS if name}
        missing = {name for name in names if name not in shown}
        self.assertLess(len(missing), len(names) / 2, f"most names are on a page, but not {missing}")
        for character in "<>&\"'\\":
            self.assertTrue(any(character in name for name in names - missing), character)

    def test_looks(self):
        """strange names are not cut, lie on nothing and widen nothing"""
        for name in ("run", "attach"):
            path, _ = forged(self, name, 26)
            for how in ({}, {"width": 400}):
                page = self.kept_page(path, **how)
                with self.subTest(name, how=how):
                    for check in (looks.overlaps, looks.cuts, looks.wides, looks.nameless):
                        self.assertEqual(check(page)[:5], [], check.__name__)

    def test_bytes(self):
        """page and figures are text without control characters; figures are XML without other elements"""
        for name in ("run", "attach"):
            for first in FIRSTS:
                path, _ = forged(self, name, first)
                with open(self.html(path), "rb") as file:
                    self.check_plain(file.read())
                for figure in FIGURES[name]:
                    with self.subTest(name, figure=figure):
                        text = pages.ipctrace("report", path, "-f", "svg", "--figure", figure)
                        self.check_plain(text)
                        usual = pages.ipctrace("report", pages.path_of(name), "-f", "svg", "--figure", figure)
                        self.assertEqual(tags(text) - tags(usual) - {"path", "line", "rect", "title"}, set())

    def check_plain(self, data):
        self.assertEqual(re.findall(r"[^\n\t -~\xa1-\u061b\u061d-\u200a\u2010-\u2027\u202f-\u205f\u2070-\ufefe\uff00-\ufffd"
                                    r"\U00010000-\U0010ffff]", data.decode("utf-8")), [])


def plain(name):
    """As people see it: bytes that no terminal should get are octal numbers."""
    return "".join(c if c.isprintable() and c != "\ufffd" else "".join(f"\\{byte:03o}" for byte in raw(c))
                   for c in name.decode("utf-8", errors="surrogateescape"))


def raw(character):
    return character.encode("utf-8", errors="surrogateescape")


def tags(text):
    return {element.tag.rpartition("}")[2] for element in xml.etree.ElementTree.fromstring(text).iter()}


if __name__ == "__main__":
    tap.main()
