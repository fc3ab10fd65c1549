/* SPDX-License-Identifier: BSD-2-Clause */
/* One message with its anatomy, and the shares of blame: what the analysis hands to a report. */
#ifndef IPCTRACE_MODEL_MESSAGE_H
#define IPCTRACE_MODEL_MESSAGE_H

#include "bpf/record.h"
#include "model/terms.h"

#include <stdbool.h>

struct party {
	uint32_t tid;
	uint32_t cpu;
	char comm[RECORD_COMM_LEN]; /* empty: not known */
};

/* Nanoseconds that one thread or interrupt took from a runnable receiver. */
struct blame {
	enum blame_class class;
	uint32_t kind; /* enum slice_kind, what `tid` is the number of; or SHARE_ */
	uint32_t tid;
	uint64_t ns;
	uint32_t policy;   /* SCHED_* of a thread */
	uint32_t priority; /* as in struct record_name */
	char comm[RECORD_COMM_LEN];
};

/* For struct segment's cpu. */
#define SEGMENT_CPU_UNKNOWN   UINT16_MAX       /* it moved unseen */
#define SEGMENT_CPU_THROTTLED (UINT16_MAX - 1) /* none: bandwidth control held it back */

/* A stretch of the message's life that belongs to one component. */
struct segment {
	uint64_t from_ns;
	uint64_t to_ns;
	uint16_t component; /* enum component */
	uint16_t cpu;       /* for COMPONENT_RUNQUEUE: the CPU waited for, or SEGMENT_CPU_;
			     * for COMPONENT_BLOCKED: the call slept in, see struct blocked_call */
};

/*
 *	stamp      send        queued                                          recv       user
 *	  |dispatch |send path  | wakeup, runqueue, switch, busy, blocked, receive | return |
 *
 * Where no system call was seen (hides_calls), `send` is not known and stands for `queued`, `recv`
 * is when the message was taken, shortly before; the send path is part of dispatch, busy and return
 * are of receive.
 *
 * Segments are contiguous, in order, not empty, and cover latency_from_ns..latency_to_ns exactly.
 */
struct message {
	uint32_t channel;
	uint32_t transport; /* enum transport_id; 0: not known */
	uint64_t position;
	uint32_t bytes;
	uint32_t receives; /* receive calls that took it */
	uint32_t client;   /* 1..N: whose link; 0: none, an attach */
	bool to_server;    /* it went from the client to the server */
	bool has_round;    /* run mode: client and round are valid */
	bool has_stamp;    /* stamp_ns and user_ns are valid */
	uint64_t round;    /* its number on its way of the link, from 0, without warm-up */
	uint64_t due_ns;   /* when its exchange should have begun; 0: no fixed rate */
	struct party sender;
	struct party receiver;

	uint64_t stamp_ns;
	uint64_t send_ns;
	uint64_t queued_ns;
	uint64_t recv_ns;
	uint64_t user_ns;

	enum path path;
	enum match match;
	bool hides_calls;    /* see above */
	bool shows_switch;   /* false: `switch` is unknown and its time is in `receive` */
	bool unseen_switch;  /* where the switch began is unknown: its time is in `runqueue` */
	bool unseen_wakeup;  /* when it became runnable is unknown: the wait counts as asleep */
	uint64_t latency_ns; /* user - stamp, or recv - send without a stamp */
	uint64_t component_ns[NR_COMPONENTS];

	const struct segment *segment; /* borrowed for the time of the call */
	uint32_t segment_cnt;
	const struct blame *blame; /* borrowed; largest first; adds up to the runqueue component */
	uint32_t blame_cnt;
};

/* Takes a message, which is borrowed. 0 or -errno. */
typedef int message_fn(void *ctx, const struct message *message);

#endif
