/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Keeps events of many owners (threads, say), those of each owner in the order of time. Events may
 * be added in any order. Keeps only the most recently used owners.
 */
#pragma once

#include "container/deque.h"
#include "container/lru_table.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* How many events of one owner are kept, unless the log says otherwise. */
#define EVENT_LOG_MAX (1u << 20)

struct event_owner {
	uint32_t id;
	uint32_t used;
	char *event; /* in the deque; every event begins with its time: uint64_t */
	struct deque deque;
	UT_hash_handle hh;
};

struct event_log {
	LRU_TABLE(struct event_owner);
	size_t size; /* of an event */
	size_t cnt;  /* of all owners */

	/* These may be set after event_log_init(). */
	size_t owner_max; /* events of one owner, and of all; beyond, the older half of the */
	size_t all_max;   /* owner's is dropped. EVENT_LOG_MAX, and no limit */
	size_t end_at; /* where an event has the time of its end, in the same order */
	bool keeps_last; /* the last event of an owner before the horizon is not forgotten */
};

/* Some events of one owner, in the order of time; borrowed until the next change of the log. */
struct events {
	const void *event;
	size_t cnt;
};

void event_log_init(struct event_log *log, size_t size);
void event_log_clean(struct event_log *log);

/* Copies an event, which begins with its time. 0 or -ENOMEM. */
int event_log_add(struct event_log *log, uint32_t owner, const void *event);

/* What the owner has up to an instant, that instant included. */
struct events event_log_until(struct event_log *log, uint32_t owner, uint64_t until_ns);

/* The owner's events after `from_ns` and up to `until_ns`. */
struct events event_log_within(struct event_log *log, uint32_t owner, uint64_t from_ns,
			       uint64_t until_ns);

/* Forgets the events that ended before `horizon_ns`, and owners without events. */
void event_log_trim(struct event_log *log, uint64_t horizon_ns);
