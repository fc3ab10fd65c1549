/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Writes the frame of the page, and sentences as its elements. The Makefile makes string literals
 * of its style sheet and its script.
 */
#include "report/html/page.h"

#include <ctype.h>
#include <stdarg.h>
#include <string.h>

static const char page_style[] =
#include "report/html/page.css.inc"
	;

static const char page_script[] =
#include "report/html/page.js.inc"
	;

/* No source but the page itself. Its style sheet and script stand in the page. */
#define POLICY                                                                                     \
	"default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src data:"

/* Without one, browsers ask the server for it. */
#define ICON                                                                                       \
	"data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 16 16'%3E"      \
	"%3Cpath d='M1 4h5v8H1z' fill='%232f6fae'/%3E%3Cpath d='M6 4h9v8H6z' fill='%23f5a53d'/%3E" \
	"%3C/svg%3E"

static void meta(struct markup *markup, const char *name, const char *content)
{
	markup_open(markup, "meta");
	markup_attr(markup, "name", name);
	markup_attr(markup, "content", content);
	markup_close(markup);
}

static void head(struct markup *markup, const char *title)
{
	markup_open(markup, "head");
	markup_open(markup, "meta");
	markup_attr(markup, "charset", "utf-8");
	markup_close(markup);
	markup_open(markup, "meta");
	markup_attr(markup, "http-equiv", "Content-Security-Policy");
	markup_attr(markup, "content", POLICY);
	markup_close(markup);
	meta(markup, "viewport", "width=device-width, initial-scale=1");
	meta(markup, "color-scheme", "light dark");
	markup_element(markup, "title", NULL, title);
	markup_open(markup, "link");
	markup_attr(markup, "rel", "icon");
	markup_attr(markup, "href", ICON);
	markup_close(markup);
	markup_open(markup, "style");
	markup_raw(markup, figure_style);
	markup_raw(markup, page_style);
	markup_close(markup);
	markup_close(markup);
}

void document_begin(struct markup *markup, const char *title)
{
	markup_raw(markup, "<!DOCTYPE html>\n");
	markup_open(markup, "html");
	markup_attr(markup, "lang", "en");
	head(markup, title);
	markup_open(markup, "body");
	markup_open(markup, "a");
	markup_attr(markup, "class", "skip");
	markup_attr(markup, "href", "#main");
	markup_text(markup, "Skip to the results");
	markup_close(markup);
}

void document_end(struct markup *markup)
{
	markup_open(markup, "script");
	markup_raw(markup, page_script);
	markup_close(markup);
	markup_close(markup);
	markup_close(markup);
	markup_raw(markup, "\n");
}

void link_put(struct markup *markup, const char *words, const char *format, ...)
{
	char id[128];
	va_list args;

	va_start(args, format);
	vsnprintf(id, sizeof(id), format, args);
	va_end(args);
	markup_open(markup, "a");
	markup_attrf(markup, "href", "#%s", id);
	markup_text(markup, words);
	markup_close(markup);
}

#define NO_BREAK_SPACE "&#160;"

/* The unit behind the number that ends at the blank `at`; NULL: none. */
static const char *document_unit_at(const char *text, const char *at)
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
	char part[sizeof(((struct paragraph *)NULL)->text)];
	const char *from = text, *unit;

	for (const char *at = text; *at; at++) {
		unit = document_unit_at(text, at);
		if (!unit)
			continue;
		snprintf(part, sizeof(part), "%.*s", (int)(at - from), from);
		markup_text(markup, part);
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
