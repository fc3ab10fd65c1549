/* SPDX-License-Identifier: BSD-2-Clause */
/* Adds up what units waited behind, and which threads slept that could have taken them. */
#pragma once

#include "model/explanation.h"

/* Threads that share something with the receiver. */
struct meanwhile_others {
	uint64_t cnt;
	unsigned __int128 ns;
	struct blame other; /* of most units, by votes */
	uint64_t votes;
};

struct meanwhile {
	uint64_t units;
	uint64_t before;
	uint64_t accepted; /* of units that know it, */
	uint64_t accepting;
	uint64_t waiting; /* units that waited at all */
	unsigned __int128 waited_ns;
	struct meanwhile_others others[NR_SHARES];
};

void meanwhile_add(struct meanwhile *meanwhile, const struct unit *unit);

/* The means. */
struct explain_meanwhile meanwhile_finish(const struct meanwhile *meanwhile);
