/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Builds a message from its joined send and receive. Breaks the latency of the message down into
 * components. Finds what ran on the CPU while the receiver waited for the CPU.
 */
#pragma once

#include "analysis/breakdown/blame.h"
#include "analysis/breakdown/breakdown.h"
#include "analysis/join/joined.h"
#include "model/message.h"

struct analysis;

/* Working space of one message: too large for the stack. */
struct message_builder {
	struct breakdown breakdown;
	struct blames blames;
};

/* Which message of a run's workload it is; all 0 in an attach. */
struct place {
	uint32_t client; /* 1..N: whose link; 0: not a message of the workload */
	bool to_server;
	uint64_t index; /* in that direction of the link; SEQ_UNKNOWN: not known */
	struct connected_exchange exchange; /* pattern connect */
};

/*
 * Builds and emits a message with both ends; `stamp` is NULL if its pattern has none. A message
 * that cannot be broken down is counted as incomplete. The first error goes to a->error.
 */
void build_message(struct analysis *a, const struct joined *joined, const struct place *place,
		   const struct record_stamp *stamp, enum match match);

/*
 * Fills in the blames of the builder for the run queue segments of the breakdown, and the waits of
 * the unit.
 */
void find_blame(struct analysis *a, const struct breakdown *breakdown, uint32_t sender_tid,
		uint32_t receiver_tid);

/* The thread at one end of a message at that instant. */
struct party party_of(const struct analysis *a, const struct record *head, uint64_t at_ns);
