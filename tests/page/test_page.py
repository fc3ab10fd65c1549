# SPDX-License-Identifier: BSD-2-Clause
"""The pages of a run, a sweep, an experiment and an attach: quiet, legible in all shapes, and with right numbers."""

import os

import tap
from page import looks, numbers, pages, sums

SHAPES = {"wide": {}, "wide and dark": {"dark": True}, "just not narrow": {"width": 720}, "narrow": {"width": 400},
          "narrow and dark": {"width": 400, "dark": True}, "printed": {"printed": True}}
FIGURES = {"run": {"typical", "heat-map", "to-scale", "cpus", "bands", "slowest", "percentiles", "difference", "blame"},
           "attach": {"typical", "heat-map", "to-scale", "bands", "slowest", "percentiles", "difference", "blame", "graph",
                      "chains"}}
# Of every run of a sweep or an experiment. What sets its slowest one apart may not be known.
OF_RUNS = {"typical", "heat-map", "to-scale", "bands", "slowest", "percentiles", "blame", "series"}
PUBLISHED_US = (11, 12, 16, 17, 31, 40, 41, 131)  # the first client of the GRAME report of 2001
SLOWEST, SLOWEST_OF_SEVERAL = 100, 3  # units that a run shows in full
SERIES_MOST = 800  # messages of a run that has curves of its clients
SHOWN = "[...document.querySelectorAll('figure')].filter(figure => figure.checkVisibility()).map(figure => figure.id)"


def prefixes(name):
    """What stands before the ids of each run."""
    runs = len(pages.summary(pages.path_of(name)))
    return [f"run{run + 1}-" for run in range(runs)] if runs > 1 else [""]


class Pages(pages.Case):
    """As a reader sees them; and what the figures have in their data, read back, is what other formats say."""

    def test_quiet(self):
        """a page says nothing in the console and asks for nothing but itself, also dark and with motion"""
        for name in pages.NAMES:
            with self.subTest(name):
                self.check_quiet(self.kept_page(name, calm=False, dark=True), self.html(name))

    def test_looks(self):
        """no text on text, none that is cut, nothing empty or wider than the window, in every shape"""
        for name in pages.NAMES:
            for shape, how in SHAPES.items():
                with self.subTest(name, shape=shape):
                    page = self.kept_page(name, **how)
                    for check in (looks.overlaps, looks.cuts, looks.wides, looks.empties):
                        self.assertEqual(check(page)[:5], [], check.__name__)

    def test_contrast(self):
        """all text can be read: light, dark and printed"""
        helper = self.enterContext(self.browser.page())
        for name, shape in (("run", "wide and dark"), ("run", "printed"), ("attach", "wide"),
                            ("attach", "narrow and dark")):
            with self.subTest(name, shape=shape):
                self.assertEqual(looks.contrasts(self.kept_page(name, **SHAPES[shape]), helper)[:5], [])

    def test_greys(self):
        """parts of bars that touch differ on grey paper, too"""
        for name in ("run", "attach"):
            for shape in ("wide", "wide and dark"):
                with self.subTest(name, shape=shape):
                    self.assertEqual(looks.greys(self.kept_page(name, **SHAPES[shape])), [])

    def test_names(self):
        """every figure and all that can be reached has a name; no id is there twice"""
        for name in pages.NAMES:
            with self.subTest(name):
                self.assertEqual(looks.nameless(self.kept_page(name))[:5], [])

    def test_without_scripts(self):
        """the figures are there without scripts, and a bar leads to its message in full"""
        for name in pages.NAMES:
            with self.subTest(name), self.page(name, scripts=False) as page:
                page.evaluate(pages.OPEN)
                self.assertEqual((looks.empties(page), looks.nameless(page)), ([], []))
                self.assertEqual(sorted(looks.figures(page)), sorted(
                    page.evaluate("[...document.querySelectorAll('figure')].map(figure => figure.dataset.figure)")))
                page.click(*self.place(page, "a.unit", 2))
                shown = page.evaluate(
                    "[...document.querySelectorAll('section.unit')].filter(e => e.checkVisibility()).map(e => e.id)")
                self.assertEqual(shown, [f"{self.prefixes_shown(page, name)[0]}unit-3"])

    def test_first_screen(self):
        """the answer, the two bars, the heat map and one slow unit are on the first screen of 1200 x 900"""
        for name in ("run", "attach"):
            with self.subTest(name), self.page(name, width=1200, height=900) as page:
                ends = page.evaluate("""[".verdict", ".tiles", "#typical svg", "#heat-map svg", ".choice.first svg"].map(
                    part => document.querySelector(part).getBoundingClientRect().bottom)""")
                self.assertEqual(ends[:1] + sorted(ends[1:]), ends)
                self.assertLessEqual(ends[-1], 900)
                self.assertEqual(page.evaluate("document.querySelectorAll('.tiles dd').length"), 4)
                self.assertEqual(page.evaluate("document.querySelectorAll('details.fold[open]').length"), 0)

    def test_choices_without_scripts(self):
        """a link shows another slow unit to scale, also without scripts"""
        shown = "[...document.querySelectorAll('.choice')].filter(e => e.checkVisibility()).map(e => e.id)"
        with self.page("run", scripts=False) as page:
            self.assertEqual(page.evaluate(shown), ["to-scale-0"])
            page.click(*self.place(page, ".choices a[href='#to-scale-1']"))
            self.assertEqual(page.evaluate(shown), ["to-scale-1"])

    def test_prints_all(self):
        """paper has what is folded on the screen"""
        with self.page("run", printed=True) as page:
            hidden = page.evaluate("""[...document.querySelectorAll("details.fold > :is(figure, dl, .scroll, pre)")].filter(
                part => part.getBoundingClientRect().height < 10).map(part => part.parentElement.id || part.id)""")
            self.assertEqual(hidden, [])

    def test_sizes(self):
        """a page takes less than 1 MB, also that of several runs"""
        for name in pages.NAMES:
            with self.subTest(name):
                self.assertLess(os.path.getsize(self.html(name)), 1_000_000)

    def test_bytes(self):
        """the same recording gives the same bytes"""
        for name in pages.NAMES:
            with self.subTest(name), open(self.html(name), "rb") as file:
                self.assertEqual(pages.ipctrace("report", pages.path_of(name), "-f", "html"), file.read())

    @staticmethod
    def prefixes_shown(page, name):
        """Of the runs that have figures."""
        return [prefix for prefix in prefixes(name)
                if page.evaluate(f"document.getElementById('{prefix}bands') != null")]

    def check_runs(self, name, check, *arguments):
        """check(what the figure of a name shows, messages and calls, summary, …) for every run that has figures."""
        path, page = pages.path_of(name), self.kept_page(name)
        shown = self.prefixes_shown(page, name)
        for prefix, lines, summary in zip(prefixes(name), pages.lines(path), pages.summary(path)):
            if prefix not in shown:
                continue
            with self.subTest(name, run=prefix):
                check(lambda figure, prefix=prefix: pages.marks(page, prefix + figure), lines, summary, *arguments)

    def test_figures(self):
        """the figures are there: every one that such a recording has"""
        for name in pages.NAMES:
            with self.subTest(name):
                page = self.kept_page(name)
                shown, with_figures = set(page.evaluate(SHOWN)), self.prefixes_shown(page, name)
                expected = FIGURES.get(name, {prefix + figure for prefix in with_figures for figure in OF_RUNS})
                self.assertEqual(expected - shown, set())
                self.check_slowest(name, with_figures)

    def check_slowest(self, name, with_figures):
        """Of several runs, the slowest one has figures, and some others."""
        last = {prefix: summary["rounds"]["last_latency_ns"]["mean"]
                for prefix, summary in zip(prefixes(name), pages.summary(pages.path_of(name))) if summary["rounds"]}
        if len(prefixes(name)) > 1:
            self.assertIn(max(last, key=last.get), with_figures)
            self.assertGreaterEqual(len(with_figures), 3)

    def check_units(self, figure, lines, summary, most):
        heat = figure("heat-map")
        kind, = (mark["unit"] for mark in heat if "columns" in mark)
        self.assertEqual(kind, "calls" if summary["mode"] == "attach" else "rounds")
        units = numbers.units(lines, kind)
        self.assertGreater(numbers.heat_map(heat, units, pages.traced_until(summary)), 10)
        self.assertGreater(numbers.bands(figure("bands"), units), 2)
        self.assertGreater(numbers.percentiles(figure("percentiles"), units), 2)
        self.assertEqual(numbers.slowest(figure("slowest"), units, most), min(len(units), most))

    def test_units(self):
        """heat map, bands, percentiles and the slowest have each message, call or round where it belongs"""
        for name in pages.NAMES:
            self.check_runs(name, self.check_units, SLOWEST if len(prefixes(name)) == 1 else SLOWEST_OF_SEVERAL)

    def check_sums(self, figure, lines, summary):
        self.assertGreater(sums.blame(figure("blame"), lines, summary), 0)
        if summary["channels"]:
            self.assertGreater(sums.graph(figure("graph"), summary), 0)
            self.assertGreater(sums.chains(figure("chains"), summary), 2)
        elif summary["workload"]["clients"] * summary["workload"]["messages"] <= SERIES_MOST:
            self.assertEqual(sums.series(figure("series"), lines), len(summary["clients"]))

    def test_sums(self):
        """blame, the graph and the series have the numbers of the summary"""
        for name in pages.NAMES:
            self.check_runs(name, self.check_sums)

    def test_matrix(self):
        """the figures over all runs of a sweep and of an experiment have the numbers of each run"""
        for name in ("sweep", "experiment"):
            with self.subTest(name):
                page, summaries = self.kept_page(name), pages.summary(pages.path_of(name))
                self.assertGreater(sums.over_clients(pages.marks(page, "over-clients"), summaries), 20)
                self.assertEqual(sums.runs(pages.marks(page, "runs"), summaries), len(summaries))
                published = [float(mark["published-ns"]) for mark in pages.marks(page, "over-clients")
                             if "published-ns" in mark and mark["panel"] == "first client"]
                self.assertEqual(sorted(published), [ns * 1000.0 for ns in PUBLISHED_US])

    def test_options(self):
        """messages instead of rounds, and the percentiles of another recording"""
        other = pages.path_of("one-cpu")
        path = self.html("run", "--unit", "message", "--against", other)
        with self.browser.page(path) as page:
            messages = numbers.units(pages.lines(pages.path_of("run"))[0], "messages")
            self.assertGreater(numbers.heat_map(pages.marks(page, "heat-map"), messages), 100)
            self.assertGreater(numbers.bands(pages.marks(page, "bands"), messages), 3)
            self.assertEqual(numbers.slowest(pages.marks(page, "slowest"), messages, SLOWEST), SLOWEST)
            others = numbers.units(pages.lines(other)[0], "messages")
            for curve, units, has_band in (("s1", messages, True), ("s2", others, False)):
                points = [mark for mark in pages.marks(page, "percentiles") if curve in mark["classes"].split()]
                self.assertGreater(numbers.percentiles(points, units, has_band), 3)
            self.check_quiet(page, path)

    def test_explanation(self):
        """what the slow ones have more, their limit and their episodes are those of the explanation"""
        for name in ("run", "attach"):
            with self.subTest(name):
                page = self.kept_page(name)
                explanation = pages.explained(pages.path_of(name))
                heat = pages.marks(page, "heat-map")
                kind, = (mark["unit"] for mark in heat if "columns" in mark)
                numbers.slow_limit(heat, numbers.units(pages.lines(pages.path_of(name))[0], kind), explanation)
                self.assertGreater(sums.difference(pages.marks(page, "difference"), explanation), 2)
                sums.apart(pages.marks(page, "apart"), explanation)

    def test_forms(self):
        """the wide and the narrow form of a figure have the same numbers, as far as the narrow one has them"""
        for name, figures in FIGURES.items():
            with self.subTest(name):
                marks, few = ({figure: pages.marks(page, figure) for figure in figures}
                              for page in map(lambda width: self.kept_page(name, width=width), (1200, 400)))
                for figure in figures:
                    known = [data_of(mark) for mark in marks[figure]]
                    self.assertGreater(len(few[figure]), 0, figure)
                    others = [mark for mark in map(data_of, few[figure]) if not any(mark <= data for data in known)]
                    self.assertEqual(others, [], figure)


def data_of(mark):
    """What a mark says, without what follows from the size of the figure."""
    return {(key, value) for key, value in mark.items()
            if key not in ("tag", "classes", "within", "title", "tip", "x", "top", "bottom", "start", "end")}


if __name__ == "__main__":
    tap.main()
