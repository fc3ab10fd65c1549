/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Attach: rounds, found among the sends of one thread. A burst is what a target's thread sends to
 * different channels without sleeping, and without taking anything, in between:
 *
 *	tick | send A  send B  send C | sleep ... tick | send A ...
 *
 * It is a round if it went to two channels at least and nothing of it was an answer. The first send
 * stands for the tick. Of several messages to one channel, one after the other, the last one
 *counts; when a channel gets something again that others have got something after, it may be the
 *next round of a thread that never sleeps, or more of the same: then there is none.
 */
#ifndef IPCTRACE_CORE_BURST_H
#define IPCTRACE_CORE_BURST_H

#include "core/summary.h"
#include "core/timeline.h"

/* Bursts that lack a message, and the messages of all these; then the oldest is forgotten. */
#define BURSTS_OPEN_MAX     65536
#define BURSTS_MESSAGES_MAX (1u << 18)

#define BURST_MESSAGES_MAX  256  /* of one burst; one of more is no round */
#define BURST_SENDERS_MAX   8192 /* then the burst of who was quiet longest ends */
#define BURST_LISTENERS_MAX                                                                        \
	256 /* channels that take part in rounds; the last one is all others                       \
	     */

struct bursts;

struct bursts *bursts__new(void); /* NULL: out of memory */
void bursts__free(struct bursts *bursts);

/* A target's thread has sent; `line` is its own. 0 or -ENOMEM. */
int bursts__send(struct bursts *bursts, const struct record_send *send,
		 const struct timeline *line);

/* A thread has taken something: what it sends next may be due to that. */
void bursts__receive(struct bursts *bursts, uint32_t tid);

/* A message with its anatomy; it may have been none of a burst. 0 or -ENOMEM. */
int bursts__message(struct bursts *bursts, const struct message *message, bool is_answer);

/* Fills in the summary's rounds, peaks and clients: who was sent to. 0 or -ENOMEM. */
int bursts__finish(struct bursts *bursts, struct summary *summary);

#endif
