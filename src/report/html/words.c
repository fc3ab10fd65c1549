/* SPDX-License-Identifier: BSD-2-Clause */
/* Writes the sentences of the text report as elements of a page. */
#include "report/html/words.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#define NO_BREAK_SPACE "\302\240"

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

void words_put(struct markup *markup, const char *text)
{
	char *words = malloc(2 * strlen(text) + 1), *to = words;
	const char *unit;

	if (!words) {
		markup_text(markup, text);
		return;
	}
	for (const char *from = text; *from; from++) {
		unit = unit_at(text, from);
		if (!unit) {
			*to++ = *from;
			continue;
		}
		to = stpcpy(stpcpy(to, NO_BREAK_SPACE), strcmp(unit, "us") != 0 ? unit : "µs");
		from += strlen(unit);
	}
	*to = '\0';
	markup_text(markup, words);
	free(words);
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
