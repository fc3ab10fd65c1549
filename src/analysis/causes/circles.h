/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Finds calls in a circle. Two threads that each wait for the other one go on only when one of them
 * gives up:
 *
 *	thread 1    asks 2 |        asleep, for its answer          | goes on
 *	thread 2           asks 1 | asleep, until its own timeout | answers
 */
#pragma once

#include "analysis/causes/cutter.h"

struct change;

/* Whether the thread waits for messages from this change on. */
bool waits_for_messages(struct cutter *cutter, uint32_t tid, const struct change *change);

/*
 * Whether the thread sleeps in the piece for an answer of a thread that waits for this one, and
 * gives up at the end. `*circle`: the piece, with that thread and the reason.
 */
bool circles_close(struct cutter *cutter, uint32_t tid, const struct piece *piece,
		   struct piece *circle);
