/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Holds what an analysis knows only in attach mode, the tracing of programs that run already: which
 * threads are targets, and which messages form calls and rounds.
 */
#pragma once

#include "analysis/attach/channel_table.h"
#include "analysis/attach/choices.h"
#include "analysis/attach/datagrams.h"
#include "analysis/attach/threads.h"
#include "analysis/attach/calls/call_direction.h"
#include "analysis/history/timeline.h"
#include "analysis/join/join.h"
#include "model/summary.h"

struct call_book;
struct chains;
struct channel_book;
struct connections;
struct held_messages;
struct multi_receive;
struct overlap;
struct round_detector;
struct work_log;

/* The caller may use the parts, which are owned. */
struct attach_state {
	struct threads *threads;
	struct baselines baselines;
	struct channel_table *channels;
	struct channel_book *book;
	struct call_matcher *matcher;
	struct work_log *work;
	struct call_book *calls;
	struct round_detector *rounds;
	struct datagrams *datagrams;
	struct overlap *overlap;
	struct multi_receive *multi_receive;
	struct connections *connections;
	struct chains *chains;      /* attach_messages.c owns this one and the next one */
	struct held_messages *held; /* NULL: the caller wants no messages */
	struct join *join;          /* borrowed */
	struct naming naming;       /* borrowed; its `names` are set by the caller */
	struct asked_ends asked;
	struct choice choice[NR_CHOICES];
	uint64_t began_ns;   /* tracing began; 0: not known */
	uint64_t stop_ns;    /* tracing stopped; 0: not yet */
	call_fn *on_call;    /* each call that is complete */
	void *on_call_ctx;   /* of that */
	uint64_t expired_ns; /* when attach_messages.c last gave up messages */
};

/*
 * Receives whose position is known go to `put`, those whose datagram will never be known to
 * `unknown`. `join`, borrowed, gets the marks of ambiguous positions. `calls` is copied. NULL: out
 * of memory.
 */
struct attach_state *attach_state__new(struct join *join, baselines_put_fn *put,
				       datagrams_unknown_fn *unknown, void *ctx,
				       const struct call_output *calls);
void attach_state__free(struct attach_state *state);

/* Records that only an attach has. 0, -ENOMEM, what `put` returned, or RECORD_IS_NOT_MINE. */
int attach_state__record(struct attach_state *state, const struct record *record);

/* The send leads to another machine: no receive of it will be recorded. */
#define ATTACH_SENT_ELSEWHERE 1

/*
 * Before the join: a SEND, and a RECEIVE that goes to `put` now or later. As
 * attach_state__record(), or ATTACH_SENT_ELSEWHERE.
 */
int attach_state__send(struct attach_state *state, const struct record_send *send);
int attach_state__receive(struct attach_state *state, const struct record_receive *receive,
			  size_t change_cnt);

/*
 * After the join got this end. `line`: the sender's; `awake_ns`: since then the receiver has not
 * slept in its call, as far as is known. `hides_calls`: syscalls are not traced. 0 or -ENOMEM.
 */
int attach_state__sent(struct attach_state *state, const struct record_send *send,
		       const struct timeline *line, bool hides_calls);
int attach_state__received(struct attach_state *state, const struct record_receive *receive,
			   uint64_t awake_ns);

/* A RECEIVE of CHANNEL_UNKNOWN that has a position: its datagram has to be found. */
int attach_state__unseen(struct attach_state *state, const struct record_receive *receive,
			 size_t change_cnt, uint64_t awake_ns);

/*
 * All events before `before_ns` have been recorded, in `lines` too; `is_last`: the last call. 0 or
 * -ENOMEM.
 */
int attach_state__settle(struct attach_state *state, uint64_t before_ns, bool is_last,
			 struct timelines *lines);

/*
 * Messages that were received before this instant can be handed out: it is known what they overlap.
 * All messages wait for this, as they are handed out in the order of their receive.
 */
uint64_t attach_state__known_ns(const struct attach_state *state, uint64_t before_ns);

/* Whether a target is at one end. */
bool attach_state__concerns(const struct attach_state *state, const struct joined *joined);

/* Whether a target that was forgotten is at one end, or has used a channel that was forgotten. */
bool attach_state__forgot(const struct attach_state *state, const struct joined *joined);

/* Whether the thread at this end is a peer: it is no target, or both ends are targets. */
bool attach_state__is_peer(const struct attach_state *state, const struct joined *joined,
			   uint32_t tid, uint64_t at_ns);

/* How both ends of a message were joined. */
enum match attach_state__match(struct attach_state *state, const struct joined *joined);

/*
 * Whether the kernel dropped this datagram, which was not received, in its send call. Counts it for
 * its channel.
 */
bool attach_state__drops(struct attach_state *state, const struct record_send *send);

/*
 * Why a message has only one end. NR_INCOMPLETES: its send came before or after tracing, or was
 * given up. `elsewhere`: its other end is on another machine. To be asked once for each message.
 */
enum incomplete attach_state__reason(struct attach_state *state, const struct joined *joined,
				     bool *elsewhere);

/* Whether this message without a receive is a write to an eventfd that nothing has read so far. */
bool attach_state__is_notification(const struct attach_state *state, const struct joined *joined);

/*
 * For join__let_go(), `ctx` is the state: whether nothing depends on the missing end of this
 * message. No target has used its channel, as far as is known, or the end is on another machine.
 */
bool attach_state__is_needless(void *ctx, const struct joined *joined);

/* This send waited too long for its receive and was counted at `now_ns`. */
void attach_state__gave_up(struct attach_state *state, const struct record_send *send,
			   uint64_t now_ns);

/* A part of a message was received, see call_matcher__part(). 0, -ENOMEM, or what `on_call`
 * returned. */
int attach_state__part(struct attach_state *state, const struct message *message);

/* A message with its breakdown, to be handed out. 0, -ENOMEM, or what `on_message` returned. */
int attach_state__message(struct attach_state *state, const struct message *message);

/* Hands out the rest. Fills in the attach's part of the summary. As above. */
int attach_state__finish(struct attach_state *state, struct summary *summary);
