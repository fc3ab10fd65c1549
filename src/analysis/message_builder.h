/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What becomes of a message that has both ends: it is cut into components, its waits are blamed on
 * who ran instead, and it goes into the statistics and to whoever wants messages.
 */
#ifndef IPCTRACE_ANALYSIS_MESSAGE_BUILDER_H
#define IPCTRACE_ANALYSIS_MESSAGE_BUILDER_H

#include "analysis/attach/attach_state.h"
#include "analysis/history/channels.h"
#include "analysis/history/history.h"
#include "analysis/history/roles.h"
#include "analysis/join/join.h"
#include "analysis/statistics/aggregate.h"

struct message_builder;

/* What it works with: borrowed. */
struct message_builder_parts {
	struct history *past;
	struct channels *channels;
	struct names *names;
	struct roles *roles;
	struct aggregate *tally;
	struct attach_state *attach; /* NULL: a run */
	bool hides_calls;            /* see struct message */
	bool shows_switch;
	message_fn *on_message; /* NULL: nobody wants messages */
	void *ctx;
};

/* Which message of the workload it is. */
struct place {
	uint32_t client; /* 1..N: whose link; 0: none of the workload's */
	bool to_server;
	uint64_t index; /* on that way of the link, warm-up included; SEQ_UNKNOWN: not known */
};

/* `parts` is copied. NULL: out of memory. */
struct message_builder *message_builder__new(const struct message_builder_parts *parts);
void message_builder__free(struct message_builder *handout);

/*
 * A kept message with both ends; `stamp` NULL: its pattern has none. What cannot be cut is counted
 * as incomplete. 0, -ENOMEM, or what on_message returned.
 */
int message_builder__message(struct message_builder *handout, const struct joined *joined,
			     const struct place *place, const struct record_stamp *stamp);

/* A message that was handed out when it was recorded goes to whoever wants messages. */
int message_builder__kept(const struct message_builder *handout, const struct message *message);

/* Who was at an end of a message at that instant. `party` is empty. */
void message_builder__party(const struct message_builder *handout, struct party *party,
			    const struct record *head, uint64_t at_ns);

#endif
