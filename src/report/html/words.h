/* SPDX-License-Identifier: BSD-2-Clause */
/* Declares functions that write the sentences of the text report as elements of a page. */
#pragma once

#include "report/markup.h"
#include "report/words/paragraph.h"

/* The text; "12.5 us" is "12.5 µs" on a page, and a number keeps together with its unit. */
void words_put(struct markup *markup, const char *text);

/* An element with these words. Silent if there are none. `class` may be NULL. */
void words_element(struct markup *markup, const char *element, const char *class,
		   const struct paragraph *words);

/* A term of a <dl> and what is said about it. Silent if there are no words. */
void words_term(struct markup *markup, const char *term, const char *class,
		const struct paragraph *words);
