/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Joins the sends and receives of byte streams. The bytes of one send are one message. A message
 * is complete when its last byte has been received. Records may arrive in any order.
 *
 *	sends      |   0   |   1   |  2  |      3      |
 *	receives   |     a     |    b    |  c  |   d   |
 *
 * Receive a completes message 0, and contains a part of message 1. Receive b completes messages 1
 * and 2. Receive c contains the first part of message 3, and receive d completes message 3.
 */
#pragma once

#include "analysis/join/joined.h"
#include "container/lru_table.h"

struct streams {
	LRU_TABLE(struct stream);
	struct stream *busy; /* list of those with sends, receives or arrivals */

	/* These may be read. */
	size_t open;     /* messages that are not closed */
	size_t received; /* receives and arrivals with bytes that belong to no closed message */

	/* These may be set: see join__on_forgotten(). */
	join_take_fn *on_forgotten;
	void *ctx;
};

struct streams *streams__new(void); /* NULL: out of memory */
void streams__free(struct streams *streams);

/* 0 or -ENOMEM. */
int streams__send(struct streams *streams, const struct record_send *send);
int streams__receive(struct streams *streams, const struct record_receive *receive,
		     size_t change_cnt);
int streams__arrival(struct streams *streams, const struct record_arrival *arrival);
int streams__retransmit(struct streams *streams, const struct record_retransmit *record);

/* As join__mark_send() and its like. */
void streams__mark_send(struct streams *streams, uint32_t channel, uint64_t position);
void streams__mark_receive(struct streams *streams, uint32_t channel, uint64_t position);

/*
 * Fills in `ready`, of `open` elements, with every message that was received before
 * `before_ns`. Its `owner` goes to streams__close() when it is done with. With `has_parts` also the
 * parts that have not been offered, for which it has `received` further elements. How
 * many.
 */
size_t streams__ready(struct streams *streams, uint64_t before_ns, bool has_parts,
		      struct ready *ready);
struct joined streams_joined(const struct ready *ready); /* the message to offer */
void streams__close(void *owner);

/* Forgets closed messages. Every owner is invalid afterwards. */
void streams__sweep(struct streams *streams);

/*
 * As the functions of these names in join.h. What is left over includes received bytes without a
 * known send. The oldest end of a stream decides whether the stream is let go.
 */
void streams__leftover(struct streams *streams, join_take_fn *take, void *ctx);
void streams__expire(struct streams *streams, uint64_t before_ns, join_take_fn *take, void *ctx);
void streams__let_go(struct streams *streams, uint64_t before_ns, join_needless_fn *fn, void *ctx);
uint64_t streams__gaps(const struct streams *streams, uint32_t channel);
uint64_t streams__horizon(const struct streams *streams);
