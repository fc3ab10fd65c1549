/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Finds rounds among the sends of a target, which is a thread that the user asked to trace. A
 * burst is all messages that the target sends without sleeping or receiving in between:
 *
 *	tick | send A  send B  send C | sleep ... tick | send A ...
 *	     |<------- burst -------->|                |<- burst
 *
 * A burst is a round if the burst goes to at least two channels that different threads receive
 * from, and if none of its messages answers a request. Several channels to one thread are one
 * client: the last message that it receives counts. The first send of a round counts as the tick,
 * which begins the round. Two cases are special:
 *
 * - If several messages in a row go to one channel, only the last message counts.
 * - If the target sends to the first channel again after other channels, the next round begins. If
 *   the target sends again to any other channel of the burst, the burst is no round.
 */
#pragma once

#include "analysis/attach/rounds/burst.h"
#include "analysis/attach/threads.h"
#include "analysis/history/timeline.h"

/* Bursts that wait for messages, and all their messages; then the oldest burst is forgotten. */
#define ROUND_DETECTOR_OPEN_MAX     65536
#define ROUND_DETECTOR_MESSAGES_MAX (1u << 18)

#define DETECTED_ROUND_MESSAGES_MAX 256  /* a longer burst is no round */
#define DETECTED_ROUND_SENDERS_MAX  8192 /* then the quietest is forgotten, and its burst ends */

struct round_detector;

/*
 * `threads`, borrowed, know the targets. `blame`, borrowed, knows what ran instead of a late
 * sender; it may be NULL. NULL: out of memory.
 */
struct round_detector *round_detector__new(const struct threads *threads,
					   struct service_blame *blame);
void round_detector__free(struct round_detector *detector);

/* A send or receive of any thread, in any order. 0 or -ENOMEM. */
int round_detector__add(struct round_detector *detector, const struct ordered_event *event);

/* All events before `before_ns` have been added, to `lines` too. 0 or -ENOMEM. */
int round_detector__settle(struct round_detector *detector, uint64_t before_ns,
			   struct timelines *lines);

/*
 * A message with both ends, whose send has been settled; not all are in a burst. `*fate` is a new
 * reference; NULL: the message belongs to no round. `fate` may be NULL. 0 or -ENOMEM.
 */
int round_detector__message(struct round_detector *detector, const struct message *message,
			    bool is_answer, struct round_fate **fate);

/* The number of the receiver of this channel in rounds; 0: it has none yet. */
uint32_t round_detector__client(const struct round_detector *detector, uint32_t channel);

/* Fills in the summary's rounds, peaks and clients. 0 or -ENOMEM. */
int round_detector__finish(struct round_detector *detector, struct summary *summary);
