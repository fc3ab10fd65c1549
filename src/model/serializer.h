/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Results as words, and back. A function that names every member of a struct once, in an order that
 * is the format, does both:
 *
 *	ARCHIVE(a, point->x);
 *	ARCHIVE(a, point->y);
 *
 * Errors stick: after one, nothing is written any more, and what is read is 0.
 */
#ifndef IPCTRACE_MODEL_SERIALIZER_H
#define IPCTRACE_MODEL_SERIALIZER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Zero-initialised, it writes. To read, `reads`, `word` and `cnt` are set; these are borrowed then.
 */
struct serializer {
	bool reads;
	uint64_t *word;
	size_t cnt;
	size_t room; /* written: owned, serializer_free() */
	size_t at;   /* read: the next one */
	int error;   /* -ENOMEM; -EINVAL: these are not the words that were written */
};

/* Any plain value: as many words as it needs, the last one filled up with zeros. */
void serializer_value(struct serializer *a, void *value, size_t size);
#define SERIALIZER(a, value) serializer_value(a, &(value), sizeof(value))

void serializer_flag(struct serializer *a, bool *flag);

/* A number below `limit`: another one is an error, and 0. */
void serializer_below(struct serializer *a, uint32_t *number, uint32_t limit);

/* The same of an enum. */
#define SERIALIZER_BELOW(a, value, limit)                                                          \
	do {                                                                                       \
		uint32_t number_ = (value);                                                        \
                                                                                                   \
		serializer_below(a, &number_, limit);                                              \
		(value) = number_;                                                                 \
	} while (0)

/* `size` bytes that end with NUL, or before. */
void serializer_text(struct serializer *a, char *text, size_t size);
#define SERIALIZER_TEXT(a, text) serializer_text(a, text, sizeof(text))

/*
 * How many entries of so many words, at least, follow. Reading, what cannot be there is an error,
 * and the count 0.
 */
void serializer_count(struct serializer *a, uint32_t *cnt, size_t words);

/* Of serializer_count(): the entries, which are allocated, all 0, when reading. `*first` is owned.
 */
void serializer_entries(struct serializer *a, void *first, uint32_t *cnt, size_t size,
			size_t words);

/* What was written. */
void serializer_free(struct serializer *a);

#endif
