/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Defines a joined message, which has the records of its send and its receive. Also defines the
 * callback types of join.h and stream.h.
 */
#pragma once

#include "bpf/record.h"

#include <stdbool.h>
#include <stddef.h>

/* `seq` of struct joined: records were lost, so the number of messages before it is unknown. */
#define SEQ_UNKNOWN UINT64_MAX

struct joined {
	bool has_send;
	bool has_receive;
	struct record_send send; /* queued_ns 0: when it became visible was not recorded */
	uint64_t full_ns;        /* from then on the receiver had no room; 0: see the sender */
	uint64_t returned_ns;    /* a stream: the send call had returned by then; 0: not known */
	uint64_t again_ns;       /* a stream: TCP sent data again for it; 0: it did not */
	struct record_receive receive; /* on a stream, the one that takes the last byte; of a part
					* that is offered, see join__on_part(), its own */
	size_t change_cnt;             /* of `receive` */
	uint64_t seq;                  /* the message's number in its channel, from 0 */
	uint32_t receives;             /* receive calls that got a part of it */
	bool is_ambiguous; /* other threads used this end at the same time: the order is uncertain
			    */
};

/* A message that can be handed out; only the files of the join use this. */
struct ready {
	uint64_t exit_ns; /* sort key, first part */
	uint32_t channel; /* second part */
	uint64_t position;
	void *owner;

	/* Streams only, else 0. */
	const struct received *received; /* the receive of the last byte */
	uint64_t queued_ns;
	uint64_t again_ns;
	uint32_t receives;
	bool is_ambiguous;
	bool is_part; /* `received` is not the last receive */
};

/* Returns whether the message is done with. If not, it stays pending and is offered again. */
typedef bool join_take_fn(void *ctx, const struct joined *message);

/* Returns whether the missing end of this message is of no interest. */
typedef bool join_needless_fn(void *ctx, const struct joined *message);

/* A part of the message was received. */
typedef void join_part_fn(void *ctx, const struct joined *message);

/* 0 or an error, which ends the iteration. */
typedef int join_send_fn(void *ctx, const struct record_send *send);
