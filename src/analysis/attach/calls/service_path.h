/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Finds the threads of a server that worked on a request one after the other, and the request that
 * made a thread send something.
 */
#pragma once

#include "analysis/attach/calls/work_log.h"
#include "analysis/history/timeline.h"
#include "analysis/statistics/service.h"

/* A path through more threads is not followed. */
#define SERVICE_PATH_MAX 32

/* Further helpers are left out. */
#define SERVICE_HELPERS_MAX 8

/*
 * A helper works on the request while a thread of the path waits for it:
 *
 *	thread    request ... hands over      (asleep)      ... answer
 *	helper                     |  ... works ... wakes it |
 */
struct service_path {
	uint32_t cnt; /* 0: it is not known which threads worked on it */
	struct service_part part[SERVICE_PATH_MAX];
	uint32_t helper_cnt;
	struct service_part helper[SERVICE_HELPERS_MAX];
};

/* The begin and the end of a service. */
struct service_ends {
	uint32_t receiver; /* the thread that received the last part of the request, ... */
	uint64_t received_ns;
	uint32_t answerer; /* ... and the one that sent the first part of the answer */
	uint64_t answered_ns;
};

/* The parts of the path follow each other without a gap. Helpers: see service_helpers.h. */
void service_path_find(struct service_path *path, struct work_log *log, struct timelines *lines,
		       const struct service_ends *ends);

/* How a thread came to work on the request until `at_ns`. False: it is not known that it did. */
bool service_path_search(struct service_path *path, struct work_log *log,
			 const struct service_ends *ends, uint32_t tid, uint64_t at_ns);

/*
 * The open request that made a thread send something at `sent_ns`: its last work, after which it
 * has not slept.
 */
struct request_id request_behind(struct work_log *log, struct timelines *lines, uint32_t tid,
				 uint64_t sent_ns);

/*
 * Whether a thread sent something at `sent_ns` because of what it got at `got_ns`, its last work.
 */
bool is_sent_for(struct work_log *log, struct timelines *lines, uint32_t tid, uint64_t got_ns,
		 uint64_t sent_ns);

/*
 * Fills in the helpers of the path: threads that work on a request while one of the path waits for
 * them. A helper was given work because of the request, and wakes the thread that waits.
 */
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
