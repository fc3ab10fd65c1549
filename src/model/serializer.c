/* SPDX-License-Identifier: BSD-2-Clause */
#include "model/serializer.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define ROOM_LEAST 256

static void fail(struct serializer *a, int err)
{
	if (!a->error)
		a->error = err;
}

static bool has_room(struct serializer *a, size_t words)
{
	size_t room = a->room ? a->room : ROOM_LEAST;
	uint64_t *word;

	while (room < a->cnt + words)
		room *= 2;
	if (room == a->room)
		return true;
	word = realloc(a->word, room * sizeof(*word));
	if (!word)
		return false;
	a->word = word;
	a->room = room;
	return true;
}

static void write_value(struct serializer *a, const void *value, size_t size, size_t words)
{
	if (!has_room(a, words)) {
		fail(a, -ENOMEM);
		return;
	}
	a->word[a->cnt + words - 1] = 0;
	memcpy(&a->word[a->cnt], value, size);
	a->cnt += words;
}

static void read_value(struct serializer *a, void *value, size_t size, size_t words)
{
	memset(value, 0, size);
	if (!a->error && words > a->cnt - a->at)
		fail(a, -EINVAL);
	if (a->error)
		return;
	memcpy(value, &a->word[a->at], size);
	a->at += words;
}

void serializer_value(struct serializer *a, void *value, size_t size)
{
	size_t words = (size + 7) / 8;

	if (a->reads)
		read_value(a, value, size, words);
	else if (!a->error)
		write_value(a, value, size, words);
}

void serializer_flag(struct serializer *a, bool *flag)
{
	uint64_t number = *flag;

	SERIALIZER(a, number);
	*flag = number;
}

void serializer_below(struct serializer *a, uint32_t *number, uint32_t limit)
{
	SERIALIZER(a, *number);
	if (*number < limit)
		return;
	fail(a, -EINVAL);
	*number = 0;
}

void serializer_text(struct serializer *a, char *text, size_t size)
{
	serializer_value(a, text, size);
	if (a->reads)
		text[size - 1] = '\0';
}

void serializer_count(struct serializer *a, uint32_t *cnt, size_t words)
{
	SERIALIZER(a, *cnt);
	if (!a->reads || *cnt <= (a->cnt - a->at) / words)
		return;
	fail(a, -EINVAL);
	*cnt = 0;
}

void serializer_entries(struct serializer *a, void *first, uint32_t *cnt, size_t size, size_t words)
{
	void *memory;

	serializer_count(a, cnt, words);
	if (!a->reads)
		return;
	memory = calloc(*cnt + 1, size);
	if (!memory) {
		fail(a, -ENOMEM);
		*cnt = 0;
	}
	memcpy(first, &memory, sizeof(memory));
}

void serializer_free(struct serializer *a)
{
	free(a->word);
}
