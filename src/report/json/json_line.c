/* SPDX-License-Identifier: BSD-2-Clause */
/* Builds one line of JSON text in memory, value by value. */
#include "report/json/json_line.h"

#include "report/digits.h"
#include "report/json_value.h"

#include <stdlib.h>
#include <string.h>

#define ROOM_LEAST 4096

static bool json_line_grow(struct json_line *line, size_t need)
{
	size_t room = line->room ? line->room : ROOM_LEAST;
	char *text;

	while (room < need)
		room *= 2;
	text = line->failed ? NULL : realloc(line->text, room);
	line->failed |= !text;
	if (!text)
		return false;
	line->text = text;
	line->room = room;
	return true;
}

/* Where `more` bytes, and a comma before them, have room. NULL: no memory. */
static char *room_for(struct json_line *line, size_t more)
{
	size_t need = line->length + more + 1;

	return need <= line->room || json_line_grow(line, need) ? line->text + line->length : NULL;
}

/* Puts a comma if a value precedes. Returns where the next value begins. */
static char *separate(const struct json_line *line, char *at)
{
	char last = line->length ? at[-1] : '{';

	if (last != '{' && last != '[' && last != ':')
		*at++ = ',';
	return at;
}

static char *json_line_copy(char *at, const char *text, size_t length)
{
	memcpy(at, text, length);
	return at + length;
}

static void json_line_put_value(struct json_line *line, const char *text, size_t length)
{
	char *at = room_for(line, length);

	if (at)
		line->length = json_line_copy(separate(line, at), text, length) - line->text;
}

void json_line_open(struct json_line *line, char bracket)
{
	json_line_put_value(line, &bracket, 1);
}

void json_line_close(struct json_line *line, char bracket)
{
	if (room_for(line, 1))
		line->text[line->length++] = bracket;
}

void json_line_key(struct json_line *line, const char *name, const char *more)
{
	size_t length = strlen(name), more_length = strlen(more);
	char *at = room_for(line, length + more_length + 3);

	if (!at)
		return;
	at = separate(line, at);
	*at++ = '"';
	at = json_line_copy(json_line_copy(at, name, length), more, more_length);
	line->length = json_line_copy(at, "\":", 2) - line->text;
}

void json_line_null(struct json_line *line)
{
	json_line_put_value(line, "null", 4);
}

void json_line_integer(struct json_line *line, uint64_t number, bool known)
{
	char digits[DIGITS_MAX], *end = digits + DIGITS_MAX, *begin;

	if (!known) {
		json_line_null(line);
		return;
	}
	begin = digits_before(end, json_value_int(number));
	json_line_put_value(line, begin, end - begin);
}

static bool json_line_is_plain(const char *text)
{
	for (; *text; text++) {
		if (*text < ' ' || *text > '~' || *text == '"' || *text == '\\')
			return false;
	}
	return true;
}

static int json_line_put_part(const char *text, size_t length, void *ctx)
{
	struct json_line *line = ctx;
	char *at = room_for(line, length);

	if (!at)
		return -1;
	line->length = json_line_copy(at, text, length) - line->text;
	return 0;
}

/* Slow, but names that need escapes are rare. */
static void json_line_put_escaped(struct json_line *line, const char *text)
{
	json_t *value = json_value_text(text);

	json_line_put_value(line, "", 0);
	if (!value ||
	    json_value_dump(value, JSON_COMPACT | JSON_ENCODE_ANY, json_line_put_part, line))
		line->failed = true;
	json_decref(value);
}

static void put_quoted(struct json_line *line, const char *text)
{
	size_t length = strlen(text);
	char *at = room_for(line, length + 2);

	if (!at)
		return;
	at = separate(line, at);
	*at++ = '"';
	at = json_line_copy(at, text, length);
	*at++ = '"';
	line->length = at - line->text;
}

void json_line_text(struct json_line *line, const char *text)
{
	if (!text || !text[0])
		json_line_null(line);
	else if (json_line_is_plain(text))
		put_quoted(line, text);
	else
		json_line_put_escaped(line, text);
}

void json_line_flag(struct json_line *line, bool flag, bool known)
{
	if (!known)
		json_line_null(line);
	else if (flag)
		json_line_put_value(line, "true", 4);
	else
		json_line_put_value(line, "false", 5);
}

void json_line_free(struct json_line *line)
{
	free(line->text);
	*line = (struct json_line){0};
}
