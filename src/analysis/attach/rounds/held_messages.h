/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Holds messages back until it is known whether they belong to a round. A round is known when its
 * last message has arrived, but messages are handed out in the order of their receives. So a
 * message also waits for earlier ones:
 *
 *	recv A (round?)  recv X  recv B (round?)  recv C: A, B and C are round 7
 *	     held          held       held             all of them are handed out
 */
#pragma once

#include "analysis/attach/rounds/burst.h"
#include "model/message.h"

/* Then the oldest one is handed out, even if nothing is known of its round. */
#define HELD_MESSAGES_BYTES_MAX (32u << 20)
#define HELD_MESSAGES_NS        1000000000ULL

struct held_messages;

/* The number of the channel's receiver in rounds. */
typedef uint32_t held_client_fn(const void *ctx, uint32_t channel);

/* Messages go to `on_message` with `ctx`; `client` gets `client_ctx`. NULL: out of memory. */
struct held_messages *held_messages__new(message_fn *on_message, void *ctx, held_client_fn *client,
					 const void *client_ctx);
void held_messages__free(struct held_messages *held);

/*
 * Hands out a message, or a copy of it later. `fate` NULL: it belongs to no round; takes over the
 * reference. 0, -ENOMEM, or what `on_message` returned.
 */
int held_messages__add(struct held_messages *held, const struct message *message,
		       struct round_fate *fate);

/* Hands out what need not wait: messages received before `before_ns` do not wait any longer. */
int held_messages__release(struct held_messages *held, uint64_t before_ns);

/* All messages before `before_ns` have come: hands out those that have waited for too long. */
int held_messages__settle(struct held_messages *held, uint64_t before_ns);
