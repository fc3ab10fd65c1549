/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Hands out the messages of an attach with the numbers of their rounds. Joins round_detector.h,
 * which finds the rounds, and held_messages.h, which holds messages until their rounds are known.
 */
#pragma once

#include "analysis/attach/rounds/held_messages.h"
#include "analysis/attach/rounds/round_detector.h"

/* `detector` is borrowed. NULL: out of memory. */
struct held_messages *round_messages_hold(const struct round_detector *detector,
					  message_fn *on_message, void *ctx);

/* As round_detector__message(). Without `held`, messages are not handed out. */
int round_messages_add(struct round_detector *detector, struct held_messages *held,
		       const struct message *message, bool is_answer);

/* All messages before `before_ns` have come: hands out those that have waited for too long. */
int round_messages_settle(struct held_messages *held, uint64_t before_ns);

/* As round_detector__finish(). Hands out the rest. */
int round_messages_finish(struct round_detector *detector, struct held_messages *held,
			  struct summary *summary);
