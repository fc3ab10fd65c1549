/* SPDX-License-Identifier: BSD-2-Clause */
/* Keeps the most frequent places (Metwally and others, "space saving", ICDT 2005). */
#include "analysis/attach/calls/work_places.h"

#define SHARE 4

/* Where this one is counted, or the rarest. */
static uint32_t work_places_find(const struct work_places *places, uint32_t place)
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
	uint32_t i = work_places_find(places, place);

	places->place[i] = place;
	places->cnt[i]++;
}

/* A place that takes another one's room takes its count, too: none is lost. */
static uint32_t all(const struct work_places *places)
{
	uint32_t cnt = 0;

	for (uint32_t i = 0; i < WORK_PLACES_KEPT; i++)
		cnt += places->cnt[i];
	return cnt;
}

bool work_places_has(const struct work_places *places, uint32_t place)
{
	uint32_t i = work_places_find(places, place);

	return places->cnt[i] && places->place[i] == place &&
	       places->cnt[i] >= (all(places) + SHARE - 1) / SHARE;
}
