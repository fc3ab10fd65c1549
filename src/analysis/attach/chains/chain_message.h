/* SPDX-License-Identifier: BSD-2-Clause */
/* Defines what chains know of a message, and how they learn the names of its ends. */
#pragma once

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
