/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Finds chains of messages from process to process. In a chain, each receiver sends the next
 * message without sleeping or receiving anything else before:
 *
 *	A sends | B receives, works, sends | C receives, works, sends | A receives
 *	  |-- hop --|                        |                          |
 *	  |--------------------------- cycle ---------------------------|
 *
 * A receiver that sends to several processes is in several chains. A message back to the sender of
 * the one before is an answer. It is in no chain, and neither is what it answers. Only chains with
 * a target count.
 */
#pragma once

#include "analysis/history/timeline.h"
#include "model/summary.h"

/* A message with both ends, of targets and others. */
struct chain_message {
	uint32_t channel;
	uint32_t transport;
	uint32_t sender_tid, receiver_tid;
	uint32_t sender_pid, receiver_pid; /* 0: not known */
	uint64_t send_ns, recv_ns;
	bool has_target; /* one of its ends is a target */
};

/* Name and process of a thread. */
typedef struct end_summary chains_end_fn(void *ctx, uint32_t tid, uint64_t at_ns);

/* A message counts as the end of its chain if so much later no further one has come. */
#define CHAINS_WAIT_NS      1000000000ULL

#define CHAINS_MESSAGES_MAX 65536 /* that wait so long; then the oldest one waits no longer */
#define CHAINS_THREADS_MAX  16384 /* receivers; then the quietest is forgotten */

struct chains;

struct chains *chains__new(chains_end_fn *end, void *ctx); /* NULL: out of memory */
void chains__free(struct chains *chains);

/* In the order of receives. `sender`: the time line of the sending thread. 0 or -ENOMEM. */
int chains__message(struct chains *chains, const struct chain_message *message,
		    const struct timeline *sender);

/* All messages before `before_ns` have come. 0 or -ENOMEM. */
int chains__settle(struct chains *chains, uint64_t before_ns);

/* Fills in `chain`, `chain_cnt` and `chains_other`. 0 or -ENOMEM. */
int chains__finish(struct chains *chains, struct summary *summary);
