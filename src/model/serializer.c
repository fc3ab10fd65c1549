/* SPDX-License-Identifier: BSD-2-Clause */
#include "model/serializer.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define ROOM_LEAST 256

static void fail(struct archive *a, int err)
{
	if (!a->error)
		a->error = err;
}

static bool has_room(struct archive *a, size_t words)
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

static void write_value(struct archive *a, const void *value, size_t size, size_t words)
{
	if (!has_room(a, words)) {
		fail(a, -ENOMEM);
		return;
	}
	a->word[a->cnt + words - 1] = 0;
	memcpy(&a->word[a->cnt], value, size);
	a->cnt += words;
}

static void read_value(struct archive *a, void *value, size_t size, size_t words)
{
	memset(value, 0, size);
	if (!a->error && words > a->cnt - a->at)
		fail(a, -EINVAL);
	if (a->error)
		return;
	memcpy(value, &a->word[a->at], size);
	a->at += words;
}

void archive_value(struct archive *a, void *value, size_t size)
{
	size_t words = (size + 7) / 8;

	if (a->reads)
		read_value(a, value, size, words);
	else if (!a->error)
		write_value(a, value, size, words);
}

void archive_flag(struct archive *a, bool *flag)
{
	uint64_t number = *flag;

	ARCHIVE(a, number);
	*flag = number;
}

void archive_below(struct archive *a, uint32_t *number, uint32_t limit)
{
	ARCHIVE(a, *number);
	if (*number < limit)
		return;
	fail(a, -EINVAL);
	*number = 0;
}

void archive_text(struct archive *a, char *text, size_t size)
{
	archive_value(a, text, size);
	if (a->reads)
		text[size - 1] = '\0';
}

void archive_count(struct archive *a, uint32_t *cnt, size_t words)
{
	ARCHIVE(a, *cnt);
	if (!a->reads || *cnt <= (a->cnt - a->at) / words)
		return;
	fail(a, -EINVAL);
	*cnt = 0;
}

void archive_entries(struct archive *a, void *first, uint32_t *cnt, size_t size, size_t words)
{
	void *memory;

	archive_count(a, cnt, words);
	if (!a->reads)
		return;
	memory = calloc(*cnt + 1, size);
	if (!memory) {
		fail(a, -ENOMEM);
		*cnt = 0;
	}
	memcpy(first, &memory, sizeof(memory));
}

void archive_free(struct archive *a)
{
	free(a->word);
}
