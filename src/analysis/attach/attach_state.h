/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Attach: what is known of programs that others have written. Which messages concern a target,
 * which positions of sends and receives belong together, what channels are called, and what of all
 * this are calls.
 */
#ifndef IPCTRACE_ANALYSIS_ATTACH_ATTACH_STATE_H
#define IPCTRACE_ANALYSIS_ATTACH_ATTACH_STATE_H

#include "analysis/attach/channel_table.h"
#include "analysis/attach/datagrams.h"
#include "analysis/history/timeline.h"
#include "analysis/join/join.h"
#include "model/summary.h"

struct attach_state;

/*
 * Receives whose position is known go to `put`, those of which it cannot be told what they took to
 * `unknown`; `join`, borrowed, is told of what is ambiguous. NULL: out of memory.
 */
struct attach_state *attach_state__new(struct join *join, baselines_put_fn *put,
				       datagrams_unknown_fn *unknown, void *ctx);
void attach_state__free(struct attach_state *state);

/* Records: 0, -ENOMEM, or what `put` returned. Others than those of an attach are ignored. */
int attach_state__record(struct attach_state *state, const struct record *record);

/* Of a SEND: it goes to another machine, nobody here will ever take it. */
#define ATTACH_SENT_ELSEWHERE 1

/* An end has been seen: a SEND, and a RECEIVE that goes to `put` now or later. As above. */
int attach_state__send(struct attach_state *state, const struct record_send *send);
int attach_state__receive(struct attach_state *state, const struct record_receive *receive,
			  size_t change_cnt);

/* Before that: a receive of this channel is RECEIVE_LATE. 0 or -ENOMEM. */
int attach_state__late(struct attach_state *state, uint32_t channel);

/*
 * The join has got this end. `line`: its thread's; `awake_ns`: since then the thread has not slept,
 * as far as is known, in its call. `hides_calls`: no system call is seen. 0 or -ENOMEM.
 */
int attach_state__sent(struct attach_state *state, const struct record_send *send,
		       const struct timeline *line, bool hides_calls);
int attach_state__received(struct attach_state *state, const struct record_receive *receive,
			   uint64_t awake_ns);

/* The same for a RECEIVE of CHANNEL_UNKNOWN that has a position, and `change_cnt` changes. */
int attach_state__unseen(struct attach_state *state, const struct record_receive *receive,
			 size_t change_cnt, uint64_t awake_ns);

/*
 * All that happened before `before_ns` has been told of, `lines` too; `is_last`: nobody will ask
 * again. 0 or -ENOMEM.
 */
int attach_state__settle(struct attach_state *state, uint64_t before_ns, bool is_last,
			 struct timelines *lines);

/*
 * Messages that were received before this instant may be handed out then: who else was at it is
 * known. All of them wait for those that others may have been at, as they go out in their order.
 */
uint64_t attach_state__known_ns(const struct attach_state *state, uint64_t before_ns);

/* Whether several threads are at one end of a channel: then it matters who of them is starving. */
bool attach_state__shared(const struct attach_state *state);

/* Whether a target is at one end. */
bool attach_state__concerns(const struct attach_state *state, const struct joined *joined);

/* Whether that cannot be said: a thread at one end has been forgotten, or the channel. */
bool attach_state__forgot(const struct attach_state *state, const struct joined *joined);

/* Whether this thread's end is a target's peer: it is no target, or both ends are. */
bool attach_state__is_peer(const struct attach_state *state, const struct joined *joined,
			   uint32_t tid, uint64_t at_ns);

/* The process of who had this number at that instant; 0: not known. */
uint32_t attach_state__pid(const struct attach_state *state, uint32_t tid, uint64_t at_ns);

/* How both ends of a message were joined. */
enum match attach_state__match(struct attach_state *state, const struct joined *joined);

/*
 * Why a message has only one end. NR_INCOMPLETES: its send was not for us to see, before we came or
 * after we stopped, or it was given up. `elsewhere`: its other end is on another machine. Each
 * message is asked for once.
 */
enum incomplete attach_state__reason(struct attach_state *state, const struct joined *joined,
				     bool *elsewhere);

/*
 * Of a message with one end only: whether nobody asks for its other one, as far as is known. No
 * target has used its channel, or it is on another machine.
 */
bool attach_state__is_needless(const struct attach_state *state, const struct joined *joined);

/*
 * This send has been waiting for its receive for too long, by `now_ns`, and is counted: its receive
 * will have no reason any more.
 */
void attach_state__gave_up(struct attach_state *state, const struct record_send *send,
			   uint64_t now_ns);

/* What has neither end, see channel_table__missing(). */
void attach_state__missing(const struct attach_state *state, channel_missing_fn *fn, void *ctx);

/* A message with its anatomy. 0 or -ENOMEM. */
int attach_state__message(struct attach_state *state, const struct message *message,
			  struct timelines *lines, struct calls_summary *calls);

/* The time lines from here on are needed; UINT64_MAX: none. */
uint64_t attach_state__horizon(const struct attach_state *state);

/* Fills in what a summary has of an attach. 0 or -ENOMEM. */
int attach_state__finish(struct attach_state *state, struct summary *summary);

#endif
