/* SPDX-License-Identifier: BSD-2-Clause */
/* The observer effect: how many times its untraced latency a traced message has. */
#ifndef IPCTRACE_MODEL_OBSERVER_EFFECT_H
#define IPCTRACE_MODEL_OBSERVER_EFFECT_H

#include "bpf/record.h"

#include <stddef.h>

/* With fewer pairs there is no interval that holds the median in 95 of 100 cases. */
#define OBSERVER_EFFECT_PAIRS_MIN 6
#define OBSERVER_EFFECT_PAIRS_MAX 100

struct observer_effect {
	uint32_t pairs; /* of a traced and an untraced run; 0: not measured */
	double ratio;   /* median of all pairs' */
	double low;     /* its 95 % interval */
	double high;
};

/*
 * `ratio`: of each pair, traced over untraced; it is sorted. Fewer than OBSERVER_EFFECT_PAIRS_MIN
 * or more than OBSERVER_EFFECT_PAIRS_MAX: an effect that is not measured.
 */
struct observer_effect observer_effect_of(double *ratio, size_t cnt);

/* In a recording the same in millionths. */
struct record_effect observer_effect_record(const struct observer_effect *effect);
struct observer_effect observer_effect_recorded(const struct record_effect *record);

#endif
