/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Hands out the sends and receives of all threads, sorted by time. Records of one CPU arrive in
 * order, but records of different CPUs arrive in any order. In the drawing, a thread moves from
 * CPU 0 to CPU 1, and the records of CPU 1 arrive first:
 *
 *	CPU 0   send A  send B                    comes second
 *	CPU 1                   send C  send D    comes first
 */
#pragma once

#include "container/deque.h"

#include <stdbool.h>
#include <stdint.h>

/* Events of all threads that wait for a watermark. */
#define ORDERED_EVENTS_MAX (1u << 18)

struct ordered_event {
	uint64_t at_ns;  /* begin of a send call, or end of a receive call */
	uint64_t end_ns; /* end of the call */
	uint32_t tid;
	bool receives;

	/* Set for sends only. */
	uint32_t channel;
	uint64_t position;
	uint64_t start_ns;  /* when the message begins */
	uint64_t queued_ns; /* at_ns if not known */
};

/* Zero-initialised is empty. */
struct ordered_events {
	struct ordered_event *event;
	struct deque deque; /* of these */
	bool is_mixed;      /* the last ones are out of order */
};

void ordered_events_clean(struct ordered_events *events);

/* 0, -ENOMEM, or -ENOSPC: there are ORDERED_EVENTS_MAX. */
int ordered_events_add(struct ordered_events *events, const struct ordered_event *event);

/* Events before this instant, in order; borrowed until the next change. */
const struct ordered_event *ordered_events_before(struct ordered_events *events, uint64_t before_ns,
						  size_t *cnt);

/* Forgets the first `cnt` in that order. */
void ordered_events_drop(struct ordered_events *events, size_t cnt);
