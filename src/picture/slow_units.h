/* SPDX-License-Identifier: BSD-2-Clause */
/* Keeps the slowest units in full. */
#pragma once

#include "model/picture.h"

/* Zero-initialised is empty. */
struct slow_units {
	struct unit unit[PICTURE_SLOWEST_MAX]; /* a heap: the fastest one is the first */
	uint32_t cnt;
};

void slow_units_clean(struct slow_units *slow);

/* Copies the unit if it is among the slowest so far. 0 or -ENOMEM. */
int slow_units_add(struct slow_units *slow, const struct unit *unit);

/* Hands the units over, the slowest one first. */
void slow_units_finish(struct slow_units *slow, struct picture *picture);
