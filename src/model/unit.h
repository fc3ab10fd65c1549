/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Defines the unit of an explanation: one latency with its causes. It is that of a message, of a
 * call (round trip), of a round (last latency), or of a connection (from connect() to accept()).
 */
#pragma once

#include "model/call.h"
#include "model/cause.h"
#include "model/turn.h"
#include "model/vain.h"

#include <stdbool.h>
#include <stdint.h>

enum unit_kind { UNIT_MESSAGE, UNIT_CALL, UNIT_ROUND, UNIT_CONNECTION, NR_UNIT_KINDS };

/* What a thread did in a stretch of time, for the story of one unit. */
struct moment {
	uint64_t from_ns;
	uint64_t to_ns;
	uint32_t tid;  /* whose */
	uint32_t cpu;  /* where it ran or waited, or BLAME_CPU_UNKNOWN */
	uint16_t cost; /* a cost: RUNQUEUE, BLOCKED, WAKEUP, ON_CPU, STOPPED or UNKNOWN */
	uint16_t call; /* `blocked`: the syscall slept in, see struct blocked_call */
	uint8_t role;  /* enum cause_role */
	bool from_interrupt;
	struct blame by; /* the culprit of this stretch, as in struct cause */
};

/* How far the moments reach back in front of a unit. */
#define MOMENTS_BEFORE_NS 1000000ULL

/* Attach: which service a call went to, and the calls that were made in it. */
struct unit_service {
	const char *address;           /* of the service; empty: not known. Borrowed */
	uint32_t nested;               /* calls made in the service; 0: none is known */
	uint64_t nested_ns;            /* for so long one of them was open */
	bool are_nested_apart;         /* never two at the same time */
	char callee[SERVICE_NAME_LEN]; /* where most of that time went: "redis on *:6379" */
	uint32_t callee_calls;         /* of `nested` */
};

struct unit {
	enum unit_kind kind;
	uint64_t from_ns; /* CLOCK_MONOTONIC; the latency is the difference */
	uint64_t to_ns;

	/* The message; the last one of the round; the request of the call. */
	uint32_t channel;
	uint32_t transport;                 /* enum transport_id */
	uint64_t position;                  /* in the channel; unique there */
	uint64_t number;                    /* of the call, or of the connection */
	const struct unit_service *service; /* the same, of an attach with identities; else NULL.
					     * Borrowed */
	uint32_t bytes;
	uint32_t receives;
	enum path path;
	struct party sender;   /* UNIT_CALL, UNIT_CONNECTION: the client */
	struct party receiver; /* the same: the server's thread that received the request, or
				* accepted */
	uint32_t sender_pid;   /* their processes; 0: not known */
	uint32_t receiver_pid;
	char sender_process[RECORD_COMM_LEN]; /* and names of these; empty: not known */
	char receiver_process[RECORD_COMM_LEN];
	uint64_t since_ns; /* since the message before it in its channel was sent; 0: not known */
	bool has_migrated; /* the receiver or server was moved to another CPU meanwhile */
	bool is_ambiguous;
	bool from_interrupt; /* the wakeup of the receiver came from an interrupt; */
	struct party waker;  /* else from this thread; tid 0: not known, or there was no wakeup */

	struct unit_vain vain; /* level deep; else none */
	struct unit_turn turn; /* UNIT_CALL: of the request; none without causes */

	/* UNIT_CALL: from its start until its new connection was open; 0: it opened none */
	uint64_t opening_ns;
	uint64_t connect_ns; /* the part of it until the request was sent */

	bool has_round; /* the next three are valid */
	uint64_t round;
	uint32_t client; /* 1..N */
	uint32_t place;  /* 1..N: in the order of arrival in the round */

	/*
	 * Those without a parent add up to the latency. In the order of time of their start; those
	 * that follow another one come after it. Borrowed. None if the caller asked for no causes.
	 */
	const struct cause *cause;
	uint32_t cause_cnt;

	/*
	 * UNIT_MESSAGE: what ran while the receiver waited for a CPU, in the order of time;
	 * together as long as the run queue. Borrowed. None if the caller asked for no moments.
	 */
	const struct moment *wait;
	uint32_t wait_cnt;
};

/* More of one unit are left out. */
#define UNIT_WAITS_MAX 512

/*
 * What a thread did, in the order of time: COMPONENT_RUNQUEUE, COMPONENT_BLOCKED, COST_STOPPED,
 * COST_ON_CPU or COST_UNKNOWN, without culprits. Borrowed.
 */
struct thread_moments {
	struct party thread;
	uint32_t pid; /* of its process; 0: not known */
	char process[RECORD_COMM_LEN];
	uint32_t priority; /* as in struct record_name; that of nice 0, if it is not known */
	const struct moment *moment; /* [cnt] */
	uint32_t cnt;
};

/* Receives moments of a thread, which are borrowed. 0 or -errno. */
typedef int thread_moments_fn(void *ctx, const struct thread_moments *moments);

/* Receives a unit, which is borrowed. 0 or -errno. */
typedef int unit_fn(void *ctx, const struct unit *unit);

extern const char *const unit_kind_names[NR_UNIT_KINDS]; /* message, call, … */

static inline uint64_t unit_latency_ns(const struct unit *unit)
{
	return unit->to_ns - unit->from_ns;
}
