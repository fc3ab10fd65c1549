# SPDX-License-Identifier: BSD-2-Clause
"""Figures in files of their own (-f svg): XML that every reader takes, with the marks that the page has."""

import subprocess
import xml.etree.ElementTree

import tap
from page import looks, pages

SVG = "{http://www.w3.org/2000/svg}"
FIGURES = {"run": ("heat-map", "bands", "slowest", "percentiles", "difference", "blame"),
           "attach": ("heat-map", "bands", "slowest", "percentiles", "difference", "blame", "graph"),
           "one-cpu": ("series",),
           "sweep": ("over-clients", "published", "runs"), "experiment": ("over-clients", "published", "runs")}


def svg(name, figure):
    return pages.ipctrace("report", pages.path_of(name), "-f", "svg", "--figure", figure)


def marks_of(page, figure):
    """The marks as the page and the file both have them. In the page, the script makes data of titles."""
    marks = [{key: value for key, value in mark.items() if key not in ("tag", "within", "title", "tip")} |
             {"said": mark["title"] or mark.get("tip")} for mark in pages.marks(page, figure)]
    return [mark for mark in marks if len(mark) > 2]


def marks_of_page(page, figure):
    """In a page, the heat map is lower, has finer cells for its script, and the strips of CPUs stand apart."""
    if figure != "heat-map":
        return marks_of(page, figure)
    strips = [mark for mark in marks_of(page, "cpus") if "axis" not in mark["classes"]]
    return [mark for mark in marks_of(page, figure) if mark["classes"] != "level"] + strips


def without_height(marks):
    return [{key: value for key, value in mark.items() if key not in ("top", "bottom")} for mark in marks]


class Figures(pages.Case):
    """Each figure of each kind of recording."""

    def each(self):
        return [(name, figure, svg(name, figure)) for name, figures in FIGURES.items() for figure in figures]

    def test_xml(self):
        """it is well-formed, of SVG's elements only, has its name, and is the same each time"""
        for name, figure, text in self.each():
            with self.subTest(name, figure=figure):
                root = xml.etree.ElementTree.fromstring(text)
                self.assertEqual(root.tag, SVG + "svg")
                self.assertEqual({element.tag[:len(SVG)] for element in root.iter()}, {SVG})
                self.assertTrue(root.find(SVG + "title").text and root.find(SVG + "desc").text)
                self.assertEqual(root.findall(f".//{SVG}script") + root.findall(f".//{SVG}a"), [])
                self.assertEqual(svg(name, figure), text)

    def test_browser(self):
        """a browser shows it without an error, a request, text on text or cut text; its marks are those of the page"""
        alone = self.enterContext(self.browser.page())
        for name, figure, text in self.each():
            with self.subTest(name, figure=figure):
                path = self.file(f"{name}-{figure}.svg")
                with open(path, "wb") as file:
                    file.write(text)
                alone.requests.clear()
                alone.open(path)
                self.check_quiet(alone, path)
                for check in (looks.overlaps, looks.cuts, looks.empties, looks.nameless):
                    self.assertEqual(check(alone)[:5], [], check.__name__)
                self.assertCountEqual(without_height(marks_of(alone, None)),
                                      without_height(marks_of_page(self.kept_page(name), figure)))

    def test_refused(self):
        """what the recording does not have, and what no recording has"""
        for name, figure, why in (("run", "graph", "has nothing that it shows"), ("run", "nothing", "unknown value"),
                                  ("run", "series", "has nothing that it shows"),
                                  ("run", "over-clients", "has nothing that it shows"),
                                  ("sweep", "bands", "it shows one run, and the recording has several")):
            with self.subTest(figure):
                result = subprocess.run([pages.PROGRAM, "report", pages.path_of(name), "-f", "svg", "--figure", figure],
                                        capture_output=True, text=True, timeout=240, check=False)
                self.assertNotEqual(result.returncode, 0)
                self.assertEqual((result.stdout, result.stderr.count("\n")), ("", 1))
                self.assertIn(why, result.stderr)


if __name__ == "__main__":
    tap.main()
