/* SPDX-License-Identifier: BSD-2-Clause */
/* Reads HTML and SVG as far as it is needed to find what is wrong with it. */
#include "support/markup_check.h"

#include "support/build.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NAME_MAX_LEN 32
#define DEPTH_MAX    64

struct document {
	const char *text; /* all of it */
	const char *at;
	char open[DEPTH_MAX][NAME_MAX_LEN];
	int depth;
};

static void read_name(struct document *document, char name[NAME_MAX_LEN])
{
	size_t length = strcspn(document->at, " />=\n");

	assert_in_range(length, 1, NAME_MAX_LEN - 1);
	memcpy(name, document->at, length);
	name[length] = '\0';
	document->at += length;
}

/* "&" begins an entity of ours, or it is not escaped. */
static void check_entity(const char *at)
{
	static const char *const entities[] = {"&amp;",  "&lt;",  "&gt;",
					       "&quot;", "&#39;", "&#160;"};
	bool is_entity = *at != '&';

	for (size_t i = 0; i < ARRAY_SIZE(entities); i++)
		is_entity |= !strncmp(at, entities[i], strlen(entities[i]));
	if (!is_entity)
		fail_msg("not escaped: %.40s", at);
}

/* name="value"; a name alone is none of ours. */
static void read_attribute(struct document *document)
{
	char name[NAME_MAX_LEN];

	read_name(document, name);
	if (document->at[0] != '=' || document->at[1] != '"')
		fail_msg("attribute %s has no quotes: %.40s", name, document->at);
	document->at += 2;
	while (*document->at != '"') {
		if (!*document->at || strchr("<>\n'", *document->at))
			fail_msg("value of %s: %.60s", name, document->at);
		check_entity(document->at);
		document->at++;
	}
	document->at++;
}

static bool is_void(const char *name)
{
	return !strcmp(name, "meta") || !strcmp(name, "link") || !strcmp(name, "br");
}

/* The contents are not markup. */
static void skip_raw(struct document *document, const char *name)
{
	char end[NAME_MAX_LEN + 4];

	if (strcmp(name, "style") && strcmp(name, "script"))
		return;
	snprintf(end, sizeof(end), "</%s>", name);
	document->at = strstr(document->at, end);
	assert_non_null(document->at);
}

static void read_begin(struct document *document)
{
	char name[NAME_MAX_LEN];
	bool is_empty;

	document->at++;
	read_name(document, name);
	while (*document->at == ' ') {
		document->at++;
		read_attribute(document);
	}
	is_empty = *document->at == '/';
	document->at += is_empty;
	if (*document->at++ != '>')
		fail_msg("element %s does not end: %.40s", name, document->at - 1);
	if (is_empty || is_void(name))
		return;
	assert_in_range(document->depth, 0, DEPTH_MAX - 1);
	strcpy(document->open[document->depth++], name);
	skip_raw(document, name);
}

static void read_end(struct document *document)
{
	char name[NAME_MAX_LEN];

	document->at += 2;
	read_name(document, name);
	assert_int_equal(*document->at++, '>');
	assert_in_range(document->depth, 1, DEPTH_MAX);
	assert_string_equal(document->open[--document->depth], name);
}

static void read_text(struct document *document)
{
	for (; *document->at && *document->at != '<'; document->at++) {
		unsigned char byte = (unsigned char)*document->at;

		if (byte == '>' || byte == '"' || (byte < 0x20 && byte != '\n') || byte == 0x7f)
			fail_msg("text has byte %u: %.40s", byte, document->at);
		check_entity(document->at);
	}
}

static bool has_id(const char *text, const char *id, size_t length, size_t *cnt)
{
	*cnt = 0;
	for (const char *at = text; (at = strstr(at, " id=\"")); at += 5) {
		if (!strncmp(at + 5, id, length) && at[5 + length] == '"')
			(*cnt)++;
	}
	return *cnt;
}

void assert_ids(const char *text)
{
	static const char *const references[] = {"href=\"#", "url(#"};
	size_t cnt;

	for (const char *at = text; (at = strstr(at, " id=\"")); at += 5) {
		has_id(text, at + 5, strcspn(at + 5, "\""), &cnt);
		if (cnt != 1)
			fail_msg("id is there %zu times: %.40s", cnt, at);
	}
	for (size_t i = 0; i < ARRAY_SIZE(references); i++) {
		size_t length = strlen(references[i]);

		for (const char *at = text; (at = strstr(at, references[i])); at += length) {
			if (!has_id(text, at + length, strcspn(at + length, "\")"), &cnt))
				fail_msg("nothing has this id: %.40s", at);
		}
	}
}

void assert_well_formed(const char *text)
{
	struct document document = {.text = text, .at = text};

	if (!strncmp(document.at, "<!DOCTYPE html>\n", 16))
		document.at += 16;
	while (*document.at) {
		if (*document.at != '<')
			read_text(&document);
		else if (document.at[1] == '/')
			read_end(&document);
		else
			read_begin(&document);
	}
	assert_int_equal(document.depth, 0);
}

size_t count_of(const char *text, const char *part)
{
	size_t cnt = 0;

	for (const char *at = text; (at = strstr(at, part)); at += strlen(part))
		cnt++;
	return cnt;
}

uint64_t sum_of_attribute(const char *text, const char *name)
{
	char part[64];
	uint64_t sum = 0;

	snprintf(part, sizeof(part), " %s=\"", name);
	for (const char *at = text; (at = strstr(at, part));) {
		at += strlen(part);
		assert_true(isdigit((unsigned char)*at));
		sum += strtoull(at, NULL, 10);
	}
	return sum;
}

char *cut_out(const char *text, const char *begin, const char *end)
{
	const char *from = strstr(text, begin), *to = from ? strstr(from, end) : NULL;

	if (!to)
		fail_msg("no '%s' up to '%s' in %.2000s", begin, end, text);
	return drop_after(strndup(from, (size_t)(to - from)), free);
}
