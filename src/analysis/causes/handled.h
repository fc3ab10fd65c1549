/* SPDX-License-Identifier: BSD-2-Clause */
/* Finds out how long a thread handles a message that it has received. */
#pragma once

#include "analysis/causes/cutter.h"

/*
 * Whether the thread has not waited for another message from the receive of this one to `at_ns`. If
 * it has changed its state too often to be sure, it counts as having waited.
 */
bool handles_until(struct cutter *cutter, uint32_t tid, const struct thread_event *received,
		   uint64_t at_ns);

/* Adds a message that the thread has received, without its `since_ns`. 0 or -ENOMEM. */
int handled_add(struct cutter *cutter, uint32_t tid, struct thread_event *received);
