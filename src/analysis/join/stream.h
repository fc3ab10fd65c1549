/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Joins sends and receives of byte streams. A message is the bytes of one send; it is received by
 * the receive that takes its last byte:
 *
 *	sends      |   0   |   1   |  2  |      3      |
 *	receives   |     a     |    b    |  c  |   d   |
 *
 * a takes message 0 and a part of 1, b the rest of 1 and all of 2, c and d take 3: its two
 * receives. Records may come in any order.
 */
#ifndef IPCTRACE_ANALYSIS_JOIN_STREAM_H
#define IPCTRACE_ANALYSIS_JOIN_STREAM_H

#include "analysis/join/joined.h"

struct streams;

struct streams *streams__new(void); /* NULL: out of memory */
void streams__free(struct streams *streams);

/* 0 or -ENOMEM. */
int streams__send(struct streams *streams, const struct record_send *send);
int streams__receive(struct streams *streams, const struct record_receive *receive,
		     size_t change_cnt);
int streams__arrival(struct streams *streams, const struct record_arrival *arrival);

/* As join__doubt_send() and its like. */
void streams__doubt_send(struct streams *streams, uint32_t channel, uint64_t position);
void streams__doubt_receive(struct streams *streams, uint32_t channel, uint64_t position);

/* Messages that have not been taken. */
size_t streams__open(const struct streams *streams);

/* Receives, and arrivals, whose bytes do not all belong to messages that have been taken. */
size_t streams__taken(const struct streams *streams);

/*
 * Fills in `ready`, of streams__open() elements, with every message that was received before
 * `before_ns`; its `owner` goes to streams__close() if it is taken. How many.
 */
size_t streams__ready(struct streams *streams, uint64_t before_ns, struct ready *ready);
struct joined streams_joined(const struct ready *ready); /* what is to be offered */
void streams__close(void *owner);

/* Forgets what has been closed. Every owner is invalid afterwards. */
void streams__sweep(struct streams *streams);

/* As join__leftover(): also bytes that were received but that nobody is known to have sent. */
void streams__leftover(struct streams *streams, join_take_fn *take, void *ctx);

/* As join__expire(). */
void streams__expire(struct streams *streams, uint64_t before_ns, join_take_fn *take, void *ctx);

/* As join__let_go(), of the oldest end of a stream for all of it. */
void streams__let_go(struct streams *streams, uint64_t before_ns, join_needless_fn *fn, void *ctx);

/* As join__gaps(). */
uint64_t streams__gaps(const struct streams *streams, uint32_t channel);

/* As join__horizon(). */
uint64_t streams__horizon(const struct streams *streams);

#endif
