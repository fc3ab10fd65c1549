/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Joins sends and receives by channel and position, in whatever order their records come: messages
 * here, the bytes of streams in stream.c. A message is open until it has been handed out.
 */
#ifndef IPCTRACE_ANALYSIS_JOIN_JOIN_H
#define IPCTRACE_ANALYSIS_JOIN_JOIN_H

#include "analysis/join/joined.h"

/* Messages that lack an end; and on streams, receives and arrivals that wait for their sends. */
#define JOIN_PENDING_MAX (1u << 20)

struct join;

struct join *join__new(void); /* NULL: out of memory */
void join__free(struct join *join);

/* 0, -ENOMEM, or -ENOSPC: there are JOIN_PENDING_MAX, this record is dropped. */
int join__send(struct join *join, const struct record_send *send);
int join__receive(struct join *join, const struct record_receive *receive, size_t change_cnt);
int join__arrival(struct join *join, const struct record_arrival *arrival);

/*
 * An end that has been given is not certain to be at its position: the message it belongs to is
 * ambiguous.
 */
void join__doubt_send(struct join *join, uint32_t channel, uint64_t position);
void join__doubt_receive(struct join *join, uint32_t channel, uint64_t position);

/*
 * Of an open message with both ends, but for streams: its send, until anything is changed here
 * (NULL: there is none such); and its receive, which it has no more then (false: there is none).
 */
const struct record_send *join__send_of(const struct join *join, uint32_t channel,
					uint64_t position);
bool join__take_back(struct join *join, uint32_t channel, uint64_t position,
		     struct record_receive *receive, size_t *change_cnt);

/* Calls `fn` with every send whose receive has not come, but for streams: 0, or what it returned.
 */
int join__each_open_send(const struct join *join, join_send_fn *fn, void *ctx);

/*
 * Offers every message that has both ends and was received before `before_ns`, in the order of its
 * receive. 0 or -ENOMEM.
 */
int join__settle(struct join *join, uint64_t before_ns, join_take_fn *take, void *ctx);

/*
 * Gives up messages of which one end is older than `before_ns` and the other has not come. As
 * join__leftover().
 */
void join__expire(struct join *join, uint64_t before_ns, join_take_fn *take, void *ctx);

/*
 * Of messages of which one end is older than `before_ns` and the other has not come, those that
 * `fn` says nobody asks for keep no past any more: join__horizon() passes by them. They stay open.
 */
void join__let_go(struct join *join, uint64_t before_ns, join_needless_fn *fn, void *ctx);

/* Offers every open message, complete or not, in no particular order. */
void join__leftover(struct join *join, join_take_fn *take, void *ctx);

/*
 * Of a stream: how often bytes are missing between two of the sends that have been looked at. 0 for
 * one that has been forgotten.
 */
uint64_t join__gaps(const struct join *join, uint32_t channel);

/*
 * No open message was queued before this, but for those that were let go; 0: cannot be said;
 * UINT64_MAX: none is open.
 */
uint64_t join__horizon(struct join *join);

#endif
