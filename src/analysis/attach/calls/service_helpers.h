/* SPDX-License-Identifier: BSD-2-Clause */
/* Finds the threads that work on a request while a thread of its path waits for them. */
#pragma once

#include "analysis/attach/calls/service_path.h"

/* Fills in the helpers of the path. */
void service_helpers_find(struct service_path *path, struct work_log *log,
			  const struct service_ends *ends);

/*
 * Puts helpers into the path, in the place of a sleep of a thread that has nothing to do itself
 * until they are done. It sleeps where it also waits for work when it has no request; elsewhere it
 * waits for a lock, or for one certain result:
 *
 *	thread    request ... wakes the helper | (asleep)              | ... answer
 *	helper      (asleep)               |   ... works ... wakes it
 *	path      thread                       | helper                | thread
 *
 * The parts still follow each other without a gap.
 */
void service_helpers_put(struct service_path *path, struct work_log *log, struct timelines *lines,
			 const struct service_ends *ends);
