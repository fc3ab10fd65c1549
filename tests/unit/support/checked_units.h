/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Hears the units of an analysis, and holds each against what must be true of all: its causes add
 * up to its latency, those of a component to the component, and what follows a cause to no more
 * than that.
 */
#pragma once

#include "support/build.h"

struct checked_units {
	enum unit_kind kind;
	struct message message; /* the last one; what it borrows is gone */
	bool has_message;
	uint64_t units;
	uint64_t causes;
	uint64_t followed;
	uint64_t ns[NR_COSTS]; /* without those that follow */
	uint64_t role_ns[NR_CAUSE_ROLES];
	uint64_t hash; /* of all units with their causes, in any order */
	uint64_t messages;
	uint64_t moments;
	struct analysis *analysis;
};

/* Fails if a unit of the tape is wrong. */
struct checked_units check_units(const struct run_info *info, const struct tape *tape,
				 enum unit_kind kind);

/* The same, record by record. */
struct analysis *check_units_begin(struct checked_units *units, const struct run_info *info,
				   enum unit_kind kind);
void check_units_end(struct checked_units *units, struct analysis *analysis);
