/* SPDX-License-Identifier: BSD-2-Clause */
/* Writes the sentences of the text report as elements of a page. */
#include "report/html/words.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

/* Whether the text at `at` is the unit "us" behind a number. */
static bool is_microseconds(const char *text, const char *at)
{
	return at >= text + 2 && isdigit((unsigned char)at[-2]) && at[-1] == ' ' &&
	       !strncmp(at, "us", 2) && !isalnum((unsigned char)at[2]) && at[2] != '_';
}

void words_put(struct markup *markup, const char *text)
{
	char *words = malloc(2 * strlen(text) + 1), *to = words;

	if (!words) {
		markup_text(markup, text);
		return;
	}
	for (const char *from = text; *from; from++) {
		if (is_microseconds(text, from))
			to = stpcpy(to, "µ");
		else
			*to++ = *from;
		/* The 's' follows. */
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
