/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Copies values to whole 64-bit words and back. Reading fails if words are missing, or if a value
 * is out of range.
 */
#include "model/serializer.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define ROOM_LEAST 256

static void serializer_fail(struct serializer *s, int err)
{
	if (!s->error)
		s->error = err;
}

static bool serializer_has_room(struct serializer *s, size_t words)
{
	size_t room = s->room ? s->room : ROOM_LEAST;
	uint64_t *word;

	while (room < s->cnt + words)
		room *= 2;
	if (room == s->room)
		return true;
	word = realloc(s->word, room * sizeof(*word));
	if (!word)
		return false;
	s->word = word;
	s->room = room;
	return true;
}

static void write_value(struct serializer *s, const void *value, size_t size, size_t words)
{
	if (!serializer_has_room(s, words)) {
		serializer_fail(s, -ENOMEM);
		return;
	}
	s->word[s->cnt + words - 1] = 0;
	memcpy(&s->word[s->cnt], value, size);
	s->cnt += words;
}

static void read_value(struct serializer *s, void *value, size_t size, size_t words)
{
	memset(value, 0, size);
	if (!s->error && words > s->cnt - s->at)
		serializer_fail(s, -EINVAL);
	if (s->error)
		return;
	memcpy(value, &s->word[s->at], size);
	s->at += words;
}

void serializer_value(struct serializer *s, void *value, size_t size)
{
	size_t words = (size + 7) / 8;

	if (s->reads)
		read_value(s, value, size, words);
	else if (!s->error)
		write_value(s, value, size, words);
}

void serializer_number(struct serializer *s, void *number, size_t size)
{
	uint64_t word;

	serializer_value(s, number, size);
	for (size_t at = 0; s->reads && at + sizeof(word) <= size; at += sizeof(word)) {
		memcpy(&word, (char *)number + at, sizeof(word));
		if (word <= SERIALIZER_NUMBER_MAX)
			continue;
		serializer_fail(s, -EINVAL);
		memset(number, 0, size);
	}
}

void serializer_real(struct serializer *s, void *number, size_t size)
{
	double value;

	serializer_value(s, number, size);
	memcpy(&value, number, sizeof(value));
	if (!s->reads || (isfinite(value) && value >= 0))
		return;
	serializer_fail(s, -EINVAL);
	memset(number, 0, size);
}

void serializer_flag(struct serializer *s, bool *flag)
{
	uint64_t number = *flag;

	SERIALIZER(s, number);
	*flag = number;
}

void serializer_below(struct serializer *s, uint32_t *number, uint32_t limit)
{
	SERIALIZER(s, *number);
	if (*number < limit)
		return;
	serializer_fail(s, -EINVAL);
	*number = 0;
}

void serializer_text(struct serializer *s, char *text, size_t size)
{
	serializer_value(s, text, size);
	if (s->reads)
		text[size - 1] = '\0';
}

void serializer_count(struct serializer *s, uint32_t *cnt, size_t words)
{
	SERIALIZER(s, *cnt);
	if (!s->reads || *cnt <= (s->cnt - s->at) / words)
		return;
	serializer_fail(s, -EINVAL);
	*cnt = 0;
}

void serializer_entries(struct serializer *s, void *first, uint32_t *cnt, size_t size, size_t words,
			uint32_t most)
{
	void *memory;

	serializer_count(s, cnt, words);
	if (!s->reads)
		return;
	if (*cnt > most) {
		serializer_fail(s, -EINVAL);
		*cnt = 0;
	}
	memory = calloc(*cnt + 1, size);
	if (!memory) {
		serializer_fail(s, -ENOMEM);
		*cnt = 0;
	}
	memcpy(first, &memory, sizeof(memory));
}

bool serializer_ends(const struct serializer *s)
{
	return s->reads && !s->error && s->at == s->cnt;
}

void serializer_expect(struct serializer *s, bool holds)
{
	if (s->reads && !holds)
		serializer_fail(s, -EINVAL);
}

void serializer_free(struct serializer *s)
{
	free(s->word);
}
