/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Builds a message from its joined send and receive: its latency is broken down into components,
 * and the waits for a CPU are blamed on what ran there instead. Both modes of the analysis use it.
 */
#ifndef IPCTRACE_ANALYSIS_MESSAGE_BUILDER_H
#define IPCTRACE_ANALYSIS_MESSAGE_BUILDER_H

#include "analysis/history/channels.h"
#include "analysis/history/history.h"
#include "analysis/history/names.h"
#include "analysis/history/roles.h"
#include "analysis/join/joined.h"
#include "analysis/statistics/aggregate.h"

struct message_builder;

/* What the builder reads and where its messages go: borrowed. */
struct message_builder_parts {
	struct history *history;
	struct channels *channels;
	struct names *names;
	struct roles *roles;
	struct aggregate *aggregate; /* counts messages that cannot be built */
	bool hides_calls;            /* see struct message */
	bool shows_switch;
	message_fn *on_message;
	void *ctx;
};

/* Which message of a run's workload it is; all 0 in an attach. */
struct place {
	uint32_t client; /* 1..N: whose link; 0: not a message of the workload */
	bool to_server;
	uint64_t index; /* in that direction of the link; SEQ_UNKNOWN: not known */
};

/* `parts` is copied. NULL: out of memory. */
struct message_builder *message_builder__new(const struct message_builder_parts *parts);
void message_builder__free(struct message_builder *builder);

/*
 * Builds a message with both ends; `stamp` is NULL if its pattern has none. A message that cannot
 * be broken down is counted as incomplete. 0, -ENOMEM, or what on_message returned.
 */
int message_builder__message(struct message_builder *builder, const struct joined *joined,
			     const struct place *place, const struct record_stamp *stamp,
			     enum match match);

/* Fills in `party`, which is empty: the thread at one end of a message at that instant. */
void message_builder__party(const struct message_builder *builder, struct party *party,
			    const struct record *head, uint64_t at_ns);

#endif
