/* SPDX-License-Identifier: BSD-2-Clause */
/* Keeps the most frequent places (Metwally and others, "space saving", ICDT 2005). */
#include "analysis/attach/calls/work_places.h"

#define SHARE 4

/* Where this one is counted, or the rarest. */
static uint32_t find(const struct work_places *places, uint32_t place)
{
	uint32_t rarest = 0;

	for (uint32_t i = 0; i < WORK_PLACES_KEPT; i++) {
		if (places->place[i] == place)
			return i;
		if (places->cnt[i] < places->cnt[rarest])
			rarest = i;
	}
	return rarest;
}

void work_places_count(struct work_places *places, uint32_t place)
{
	uint32_t i = find(places, place);

	places->place[i] = place;
	places->cnt[i]++;
	places->all++;
}

bool work_places_has(const struct work_places *places, uint32_t place)
{
	uint32_t i = find(places, place);

	return places->all && places->place[i] == place &&
	       places->cnt[i] >= (places->all + SHARE - 1) / SHARE;
}
