/* SPDX-License-Identifier: BSD-2-Clause */
/* Keeps units in order, of which the fastest one makes room for a slower one. */
#include "picture/parts.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

void slow_units_clean(struct slow_units *slow)
{
	for (uint32_t i = 0; i < slow->cnt; i++) {
		free((struct cause *)slow->unit[i].cause);
		free(slow->moments[i].moment);
	}
	slow->cnt = 0;
}

/* Whether `a` is slower than `b`; of equally slow ones, whether it is the earlier one. */
static bool is_slower(const struct unit *a, const struct unit *b)
{
	if (unit_latency_ns(a) != unit_latency_ns(b))
		return unit_latency_ns(a) > unit_latency_ns(b);
	if (a->from_ns != b->from_ns)
		return a->from_ns < b->from_ns;
	return a->channel != b->channel ? a->channel < b->channel : a->position < b->position;
}

int slow_units_add(struct slow_units *slow, const struct unit *unit)
{
	uint32_t at = slow->cnt;
	struct cause *cause;

	while (at && is_slower(unit, &slow->unit[at - 1]))
		at--;
	if (at == PICTURE_SLOWEST_MAX)
		return 0;
	cause = calloc(unit->cause_cnt ?: 1, sizeof(*cause));
	if (!cause)
		return -ENOMEM;
	if (unit->cause_cnt)
		memcpy(cause, unit->cause, unit->cause_cnt * sizeof(*cause));
	if (slow->cnt == PICTURE_SLOWEST_MAX) {
		free((struct cause *)slow->unit[--slow->cnt].cause);
		free(slow->moments[slow->cnt].moment);
	}
	memmove(&slow->unit[at + 1], &slow->unit[at], (slow->cnt - at) * sizeof(*slow->unit));
	memmove(&slow->moments[at + 1], &slow->moments[at],
		(slow->cnt++ - at) * sizeof(*slow->moments));
	slow->unit[at] = *unit;
	slow->unit[at].cause = cause;
	slow->moments[at] = (struct unit_moments){0};
	slow->last = at;
	return 1;
}

int slow_units_set_moments(struct slow_units *slow, const struct moment *moment, uint32_t cnt)
{
	struct unit_moments *moments = &slow->moments[slow->last];

	if (slow->last >= slow->cnt || !cnt)
		return 0;
	free(moments->moment);
	moments->moment = calloc(cnt, sizeof(*moment));
	moments->cnt = moments->moment ? cnt : 0;
	if (!moments->moment)
		return -ENOMEM;
	memcpy(moments->moment, moment, cnt * sizeof(*moment));
	return 0;
}

void slow_units_finish(struct slow_units *slow, struct picture *picture)
{
	memcpy(picture->slowest, slow->unit, slow->cnt * sizeof(*slow->unit));
	memcpy(picture->slowest_moments, slow->moments, slow->cnt * sizeof(*slow->moments));
	picture->slowest_cnt = slow->cnt;
	slow->cnt = 0;
}
