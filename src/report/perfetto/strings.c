/* SPDX-License-Identifier: BSD-2-Clause */
/* Keeps texts in a hash table. */
#include "report/perfetto/strings.h"

#include <stdlib.h>
#include <string.h>
#include <uthash.h>

struct string {
	UT_hash_handle hh;
	uint32_t number;
	char key[]; /* the kind, as a letter, and the text */
};

struct strings {
	struct string *first;
	uint32_t cnt;
};

/* Longer texts are rare, and have no number. */
#define KEY_LEN 256

struct strings *strings__new(void)
{
	return calloc(1, sizeof(struct strings));
}

void strings__free(struct strings *strings)
{
	struct string *string, *next;

	if (!strings)
		return;
	HASH_ITER (hh, strings->first, string, next) {
		HASH_DEL(strings->first, string);
		free(string);
	}
	free(strings);
}

static uint32_t strings_add(struct strings *strings, const char *key, size_t length)
{
	struct string *string;

	if (strings->cnt == STRINGS_MAX)
		return 0;
	string = calloc(1, sizeof(*string) + length);
	if (!string)
		return 0;
	memcpy(string->key, key, length);
	string->number = ++strings->cnt;
	HASH_ADD(hh, strings->first, key, length, string);
	return string->number;
}

uint32_t strings__number(struct strings *strings, enum string_kind kind, const char *text)
{
	size_t length = strlen(text) + 1;
	struct string *string;
	char key[KEY_LEN];

	if (length >= KEY_LEN)
		return 0;
	key[0] = (char)('a' + kind);
	memcpy(key + 1, text, length);
	HASH_FIND(hh, strings->first, key, length, string);
	return string ? string->number : strings_add(strings, key, length);
}
