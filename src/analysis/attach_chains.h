/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Passes the messages of an attach to the search for chains (attach/chains/), also those between
 * two peers, which are in no other statistic. A chain of peers alone does not count.
 */
#pragma once

#include "analysis/join/joined.h"
#include "analysis/state.h"

struct chains *attach_chains_new(struct analysis *a); /* borrows it; NULL: out of memory */

/* A message with both ends, in the order of receives. 0 or -ENOMEM. */
int attach_chains_message(struct analysis *a, const struct joined *joined);
