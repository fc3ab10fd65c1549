/* SPDX-License-Identifier: BSD-2-Clause */
/* What a join offers, and a fixture with a join in `*state`. */
#pragma once

#include "analysis/join/join.h"

struct offers {
	struct joined joined[16];
	size_t cnt;
	bool refuse; /* none is taken */
};

extern struct offers offers; /* the last ones */

int offers_setup(void **state);
int offers_teardown(void **state);

/* For join__settle() and join__leftover(); `ctx` is a struct offers. */
bool offers_take(void *ctx, const struct joined *message);

/* Puts all that is taken into `offers`, which has so many then. */
void offers_settle(struct join *join, uint64_t before_ns);
void assert_settled(struct join *join, uint64_t before_ns, size_t cnt);
void assert_left(struct join *join, size_t cnt);
