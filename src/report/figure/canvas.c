/* SPDX-License-Identifier: BSD-2-Clause */
/* Writes the shapes and labels of figures, and fits labels into the room that they have. */
#include "report/figure/canvas.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

/* Without a needless ".0" or "-0", as there are thousands of coordinates. */
static void place_print(FILE *out, double value)
{
	long tenths = lround(value * 10);

	if (tenths % 10)
		fprintf(out, "%s%ld.%ld", tenths < 0 ? "-" : "", labs(tenths) / 10,
			labs(tenths) % 10);
	else
		fprintf(out, "%ld", tenths / 10);
}

void place_attr(const struct canvas *canvas, const char *name, double value)
{
	fprintf(canvas->markup->out, " %s=\"", name);
	place_print(canvas->markup->out, value);
	fputs("\"", canvas->markup->out);
}

static void element_open(const struct canvas *canvas, const char *element, const char *class)
{
	markup_open(canvas->markup, element);
	if (class)
		markup_attr(canvas->markup, "class", class);
}

void rect_open(const struct canvas *canvas, const char *class, double x, double y, double width,
	       double height)
{
	element_open(canvas, "rect", class);
	if (x != 0)
		place_attr(canvas, "x", x);
	if (y != 0)
		place_attr(canvas, "y", y);
	place_attr(canvas, "width", width);
	place_attr(canvas, "height", height);
}

void rect_draw(const struct canvas *canvas, const char *class, double x, double y, double width,
	       double height)
{
	rect_open(canvas, class, x, y, width, height);
	markup_close(canvas->markup);
}

void line_draw(const struct canvas *canvas, const char *class, double x1, double y1, double x2,
	       double y2)
{
	element_open(canvas, "line", class);
	place_attr(canvas, "x1", x1);
	place_attr(canvas, "y1", y1);
	place_attr(canvas, "x2", x2);
	place_attr(canvas, "y2", y2);
	markup_close(canvas->markup);
}

void circle_open(const struct canvas *canvas, const char *class, double x, double y, double radius)
{
	element_open(canvas, "circle", class);
	place_attr(canvas, "cx", x);
	place_attr(canvas, "cy", y);
	place_attr(canvas, "r", radius);
}

void group_open(const struct canvas *canvas, const char *class)
{
	element_open(canvas, "g", class);
}

void outline_open(const struct canvas *canvas, const char *class)
{
	element_open(canvas, "path", class);
	fputs(" d=\"", canvas->markup->out);
}

static void outline_point(const struct canvas *canvas, char how, double x, double y)
{
	fputc(how, canvas->markup->out);
	place_print(canvas->markup->out, x);
	fputc(' ', canvas->markup->out);
	place_print(canvas->markup->out, y);
}

void outline_move(const struct canvas *canvas, double x, double y)
{
	outline_point(canvas, 'M', x, y);
}

void outline_line(const struct canvas *canvas, double x, double y)
{
	outline_point(canvas, 'L', x, y);
}

void outline_cells(const struct canvas *canvas, uint32_t x, double y, uint32_t cnt, double height)
{
	FILE *out = canvas->markup->out;

	fprintf(out, "M%u ", x);
	place_print(out, y);
	fprintf(out, "h%uv", cnt);
	place_print(out, height);
	fprintf(out, "h-%uz", cnt);
}

void outline_close_shape(const struct canvas *canvas)
{
	fputc('Z', canvas->markup->out);
}

void outline_end(const struct canvas *canvas)
{
	fputs("\"", canvas->markup->out);
}

void label_open(const struct canvas *canvas, const char *class, double x, double y,
		enum anchor anchor)
{
	element_open(canvas, "text", class);
	place_attr(canvas, "x", x);
	place_attr(canvas, "y", y);
	if (anchor != ANCHOR_START)
		markup_attr(canvas->markup, "text-anchor",
			    anchor == ANCHOR_MIDDLE ? "middle" : "end");
}

void label_draw(const struct canvas *canvas, const char *class, double x, double y,
		enum anchor anchor, const char *text)
{
	label_open(canvas, class, x, y, anchor);
	markup_text(canvas->markup, text);
	markup_close(canvas->markup);
}

const char *text_format(char text[LABEL_LEN], const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(text, LABEL_LEN, format, args);
	va_end(args);
	return text;
}

/* In em. The widths are those of DejaVu Sans, which is the widest font of the list. */
static double character_width(const char *text, size_t length)
{
	if (!length)
		return 4 * 0.64; /* \ooo */
	if (length == 2)
		return 0.7;
	if (length > 2)
		return 1.05; /* ideographs are as wide as high */
	if (strchr("ijlI.,:;'|![]()/\\ ", *text))
		return 0.4;
	if (strchr("mwMW@%", *text))
		return 1.0;
	if (strchr("ftr-", *text))
		return 0.42;
	if (*text >= 'A' && *text <= 'Z')
		return 0.76;
	return 0.64;
}

/* Bytes of the character at `text`, and its width. */
static size_t next_character(const char *text, double *width)
{
	size_t length = markup_character_length(text);

	*width = character_width(text, length);
	return length ?: 1;
}

double label_width(const char *text, double font_size)
{
	double sum = 0, width;

	for (; *text; text += next_character(text, &width)) {
		next_character(text, &width);
		sum += width;
	}
	return sum * font_size;
}

bool label_fit(const char *text, double font_size, double width, char label[LABEL_LEN])
{
	static const char dots[] = "…";
	double room = width / font_size, used = 0, next;
	size_t length = 0;

	if (label_width(text, font_size) <= width && strlen(text) < LABEL_LEN) {
		strcpy(label, text);
		return true;
	}
	room -= 0.9; /* the dots */
	while (text[length]) {
		size_t bytes = next_character(text + length, &next);

		if (used + next > room || length + bytes + sizeof(dots) > LABEL_LEN)
			break;
		used += next;
		length += bytes;
	}
	while (length && text[length - 1] == ' ')
		length--;
	memcpy(label, text, length);
	strcpy(label + length, dots);
	return length > 0;
}

void label_draw_fitting(const struct canvas *canvas, const char *class, double x, double y,
			enum anchor anchor, double width, const char *text)
{
	char label[LABEL_LEN];

	if (label_fit(text, FONT_SIZE, width, label))
		label_draw(canvas, class, x, y, anchor, label);
}

void tooltip_draw(const struct canvas *canvas, const char *format, ...)
{
	char text[1024];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	markup_element(canvas->markup, "title", NULL, text);
}

void data_count(const struct canvas *canvas, const char *name, unsigned long long value)
{
	fprintf(canvas->markup->out, " data-%s=\"%llu\"", name, value);
}

void data_mean(const struct canvas *canvas, const char *name, double value)
{
	fprintf(canvas->markup->out, " data-%s=\"%.3f\"", name, value);
}

void data_share(const struct canvas *canvas, const char *name, double value)
{
	if (isfinite(value))
		fprintf(canvas->markup->out, " data-%s=\"%.6f\"", name, value);
}

void data_text(const struct canvas *canvas, const char *name, const char *text)
{
	if (text && text[0])
		markup_attr(canvas->markup, TEXT("data-%s", name), text);
}

const char *cost_class(unsigned int cost)
{
	return components[cost < NR_COSTS ? cost : COST_UNKNOWN].class;
}

const char *culprit_class(unsigned int place)
{
	static const char *const classes[CULPRIT_CLASSES + 1] = {"k0", "k1", "k2", "k3",
								 "k4", "k5", "k6", "k7"};

	return classes[place <= CULPRIT_CLASSES ? place : 0];
}

const char *series_class(unsigned int i)
{
	static const char *const classes[SERIES_CLASSES] = {"s1", "s2", "s3", "s4",
							    "s5", "s6", "s7", "s8"};

	return classes[i % SERIES_CLASSES];
}

const char *heat_class(double share)
{
	static const char *const classes[HEAT_CLASSES] = {"h0", "h1", "h2", "h3", "h4",
							  "h5", "h6", "h7", "h8"};

	if (!(share >= 0))
		return "hn";
	return classes[share >= 1 ? HEAT_CLASSES - 1 : (int)(share * HEAT_CLASSES)];
}
