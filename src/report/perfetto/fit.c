/* SPDX-License-Identifier: BSD-2-Clause */
/* Keeps places in the order in which they become free. */
#include "report/perfetto/fit.h"

#include <stdlib.h>
#include <string.h>

#define ROOM_LEAST 8

void fit_free(struct fit *fit)
{
	free(fit->place);
	*fit = (struct fit){0};
}

/* How many places have their end before `at_ns`, or at it. */
static uint32_t places_before(const struct fit *fit, uint64_t at_ns, bool may_touch)
{
	uint32_t low = 0, high = fit->cnt;

	while (low < high) {
		uint32_t middle = low + (high - low) / 2;
		uint64_t last_ns = fit->place[middle].last_ns;

		if (last_ns < at_ns || (may_touch && last_ns == at_ns))
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* Gives place `i` its new end, and the rank that follows from it. */
static void move(struct fit *fit, uint32_t i, uint64_t to_ns)
{
	uint32_t id = fit->place[i].id, rank;

	memmove(fit->place + i, fit->place + i + 1, (fit->cnt - i - 1) * sizeof(*fit->place));
	fit->cnt--;
	rank = places_before(fit, to_ns, true);
	memmove(fit->place + rank + 1, fit->place + rank, (fit->cnt - rank) * sizeof(*fit->place));
	fit->place[rank] = (struct fit_place){.last_ns = to_ns, .id = id};
	fit->cnt++;
}

bool fit_take(struct fit *fit, uint64_t from_ns, uint64_t to_ns, bool may_touch, uint32_t *id)
{
	uint32_t cnt = places_before(fit, from_ns, may_touch);

	if (!cnt)
		return false;
	*id = fit->place[cnt - 1].id;
	move(fit, cnt - 1, to_ns);
	return true;
}

static bool grow(struct fit *fit)
{
	uint32_t room = fit->room ? 2 * fit->room : ROOM_LEAST;
	struct fit_place *place;

	if (fit->cnt < fit->room)
		return true;
	place = reallocarray(fit->place, room, sizeof(*place));
	if (!place)
		return false;
	fit->place = place;
	fit->room = room;
	return true;
}

bool fit_add(struct fit *fit, uint64_t to_ns, uint32_t *id)
{
	if (!grow(fit))
		return false;
	*id = fit->cnt;
	fit->place[fit->cnt++] = (struct fit_place){.id = *id, .last_ns = UINT64_MAX};
	move(fit, fit->cnt - 1, to_ns);
	return true;
}

uint32_t fit_reuse(struct fit *fit, uint64_t to_ns)
{
	uint32_t id = fit->place[fit->cnt - 1].id;

	move(fit, fit->cnt - 1, to_ns);
	return id;
}
