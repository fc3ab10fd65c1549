/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Defines bursts, and orders the events that they are made of. A burst is all messages that one
 * thread sends without sleeping or receiving in between. round_detector.c decides where it begins
 * and ends.
 */
#pragma once

#include "analysis/statistics/periods.h"
#include "container/deque.h"
#include "model/summary.h"

#include <stdbool.h>
#include <stdint.h>
#include <uthash.h>

/*
 * Sends and receives of all threads, which are handed out by time. Records of one CPU arrive in
 * order, but those of different CPUs in any order. Here a thread moves from CPU 0 to CPU 1, and the
 * records of CPU 1 arrive first:
 *
 *	CPU 0   send A  send B                    comes second
 *	CPU 1                   send C  send D    comes first
 */

/* Events of all threads that wait for a watermark. */
#define ORDERED_EVENTS_MAX (1u << 18)

struct ordered_event {
	uint64_t at_ns;  /* start of a send call, or end of a receive call */
	uint64_t end_ns; /* end of the call */
	uint32_t tid;
	bool receives;

	/* Set for sends only. */
	uint32_t channel;
	uint64_t position;
	uint64_t start_ns;  /* when the message begins */
	uint64_t queued_ns; /* at_ns if not known */
};

/* Zero-initialised is empty. */
struct ordered_events {
	struct ordered_event *event;
	struct deque deque; /* of these */
	bool is_mixed;      /* the last ones are out of order */
};

void ordered_events_clean(struct ordered_events *events);

/* 0, -ENOMEM, or -ENOSPC: there are ORDERED_EVENTS_MAX. */
int ordered_events_add(struct ordered_events *events, const struct ordered_event *event);

/* Events before this instant, in order; borrowed until the next change. */
const struct ordered_event *ordered_events_before(struct ordered_events *events, uint64_t before_ns,
						  size_t *cnt);

/* Forgets the first `cnt` in that order. */
void ordered_events_drop(struct ordered_events *events, size_t cnt);

/* A joined message of a burst. */
struct burst_arrival {
	uint32_t channel;
	struct party receiver;
	struct peak peak; /* without its client */
	uint64_t send_ns;
	uint64_t recv_ns;
	bool is_early; /* a later message to its receiver counts instead */
	struct segment
		*segment; /* owned; the first is the time from the burst's start to the send */
	uint32_t segment_cnt;
};

struct message_id {
	uint64_t channel;
	uint64_t position;
};

/* A message that was sent and has not been joined yet. */
struct burst_member {
	struct message_id id;
	bool is_early; /* a later message to its channel counts instead */
	struct burst *burst;
	struct burst_member *next; /* of the same burst */
	UT_hash_handle hh;
};

/* What becomes of a burst of sends. The burst and its messages share it. */
struct round_fate {
	uint32_t refs;
	bool is_decided;
	bool is_round; /* then the rest is valid */
	uint64_t round;
	uint64_t start_ns;
	uint32_t size; /* messages */
};

struct round_fate *round_fate_new(void); /* one reference; NULL: out of memory */
struct round_fate *round_fate_get(struct round_fate *fate);
void round_fate_put(struct round_fate *fate); /* NULL is ignored */

struct burst {
	uint64_t start_ns;
	uint64_t distance_ns;   /* from the start of its sender's round before; 0: not known */
	uint64_t usual_ns;      /* the usual distance; 0: not known */
	bool is_caused;         /* by a message that its sender received just before */
	struct late_start late; /* why it began late, if it did */
	uint32_t sent_cnt;      /* messages */
	uint32_t channel_cnt;   /* that they went to; at last, of different receivers */
	struct sender *sender;  /* NULL: the burst is over */
	bool no_round;          /* it has an answer, or more messages than can be kept apart */
	bool is_uncertain;      /* a send that was lost may belong to it */
	struct burst_member *open;
	struct burst_arrival *arrival;
	uint32_t arrival_cnt;
	struct round_fate *fate;   /* NULL: no message waits for it */
	struct burst *prev, *next; /* oldest first */
};

/* Zero-initialised is empty. */
struct burst_pool {
	struct burst_member *member; /* hash by id */
	struct burst *open;          /* list, oldest first */
	struct burst *spare;         /* by next: to be used again */
	struct burst_member *spare_member;
	uint32_t open_cnt;
	uint32_t sent_cnt; /* messages of all open bursts */
};

void burst_pool_clean(struct burst_pool *pool);

/* A new burst, open. NULL: out of memory. */
struct burst *burst_new(struct burst_pool *pool);

/* It is no round, whatever else comes. */
void burst_refuse(struct burst *burst);

/* Its sender must have left it. */
void burst_free(struct burst_pool *pool, struct burst *burst);

/* Adds a message that was sent. 0 or -ENOMEM. */
int burst_add_member(struct burst_pool *pool, struct burst *burst,
		     const struct ordered_event *send);

/* Takes a joined message out of the members. NULL: it is in no burst. */
struct burst *burst_remove_member(struct burst_pool *pool, const struct message *message,
				  bool *is_early);

/* Keeps a joined message. 0 or -ENOMEM. */
int burst_add_arrival(struct burst *burst, const struct message *message);

/* Drops the message that this channel has got so far. */
void burst_drop_arrival(struct burst *burst, uint32_t channel);

/*
 * All messages are joined: of those to one thread, on several channels, only the last one counts.
 */
void burst_join_receivers(struct burst *burst);

/* All messages are joined: from now on, their latencies and first segments count from the start. */
void burst_count_from_start(struct burst *burst);
