/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Converts the statistics of one quantity to 64-bit words and back. Writes only those buckets of
 * the histogram that are in use.
 */
#include "model/kept_summary.h"

#include <errno.h>
#include <stdlib.h>

#define BUCKET_WORDS 1

static uint32_t buckets_in_use(const uint32_t *octave, const uint32_t *carry)
{
	uint32_t cnt = 0;

	for (uint32_t i = 0; octave && i < 1u << STAT_SUB_BITS; i++)
		cnt += octave[i] || (carry && carry[i]);
	return cnt;
}

/* A bucket in one word: 22 upper bits of its count, its number, and 32 lower bits of its count. */
static void write_octave(struct serializer *s, const uint32_t *octave, const uint32_t *carry)
{
	uint32_t cnt = buckets_in_use(octave, carry);

	serializer_count(s, &cnt, BUCKET_WORDS);
	for (uint64_t i = 0; cnt && i < 1u << STAT_SUB_BITS; i++) {
		uint64_t high = carry ? carry[i] : 0;
		uint64_t bucket = high << (32 + STAT_SUB_BITS) | i << 32 | octave[i];

		if (octave[i] || high)
			SERIALIZER_BITS(s, bucket);
	}
}

static uint32_t *new_octave(struct serializer *s)
{
	uint32_t *octave = calloc(1u << STAT_SUB_BITS, sizeof(*octave));

	if (!octave)
		s->error = -ENOMEM;
	return octave;
}

static void read_octave(struct serializer *s, uint32_t **octave, uint32_t **carry)
{
	uint64_t bucket, high;
	uint32_t cnt, i;

	*octave = *carry = NULL;
	serializer_count(s, &cnt, BUCKET_WORDS);
	if (!cnt)
		return;
	*octave = new_octave(s);
	for (; *octave && cnt; cnt--) {
		SERIALIZER_BITS(s, bucket);
		i = bucket >> 32 & ((1u << STAT_SUB_BITS) - 1);
		high = bucket >> (32 + STAT_SUB_BITS);
		(*octave)[i] = bucket;
		if (high && !*carry)
			*carry = new_octave(s);
		if (high && *carry)
			(*carry)[i] = high;
	}
}

void serialize_stat(struct serializer *s, struct stat *stat)
{
	SERIALIZER(s, stat->count);
	SERIALIZER(s, stat->min);
	SERIALIZER(s, stat->max);
	SERIALIZER_BITS(s, stat->sum);
	SERIALIZER_BITS(s, stat->sum_of_squares);
	serializer_flag(s, &stat->squares_overflow);
	SERIALIZER(s, stat->uncounted);
	for (unsigned int i = 0; i < STAT_OCTAVES; i++) {
		if (s->reads)
			read_octave(s, &stat->octave[i], &stat->carry[i]);
		else
			write_octave(s, stat->octave[i], stat->carry[i]);
	}
	serializer_expect(s, stat_is_possible(stat));
}
