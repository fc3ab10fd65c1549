/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Inside of the analysis: its state, and its part for attaches, which says what of all that is seen
 * concerns the targets.
 */
#ifndef IPCTRACE_ANALYSIS_ATTACH_MESSAGES_H
#define IPCTRACE_ANALYSIS_ATTACH_MESSAGES_H

#include "analysis/analysis.h"
#include "analysis/attach/attach_state.h"
#include "analysis/attach/multi_receive.h"
#include "analysis/history/channels.h"
#include "analysis/history/history.h"
#include "analysis/history/names.h"
#include "analysis/history/roles.h"
#include "analysis/join/join.h"
#include "analysis/join/stamps.h"
#include "analysis/message_builder.h"
#include "analysis/statistics/aggregate.h"
#include "analysis/statistics/calls.h"
#include "model/slow_messages.h"

struct analysis {
	struct run_info info;
	int error; /* the first one in a callback */

	struct join *join;
	struct channels *channels;
	struct history past;
	struct names *names;
	struct roles *roles;
	struct stamps *stamps;
	struct services *services;
	struct aggregate *tally;
	struct message_builder *handout;
	struct slow_messages *kept; /* what a recording has in place of records */
	uint64_t *connections;      /* by client: seen so far; only if each message has its own */
	uint64_t refused_sends;     /* SEND records for which there was no room */

	/* Attach only, else NULL. */
	struct attach_state *attach;
	struct multi_receive *returns;
	uint64_t expired_ns; /* open messages were looked at last */
};

/* In analysis.c: a kept message with both ends. `stamp` NULL: its pattern has none. */
void analysis_hand_out(struct analysis *a, const struct joined *joined, const struct place *place,
		       const struct record_stamp *stamp);

/* What an attach has that a run has not. false: out of memory. */
bool attach_begin(struct analysis *a);

/* A receive that has returned, also one without a place in a channel. 0, or as join__receive(). */
int attach_receive(struct analysis *a, const struct record_receive *receive, size_t change_cnt);

/* A message with both ends: it is kept if it concerns a target. */
void attach_message(struct analysis *a, const struct joined *joined);

/* A message of which one end has not come, and will not. Whether it concerns a target. */
bool attach_end(struct analysis *a, const struct joined *joined);

/* The same if its other end is on another machine or not known: peers also talk to others. */
void attach_elsewhere(struct analysis *a, const struct joined *joined);

/* At the end: messages that have neither. */
void attach_missing(struct analysis *a);

/* Gives up what has waited for its other end for too long; only now and then, and not of a run. */
void attach_expire(struct analysis *a, uint64_t before_ns);

#endif
