# SPDX-License-Identifier: BSD-2-Clause
"""What the script of a page adds: tooltips, marks to hide, zoom, messages in full; by mouse and by keyboard."""

import tap
from page import numbers, pages

TIP = "document.querySelector('.tip').checkVisibility() ? document.querySelector('.tip').textContent : null"
FOCUSED = "document.activeElement.%s"
UNIT = """[...document.querySelectorAll('section.unit')].filter(unit => unit.checkVisibility()).map(unit => ({
	id: unit.id, ns: Number(unit.dataset.ns), text: unit.textContent,
	parts: [...unit.querySelectorAll('.causes > li > b')].map(time => Math.round(parseFloat(time.textContent) * 1000))}))"""
RESET = """(() => {
	for (const button of document.querySelectorAll(".tools button[aria-label='Show all']"))
		button.click();
	location.hash = "";
	document.activeElement.blur();
	scrollTo(0, 0);
})()"""
# Visible marks of a class, and of the keys of their legend.
MARKS_OF = """(figure, name) => [...document.querySelectorAll(`[id="${figure}"] svg .${name}`)].filter(
	mark => !mark.closest(".key") && mark.checkVisibility({visibilityProperty: true})).length"""
# The counts of a level of finer cells, by row.
LEVEL = """columns => document.querySelector(`[id="heat-map"] desc.level[data-of="${columns}"]`).textContent.split(";").map(
	row => row.split(",").flatMap(part => Array(+(part.split("x")[1] ?? 1)).fill(+part.split("x")[0])))"""
# Where a cell of the heat map is in the window, by its row and column.
CELL = """(row, column) => {
	const svg = [...document.querySelectorAll('[id="heat-map"] svg')].find(svg => svg.getBoundingClientRect().width > 0);
	svg.scrollIntoView({block: "center"});
	const {start, end} = svg.querySelector(".axis.bottom").dataset, {top, bottom, columns} = svg.querySelector(".heat").dataset;
	const rows = [...document.querySelectorAll('[id="heat-map"] .row')].map(row => [+row.dataset.fromNs || 1, +row.dataset.toNs].map(Math.log));
	const [low, high] = (svg.dataset.zoom ?? "0 1").split(" ").map(Number), least = rows[0][0], most = rows[rows.length - 1][1];
	const height = ((rows[row][0] + rows[row][1]) / 2 - least) / (most - least);
	const share = ((column + 0.5) / columns - low) / (high - low);
	const place = new DOMPoint(+start + share * (end - start), +bottom - height * (bottom - top));
	const {x, y} = place.matrixTransform(svg.getScreenCTM());
	return [x, y];
}"""


# A point of the first mark with a tooltip on which no other one lies, and its words. A curve is hit on its line.
HIT = """figure => {
	const box = mark => mark.getBoundingClientRect();
	for (const mark of document.querySelectorAll(`[id="${figure}"] [data-tip]`)) {
		const isLine = mark.getTotalLength && getComputedStyle(mark).fill === "none";
		if (isLine ? !box(mark).width : Math.min(box(mark).width, box(mark).height) < 3)
			continue;
		mark.scrollIntoView({block: "center"});
		const points = [{x: box(mark).x + box(mark).width / 2, y: box(mark).y + box(mark).height / 2}];
		for (const share of isLine ? [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7] : [])
			points.push(mark.getPointAtLength(mark.getTotalLength() * share).matrixTransform(mark.getScreenCTM()));
		for (const {x, y} of points)
			if (document.elementFromPoint(x, y)?.closest("[data-tip]") === mark)
				return {at: [x, y], tip: mark.dataset.tip};
	}
	return null;
}"""


def duration(ns):
    """As the page writes it: three digits."""
    for unit, factor in (("s", 1e9), ("ms", 1e6), ("µs", 1e3)):
        if ns >= factor * 0.9995:
            value = ns / factor
            return f"{value:.{0 if value >= 99.95 else 1 if value >= 9.995 else 2}f} {unit}"
    return f"{round(ns)} ns"


class Script(pages.Case):
    """On the page of a run with five clients, unless a test says another."""

    def setUp(self):
        """One page for all tests, as it was when it had been opened."""
        self.run_page = self.kept_page("run")
        self.run_page.evaluate(RESET)
        self.run_page.settle()

    def tearDown(self):
        self.assertEqual(len(self.run_page.requests), 1, self.run_page.requests)
        self.assertEqual(self.run_page.problems, [])

    def hover(self, page, selector, number=0):
        """What the tooltip says about the nth visible element."""
        page.move(1, 1)
        page.move(*self.place(page, selector, number))
        page.settle()
        return page.evaluate(TIP)

    def cells(self, page):
        """{(row, column): count} of the heat map."""
        rows = [numbers.counts_of(mark["cnt"]) for mark in pages.marks(page, "heat-map") if "cnt" in mark]
        return {(row, column): count for row, counts in enumerate(rows) for column, count in enumerate(counts)}

    def cell_tip(self, page, row, column):
        page.move(1, 1)
        page.move(*page.ask(CELL, row, column))
        page.settle()
        return page.evaluate(TIP)

    def test_hover(self):
        """the tooltip of a mark has its number"""
        page = self.run_page
        largest = page.evaluate("[...document.querySelectorAll('#bands .wide rect[data-ns]')].map(e => +e.dataset.ns)")
        widest = largest.index(max(largest))
        self.assertIn(duration(largest[widest]), self.hover(page, "#bands rect[data-ns]", widest))
        piece = page.evaluate("+document.querySelector('#slowest .wide a.unit rect[data-cost=runqueue]').dataset.ns")
        self.assertIn(duration(piece), self.hover(page, "#slowest a.unit rect[data-cost=runqueue]"))
        self.assertIn("rt-spinner", self.hover(page, "#slowest a.unit rect[data-cost=runqueue]"))
        point = page.evaluate("+document.querySelector(`#percentiles .wide [data-percent='50']`).dataset.ns")
        self.assertIn(duration(point), self.hover(page, "#percentiles [data-percent='50']"))
        page.move(1, 1)
        page.settle()
        self.assertIsNone(page.evaluate(TIP))

    def test_hover_everywhere(self):
        """every kind of mark that has a tooltip shows it"""
        for name in ("run", "attach"):
            page = self.kept_page(name)
            figures = page.evaluate("[...document.querySelectorAll('figure')].map(figure => figure.id)")
            for figure in figures:
                if not page.ask("id => document.getElementById(id).querySelector('[data-tip]') !== null", figure):
                    continue
                shown = self.hover_first(page, figure)
                self.assertTrue(shown, f"{figure}: no mark shows its tooltip")

    def hover_first(self, page, figure):
        """The tooltip of the first visible mark of a figure that can be hit; None: there is none, or another's."""
        place = page.ask(HIT, figure)
        if not place:
            return None
        page.move(1, 1)
        page.move(*place["at"])
        page.settle()
        return page.evaluate(TIP) if page.evaluate(TIP) == place["tip"] else None

    def test_cells(self):
        """the tooltip of a cell of the heat map has its count, its latencies and its time"""
        page = self.run_page
        rows = [mark for mark in pages.marks(page, "heat-map") if "cnt" in mark]
        cells = self.cells(page)
        filled = sorted(place for place, count in cells.items() if count)
        of_each_row = dict(filled)
        for row, column in [*of_each_row.items(), max(filled, key=cells.get)]:
            tip = self.cell_tip(page, row, column)
            self.assertIn(f"{cells[row, column]} rounds of {duration(int(rows[row]['from-ns']))} to "
                          f"{duration(int(rows[row]['to-ns']))}", tip or "no tooltip")
        empty = next(place for place, count in cells.items() if not count)
        self.assertIsNone(self.cell_tip(page, *empty))

    def test_zoom(self):
        """a drag zooms into a stretch of time, and back; its cells are still right"""
        page, cells = self.run_page, self.cells(self.run_page)
        zoom = "[...document.querySelectorAll('#heat-map svg')].find(e => e.getBoundingClientRect().width > 0).dataset.zoom"
        row, column = next(place for place, count in cells.items() if count and 60 < place[1] < 100)
        (left, y), (right, _) = page.ask(CELL, 2, 60), page.ask(CELL, 2, 120)
        page.drag((left, y), (right, y))
        low, high = map(float, page.evaluate(zoom).split())
        self.assertAlmostEqual(low, 60.5 / 240, delta=0.01)
        self.assertAlmostEqual(high, 120.5 / 240, delta=0.01)
        # Cells are finer now: those of a level, four times as many.
        finer = page.ask(LEVEL, 960)[row][4 * column:4 * column + 4]
        self.assertEqual(sum(finer), cells[row, column])
        least = next(i for i, count in enumerate(finer) if count)
        self.assertIn(f"{finer[least]} rounds of", self.cell_tip(page, row, column + (least - 1.5) / 4))
        page.click(*self.place(page, "#heat-map button[aria-label='Show all']"))
        self.assertEqual(page.evaluate(zoom), "0.000000 1.000000")
        page.click(*self.place(page, "#heat-map button[aria-label='Zoom in']"))
        self.assertEqual(page.evaluate(zoom), "0.250000 0.750000")
        page.click(*self.place(page, "#heat-map button[aria-label='Later']"))
        self.assertEqual(page.evaluate(zoom), "0.375000 0.875000")

    def test_zoom_by_keys(self):
        """the keyboard zooms, too"""
        page = self.run_page
        self.tab_to(page, "matches('svg.zoomable')")
        for key, zoom in (("+", "0.250000 0.750000"), ("ArrowRight", "0.375000 0.875000"),
                          ("-", "0.000000 1.000000"), ("+", "0.250000 0.750000"), ("0", "0.000000 1.000000")):
            page.key(key)
            self.assertEqual(page.evaluate(FOCUSED % "dataset.zoom"), zoom, key)

    def test_zoom_is_linked(self):
        """all figures over time have one zoom, bars of other times are pale, and the address has it"""
        page = self.run_page
        page.click(*self.place(page, "#heat-map button[aria-label='Zoom in']"))
        views = "[...document.querySelectorAll('#heat-map svg, #cpus svg')].map(svg => svg.dataset.zoom)"
        self.assertEqual(set(page.evaluate(views)), {"0.250000 0.750000"})
        self.assertEqual(len(page.evaluate(views)), 4)
        heat, = (mark for mark in pages.marks(page, "heat-map") if "columns" in mark)
        start, end = int(heat["from-ns"]), int(heat["to-ns"])
        bars = page.evaluate("[...document.querySelectorAll('#slowest .wide a.unit')].map("
                             "a => [Number(a.dataset.fromNs), a.classList.contains('outside')])")
        pale = [not 0.25 <= (at - start) / (end - start) <= 0.75 for at, _ in bars]
        self.assertEqual([is_pale for _, is_pale in bars], pale)
        self.assertEqual({True, False}, set(pale))
        self.assertEqual(page.evaluate("location.hash"), "#t=0.250000-0.750000")
        page.click(*self.place(page, "#heat-map button[aria-label='Show all']"))
        self.assertEqual(page.evaluate("location.hash"), "")

    def test_address(self):
        """an address with a zoom and a message shows both; a link keeps the zoom"""
        zoom = "document.querySelector('#heat-map svg').dataset.zoom"
        with self.page("run") as page:
            page.evaluate("location.hash = '#unit-3&t=0.100000-0.300000'")
            page.wait_until(f"({UNIT}).length")
            self.assertEqual([unit["id"] for unit in page.evaluate(UNIT)], ["unit-3"])
            self.assertEqual(page.evaluate(zoom), "0.100000 0.300000")
            page.evaluate("location.hash = '#unit-4'")
            page.wait_until("location.hash == '#unit-4&t=0.100000-0.300000'")
            self.assertEqual([unit["id"] for unit in page.evaluate(UNIT)], ["unit-4"])

    def test_sort(self):
        """a click on the title of a column sorts the rows by it, and a second one the other way"""
        page = self.run_page
        column = "[...document.querySelectorAll('.times td[data-name=max]')].map(cell => Number(cell.dataset.ns))"
        before = page.evaluate(column)
        self.assertGreater(len(before), 2)
        title = ".times thead th:nth-child(9) button"
        page.click(*self.place(page, title))
        self.assertEqual(page.evaluate(column), sorted(before, reverse=True))
        page.click(*self.place(page, title))
        self.assertEqual(page.evaluate(column), sorted(before))

    def test_episode(self):
        """a click on an episode shows its slowest round to scale, in place of the typical one"""
        page = self.run_page
        shown = "[...document.querySelectorAll('.choice')].filter(e => e.checkVisibility()).map(e => e.id)"
        self.assertEqual(page.evaluate(shown), ["to-scale-0"])
        page.click(*self.place(page, "#heat-map a.episode[data-episode='1']"))
        self.assertEqual(page.evaluate(shown), ["to-scale-1"])
        self.assertEqual(page.evaluate("location.hash"), "#to-scale-1")
        page.click(*self.place(page, ".choices a[href='#to-scale-0']"))
        self.assertEqual(page.evaluate(shown), ["to-scale-0"])

    def tab_to(self, page, condition, most=60):
        """Presses Tab, from the top of the page, until what has the keyboard fulfils the condition."""
        page.evaluate("document.querySelector('.skip').focus()")
        for _ in range(most):
            page.key("Tab")
            if page.evaluate(FOCUSED % condition):
                return
        self.fail(f"{most} Tabs do not lead to what {condition}")

    def test_toggle(self):
        """a key of a legend hides its marks, in both forms of a figure, and shows them again"""
        page = self.run_page
        key = "#bands .key[data-key=c-runqueue]"
        before = page.ask(MARKS_OF, "bands", "c-runqueue")
        self.assertGreater(before, 3)
        others = page.ask(MARKS_OF, "bands", "c-dispatch")
        page.click(*self.place(page, key))
        self.assertEqual(page.ask(MARKS_OF, "bands", "c-runqueue"), 0)
        self.assertEqual(page.ask(MARKS_OF, "bands", "c-dispatch"), others)
        self.assertEqual(page.evaluate(f"document.querySelector('{key}').getAttribute('aria-pressed')"), "false")
        page.click(*self.place(page, key))
        self.assertEqual(page.ask(MARKS_OF, "bands", "c-runqueue"), before)

    def test_toggle_by_keys(self):
        """the keyboard reaches a key of a legend, and shows which one it is"""
        page = self.run_page
        self.tab_to(page, "matches('#bands .key')")
        name = page.evaluate(FOCUSED % "dataset.key")
        self.assertNotEqual(page.evaluate("getComputedStyle(document.activeElement).outlineStyle"), "none")
        before = page.ask(MARKS_OF, "bands", name)
        for key, expected in (("Enter", 0), (" ", before)):
            page.key(key)
            self.assertEqual(page.ask(MARKS_OF, "bands", name), expected)

    def check_unit(self, page, unit, ns):
        shown, = page.evaluate(UNIT)
        self.assertEqual((shown["id"], shown["ns"], sum(shown["parts"])), (unit, ns, ns))
        return shown["text"]

    def test_click(self):
        """a click on a bar shows its round in full, with all of its parts"""
        page = self.run_page
        self.assertEqual(page.evaluate(UNIT), [])
        rows = [mark for mark in pages.marks(page, "slowest") if "rank" in mark]
        for number in (0, 40, 99):
            page.click(*self.place(page, "a.unit", number))
            text = self.check_unit(page, f"unit-{number + 1}", int(rows[number]["ns"]))
            self.assertIn(f"no. {number + 1} of the slowest: {duration(int(rows[number]['ns']))}", text)
            self.assertEqual(page.evaluate(FOCUSED % "id"), f"unit-{number + 1}")
        page.click(*self.place(page, "section.unit .links a"))
        self.check_unit(page, "unit-99", int(rows[98]["ns"]))

    def test_click_by_keys(self):
        """the keyboard chooses a bar, goes to the next one and back"""
        page = self.run_page
        self.tab_to(page, "matches('a.unit')", most=120)
        page.key("Enter")
        page.wait_until(f"({UNIT}).length")
        first = page.evaluate(UNIT)[0]["id"]
        self.assertEqual((first, page.evaluate(FOCUSED % "id")), ("unit-1", "unit-1"))
        page.key("Tab")
        page.key("Enter")
        self.assertEqual([unit["id"] for unit in page.evaluate(UNIT)], ["unit-2"])

    def test_click_on_cell(self):
        """a click on a slow cell of the heat map leads to its round in full"""
        page = self.run_page
        row, column = max(place for place, count in self.cells(page).items() if count)
        page.click(*page.ask(CELL, row, column))
        rows = [mark for mark in pages.marks(page, "heat-map") if "cnt" in mark]
        shown, = page.evaluate(UNIT)
        self.assertTrue(int(rows[row]["from-ns"]) <= shown["ns"] < int(rows[row]["to-ns"]), shown)

    def test_theme(self):
        """a button changes between light and dark"""
        page = self.run_page
        paper = "getComputedStyle(document.body).backgroundColor"
        light = page.evaluate(paper)
        page.click(*self.place(page, "button.theme"))
        self.assertNotEqual(page.evaluate(paper), light)
        page.click(*self.place(page, "button.theme"))
        self.assertEqual(page.evaluate(paper), light)

    def test_runs(self):
        """the slowest run of a sweep is open; another opens by a click, and its messages in full, too"""
        with self.page("sweep") as page:
            shown = [page.ask(MARKS_OF, f"run{run}-typical", "fill") for run in range(1, 6)]
            self.assertEqual([run for run, marks in enumerate(shown, 1) if marks > 3], [2])
            page.click(*self.place(page, "details.run > summary", 0))
            self.assertGreater(page.ask(MARKS_OF, "run1-typical", "fill"), 3)
            page.evaluate(pages.OPEN)
            row = next(mark for mark in pages.marks(page, "run1-slowest") if "rank" in mark)
            page.click(*self.place(page, "[id='run1-slowest'] a.unit"))
            self.check_unit(page, "run1-unit-1", int(row["ns"]))
            self.check_quiet(page, self.html("sweep"))

    def test_links(self):
        """a link to a message in full opens the run that it is in"""
        with self.page("sweep") as page:
            page.evaluate("location.hash = '#run3-unit-2'")
            page.wait_until(f"({UNIT}).length")
            self.assertEqual([unit["id"] for unit in page.evaluate(UNIT)], ["run3-unit-2"])


if __name__ == "__main__":
    tap.main()
