/* SPDX-License-Identifier: BSD-2-Clause */
/* Adds up the calls that services make in turn, to say how often each call makes one. */
#pragma once

#include "model/explanation.h"

/* Of the units of one side. Zero-initialised it is empty. */
struct nested {
	uint64_t units;       /* all */
	uint64_t callers;     /* those that are known to have made calls: */
	uint64_t calls;       /* so many, ... */
	unsigned __int128 ns; /* ... and for so long one of them was open */
	uint64_t overlapping; /* units with two calls open at a time */

	/* The callee of most units, by their votes (Boyer and Moore), and the calls to it since. */
	char callee[SERVICE_NAME_LEN];
	uint64_t votes;
	uint64_t callee_calls;
	uint64_t calls_since;
};

void nested_add(struct nested *nested, const struct unit *unit);

/* Means over all units; `calls` is 0 if there are none. */
struct explain_nested nested_finish(const struct nested *nested);
