/* SPDX-License-Identifier: BSD-2-Clause */
/* Writes the frame of the page. */
#include "report/html/document.h"

#include "report/figure/draw.h"
#include "report/html/assets.h"

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
