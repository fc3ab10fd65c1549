"use strict";
/* Adds to the page what needs a script: tooltips, marks to hide, zoom in time, a choice of colours. */
(() => {
const all = (where, what) => [...where.querySelectorAll(what)];
const make = (name, attrs, text) => {
	const e = document.createElement(name);
	Object.assign(e, attrs);
	if (text) e.textContent = text;
	return e;
};
const svgNS = "http://www.w3.org/2000/svg";
const digits = n => n >= 100 ? n.toFixed(0) : n >= 10 ? n.toFixed(1) : n.toFixed(2);
const time = ns => {
	for (const [unit, factor] of [["s", 1e9], ["ms", 1e6], ["µs", 1e3]])
		if (ns >= factor * 0.9995) return digits(ns / factor) + " " + unit;
	return Math.round(ns) + " ns";
};
const root = document.documentElement;

/* Light or dark. */
const dark = () => root.dataset.theme ? root.dataset.theme == "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
const theme = make("button", {type: "button", className: "theme"}, "Light or dark");
theme.onclick = () => { root.dataset.theme = dark() ? "light" : "dark"; };
document.querySelector("nav").append(theme);

/* Tooltips: what the <title> of a mark says. The browser would show it late, and never for a key. */
const tip = make("div", {className: "tip", hidden: true});
tip.setAttribute("aria-hidden", "true");
document.body.append(tip);
const show = (text, box) => {
	tip.textContent = text;
	tip.hidden = !text;
	if (!text) return;
	const x = Math.max(4, Math.min(box.left + box.width / 2 - tip.offsetWidth / 2, root.clientWidth - tip.offsetWidth - 4));
	const above = box.top - tip.offsetHeight - 8;
	tip.style.left = x + scrollX + "px";
	tip.style.top = (above > 0 ? above : box.bottom + 8) + scrollY + "px";
};
const hide = () => { tip.hidden = true; };
for (const title of all(document, "svg.picture title")) {
	const mark = title.parentNode;
	if (mark.matches("svg")) {
		mark.setAttribute("aria-label", title.textContent);
		mark.removeAttribute("aria-labelledby");
		mark.setAttribute("aria-describedby", mark.id + "-desc");
	} else {
		mark.dataset.tip = title.textContent;
		if (mark.matches("a")) mark.setAttribute("aria-label", title.textContent);
	}
	title.remove();
}
const tipped = event => event.target.closest && event.target.closest("[data-tip]");
const over = event => { const mark = tipped(event); if (mark) show(mark.dataset.tip, mark.getBoundingClientRect()); };
const out = event => { if (tipped(event)) hide(); };
for (const name of ["pointerover", "focusin"]) document.addEventListener(name, over);
for (const name of ["pointerout", "focusout"]) document.addEventListener(name, out);
document.addEventListener("keydown", event => { if (event.key == "Escape") hide(); });

/* Keys of legends hide their marks, in both drawings of a figure. */
for (const figure of all(document, "figure.figure")) {
	const keys = all(figure, ".key");
	if (keys.length < 2) continue;
	const toggle = name => {
		const same = keys.filter(key => key.dataset.key == name);
		const off = same[0].getAttribute("aria-pressed") == "true";
		for (const key of same) key.setAttribute("aria-pressed", !off);
		for (const mark of all(figure, "." + CSS.escape(name)))
			if (!mark.closest(".key")) mark.classList.toggle("off", off);
	};
	for (const key of keys) {
		key.setAttribute("role", "button");
		key.setAttribute("tabindex", "0");
		key.setAttribute("aria-pressed", "true");
		key.onclick = () => toggle(key.dataset.key);
		key.onkeydown = event => {
			if (event.key != "Enter" && event.key != " ") return;
			event.preventDefault();
			toggle(key.dataset.key);
		};
	}
	for (const svg of all(figure, "svg.picture")) svg.setAttribute("role", "group");
}

/* Figures over time: what a cell has, and zoom, which all figures of a run share, and the address. */
const cells = (text, read) => text.split(",").flatMap(part => {
	const [value, cnt] = part.split("x");
	return Array(+(cnt || 1)).fill(read(value));
});
const runOf = e => e.closest("details.run") || document.getElementById("main");
const links = new Map();
const linkOf = run => {
	if (!links.has(run)) links.set(run, {run, view: [0, 1], draws: [], finest: 1, columns: 0});
	return links.get(run);
};
/* "#unit-3&t=0.25-0.75": what is shown, and the shares of the time between which. */
const parts = () => location.hash.slice(1).split("&");
const shownId = () => parts().find(part => part && !part.startsWith("t=")) || "";
const note = id => {
	const first = [...links.values()].find(link => link.view[1] - link.view[0] < 1);
	const time = first ? "t=" + first.view.map(share => share.toFixed(6)).join("-") + (first.run.id == "main" ? "" : "@" + first.run.id) : "";
	const hash = [id, time].filter(Boolean).join("&");
	history.replaceState(null, "", hash ? "#" + hash : location.pathname + location.search);
};
const zoomTo = (link, low, high) => {
	const width = Math.min(1, Math.max(2 / (link.columns * link.finest), high - low));
	low = Math.max(0, Math.min(low, 1 - width));
	link.view = [low, low + width];
	hide();
	for (const draw of link.draws) draw();
	/* Slow units that began at another time are pale. */
	for (const a of all(link.run, "svg.wide a.unit[data-from-ns]")) {
		const share = (a.dataset.fromNs - link.from) / (link.to - link.from);
		const off = share < low || share > low + width;
		for (const same of all(link.run, `a.unit[href='${a.getAttribute("href")}']`)) same.classList.toggle("outside", off);
	}
};
const heatMap = (figure, svg) => {
	const heat = svg.querySelector(".heat, .strips"), axis = svg.querySelector(".axis.bottom");
	if (!heat || !axis) return;
	const link = linkOf(runOf(figure));
	const data = heat.dataset, columns = link.columns = +data.columns;
	const start = +axis.dataset.start, end = +axis.dataset.end, from = link.from = +data.fromNs, to = link.to = +data.toNs;
	const rows = all(figure, ".row").map(row => ({low: +row.dataset.fromNs, high: +row.dataset.toNs, cnt: cells(row.dataset.cnt, Number)})).reverse();
	const levels = [{columns, cnt: rows.map(row => row.cnt)}];
	for (const level of all(figure, "desc.level"))
		levels.push({columns: +level.dataset.of, cnt: level.textContent.split(";").map(row => cells(row, Number)).reverse()});
	const finest = levels[levels.length - 1].columns / columns;
	link.finest = Math.max(link.finest, finest);
	/* Rows need not be equally high: the longest latency is at the top. */
	const most = rows.length ? Math.log(rows[0].high) : 0, least = rows.length ? Math.log(Math.max(1, rows[rows.length - 1].low)) : 0;
	const yOf = ns => +data.top + (most - Math.log(Math.max(1, ns))) / (most - least) * (data.bottom - data.top);
	const rowAt = y => {
		if (!rows.length || y < data.top - 2 || y >= data.bottom) return undefined;
		const ns = Math.exp(most - (y - data.top) / (data.bottom - data.top) * (most - least));
		return rows.find(row => ns >= row.low) || rows[rows.length - 1];
	};
	const strips = all(svg, ".strip").map((strip, i) => ({cpu: strip.dataset.cpu, top: +strip.dataset.top, bottom: +strip.dataset.bottom,
		cell: cells(all(figure, ".strip[data-cell]")[i].dataset.cell, value => value.split(":").map(Number))}));
	const names = {};
	for (const name of all(figure, "desc[data-culprit]")) names[name.dataset.culprit] = name.textContent;
	const clip = svg.querySelector(".zoom"), ticks = all(svg, ".axis.bottom text.tick, .axis.bottom line.grid, .axis.columns line");
	const moving = all(svg, "[data-x]"), coarse = all(heat, "g[clip-path] > g");
	/* The coarsest level that has enough cells in view. */
	const levelNow = () => levels.find(level => level.columns * (link.view[1] - link.view[0]) >= columns / 2) || levels[levels.length - 1];
	const place = event => {
		const p = new DOMPoint(event.clientX, event.clientY).matrixTransform(svg.getScreenCTM().inverse());
		return {x: p.x, y: p.y, share: link.view[0] + (link.view[1] - link.view[0]) * (p.x - start) / (end - start)};
	};
	const at = share => time(Math.max(0, from - data.zeroNs + share * (to - from)));
	const words = p => {
		const row = rowAt(p.y), level = row ? levelNow() : levels[0], column = Math.floor(p.share * level.columns);
		if (p.x < start || p.x >= end || column < 0 || column >= level.columns) return "";
		const when = at(column / level.columns) + " to " + at((column + 1) / level.columns);
		const cnt = row && level.cnt[rows.indexOf(row)][column];
		if (row) return cnt ? `${cnt} ${data.unit} of ${time(row.low)} to ${time(row.high)}\n${when}` : "";
		const strip = strips.find(s => p.y >= s.top && p.y < s.bottom);
		const cell = strip && strip.cell[column];
		return cell && cell[0] ? `CPU ${strip.cpu}: slow ones waited ${time(cell[2])}, of it ${time(cell[1])} behind ${names[cell[0]]}\n${when}` : "";
	};
	/* The cells of a finer level that are in view: a path for each shade. */
	const drawFine = level => {
		for (const e of all(heat, "g.fine")) e.remove();
		for (const e of coarse) e.style.display = level.columns == columns ? "" : "none";
		if (level.columns == columns) return;
		const low = Math.floor(link.view[0] * level.columns), high = Math.min(level.columns, Math.ceil(link.view[1] * level.columns));
		const largest = Math.max(2, ...level.cnt.map(cnt => Math.max(...cnt.slice(low, high))));
		const paths = {};
		rows.forEach((row, i) => {
			const bottom = yOf(row.low), height = Math.max(i ? 0 : 5, bottom - yOf(row.high));
			for (let c = low; c < high; c++) {
				const cnt = level.cnt[i][c];
				if (!cnt) continue;
				const shade = Math.min(8, Math.floor(Math.log(cnt) / Math.log(largest) * 9));
				paths[shade] = (paths[shade] || "") + `M${c} ${(bottom - height).toFixed(1)}h1v${height.toFixed(1)}h-1z`;
			}
		});
		for (const e of coarse) {
			const fine = document.createElementNS(svgNS, "g");
			fine.setAttribute("class", "fine");
			fine.setAttribute("transform", `translate(${start} 0) scale(${(end - start) / level.columns} 1)`);
			for (const shade in paths) {
				const path = document.createElementNS(svgNS, "path");
				path.setAttribute("class", "h" + shade);
				path.setAttribute("d", paths[shade]);
				fine.append(path);
			}
			e.after(fine);
		}
	};
	const draw = () => {
		const view = link.view, k = 1 / (view[1] - view[0]), move = x => (x - start - view[0] * (end - start)) * k + start;
		clip.setAttribute("transform", `translate(${start - (start + view[0] * (end - start)) * k} 0) scale(${k} 1)`);
		if (rows.length) drawFine(levelNow());
		for (const e of moving) {
			const x = move(+e.dataset.x);
			e.style.display = x < start || x > end ? "none" : "";
			if (e.matches("text")) e.setAttribute("x", x);
			else e.setAttribute("transform", `translate(${x - e.dataset.x} 0)`);
		}
		for (const e of ticks) e.style.display = k > 1 ? "none" : "";
		for (const e of all(axis, ".new")) e.remove();
		for (let i = 0; k > 1 && i <= 4; i++) {
			const text = document.createElementNS(svgNS, "text"), x = start + (end - start) * i / 4;
			text.setAttribute("class", "tick new");
			text.setAttribute("x", x);
			text.setAttribute("y", ticks.find(e => e.matches("text")).getAttribute("y"));
			text.setAttribute("text-anchor", i == 4 ? "end" : i ? "middle" : "start");
			text.textContent = ((from - data.zeroNs + (view[0] + (view[1] - view[0]) * i / 4) * (to - from)) / 1e9).toFixed(k > 50 ? 4 : 3) + " s";
			axis.append(text);
		}
		svg.dataset.zoom = view.map(share => share.toFixed(6)).join(" ");
	};
	link.draws.push(draw);
	const zoom = (low, high) => { zoomTo(link, low, high); note(shownId()); };
	const by = (factor, middle = (link.view[0] + link.view[1]) / 2) => {
		const view = link.view, width = (view[1] - view[0]) * factor, share = (middle - view[0]) / (view[1] - view[0]);
		zoom(middle - width * share, middle + width * (1 - share));
	};
	const shift = step => { const width = link.view[1] - link.view[0]; zoom(link.view[0] + step * width, link.view[1] + step * width); };
	const actions = {"+": () => by(0.5), "=": () => by(0.5), "-": () => by(2), "0": () => zoom(0, 1), ArrowLeft: () => shift(-0.25), ArrowRight: () => shift(0.25)};
	svg.setAttribute("tabindex", "0");
	svg.setAttribute("role", "group");
	svg.classList.add("zoomable");
	svg.addEventListener("keydown", event => {
		if (event.target != svg || !actions[event.key] || event.ctrlKey || event.metaKey) return;
		event.preventDefault();
		actions[event.key]();
	});
	/* A drag selects a stretch of time; a click on slow ones finds them among the slowest. */
	let grip = null;
	const range = document.createElementNS(svgNS, "rect");
	range.setAttribute("class", "range");
	range.setAttribute("y", data.top);
	range.setAttribute("height", strips.length ? strips[strips.length - 1].bottom - data.top : data.bottom - data.top);
	const find = p => {
		const row = rowAt(p.y), level = levelNow(), cells = level.columns, column = Math.floor(p.share * cells);
		if (!row || !level.cnt[rows.indexOf(row)][column]) return;
		const early = from + column / cells * (to - from), late = from + (column + 1) / cells * (to - from);
		const found = all(link.run, "svg.wide a.unit").filter(a => a.dataset.ns >= row.low && a.dataset.ns < row.high && a.dataset.fromNs >= early - 1 && a.dataset.fromNs <= late + 1);
		if (found[0]) location.hash = found[0].getAttribute("href");
		const names = found.map(a => a.getAttribute("href"));
		for (const a of all(document, "a.unit")) a.classList.toggle("found", names.includes(a.getAttribute("href")));
	};
	svg.addEventListener("pointerdown", event => {
		const p = place(event);
		if (event.button || event.target.closest("a, .key") || p.x < start || p.x > end || p.y < data.top) return;
		grip = p;
		svg.setPointerCapture(event.pointerId);
	});
	svg.addEventListener("pointermove", event => {
		const p = place(event);
		if (!grip) {
			if (!event.target.closest("[data-tip]")) show(words(p), {left: event.clientX, width: 0, top: event.clientY - 6, bottom: event.clientY + 10});
			return;
		}
		if (Math.abs(p.x - grip.x) < 4) return;
		const x = Math.max(start, Math.min(p.x, end));
		range.setAttribute("x", Math.min(x, grip.x));
		range.setAttribute("width", Math.abs(x - grip.x));
		svg.append(range);
	});
	svg.addEventListener("pointerup", event => {
		if (!grip) return;
		const p = place(event), was = grip;
		grip = null;
		range.remove();
		if (Math.abs(p.x - was.x) < 4) find(p);
		else zoom(Math.min(p.share, was.share), Math.max(p.share, was.share));
	});
	svg.addEventListener("pointercancel", () => { grip = null; range.remove(); });
	svg.addEventListener("pointerleave", hide);
	const tools = make("div", {className: "tools"});
	tools.dataset.of = svg.id;
	for (const [text, action, what] of [["+", "+", "Zoom in"], ["−", "-", "Zoom out"], ["←", "ArrowLeft", "Earlier"], ["→", "ArrowRight", "Later"], ["All", "0", "Show all"]]) {
		const button = make("button", {type: "button", title: what}, text);
		button.setAttribute("aria-label", what);
		button.onclick = actions[action];
		tools.append(button);
	}
	tools.prepend(make("span", {}, "drag to zoom"));
	svg.before(tools);
	return tools;
};
for (const figure of all(document, "figure[data-figure=heat-map], figure[data-figure=cpus]")) {
	const pairs = all(figure, "svg.picture").map(svg => [svg, heatMap(figure, svg)]);
	const fit = () => { for (const [svg, tools] of pairs) if (tools) tools.hidden = getComputedStyle(svg).display == "none"; };
	addEventListener("resize", fit);
	fit();
}
/* Paper shows all that is folded on the screen. */
let opened = [];
addEventListener("beforeprint", () => {
	opened = all(document, "details:not([open])");
	for (const e of opened) e.open = true;
});
addEventListener("afterprint", () => { for (const e of opened) e.open = false; });

/* One of several is chosen, and the page stays where it is. */
for (const several of all(document, ".several")) {
	const figure = several.closest("figure"), links = all(figure, ".choices a");
	const choose = id => {
		for (const e of all(several, ".choice")) e.classList.toggle("chosen", e.id == id);
		for (const a of links) {
			a.classList.toggle("chosen", a.getAttribute("href") == "#" + id);
			a.setAttribute("aria-current", a.getAttribute("href") == "#" + id);
		}
	};
	several.classList.add("scripted");
	several.choose = choose;
	choose(several.querySelector(".first").id);
}
document.addEventListener("click", event => {
	const a = event.target.closest && event.target.closest("a[href^='#']");
	const choice = a && document.getElementById(a.getAttribute("href").slice(1));
	if (!choice || !choice.matches(".choice") || event.ctrlKey || event.metaKey) return;
	event.preventDefault();
	choice.parentNode.choose(choice.id);
	note(choice.id);
	choice.scrollIntoView({block: "nearest"});
});

/* A click on the title of a column sorts the rows by it, the largest first; again, the other way. */
for (const table of all(document, "main table")) {
	const body = table.tBodies[0];
	for (const th of all(table, "thead th")) {
		const title = th.textContent, column = th.cellIndex;
		if (!title || !body || body.rows.length < 2) continue;
		const key = row => { const cell = row.cells[column]; return cell ? Number(cell.dataset.ns ?? cell.dataset.share ?? parseFloat(cell.textContent)) : NaN; };
		const button = make("button", {type: "button", className: "sort"}, title);
		th.replaceChildren(button);
		button.onclick = () => {
			const down = th.getAttribute("aria-sort") != "descending";
			for (const other of all(table, "thead th")) other.removeAttribute("aria-sort");
			th.setAttribute("aria-sort", down ? "descending" : "ascending");
			const known = row => Number.isNaN(key(row)) ? -Infinity : key(row);
			body.append(...[...body.rows].sort((a, b) => down ? known(b) - known(a) : known(a) - known(b)));
		};
	}
}

/* A unit in full gets the keyboard. */
const follow = () => {
	const time = parts().find(part => part.startsWith("t=")), id = shownId();
	const [, low, high, run] = time && time.match(/^t=([0-9.]+)-([0-9.]+)(?:@(.*))?$/) || [];
	const link = links.get(document.getElementById(run || "main"));
	if (link && low < high) zoomTo(link, +low, +high);
	/* What the style sheet shows is the target of the whole address. */
	if (time && id && document.getElementById(id)) location.replace("#" + id);
	focus(id);
	note(id);
};
const focus = id => {
	const target = id && document.getElementById(id);
	if (!target) return;
	for (let e = target; e; e = e.parentElement) if (e.matches("details")) e.open = true;
	if (target.matches(".choice")) target.parentNode.choose(target.id);
	if (target.matches("section.unit")) target.focus({preventScroll: false});
	const bars = all(document, "a.unit"), is = a => a.getAttribute("href") == "#" + id;
	if (!bars.some(a => is(a) && a.matches(".found"))) for (const a of bars) a.classList.toggle("found", is(a));
};
addEventListener("hashchange", follow);
follow();
})();
