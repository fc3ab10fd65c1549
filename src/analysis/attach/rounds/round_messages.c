/* SPDX-License-Identifier: BSD-2-Clause */
/* Passes each message to the detector of rounds, and then to those that wait for their rounds. */
#include "analysis/attach/rounds/round_messages.h"

/* For held_messages__new(). */
static uint32_t round_messages_client_of(const void *ctx, uint32_t channel)
{
	return round_detector__client(ctx, channel);
}

struct held_messages *round_messages_hold(const struct round_detector *detector,
					  message_fn *on_message, void *ctx)
{
	return held_messages__new(on_message, ctx, round_messages_client_of, detector);
}

int round_messages_add(struct round_detector *detector, struct held_messages *held,
		       const struct message *message, bool is_answer)
{
	struct round_fate *fate = NULL;
	int err = round_detector__message(detector, message, is_answer, held ? &fate : NULL);

	if (held && !err)
		return held_messages__add(held, message, fate);
	round_fate_put(fate);
	return err;
}

int round_messages_settle(struct held_messages *held, uint64_t before_ns)
{
	if (!held || before_ns == UINT64_MAX || before_ns < HELD_MESSAGES_NS)
		return 0;
	return held_messages__release(held, before_ns - HELD_MESSAGES_NS);
}

int round_messages_finish(struct round_detector *detector, struct held_messages *held,
			  struct summary *summary)
{
	int err = round_detector__finish(detector, summary);

	return err || !held ? err : held_messages__release(held, UINT64_MAX);
}
