/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Joins the send and the receive of each message. The key is the channel (one direction of a
 * socket, pipe or queue) and the position (the number of the message in the channel). stream.c
 * joins byte streams, whose positions are byte offsets. Records may arrive in any order. The
 * functions offer messages to the caller. Messages that the caller has not yet accepted are called
 * pending.
 */
#pragma once

#include "analysis/join/joined.h"

/* Pending messages; and on streams also receives and arrivals that wait for their sends. */
#define JOIN_PENDING_MAX (1u << 20)

struct join;

struct join *join__new(void); /* NULL: out of memory */
void join__free(struct join *join);

/*
 * 0, -ENOMEM, or -ENOSPC: there are JOIN_PENDING_MAX, this record is dropped. A send that has no
 * position in its channel (POSITION_NONE; not of a stream) is joined to no receive.
 */
int join__send(struct join *join, const struct record_send *send);
int join__receive(struct join *join, const struct record_receive *receive, size_t change_cnt);
int join__arrival(struct join *join, const struct record_arrival *arrival);
int join__retransmit(struct join *join, const struct record_retransmit *record);

/* The end at this position may belong to another one: its message is ambiguous. */
void join__mark_send(struct join *join, uint32_t channel, uint64_t position);
void join__mark_receive(struct join *join, uint32_t channel, uint64_t position);

/*
 * Not for streams: the message of a pending send without a receive never became visible. Returns
 * the tid of its sender; 0: there is no such send.
 */
uint32_t join__drop(struct join *join, uint32_t channel, uint64_t position);

/*
 * Not for streams: the send of a pending message with both ends (NULL: there is none), borrowed
 * until the next change; and its receive, which is removed from it (false: there is none).
 */
const struct record_send *join__send_of(const struct join *join, uint32_t channel,
					uint64_t position);
bool join__take_back(struct join *join, uint32_t channel, uint64_t position,
		     struct record_receive *receive, size_t *change_cnt);

/* Not for streams: calls `fn` for every send without a receive. 0, or what it returned. */
int join__each_pending_send(const struct join *join, join_send_fn *fn, void *ctx);

/*
 * Offers every message that has both ends and was received before `before_ns`, in the order of its
 * receive. 0 or -ENOMEM.
 */
int join__settle(struct join *join, uint64_t before_ns, join_take_fn *take, void *ctx);

/*
 * From now on join__settle() also offers the parts of messages of streams: each receive that got
 * bytes of a message, and not the last one. Receives and messages come in the order of time, if the
 * send was recorded by then.
 */
void join__on_part(struct join *join, join_part_fn *fn, void *ctx);

/*
 * Offers messages with one end that is older than `before_ns` and without the other. As
 * join__leftover().
 */
void join__expire(struct join *join, uint64_t before_ns, join_take_fn *take, void *ctx);

/*
 * Asks `fn` about messages with one end that is older than `before_ns` and without the other: for
 * those that are needless no history is kept (join__horizon()). They stay open. Arrivals older than
 * that are dropped where no send is known.
 */
void join__let_go(struct join *join, uint64_t before_ns, join_needless_fn *fn, void *ctx);

/*
 * Offers every pending message of a stream that is forgotten because there are too many, complete
 * or not. What it returns does not matter. Without this call they are dropped.
 */
void join__on_forgotten(struct join *join, join_take_fn *take, void *ctx);

/* Offers every pending message, complete or not, in no particular order. */
void join__leftover(struct join *join, join_take_fn *take, void *ctx);

/* The places of a stream where bytes are missing between two sends; 0 if it was forgotten. */
uint64_t join__gaps(const struct join *join, uint32_t channel);

/*
 * Pending messages, except those that were let go, were queued at or after this instant; 0: not
 * known; UINT64_MAX: none is pending.
 */
uint64_t join__horizon(struct join *join);
