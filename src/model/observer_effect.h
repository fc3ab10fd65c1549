/* SPDX-License-Identifier: BSD-2-Clause */
/* Defines the observer effect: the latency with tracing divided by the latency without tracing. */
#pragma once

#include "bpf/record.h"

#include <stddef.h>

/* With fewer pairs, no interval of ranks contains the median with 95 % confidence. */
#define OBSERVER_EFFECT_PAIRS_MIN 6
#define OBSERVER_EFFECT_PAIRS_MAX 100

struct observer_effect {
	uint32_t pairs; /* each of a traced and an untraced run; 0: not measured */
	double ratio;   /* median of all pairs */
	double low;     /* its 95 % confidence interval */
	double high;
};

/*
 * `ratio` is traced over untraced for each pair; the function sorts it. With fewer than
 * OBSERVER_EFFECT_PAIRS_MIN or more than OBSERVER_EFFECT_PAIRS_MAX pairs the effect is not
 * measured.
 */
struct observer_effect observer_effect_of(double *ratio, size_t cnt);

/* A recording holds the same numbers in millionths. */
struct record_observer_effect observer_effect_record(const struct observer_effect *effect);
struct observer_effect observer_effect_recorded(const struct record_observer_effect *record);
