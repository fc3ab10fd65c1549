/* SPDX-License-Identifier: BSD-2-Clause */
/* Writes a struct as one line of JSON, value by value. */
#include "report/json/json_line.h"

#include "report/digits.h"
#include "report/message_fields.h"
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

/* Without a comma before it. */
static void json_line_put_byte(struct json_line *line, char byte)
{
	if (room_for(line, 1))
		line->text[line->length++] = byte;
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

static void json_line_on_name(void *out, const char *name)
{
	put_quoted(out, name);
	json_line_put_byte(out, ':');
}

static void json_line_on_null(void *out)
{
	json_line_put_value(out, "null", 4);
}

static void json_line_on_integer(void *out, uint64_t number)
{
	char digits[DIGITS_MAX], *end = digits + DIGITS_MAX, *begin;

	begin = digits_before(end, json_value_int(number));
	json_line_put_value(out, begin, end - begin);
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

static void json_line_on_text(void *out, const char *text)
{
	if (json_line_is_plain(text))
		put_quoted(out, text);
	else
		json_line_put_escaped(out, text);
}

static void json_line_on_flag(void *out, bool flag)
{
	const char *word = flag ? "true" : "false";

	json_line_put_value(out, word, strlen(word));
}

static void json_line_on_words(void *out, const char *const *word, uint32_t cnt)
{
	json_line_put_value(out, "[", 1);
	for (uint32_t i = 0; i < cnt; i++)
		put_quoted(out, word[i]);
	json_line_put_byte(out, ']');
}

static const struct field_writer json_line_writer;

static void json_line_put_object(struct json_line *line, const struct members *table,
				 const struct run_info *info, const void *of)
{
	json_line_put_value(line, "{", 1);
	fields_write(table, info, of, &json_line_writer, line);
	json_line_put_byte(line, '}');
}

static void json_line_on_entries(void *out, const struct members *of, const void *entry,
				 uint32_t cnt)
{
	json_line_put_value(out, "[", 1);
	for (uint32_t i = 0; i < cnt; i++)
		json_line_put_object(out, of, NULL, (const char *)entry + i * of->size);
	json_line_put_byte(out, ']');
}

static const struct field_writer json_line_writer = {
	.name = json_line_on_name,
	.null = json_line_on_null,
	.integer = json_line_on_integer,
	.text = json_line_on_text,
	.flag = json_line_on_flag,
	.words = json_line_on_words,
	.entries = json_line_on_entries,
};

void json_line_put(struct json_line *line, const struct members *table, const struct run_info *info,
		   const void *of)
{
	line->length = 0;
	json_line_put_object(line, table, info, of);
}

void json_line_free(struct json_line *line)
{
	free(line->text);
	*line = (struct json_line){0};
}
