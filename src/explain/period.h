/* SPDX-License-Identifier: BSD-2-Clause */
/* Finds out whether events come at regular distances. */
#pragma once

#include <stdint.h>

/* `hits` of `of` distances are a period, or a small multiple of it. Zeros: there is none. */
struct period {
	uint64_t ns;
	uint64_t hits;
	uint64_t of;
};

/*
 * Looks at the distances of `cnt` begins, which it sorts; there must be three at least. A distance
 * hits if it is within 2 % of the period (5 %, but at most 1 ms, of short ones), or of its double,
 * triple or fourfold, for an event may fail to come. Half of all distances hit, and four (or all
 * three). At least a third of these, and two, are the period itself. `tick_ns`: such a period,
 * and shorter ones, are those of the workload, and no finding; 0: none. 0 or -ENOMEM.
 */
int period_find(uint64_t *begin_ns, uint32_t cnt, uint64_t tick_ns, struct period *period);
