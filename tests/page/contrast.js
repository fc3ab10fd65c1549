// SPDX-License-Identifier: BSD-2-Clause
//
// Holds the colours of texts against the pixels behind them, by WCAG 2.1: (picture of a page without its text,
// where it begins, texts) => the contrast of each text, [{text, place, ratio}].
async (picture, top, texts) => {
	const image = await createImageBitmap(await (await fetch("data:image/png;base64," + picture)).blob());
	const canvas = new OffscreenCanvas(image.width, image.height);
	const context = canvas.getContext("2d", {willReadFrequently: true});
	context.drawImage(image, 0, 0);

	const linear = value => (value /= 255) <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
	const luminance = ([red, green, blue]) =>
		0.2126 * linear(red) + 0.7152 * linear(green) + 0.0722 * linear(blue);
	const contrast = (a, b) => (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);

	function ratio(text) {
		const left = Math.max(0, Math.floor(text.x)), up = Math.max(0, Math.floor(text.y - top));
		const width = Math.min(Math.ceil(text.width), image.width - left);
		const height = Math.min(Math.ceil(text.height), image.height - up);
		if (width <= 0 || height <= 0)
			return null;
		const pixels = context.getImageData(left, up, width, height).data, ratios = [];
		const alpha = text.colour[3];
		for (let at = 0; at < pixels.length; at += 4) {
			const behind = [pixels[at], pixels[at + 1], pixels[at + 2]];
			const letter = behind.map((value, i) => value * (1 - alpha) + text.colour[i] * alpha);
			ratios.push(contrast(luminance(letter), luminance(behind)));
		}
		// A thin line behind the text, such as that of a grid, does not make it hard to read.
		return ratios.sort((a, b) => a - b)[Math.floor(ratios.length / 5)];
	}
	return texts.map(text => ({text: text.text, place: text.place, ratio: ratio(text)}));
}
