/* SPDX-License-Identifier: BSD-2-Clause */
/* Chooses stretches of time at irregular distances. */
#include "explain/sample.h"

#include <stdlib.h>

/* With fewer stretches, what goes on in one of them weighs too much. */
#define STRETCHES_MIN 64
/* Attributes look at up to 16 others for each slow unit, and need some 256 of them. */
#define SLOW_FOR_EACH 16

void checkpoints_add(struct checkpoints *checkpoints, uint64_t from_ns)
{
	uint64_t number = checkpoints->units++;

	if (!checkpoints->each)
		checkpoints->each = 1;
	if (from_ns > checkpoints->last_ns)
		checkpoints->last_ns = from_ns;
	if (number % checkpoints->each)
		return;
	/* Every other checkpoint goes. */
	if (checkpoints->cnt == CHECKPOINTS_MAX) {
		checkpoints->cnt /= 2;
		checkpoints->each *= 2;
		for (uint32_t i = 0; i < checkpoints->cnt; i++)
			checkpoints->at_ns[i] = checkpoints->at_ns[2 * i];
	}
	if (number % checkpoints->each == 0)
		checkpoints->at_ns[checkpoints->cnt++] = checkpoints->last_ns;
}

/* The finalizer of SplitMix64 (Steele, Lea and Flood 2014). */
static uint64_t sample_mix(uint64_t number)
{
	number = (number ^ number >> 30) * 0xbf58476d1ce4e5b9ULL;
	number = (number ^ number >> 27) * 0x94d049bb133111ebULL;
	return number ^ number >> 31;
}

/* Stretch `i`, the first one from time 0 on, and the last one without an end. */
static struct span stretch(const struct checkpoints *checkpoints, uint64_t i)
{
	return (struct span){
		.from_ns = i ? checkpoints->at_ns[i] : 0,
		.to_ns = i + 1 < checkpoints->cnt ? checkpoints->at_ns[i + 1] - 1 : UINT64_MAX,
	};
}

static uint64_t least(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

struct sample sample_of(const struct checkpoints *checkpoints, uint64_t units, uint64_t slow)
{
	struct sample sample = {.every = least(checkpoints->units / units, slow / SLOW_FOR_EACH)};
	uint64_t groups;

	sample.every = least(sample.every, checkpoints->cnt / STRETCHES_MIN);
	if (sample.every < 2)
		return (struct sample){0};
	groups = checkpoints->cnt / sample.every;
	sample.span = calloc(groups, sizeof(*sample.span));
	if (!sample.span)
		return (struct sample){0};
	for (uint64_t group = 0; group < groups; group++) {
		struct span span = stretch(
			checkpoints, group * sample.every + sample_mix(group + 1) % sample.every);

		/* Units that begin at the same instant make stretches without length. */
		if (span.from_ns <= span.to_ns)
			sample.span[sample.spans.cnt++] = span;
	}
	sample.spans.span = sample.span;
	return sample;
}

bool sample_has(struct sample *sample, uint64_t from_ns)
{
	return !sample->every || spans_meet(&sample->spans, from_ns, from_ns, &sample->near);
}
