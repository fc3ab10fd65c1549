/* SPDX-License-Identifier: BSD-2-Clause */
/* Keeps a bit for each id, in memory of constant size. */
#include "container/id_set.h"

#include <stdlib.h>

#define IDS       (1u << 22)
#define WORD_BITS 64

static uint64_t *word_of(const struct id_set *set, uint32_t id)
{
	return &set->word[id % IDS / WORD_BITS];
}

static uint64_t bit_of(uint32_t id)
{
	return 1ULL << (id % WORD_BITS);
}

void id_set_clean(struct id_set *set)
{
	free(set->word);
	set->word = NULL;
}

bool id_set_add(struct id_set *set, uint32_t id)
{
	if (!set->word)
		set->word = calloc(IDS / WORD_BITS, sizeof(*set->word));
	if (!set->word)
		return false;
	*word_of(set, id) |= bit_of(id);
	return true;
}

void id_set_remove(struct id_set *set, uint32_t id)
{
	if (set->word)
		*word_of(set, id) &= ~bit_of(id);
}

bool id_set_has(const struct id_set *set, uint32_t id)
{
	return set->word && *word_of(set, id) & bit_of(id);
}
