/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Converts structs to 64-bit words and back. For each struct, the same function writes and reads.
 * The function names every member once, and the order of the members is the format:
 *
 *	SERIALIZER(s, point->x);
 *	SERIALIZER(s, point->y);
 *
 * After an error, the serializer writes nothing more, and every value that it reads is 0.
 *
 * A file may have been forged. So a number that is read is small enough for JSON, which has signs,
 * and for a sum of several.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Zero-initialised, it writes. To read, the caller sets `reads`, `word` and `cnt`, and owns `word`.
 */
struct serializer {
	bool reads;
	uint64_t *word;
	size_t cnt;
	size_t room; /* when writing: `word` is owned, see serializer_free() */
	size_t at;   /* when reading: the next word */
	int error;   /* -ENOMEM; -EINVAL: the words are not those that were written */
};

/* Of nanoseconds these are 36 years. */
#define SERIALIZER_NUMBER_MAX (1ULL << 60)

/* Any plain value, in as many words as it needs; the last one is filled up with zeros. */
void serializer_value(struct serializer *s, void *value, size_t size);
#define SERIALIZER_BITS(s, value) serializer_value(s, &(value), sizeof(value))

/*
 * A number, or an array of 64-bit numbers. When reading, one above SERIALIZER_NUMBER_MAX is an
 * error, and becomes 0. So does a floating-point number that is negative, infinite or none.
 */
void serializer_number(struct serializer *s, void *number, size_t size);
void serializer_real(struct serializer *s, void *number, size_t size);
#define SERIALIZER(s, value)                                                                       \
	_Generic((value), double                                                                   \
		 : serializer_real, default                                                        \
		 : serializer_number)(s, &(value), sizeof(value))

void serializer_flag(struct serializer *s, bool *flag);

/* A number below `limit`. A larger one is an error, and becomes 0. */
void serializer_below(struct serializer *s, uint32_t *number, uint32_t limit);

/* The same for an enum. */
#define SERIALIZER_BELOW(s, value, limit)                                                          \
	do {                                                                                       \
		uint32_t number_ = (value);                                                        \
                                                                                                   \
		serializer_below(s, &number_, limit);                                              \
		(value) = number_;                                                                 \
	} while (0)

/* `size` bytes of text; a NUL ends it, at the last byte at the latest. */
void serializer_text(struct serializer *s, char *text, size_t size);
#define SERIALIZER_TEXT(s, text) serializer_text(s, text, sizeof(text))

/*
 * How many entries follow, each of at least `words` words. When reading, a count that does not fit
 * is an error, and becomes 0.
 */
void serializer_count(struct serializer *s, uint32_t *cnt, size_t words);

/*
 * A count as above, of at most `most` entries. When reading, it allocates the entries, all 0; the
 * caller owns `*first`.
 */
void serializer_entries(struct serializer *s, void *first, uint32_t *cnt, size_t size, size_t words,
			uint32_t most);

/* When reading: whether all words are read, so that what newer programs have added is missing. */
bool serializer_ends(const struct serializer *s);

/* When reading, values that contradict each other are an error. */
void serializer_expect(struct serializer *s, bool holds);

/* Frees the words that were written. */
void serializer_free(struct serializer *s);
