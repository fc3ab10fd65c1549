/* SPDX-License-Identifier: BSD-2-Clause */
/* Keeps copies of messages in a list, with what each one borrows: segments, blame and unit. */
#include "analysis/attach/rounds/held_messages.h"

#include "model/unit.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <utlist.h>

struct held {
	struct message message; /* `segment` and `blame` are behind this struct */
	struct round_fate *fate;
	size_t size;
	struct held *prev, *next;
};

struct held_messages {
	struct held *first; /* list, in the order of receives */
	size_t size;        /* bytes of all */
	message_fn *on_message;
	void *ctx; /* of that */
	held_client_fn *client;
	const void *client_ctx;
};

struct held_messages *held_messages__new(message_fn *on_message, void *ctx, held_client_fn *client,
					 const void *client_ctx)
{
	struct held_messages *held = calloc(1, sizeof(*held));

	if (!held)
		return NULL;
	held->on_message = on_message;
	held->ctx = ctx;
	held->client = client;
	held->client_ctx = client_ctx;
	return held;
}

static void remove_first(struct held_messages *held)
{
	struct held *first = held->first;

	DL_DELETE(held->first, first);
	held->size -= first->size;
	round_fate_put(first->fate);
	free(first);
}

void held_messages__free(struct held_messages *held)
{
	while (held && held->first)
		remove_first(held);
	free(held);
}

/*
 *	start                  send                                recv
 *	  |------ dispatch ------|------------ latency --------------|
 *
 * A message of an attach has no stamp: `dispatch` lies before its latency.
 */
static int held_messages_hand_out(const struct held_messages *held, const struct round_fate *fate,
				  const struct message *message)
{
	struct message numbered = *message;

	if (!fate || !fate->is_round)
		return held->on_message(held->ctx, &numbered);
	numbered.has_round = true;
	numbered.round = fate->round;
	numbered.round_size = fate->size;
	numbered.client = held->client(held->client_ctx, message->channel);
	if (message->send_ns > fate->start_ns)
		numbered.component_ns[COMPONENT_DISPATCH] = message->send_ns - fate->start_ns;
	return held->on_message(held->ctx, &numbered);
}

/* What the message borrows, as bytes: `copy` goes on behind them. */
static const void *held_messages_copy_entries(char **copy, const void *entries, size_t size)
{
	void *copied = *copy;

	if (size)
		memcpy(copied, entries, size);
	*copy += size;
	return copied;
}

static void copy_unit(struct message *message, char *copy)
{
	struct unit *unit = (void *)copy;

	*unit = *message->unit;
	message->unit = unit;
	copy += sizeof(*unit);
	if (unit->cause)
		unit->cause = held_messages_copy_entries(&copy, unit->cause,
							 unit->cause_cnt * sizeof(*unit->cause));
	if (unit->wait)
		unit->wait = held_messages_copy_entries(&copy, unit->wait,
							unit->wait_cnt * sizeof(*unit->wait));
}

static int held_messages_hold(struct held_messages *held, const struct message *message,
			      struct round_fate *fate)
{
	size_t segments = message->segment_cnt * sizeof(*message->segment);
	size_t blames = message->blame_cnt * sizeof(*message->blame);
	size_t size = sizeof(struct held) + segments + blames;
	const struct unit *unit = message->unit;
	struct held *copy;
	char *behind;

	if (unit)
		size += sizeof(*unit) + unit->cause_cnt * sizeof(*unit->cause) +
			unit->wait_cnt * sizeof(*unit->wait);
	copy = malloc(size);
	if (!copy) {
		round_fate_put(fate);
		return -ENOMEM;
	}
	behind = (char *)(copy + 1);
	*copy = (struct held){.message = *message, .fate = fate, .size = size};
	copy->message.segment = held_messages_copy_entries(&behind, message->segment, segments);
	copy->message.blame = held_messages_copy_entries(&behind, message->blame, blames);
	if (unit)
		copy_unit(&copy->message, behind);
	DL_APPEND(held->first, copy);
	held->size += copy->size;
	return 0;
}

int held_messages__add(struct held_messages *held, const struct message *message,
		       struct round_fate *fate)
{
	int err;

	if (held->first || (fate && !fate->is_decided)) {
		err = held_messages_hold(held, message, fate);
		return err ? err : held_messages__release(held, 0);
	}
	err = held_messages_hand_out(held, fate, message);
	round_fate_put(fate);
	return err;
}

int held_messages__release(struct held_messages *held, uint64_t before_ns)
{
	int err = 0;

	while (held->first && !err) {
		const struct held *first = held->first;
		bool is_open = first->fate && !first->fate->is_decided;

		if (is_open && first->message.recv_ns >= before_ns &&
		    held->size <= HELD_MESSAGES_BYTES_MAX)
			break;
		err = held_messages_hand_out(held, first->fate, &first->message);
		remove_first(held);
	}
	return err;
}

int held_messages__settle(struct held_messages *held, uint64_t before_ns)
{
	if (before_ns == UINT64_MAX || before_ns < HELD_MESSAGES_NS)
		return 0;
	return held_messages__release(held, before_ns - HELD_MESSAGES_NS);
}
