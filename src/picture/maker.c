/* SPDX-License-Identifier: BSD-2-Clause */
/* Passes units to the parts of a picture, and collects their results. */
#include "picture/maker.h"

#include "picture/parts.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

struct picture_maker {
	struct run_info info;
	enum unit_kind kind;
	struct extent extent;
	struct stat latency;
	uint64_t slow_above_ns;

	/* Pass 2. */
	struct heat_map heat;
	struct strips *strips;
	struct bands bands;
	struct curves *curves;
	struct series *series;
	struct slow_units slow;
	struct stat other; /* latency */
	char other_name[sizeof(((struct picture *)0)->against_name)];
};

struct picture_maker *picture__new(const struct run_info *info, enum unit_kind kind)
{
	struct picture_maker *maker = calloc(1, sizeof(*maker));

	if (!maker)
		return NULL;
	maker->info = *info;
	maker->kind = kind;
	return maker;
}

void picture__free(struct picture_maker *maker)
{
	if (!maker)
		return;
	stat_free(&maker->latency);
	stat_free(&maker->other);
	free(maker->heat.bound_ns);
	free(maker->heat.cnt);
	for (int i = 0; i < HEAT_LEVELS; i++)
		free(maker->heat.finer[i]);
	strips__free(maker->strips);
	free(maker->curves);
	free(maker->series);
	slow_units_clean(&maker->slow);
	free(maker);
}

void picture__rank(struct picture_maker *maker, const struct unit *unit)
{
	struct extent *extent = &maker->extent;

	if (!extent->units++ || unit->from_ns < extent->from_ns)
		extent->from_ns = unit->from_ns;
	if (unit->to_ns > extent->to_ns)
		extent->to_ns = unit->to_ns;
	stat_add(&maker->latency, unit_latency_ns(unit));
}

void picture__traced_until(struct picture_maker *maker, uint64_t ns)
{
	if (ns > maker->extent.to_ns)
		maker->extent.to_ns = ns;
}

int picture__choose(struct picture_maker *maker, uint64_t slow_above_ns)
{
	maker->slow_above_ns = slow_above_ns;
	maker->extent.least_ns = maker->latency.min;
	maker->extent.most_ns = maker->latency.max;
	maker->strips = strips__new();
	maker->curves = curves__new(maker->extent.units);
	maker->series = series__new(&maker->info);
	if (!maker->strips || !maker->curves || !maker->series)
		return -ENOMEM;
	bands_begin(&maker->bands, &maker->latency);
	return heat_begin(&maker->heat, &maker->extent, slow_above_ns);
}

int picture__add(struct picture_maker *maker, const struct unit *unit, const uint64_t *component_ns,
		 uint64_t weight)
{
	uint64_t latency_ns = unit_latency_ns(unit);
	int err, is_kept = 0;

	heat_add(&maker->heat, unit);
	curves__add(maker->curves, latency_ns);
	bands_add(&maker->bands, unit, component_ns, weight);
	if (maker->kind == UNIT_CALL && unit->has_round)
		series__add(maker->series, unit->client, unit->round, latency_ns);
	if (weight == 1)
		is_kept = slow_units_add(&maker->slow, unit);
	if (is_kept < 0 || latency_ns <= maker->slow_above_ns)
		return is_kept;
	err = strips__add(maker->strips, &maker->heat, unit);
	return err ?: is_kept;
}

int picture__add_moments(struct picture_maker *maker, const struct moment *moment, uint32_t cnt)
{
	return slow_units_set_moments(&maker->slow, moment, cnt);
}

void picture__add_message(struct picture_maker *maker, const struct message *message)
{
	if (message->has_round)
		series__add(maker->series, message->client, message->round, message->latency_ns);
}

void picture__add_other(struct picture_maker *maker, const struct unit *unit, const char *name)
{
	snprintf(maker->other_name, sizeof(maker->other_name), "%s", name);
	stat_add(&maker->other, unit_latency_ns(unit));
}

/* Its band is not known: its units came before their number was. */
static void fill_in_other(const struct picture_maker *maker, struct picture *picture)
{
	struct curves *none = maker->other.count ? curves__new(0) : NULL;

	if (!none)
		return;
	curves__finish(none, &maker->other, &picture->against);
	free(none);
	snprintf(picture->against_name, sizeof(picture->against_name), "%s", maker->other_name);
}

int picture__finish(struct picture_maker *maker, struct picture *picture)
{
	int err;

	*picture = (struct picture){0};
	/* The heat map and the latencies are handed over. */
	picture->info = maker->info;
	picture->unit = maker->kind;
	picture->units = maker->extent.units;
	picture->slow_above_ns = maker->slow_above_ns;
	picture->heat = maker->heat;
	maker->heat = (struct heat_map){0};
	bands_fill(&maker->bands, picture->band);
	curves__finish(maker->curves, &maker->latency, &picture->curve);
	fill_in_other(maker, picture);
	slow_units_finish(&maker->slow, picture);
	picture->latency = maker->latency;
	maker->latency = (struct stat){0};
	err = strips__finish(maker->strips, picture);
	err = err ?: series__finish(maker->series, picture);
	if (err)
		picture_clean(picture);
	return err;
}
