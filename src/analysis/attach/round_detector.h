/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Attach: rounds, found among the sends of one thread. A burst is what a target's thread sends to
 * different channels without sleeping, and without taking anything, in between:
 *
 *	tick | send A  send B  send C | sleep ... tick | send A ...
 *
 * It is a round if it went to two channels at least and nothing of it was an answer. The first send
 * stands for the tick. Of several messages to one channel, one after the other, the last one
 * counts. When the first channel has its turn again, that is the next round; when another has, it
 * may be more of the same: then there is none.
 */
#ifndef IPCTRACE_ANALYSIS_ATTACH_ROUND_DETECTOR_H
#define IPCTRACE_ANALYSIS_ATTACH_ROUND_DETECTOR_H

#include "analysis/attach/ordered_events.h"
#include "analysis/attach/threads.h"
#include "analysis/history/timeline.h"
#include "model/summary.h"

/* Bursts that lack a message, and the messages of all these; then the oldest is forgotten. */
#define ROUND_DETECTOR_OPEN_MAX     65536
#define ROUND_DETECTOR_MESSAGES_MAX (1u << 18)

#define DETECTED_ROUND_MESSAGES_MAX 256  /* of one burst; one of more is no round */
#define DETECTED_ROUND_SENDERS_MAX  8192 /* then the burst of who was quiet longest ends */

struct round_detector;

/* `threads`, borrowed, tell who is a target. NULL: out of memory. */
struct round_detector *round_detector__new(const struct threads *threads);
void round_detector__free(struct round_detector *bursts);

/* A thread has sent or taken something, told of in whatever order. 0 or -ENOMEM. */
int round_detector__add(struct round_detector *bursts, const struct ordered_event *act);

/* All that happened before `before_ns` has been told of, `lines` too. 0 or -ENOMEM. */
int round_detector__settle(struct round_detector *bursts, uint64_t before_ns,
			   struct timelines *lines);

/*
 * A message with its anatomy, of which the send has been settled; it may have been none of a burst.
 * 0 or -ENOMEM.
 */
int round_detector__message(struct round_detector *bursts, const struct message *message,
			    bool is_answer);

/* Fills in the summary's rounds, peaks and clients: who was sent to. 0 or -ENOMEM. */
int round_detector__finish(struct round_detector *bursts, struct summary *summary);

#endif
