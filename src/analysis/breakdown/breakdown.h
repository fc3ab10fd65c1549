/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Breaks the latency of one message down into components, most of which are states of the receiver.
 * The result depends only on struct breakdown_input.
 */
#pragma once

#include "analysis/history/timeline.h"
#include "model/message.h"

struct breakdown_input {
	bool has_stamp; /* run mode: stamp_ns and user_ns are valid */
	uint64_t stamp_ns;
	uint64_t send_ns;
	uint64_t queued_ns;
	uint64_t enter_ns; /* the receive call of this message was entered */
	uint64_t recv_ns;
	uint64_t user_ns;
	bool looks_first;  /* from enter_ns on it polls memory, and sleeps if it finds nothing */
	bool shows_switch; /* the kernel shows where a context switch ends */

	bool unwatched; /* no thread waited for this channel, or polled it, at `queued` */

	/*
	 * No syscall was traced: `send` is `queued`, and `recv` is when the kernel handed over the
	 * message. All running time up to `user` is `receive`; only sleeps use `enter_ns`.
	 */
	bool hides_calls;
	/*
	 * Waits for room: the sender sleeps in its send call (CHANGE_ROOM), or the rest of the
	 * message lies in the sender's socket from `full_ns` on (0: it does not). Without
	 * shows_room, the time counts as send path.
	 */
	bool shows_room;
	struct timeline sender;
	uint64_t full_ns;

	struct timeline timeline; /* the receiver's */
	uint64_t change_end; /* index of the first change after recv_ns: earlier ones are here */

	/*
	 * Whether the receiver was, at that instant, in a receive call that received an earlier
	 * message from the same socket. NULL: never.
	 */
	bool (*was_receiving)(const void *ctx, uint64_t at_ns);
	const void *ctx;
};

/* A request queued behind those of 1000 clients sees its server sleep and wake for each one. */
#define BREAKDOWN_SEGMENTS_MAX 16384

struct breakdown {
	enum path path;
	uint64_t found_ns;  /* since when the receiver was in its state at `queued` */
	bool found_moved;   /* that state began with a migration */
	bool unseen_switch; /* these two as in struct message */
	bool unseen_wakeup;
	uint64_t latency_ns;
	uint64_t component_ns[NR_COMPONENTS];
	struct segment segment[BREAKDOWN_SEGMENTS_MAX];
	uint32_t segment_cnt;
};

/*
 * 0, or -(1 + reason) with an enum incomplete; `breakdown` is then undefined. Nothing is clamped:
 * instants out of order and missing changes are reasons.
 */
int breakdown_cut(const struct breakdown_input *in, struct breakdown *breakdown);
