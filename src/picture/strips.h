/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Adds up what ran on each CPU instead of slow units, in the columns of the heat map. A wait that
 * is longer than a column counts in all columns that it covers.
 */
#pragma once

#include "model/picture.h"

struct strips;

/* NULL: out of memory. */
struct strips *strips__new(void);
void strips__free(struct strips *strips);

/* Adds the causes of a slow unit. 0 or -ENOMEM. */
int strips__add(struct strips *strips, const struct heat_map *heat, const struct unit *unit);

/* Fills in the culprits and the strips. 0 or -ENOMEM. */
int strips__finish(const struct strips *strips, struct picture *picture);
