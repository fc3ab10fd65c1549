/* SPDX-License-Identifier: BSD-2-Clause */
/* Finds the band of each unit, and adds its parts to it. */
#include "picture/parts.h"

#include <string.h>

/*
 *	percentile   0        50        90        99      99.9       100
 *	band         |----0----|----1----|----2----|----3----|----4----|
 *	         above_ns  up_to_ns
 */
void bands_begin(struct bands *bands, const struct stat *latency)
{
	uint64_t above_ns = 0;

	for (int i = 0; i < NR_BANDS; i++) {
		uint64_t up_to_ns = i + 1 == NR_BANDS
					    ? latency->max
					    : stat_percentile(latency, band_percent[i + 1]);

		bands->sum[i].above_ns = above_ns;
		bands->sum[i].up_to_ns = up_to_ns;
		above_ns = up_to_ns;
	}
}

/* A latency of 0 belongs to the first band. */
static struct band_sum *band_of(struct bands *bands, uint64_t latency_ns)
{
	int i = 0;

	while (i + 1 < NR_BANDS && latency_ns > bands->sum[i].up_to_ns)
		i++;
	return &bands->sum[i];
}

struct parts {
	uint64_t ns[NR_CAUSE_PARTS][NR_COSTS];
};

/* Returns the sum. Followed causes are part of another one. */
static uint64_t bands_add_causes(struct parts *parts, const struct unit *unit)
{
	uint64_t sum_ns = 0;

	for (uint32_t i = 0; i < unit->cause_cnt; i++) {
		const struct cause *cause = &unit->cause[i];

		if (cause->parent)
			continue;
		parts->ns[cause->part][cause->cost] += cause->by.ns;
		sum_ns += cause->by.ns;
	}
	return sum_ns;
}

void bands_add(struct bands *bands, const struct unit *unit, const uint64_t *component_ns,
	       uint64_t weight)
{
	uint64_t latency_ns = unit_latency_ns(unit);
	struct band_sum *sum = band_of(bands, latency_ns);
	struct parts parts = {0};

	sum->units++;
	if (component_ns)
		memcpy(parts.ns[PART_WHOLE], component_ns, NR_COMPONENTS * sizeof(*component_ns));
	else if (!weight || bands_add_causes(&parts, unit) != latency_ns)
		return;
	if (component_ns)
		weight = 1;
	sum->known++;
	sum->weight += weight;
	sum->latency_ns += (unsigned __int128)latency_ns * weight;
	for (int part = 0; part < NR_CAUSE_PARTS; part++) {
		for (int cost = 0; cost < NR_COSTS; cost++)
			sum->part_ns[part][cost] +=
				(unsigned __int128)parts.ns[part][cost] * weight;
	}
}

static double mean(unsigned __int128 sum, unsigned __int128 weight)
{
	return weight ? (double)((long double)sum / weight) : 0;
}

void bands_fill(const struct bands *bands, struct band band[NR_BANDS])
{
	for (int i = 0; i < NR_BANDS; i++) {
		const struct band_sum *sum = &bands->sum[i];

		band[i] = (struct band){.above_ns = sum->above_ns,
					.up_to_ns = sum->up_to_ns,
					.units = sum->units,
					.known = sum->known,
					.mean_ns = mean(sum->latency_ns, sum->weight)};
		for (int part = 0; part < NR_CAUSE_PARTS; part++) {
			for (int cost = 0; cost < NR_COSTS; cost++)
				band[i].part_ns[part][cost] =
					mean(sum->part_ns[part][cost], sum->weight);
		}
	}
}
