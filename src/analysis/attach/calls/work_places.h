/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Counts where a thread slept that had no request when it was woken. It waits for work in the
 * places where it did so often; now and then it may also wait for a lock then.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* A further one takes the place of the rarest, and its count. */
#define WORK_PLACES_KEPT 4

/* Zero-initialised is empty. */
struct work_places {
	uint32_t place[WORK_PLACES_KEPT]; /* as in FUTEX_WAKEUP, other than 0 */
	uint32_t cnt[WORK_PLACES_KEPT];
};

void work_places_count(struct work_places *places, uint32_t place);

/* Whether at least a quarter of all was counted there. */
bool work_places_has(const struct work_places *places, uint32_t place);
