/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The anatomy of one message: cuts its latency into components by what its receiver was doing. A
 * pure function of the message's instants and the receiver's changes of state.
 */
#ifndef IPCTRACE_ANALYSIS_BREAKDOWN_BREAKDOWN_H
#define IPCTRACE_ANALYSIS_BREAKDOWN_BREAKDOWN_H

#include "analysis/history/timeline.h"
#include "model/message.h"

struct breakdown_input {
	bool has_stamp; /* run mode: stamp_ns and user_ns are valid */
	uint64_t stamp_ns;
	uint64_t send_ns;
	uint64_t queued_ns;
	uint64_t enter_ns; /* the receive call that takes the message was entered */
	uint64_t recv_ns;
	uint64_t user_ns;
	bool looks_first;  /* from enter_ns on it looks by itself, and sleeps if it finds none */
	bool shows_switch; /* the kernel tells where a switch ends */

	/*
	 * No system call was seen: `send` is `queued`, and `recv` when the message was taken. What
	 * the receiver ran is all `receive`, up to `user`; of `enter_ns` only sleeps make use.
	 */
	bool unwatched; /* nobody waited for it, or watched its channel, when it was queued */
	bool hides_calls;
	struct timeline timeline; /* the receiver's */
	uint64_t change_end; /* index of the first change after recv_ns: all before it are known */

	/*
	 * Whether the receiver was, at that instant, in a receive call on this message's socket
	 * that took an earlier message. NULL: in none.
	 */
	bool (*was_receiving)(const void *ctx, uint64_t at_ns);
	const void *ctx;
};

/* A request behind those of a thousand clients sees its server sleep and wake for each. */
#define BREAKDOWN_SEGMENTS_MAX 16384

struct breakdown {
	enum path path;
	uint64_t found_ns;  /* the receiver had been since then what `queued` found it to be */
	bool found_moved;   /* by coming from another CPU */
	bool unseen_switch; /* these two as in struct message */
	bool unseen_wakeup;
	uint64_t latency_ns;
	uint64_t component_ns[NR_COMPONENTS];
	struct segment segment[BREAKDOWN_SEGMENTS_MAX];
	uint32_t segment_cnt;
};

/*
 * 0, or -(1 + reason) if the message has no anatomy (enum incomplete); `anatomy` is then undefined.
 * Never clamps: instants out of order and missing history are reasons.
 */
int breakdown_cut(const struct breakdown_input *in, struct breakdown *anatomy);

#endif
