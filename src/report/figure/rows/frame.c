/* SPDX-License-Identifier: BSD-2-Clause */
/* Places names, bars and notes of rows. */
#include "report/figure/rows/frame.h"

#include <string.h>

#define NAMES_WIDE 290
#define GAP        10

struct row_frame row_frame_of(const struct canvas *canvas, double wide_note, double narrow_note)
{
	double note = (canvas->is_narrow ? narrow_note : wide_note) + GAP;

	if (canvas->is_narrow)
		return (struct row_frame){
			.name_width = canvas->width - note,
			.name_height = LINE_STEP + 2,
			.bar_width = canvas->width,
		};
	return (struct row_frame){
		.name_width = NAMES_WIDE,
		.bar_x = NAMES_WIDE + GAP,
		.bar_width = canvas->width - NAMES_WIDE - GAP - note,
	};
}

/* `label` instead of `name`, which is in full in a tooltip if it differs. */
static void cut_name_draw(const struct canvas *canvas, const char *class, double x, double y,
			  const char *label, const char *name)
{
	label_open(canvas, class, x, y, ANCHOR_START);
	if (strcmp(label, name) != 0)
		markup_element(canvas->markup, "title", NULL, name);
	markup_text(canvas->markup, label);
	markup_close(canvas->markup);
}

void row_name_draw(const struct canvas *canvas, const char *class, double x, double y, double width,
		   const char *name)
{
	char label[LABEL_LEN];

	if (label_fit(name, FONT_SIZE, width, label))
		cut_name_draw(canvas, class, x, y, label, name);
}

/* The bytes of the character that ends before text[end]. */
static size_t last_character(const char *text, size_t end)
{
	size_t begin = end - 1;

	while (begin && ((unsigned char)text[begin] & 0xc0) == 0x80)
		begin--;
	return end - begin;
}

/* Both ends of `text`, which is too long, in `width`. */
static void cut_in_middle(const char *text, double width, char label[LABEL_LEN])
{
	size_t length = strlen(text), begin = length, most = LABEL_LEN / 2 - 1;
	char head[LABEL_LEN];

	while (begin && length - begin < most) {
		size_t next = begin - last_character(text, begin);

		if (label_width(text + next, FONT_SIZE) > 0.55 * width)
			break;
		begin = next;
	}
	if (!label_fit(text, FONT_SIZE, width - label_width(text + begin, FONT_SIZE), head))
		head[0] = '\0';
	snprintf(label, LABEL_LEN, "%.*s%s", LABEL_LEN / 2, head, text + begin);
}

void row_path_draw(const struct canvas *canvas, const char *class, double x, double y, double width,
		   const char *path)
{
	char label[LABEL_LEN];
	bool fits = label_width(path, FONT_SIZE) <= width;

	if (!fits)
		cut_in_middle(path, width, label);
	cut_name_draw(canvas, class, x, y, fits ? path : label, path);
}

void row_note_draw(const struct canvas *canvas, const char *class, double y, const char *note)
{
	label_draw(canvas, class, canvas->width, y, ANCHOR_END, note);
}

/* The bytes of the next line, in whole words if there is more than one. */
static size_t frame_line_length(const struct canvas *canvas, const char *words)
{
	size_t length = 0;

	while (words[length]) {
		char line[LABEL_LEN];
		size_t next = length + 1 + strcspn(words + length + 1, " ");

		if (next >= sizeof(line))
			break;
		memcpy(line, words, next);
		line[next] = '\0';
		if (length && label_width(line, FONT_SMALL) > canvas->width)
			break;
		length = next;
	}
	return length;
}

double row_words_draw(const struct canvas *canvas, double y, const char *words)
{
	double height = 0;

	while (*words) {
		size_t length = frame_line_length(canvas, words);
		char line[LABEL_LEN];

		snprintf(line, sizeof(line), "%.*s", (int)length, words);
		height += LINE_STEP;
		label_draw(canvas, "soft", 0, y + height - 4, ANCHOR_START, line);
		words += length;
		words += *words == ' ';
	}
	return height;
}
