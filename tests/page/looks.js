// SPDX-License-Identifier: BSD-2-Clause
//
// What a page looks like, asked in the page: an object of functions, for looks.py. Each returns what is
// wrong as a list of sentences, which is empty for a good page, or a list of boxes.
(() => {
	// Letters seldom fill their line: so much of its height at the top and at the bottom is air.
	const AIR = 0.14;
	const SLACK = 1; // pixels: rounding, and the curve of a letter beyond its box

	const top = document.body ?? document.documentElement; // a figure may stand in a file of its own
	const shown = element => element.checkVisibility({opacityProperty: true, visibilityProperty: true});
	const short = text => text.trim().replace(/\s+/g, " ").slice(0, 60);
	const figures = () => [...document.querySelectorAll("svg")].filter(
		svg => !svg.parentElement?.closest("svg") && svg.getAttribute("aria-hidden") !== "true" && shown(svg) &&
		       svg.getBoundingClientRect().width > 0);
	const figureName = svg => svg.dataset.figure ?? svg.id;

	// The lines of text below an element that have a place on the page: {text, x, y, width, height, node}.
	function lines(root) {
		const found = [];
		const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
		while (walker.nextNode()) {
			const node = walker.currentNode, parent = node.parentElement;
			if (!node.data.trim() || parent.closest("script, style, title, desc, template, noscript, select") ||
			    !shown(parent))
				continue;
			const range = document.createRange();
			range.selectNodeContents(node);
			for (const box of range.getClientRects())
				if (box.width > 0.5 && box.height > 0.5)
					found.push({text: short(node.data), node, x: box.x, y: box.y, width: box.width,
						    height: box.height});
		}
		return found;
	}

	// Letters without the air above and below; turned text has it at the sides.
	function ink(line) {
		const isTurned = line.height > line.width && line.text.length > 2;
		const dx = isTurned ? line.width * AIR : 0, dy = isTurned ? 0 : line.height * AIR;
		return {left: line.x + dx, right: line.x + line.width - dx, top: line.y + dy,
			bottom: line.y + line.height - dy};
	}

	function meet(a, b) {
		return Math.min(a.right, b.right) - Math.max(a.left, b.left) > SLACK &&
		       Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top) > SLACK;
	}

	const isFloating = element => {
		for (; element; element = element.parentElement)
			if (["fixed", "sticky"].includes(getComputedStyle(element).position))
				return true;
		return false;
	};

	// Text on text.
	function overlaps() {
		const all = lines(top).filter(line => !isFloating(line.node.parentElement));
		const marked = all.map(line => ({...line, ...ink(line)})).sort((a, b) => a.top - b.top);
		const wrong = [];
		marked.forEach((a, i) => {
			for (let j = i + 1; j < marked.length && marked[j].top < a.bottom; j++)
				if (meet(a, marked[j]))
					wrong.push(`${placeOf(a.node)}: "${a.text}" is on "${marked[j].text}"`);
		});
		return wrong;
	}

	const placeOf = node => {
		const svg = [...figures()].find(figure => figure.contains(node));
		const section = node.parentElement.closest("section, article, main");
		return svg ? `figure ${figureName(svg)}` : section?.id || section?.className || "page";
	};

	// Text that leaves its figure, or that its element hides.
	function cuts() {
		const wrong = [];
		for (const svg of figures()) {
			const frame = svg.getBoundingClientRect();
			for (const line of lines(svg)) {
				const box = ink(line);
				if (box.left < frame.left - SLACK || box.right > frame.right + SLACK ||
				    box.top < frame.top - SLACK || box.bottom > frame.bottom + SLACK)
					wrong.push(`figure ${figureName(svg)}: "${line.text}" is cut: ` +
						   `${Math.round(line.x - frame.x)}..${Math.round(line.x - frame.x + line.width)}, ` +
						   `${Math.round(line.y - frame.y)} of ${Math.round(frame.width)} x ` +
						   `${Math.round(frame.height)}`);
			}
		}
		for (const element of top.querySelectorAll("*")) {
			const style = getComputedStyle(element);
			if (!element.closest("svg") && shown(element) && ["hidden", "clip"].includes(style.overflowX) &&
			    element.clientWidth > 1 && element.scrollWidth > element.clientWidth + SLACK)
				wrong.push(`<${element.localName} class="${element.className}"> hides "${short(element.textContent)}"`);
		}
		return wrong;
	}

	// What is wider than the window, and does not scroll by itself.
	function wides() {
		const wrong = [];
		const root = document.documentElement;
		if (root.scrollWidth > innerWidth)
			wrong.push(`the page is ${root.scrollWidth} pixels wide, the window ${innerWidth}`);
		for (const element of top.querySelectorAll("*")) {
			const box = element.getBoundingClientRect();
			if (!shown(element) || element.closest("svg svg, svg *") || box.width === 0 || box.height === 0)
				continue;
			let around = element.parentElement;
			while (around && !["auto", "scroll"].includes(getComputedStyle(around).overflowX))
				around = around.parentElement;
			if (!around && (box.right > innerWidth + SLACK || (box.left < -SLACK && box.right > 0)))
				wrong.push(`<${element.localName} id="${element.id}" class="${element.getAttribute("class") ?? ""}"> ` +
					   `ends at ${Math.round(box.right)} of ${innerWidth}`);
		}
		return wrong;
	}

	// Figures whose marks have no size.
	function empties() {
		return figures().filter(svg => {
			const box = svg.getBBox();
			return box.width < 40 || box.height < 20 || svg.querySelectorAll("rect, path, line, circle").length < 2;
		}).map(figureName);
	}

	const textOf = ids => (ids ?? "").split(/\s+/).filter(Boolean).map(
		id => document.getElementById(id)?.textContent.trim() ?? "").join(" ").trim();

	// What a screen reader cannot name, and names that are there twice.
	function nameless() {
		const wrong = [], ids = new Map();
		for (const element of document.querySelectorAll("[id]"))
			ids.set(element.id, (ids.get(element.id) ?? 0) + 1);
		for (const [id, count] of ids)
			if (count > 1)
				wrong.push(`id "${id}" is there ${count} times`);
		for (const svg of document.querySelectorAll("svg")) {
			if (svg.parentElement?.closest("svg") || svg.getAttribute("aria-hidden") === "true")
				continue;
			const title = svg.querySelector(":scope > title")?.textContent.trim();
			if (!title && !svg.getAttribute("aria-label")?.trim() && !textOf(svg.getAttribute("aria-labelledby")))
				wrong.push(`figure ${figureName(svg)} has no name`);
			if (!svg.getAttribute("role"))
				wrong.push(`figure ${figureName(svg)} has no role`);
		}
		for (const element of document.querySelectorAll("[aria-labelledby], [aria-describedby], [aria-controls]"))
			for (const name of ["aria-labelledby", "aria-describedby", "aria-controls"])
				for (const id of (element.getAttribute(name) ?? "").split(/\s+/).filter(Boolean))
					if (!document.getElementById(id))
						wrong.push(`<${element.localName}> has ${name}="${id}", which is nowhere`);
		for (const element of document.querySelectorAll("button, a[href], input, select, summary, [tabindex]")) {
			const labelled = element.labels?.length ? [...element.labels].map(l => l.textContent).join("") : "";
			const title = element.querySelector(":scope > title")?.textContent ?? element.getAttribute("title");
			const name = element.getAttribute("aria-label") || textOf(element.getAttribute("aria-labelledby")) ||
				     labelled || title || element.textContent;
			if (shown(element) && !name.trim())
				wrong.push(`<${element.localName} id="${element.id}" class="${element.getAttribute("class")}"> ` +
					   "can be reached and has no name");
		}
		return wrong;
	}

	// A colour as CSS writes it, by whatever notation, as [red, green, blue, alpha].
	const known = new Map();
	function parse(colour) {
		if (!known.has(colour)) {
			const context = new OffscreenCanvas(1, 1).getContext("2d", {willReadFrequently: true});
			context.fillStyle = colour;
			context.fillRect(0, 0, 1, 1);
			const [red, green, blue, alpha] = context.getImageData(0, 0, 1, 1).data;
			known.set(colour, [red, green, blue, alpha / 255]);
		}
		return known.get(colour);
	}

	// That of a text. What the elements around let through is in its alpha.
	function colourOf(element) {
		const style = getComputedStyle(element);
		const isDrawn = element.closest("svg");
		const [red, green, blue, own] = parse(isDrawn ? style.fill : style.color);
		let alpha = own * (isDrawn ? Number(style.fillOpacity) : 1);
		for (let at = element; at; at = at.parentElement)
			alpha *= Number(getComputedStyle(at).opacity);
		return [red, green, blue, alpha];
	}

	// Every line of text, in the coordinates of the page, with its colour.
	function inks() {
		return lines(top).map(line => {
			const box = ink(line);
			return {text: line.text, place: placeOf(line.node), x: box.left + scrollX, y: box.top + scrollY,
				width: box.right - box.left, height: box.bottom - box.top,
				colour: colourOf(line.node.parentElement)};
		}).filter(line => line.colour[3] > 0);
	}

	const luminance = ([red, green, blue]) => {
		const linear = value => (value /= 255) <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
		return 0.2126 * linear(red) + 0.7152 * linear(green) + 0.0722 * linear(blue);
	};

	// Pieces of a bar that touch and have other colours, but nearly the same grey.
	function greys() {
		const wrong = new Set();
		for (const svg of figures()) {
			const pieces = [...svg.querySelectorAll("rect.fill")].filter(shown).map(rect => {
				const {x, y, width, height} = rect.getBoundingClientRect(), fill = getComputedStyle(rect).fill;
				return {x, y, width, height, fill, grey: luminance(parse(fill)), name: rect.getAttribute("class")};
			});
			pieces.forEach((b, i) => {
				const a = pieces[i - 1];
				if (!a || a.y !== b.y || a.height !== b.height || a.fill === b.fill ||
				    Math.abs(a.x + a.width - b.x) > 0.5 || Math.min(a.width, b.width) < 4)
					return;
				const [dark, light] = [a.grey, b.grey].sort((c, d) => c - d);
				if ((light + 0.05) / (dark + 0.05) < 1.3)
					wrong.add(`figure ${figureName(svg)}: "${a.name}" and "${b.name}" have one grey`);
			});
		}
		return [...wrong];
	}

	// Hides all text, and nothing else: lines around letters are what letters stand on.
	function hideText() {
		const style = document.createElement("style");
		style.textContent = "*, *::before, *::after { color: transparent !important; text-shadow: none !important;" +
			" text-decoration-color: transparent !important; transition: none !important }" +
			"text, text * { fill: transparent !important }";
		style.id = "without-text";
		document.head.append(style);
	}

	function showText() {
		document.getElementById("without-text").remove();
	}

	return {overlaps, cuts, wides, empties, nameless, inks, greys, hideText, showText,
		figures: () => figures().map(figureName)};
})()
