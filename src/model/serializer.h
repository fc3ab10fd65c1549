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
struct archive {
	bool reads;
	uint64_t *word;
	size_t cnt;
	size_t room; /* written: owned, archive_free() */
	size_t at;   /* read: the next one */
	int error;   /* -ENOMEM; -EINVAL: these are not the words that were written */
};

/* Any plain value: as many words as it needs, the last one filled up with zeros. */
void archive_value(struct archive *a, void *value, size_t size);
#define ARCHIVE(a, value) archive_value(a, &(value), sizeof(value))

void archive_flag(struct archive *a, bool *flag);

/* A number below `limit`: another one is an error, and 0. */
void archive_below(struct archive *a, uint32_t *number, uint32_t limit);

/* The same of an enum. */
#define ARCHIVE_BELOW(a, value, limit)                                                             \
	do {                                                                                       \
		uint32_t number_ = (value);                                                        \
                                                                                                   \
		archive_below(a, &number_, limit);                                                 \
		(value) = number_;                                                                 \
	} while (0)

/* `size` bytes that end with NUL, or before. */
void archive_text(struct archive *a, char *text, size_t size);
#define ARCHIVE_TEXT(a, text) archive_text(a, text, sizeof(text))

/*
 * How many entries of so many words, at least, follow. Reading, what cannot be there is an error,
 * and the count 0.
 */
void archive_count(struct archive *a, uint32_t *cnt, size_t words);

/* Of archive_count(): the entries, which are allocated, all 0, when reading. `*first` is owned. */
void archive_entries(struct archive *a, void *first, uint32_t *cnt, size_t size, size_t words);

/* What was written. */
void archive_free(struct archive *a);

#endif
