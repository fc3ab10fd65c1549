/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Finds what sets slow units apart: values of attributes that are more frequent among them than in
 * the base.
 *
 * Units of one event are not independent: a hog may slow down ten messages of one channel at once.
 * So the test counts clusters. A cluster of ten units, three of which have the value, counts as 0.3
 * (rounded against the finding). The base is treated in the same way, for else a channel whose
 * messages come in bursts would have fewer clusters in one set than in the other one. It is divided
 * at random into lanes with as many units as there are slow ones. Each lane is cut into clusters,
 * as if its units had lasted as long as slow ones:
 *
 *	slow     |=|       |===|             |=|
 *	lane 1       |==|         |=|   |=|
 *	lane 2  |=|     |=|    |==|
 */
#pragma once

#include "explain/ranks.h"
#include "explain/sweep.h"
#include "explain/side.h"
#include "explain/values.h"

/* Lanes of the base; its other units are counted, and not tested. */
#define ATTRIBUTE_LANES_MAX SWEEP_LANES_MAX

struct attributes;

/* As for values__new(). `bounds` is copied. NULL: out of memory. */
struct attributes *attributes__new(enum mode mode, bool by_name, const struct bounds *bounds);
void attributes__free(struct attributes *attributes);

/* 0 or -errno. */
int attributes__add(struct attributes *attributes, enum explain_side side, const struct unit *unit);

/* The values of the unit that was added last. */
const uint32_t *attributes__values(const struct attributes *attributes);

/* The value is found in this episode of slow units; episodes come one after the other. */
void attributes__count_episode(struct attributes *attributes, uint32_t value, uint64_t episode);

/* Fills in the list of attributes, and the number of values that were looked at. 0 or -errno. */
int attributes__finish(struct attributes *attributes, struct explanation *explanation);
