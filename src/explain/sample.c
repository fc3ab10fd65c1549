/* SPDX-License-Identifier: BSD-2-Clause */
/* Chooses windows of time at irregular distances. */
#include "explain/sample.h"

/* So many windows count, or fewer if units are long, ... */
#define GROUPS_MAX 256
/* ... but with fewer than these, what goes on in one of them weighs too much. */
#define GROUPS_MIN 64
/* A window is longer than so many units in a row. */
#define UNITS_LONG 4

struct sample sample_of(uint64_t units, uint64_t first_ns, uint64_t last_ns, uint64_t longest_ns)
{
	uint64_t duration_ns = last_ns - first_ns + 1, groups = GROUPS_MAX;
	uint64_t every = units / SAMPLE_UNITS, least_ns;

	if (every < 2 || __builtin_mul_overflow(every * UNITS_LONG, longest_ns, &least_ns))
		return (struct sample){0};
	if (groups > duration_ns / (least_ns + 1))
		groups = duration_ns / (least_ns + 1);
	if (groups < GROUPS_MIN)
		return (struct sample){0};
	return (struct sample){
		.begin_ns = first_ns,
		.window_ns = duration_ns / (groups * every) + 1,
		.every = every,
		.groups = groups,
	};
}

/* The finalizer of SplitMix64 (Steele, Lea and Flood 2014). */
static uint64_t mix(uint64_t number)
{
	number = (number ^ number >> 30) * 0xbf58476d1ce4e5b9ULL;
	number = (number ^ number >> 27) * 0x94d049bb133111ebULL;
	return number ^ number >> 31;
}

/* The number of the window of a group that counts. */
static uint64_t chosen(const struct sample *sample, uint64_t group)
{
	return group * sample->every + mix(group + 1) % sample->every;
}

bool sample_has(const struct sample *sample, uint64_t from_ns)
{
	uint64_t window;

	if (!sample->every)
		return true;
	if (from_ns < sample->begin_ns)
		return false;
	window = (from_ns - sample->begin_ns) / sample->window_ns;
	return window == chosen(sample, window / sample->every);
}

struct span sample_span(const struct sample *sample, uint32_t group, uint64_t longest_ns)
{
	uint64_t from_ns = sample->begin_ns + chosen(sample, group) * sample->window_ns;

	return (struct span){from_ns, from_ns + sample->window_ns - 1 + longest_ns};
}
