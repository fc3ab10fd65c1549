/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Numbers the texts of a file, so that each sequence of packets has a text once and then its
 * number.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

enum string_kind { STRING_CATEGORY, STRING_NAME, STRING_NOTE, STRING_TEXT, NR_STRING_KINDS };

/* Further texts have no number. */
#define STRINGS_MAX 4096

/* Which of them a sequence has. */
struct known_strings {
	uint64_t bits[STRINGS_MAX / 64];
};

struct strings;

struct strings *strings__new(void); /* NULL: out of memory */
void strings__free(struct strings *strings);

/* The number of a text from 1 on; 0: it has none. */
uint32_t strings__number(struct strings *strings, enum string_kind kind, const char *text);

/* Whether the sequence gets to know this number now. */
static inline bool string_is_new(struct known_strings *known, uint32_t number)
{
	uint64_t *bits = &known->bits[(number - 1) / 64], bit = 1ULL << (number - 1) % 64;
	bool is_new = !(*bits & bit);

	*bits |= bit;
	return is_new;
}
