/* SPDX-License-Identifier: BSD-2-Clause */
/* Adds up the calls that services make in turn, to say how often each call makes one. */
#pragma once

#include "model/explanation.h"

/* Of the units of one side. Zero-initialised it is empty. */
struct nested {
	uint64_t units; /* all, and those that are known to have made calls: */
	uint64_t callers;
	uint64_t calls;       /* to the callee of most of their time, ... */
	unsigned __int128 ns; /* ..., which was open for so long */
	uint64_t overlapping; /* units with two calls open at a time */
	uint64_t most_votes;  /* how sure the name is that of most units (Boyer and Moore) */
	char callee[SERVICE_NAME_LEN];
};

void nested_add(struct nested *nested, const struct unit *unit);

/* Means over all units; `calls` is 0 if there are none, or most of them went elsewhere. */
struct explain_nested nested_finish(const struct nested *nested);
