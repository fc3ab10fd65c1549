/* SPDX-License-Identifier: BSD-2-Clause */
/* Collects stretches of time. Those that overlap become one. */
#pragma once

#include "model/spans.h"

/* Zero-initialised is empty; span_set_free() follows. */
struct span_set {
	struct span *span; /* in the order of time, without overlaps */
	size_t cnt;
	size_t room;
	uint64_t gap_ns; /* those with a shorter gap become one, too */
};

void span_set_free(struct span_set *set);

/*
 * Adds a span that ends at the last one's end or later. There are never more than `max` spans: then
 * gaps are filled, the shortest ones first. False: out of memory.
 */
bool span_set_append(struct span_set *set, struct span span, size_t max);

/* Adds a span. False: out of memory. */
bool span_set_insert(struct span_set *set, struct span span);

/* The first part of [from_ns, to_ns] that is in no span. False: there is none. */
bool span_set_next_gap(const struct span_set *set, uint64_t from_ns, uint64_t to_ns,
		       struct span *part);
