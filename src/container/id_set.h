/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A set of thread or channel ids as bits: of the many that come and go, which were of interest. The
 * kernel has at most 2^22 thread ids at once and counts channels, so an id of the last 4,194,304
 * shares its bit with no other.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* Zero-initialised is empty. Takes no memory until the first id is added, and 512 KiB then. */
struct id_set {
	uint64_t *word;
};

void id_set_clean(struct id_set *set);

/* False: out of memory. */
bool id_set_add(struct id_set *set, uint32_t id);
void id_set_remove(struct id_set *set, uint32_t id);
bool id_set_has(const struct id_set *set, uint32_t id);
