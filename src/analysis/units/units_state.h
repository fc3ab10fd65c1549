/* SPDX-License-Identifier: BSD-2-Clause */
/* Defines the state of units, which the files that make units share. */
#pragma once

#include "analysis/causes/message_causes.h"
#include "analysis/causes/round_units.h"
#include "analysis/causes/unit_stacks.h"
#include "analysis/causes/unit_store.h"
#include "container/lru_table.h"
#include "analysis/windows.h"
#include "model/unit.h"

/* What is known of a channel. */
struct used_channel {
	uint32_t id; /* channel */
	uint32_t used;
	uint64_t send_ns; /* of its last message; 0: none yet */
	uint32_t reader;  /* the thread that received from it last; 0: none yet */
	UT_hash_handle hh;
};

struct units {
	LRU_TABLE(struct used_channel);
	enum unit_kind kind;
	bool has_causes;
	bool has_identities;        /* else only times are wanted */
	const struct spans *within; /* borrowed: outside of these no causes are needed; or NULL */
	size_t within_near;         /* see spans_meet() */
	bool has_rounds;            /* a run without them numbers its messages in the same way */
	const struct windows *windows; /* borrowed */
	struct unit_stacks stacks;     /* on the way of each unit to the caller */
	struct cutter cutter;
	uint64_t held_ns;           /* so much history is kept at least */
	struct round_units *rounds; /* NULL: of calls, there are none */
	struct unit_store
		*store;   /* UNIT_CALL: the parts of calls that are not complete; else NULL */
	struct unit unit; /* of the message that was built last, ... */
	struct cause_list causes; /* ... and its causes */
	struct cause_list more;   /* working space */

	thread_moments_fn *on_moments; /* NULL: the caller wants none, and the unit has no waits */
	struct moment wait[UNIT_WAITS_MAX];
	uint32_t wait_cnt; /* of the message that was built last */
};

/* `ctx` is a struct units. Hands out a unit, unless it is outside of a window. As a unit_fn. */
int units_put(void *ctx, const struct unit *unit);
