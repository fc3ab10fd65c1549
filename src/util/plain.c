/* SPDX-License-Identifier: BSD-2-Clause */
/* Splits text into characters of the user's locale, and escapes what is unsafe. */
#include "util/plain.h"

#include <limits.h>
#include <locale.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <wchar.h>

/*
 * Longer than any line: a line is written at once and does not mix with those of other processes.
 */
#define CHUNK_SIZE 8192

/* One character, or one byte that belongs to none. */
struct glyph {
	size_t length; /* in bytes; 0: more bytes are needed */
	int columns;   /* of the plain form */
	bool is_plain;
};

struct door {
	FILE *out;
	char rest[MB_LEN_MAX]; /* the beginning of a character */
	size_t rest_length;
	char chunk[CHUNK_SIZE];
	size_t chunk_length;
};

static struct glyph escaped(size_t length)
{
	return (struct glyph){.length = length, .columns = (int)(PLAIN_MAX * length)};
}

/* `length` is at least 1. */
static struct glyph glyph_or_beginning(const char *text, size_t length)
{
	mbstate_t state = {0};
	wchar_t character;
	size_t size;
	int columns;

	if (*text >= ' ' && *text <= '~')
		return (struct glyph){.length = 1, .columns = 1, .is_plain = true};
	size = mbrtowc(&character, text, length, &state);
	if (size == (size_t)-2)
		return escaped(0);
	if (!size || size == (size_t)-1)
		return escaped(1);
	columns = wcwidth(character);
	if (columns <= 0)
		return escaped(size);
	return (struct glyph){.length = size, .columns = columns, .is_plain = true};
}

/* At the end of the text, an incomplete character is none. */
static struct glyph glyph_at(const char *text, size_t length)
{
	struct glyph glyph = glyph_or_beginning(text, length);

	return glyph.length ? glyph : escaped(1);
}

/* Returns the length of the plain form. */
static size_t glyph_form(const struct glyph *glyph, const char *text,
			 char form[PLAIN_MAX * MB_LEN_MAX + 1])
{
	if (glyph->is_plain) {
		memcpy(form, text, glyph->length);
		return glyph->length;
	}
	for (size_t i = 0; i < glyph->length; i++)
		sprintf(form + PLAIN_MAX * i, "\\%03o", (unsigned char)text[i]);
	return PLAIN_MAX * glyph->length;
}

void plain_text(const char *text, char *plain, size_t size)
{
	size_t left = strlen(text), at = 0;

	while (left) {
		struct glyph glyph = glyph_at(text, left);
		char form[PLAIN_MAX * MB_LEN_MAX + 1];
		size_t length = glyph_form(&glyph, text, form);

		if (at + length >= size)
			break;
		memcpy(plain + at, form, length);
		at += length;
		text += glyph.length;
		left -= glyph.length;
	}
	plain[at] = '\0';
}

void plain_put(const char *text, size_t length, FILE *out)
{
	while (length) {
		struct glyph glyph = glyph_at(text, length);
		char form[PLAIN_MAX * MB_LEN_MAX + 1];

		fwrite(form, glyph_form(&glyph, text, form), 1, out);
		text += glyph.length;
		length -= glyph.length;
	}
}

int plain_columns(const char *text)
{
	size_t left = strlen(text);
	int columns = 0;

	while (left) {
		struct glyph glyph = glyph_at(text, left);

		columns += glyph.columns;
		text += glyph.length;
		left -= glyph.length;
	}
	return columns;
}

size_t plain_fit(const char *text, int columns)
{
	size_t length = strlen(text), at = 0;

	while (at < length) {
		struct glyph glyph = glyph_at(text + at, length - at);

		columns -= glyph.columns;
		if (columns < 0)
			break;
		at += glyph.length;
	}
	return at;
}

static bool door_hand_on(struct door *door)
{
	size_t length = door->chunk_length;

	door->chunk_length = 0;
	return !length || fwrite(door->chunk, length, 1, door->out) == 1;
}

static bool door_put(struct door *door, const struct glyph *glyph)
{
	char form[PLAIN_MAX * MB_LEN_MAX + 1];
	bool is_layout = *door->rest == '\n' || *door->rest == '\t';
	size_t length = is_layout ? 1 : glyph_form(glyph, door->rest, form);
	bool is_fine = door->chunk_length + length <= CHUNK_SIZE || door_hand_on(door);

	memcpy(door->chunk + door->chunk_length, is_layout ? door->rest : form, length);
	door->chunk_length += length;
	door->rest_length -= glyph->length;
	memmove(door->rest, door->rest + glyph->length, door->rest_length);
	return is_fine;
}

/* Passes on all complete characters. */
static bool door_add(struct door *door, char byte)
{
	bool is_fine = true;

	door->rest[door->rest_length++] = byte;
	while (is_fine && door->rest_length) {
		struct glyph glyph = glyph_or_beginning(door->rest, door->rest_length);

		if (!glyph.length && door->rest_length < MB_LEN_MAX)
			break;
		if (!glyph.length)
			glyph = escaped(1);
		is_fine = door_put(door, &glyph);
	}
	return is_fine;
}

/* For fopencookie(): 0 is an error. */
static ssize_t door_write(void *cookie, const char *text, size_t size)
{
	struct door *door = cookie;
	bool is_fine = true;

	for (size_t i = 0; is_fine && i < size; i++)
		is_fine = door_add(door, text[i]);
	return is_fine && door_hand_on(door) && !fflush(door->out) ? (ssize_t)size : 0;
}

static int door_close(void *cookie)
{
	struct door *door = cookie;
	bool is_fine = true;

	while (is_fine && door->rest_length) {
		const struct glyph glyph = escaped(1);

		is_fine = door_put(door, &glyph);
	}
	is_fine = is_fine && door_hand_on(door) && !fflush(door->out);
	free(door);
	return is_fine ? 0 : EOF;
}

static FILE *open_door(struct door *door, FILE *out)
{
	door->out = out;
	return fopencookie(door, "w",
			   (cookie_io_functions_t){.write = door_write, .close = door_close});
}

FILE *plain_open(FILE *out)
{
	struct door *door = calloc(1, sizeof(*door));
	FILE *stream = door ? open_door(door, out) : NULL;

	if (!stream)
		free(door);
	return stream;
}

void plain_set_up(void)
{
	/* Lives as long as the program, because stderr is never closed. */
	static struct door door;
	FILE *stream;

	setlocale(LC_CTYPE, "");
	stream = open_door(&door, stderr);
	/* Without memory the program does not get far, and log.c escapes its lines itself. */
	if (!stream)
		return;
	setvbuf(stream, NULL, _IONBF, 0);
	stderr = stream;
}
