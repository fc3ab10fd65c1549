/* SPDX-License-Identifier: BSD-2-Clause */
/* Writes elements, and escapes their text and attributes. */
#include "report/markup.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

/* Longer text of markup_attrf() and markup_textf() is cut. */
#define FORMATTED_LEN 1024

/* Void elements of HTML have no end tag. */
static bool is_void(const char *element)
{
	static const char *const names[] = {"meta", "br", "input", "col", "link", "hr"};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		if (!strcmp(names[i], element))
			return true;
	}
	return false;
}

size_t markup_character_length(const char *string)
{
	const unsigned char *text = (const unsigned char *)string;
	unsigned int first = text[0], code;
	size_t length = first < 0x80 ? 1 : first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
	static const unsigned int least[] = {0, 0, 0x80, 0x800, 0x10000};

	if (first < 0x80)
		return first >= 0x20 && first != 0x7f ? 1 : 0;
	if (first < 0xc2 || first > 0xf4)
		return 0;
	code = first & (0x7fu >> length);
	for (size_t i = 1; i < length; i++) {
		if ((text[i] & 0xc0) != 0x80)
			return 0;
		code = code << 6 | (text[i] & 0x3f);
	}
	if (code < least[length] || (code >= 0xd800 && code < 0xe000) || code > 0x10ffff)
		return 0;
	if (code < 0xa0 || code == 0xad || code == 0x61c || (code >= 0x200b && code <= 0x200f) ||
	    (code >= 0x2028 && code <= 0x202e) || (code >= 0x2060 && code <= 0x206f) ||
	    code == 0xfeff || (code & 0xfffe) == 0xfffe)
		return 0;
	return length;
}

static const char *entity_of(char byte)
{
	switch (byte) {
	case '&':
		return "&amp;";
	case '<':
		return "&lt;";
	case '>':
		return "&gt;";
	case '"':
		return "&quot;";
	case '\'':
		return "&#39;";
	default:
		return NULL;
	}
}

static void markup_put(struct markup *markup, const char *text)
{
	while (*text) {
		const char *entity = entity_of(*text);
		size_t length = markup_character_length(text);

		if (entity)
			fputs(entity, markup->out);
		else if (length)
			fwrite(text, length, 1, markup->out);
		else
			fprintf(markup->out, "\\%03o", (unsigned char)*text);
		text += length ?: 1;
	}
}

static void end_tag(struct markup *markup)
{
	if (markup->is_in_tag)
		fputc('>', markup->out);
	markup->is_in_tag = false;
}

void markup_open(struct markup *markup, const char *element)
{
	end_tag(markup);
	fprintf(markup->out, "<%s", element);
	markup->is_in_tag = true;
	if (markup->depth < MARKUP_DEPTH_MAX)
		markup->element[markup->depth] = element;
	markup->depth++;
	if (!strcmp(element, "svg"))
		markup->is_foreign = true;
}

void markup_attr(struct markup *markup, const char *name, const char *value)
{
	fprintf(markup->out, " %s=\"", name);
	markup_put(markup, value);
	fputs("\"", markup->out);
}

void markup_attrf(struct markup *markup, const char *name, const char *format, ...)
{
	char value[FORMATTED_LEN];
	va_list args;

	va_start(args, format);
	vsnprintf(value, sizeof(value), format, args);
	va_end(args);
	markup_attr(markup, name, value);
}

void markup_text(struct markup *markup, const char *text)
{
	end_tag(markup);
	markup_put(markup, text);
}

void markup_lines(struct markup *markup, const char *text)
{
	char *lines = strdup(text), *rest = lines, *line;

	end_tag(markup);
	while (rest) {
		line = strsep(&rest, "\n");
		markup_put(markup, line);
		if (rest)
			fputc('\n', markup->out);
	}
	free(lines);
}

void markup_textf(struct markup *markup, const char *format, ...)
{
	char text[FORMATTED_LEN];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	markup_text(markup, text);
}

void markup_close(struct markup *markup)
{
	const char *element = markup->element[--markup->depth];

	if (markup->is_in_tag && (markup->is_foreign || is_void(element))) {
		fputs(markup->is_foreign ? "/>" : ">", markup->out);
		markup->is_in_tag = false;
	} else {
		end_tag(markup);
		fprintf(markup->out, "</%s>", element);
	}
	if (!strcmp(element, "svg"))
		markup->is_foreign = false;
}

void markup_element(struct markup *markup, const char *element, const char *class, const char *text)
{
	markup_open(markup, element);
	if (class)
		markup_attr(markup, "class", class);
	markup_text(markup, text);
	markup_close(markup);
}

void markup_raw(struct markup *markup, const char *text)
{
	end_tag(markup);
	fputs(text, markup->out);
}

void markup_end_part(struct markup *markup)
{
	end_tag(markup);
	fputc('\0', markup->out);
}
