/* SPDX-License-Identifier: BSD-2-Clause */
/* Writes the sentences of the text report as elements of a page. */
#include "report/html/words.h"

#include <ctype.h>
#include <string.h>

#define NO_BREAK_SPACE "&#160;"

/* The unit behind the number that ends at the blank `at`; NULL: none. */
static const char *unit_at(const char *text, const char *at)
{
	static const char *const units[] = {"us", "µs", "ms", "ns", "s", "%", "MB/s"};

	if (at == text || *at != ' ' || !isdigit((unsigned char)at[-1]))
		return NULL;
	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++) {
		size_t length = strlen(units[i]);

		if (!strncmp(at + 1, units[i], length) && !isalnum((unsigned char)at[1 + length]) &&
		    at[1 + length] != '_')
			return units[i];
	}
	return NULL;
}

/* A part of a text, which is not longer than a paragraph. */
static void part_put(struct markup *markup, const char *from, const char *to)
{
	char part[sizeof(((struct paragraph *)NULL)->text)];

	snprintf(part, sizeof(part), "%.*s", (int)(to - from), from);
	markup_text(markup, part);
}

void words_put(struct markup *markup, const char *text)
{
	const char *from = text, *unit;

	for (const char *at = text; *at; at++) {
		unit = unit_at(text, at);
		if (!unit)
			continue;
		part_put(markup, from, at);
		markup_raw(markup, NO_BREAK_SPACE);
		from = at + 1;
		if (!strcmp(unit, "us")) {
			markup_text(markup, "µs");
			from += strlen("us");
		}
	}
	markup_text(markup, from);
}

void words_element(struct markup *markup, const char *element, const char *class,
		   const struct paragraph *words)
{
	if (!words->length)
		return;
	markup_open(markup, element);
	if (class)
		markup_attr(markup, "class", class);
	words_put(markup, words->text);
	markup_close(markup);
}

void words_term(struct markup *markup, const char *term, const char *class,
		const struct paragraph *words)
{
	if (!words->length)
		return;
	markup_element(markup, "dt", NULL, term);
	words_element(markup, "dd", class, words);
}
