/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Makes units, which are latencies with their causes, from messages. A unit is made of a message
 * while the history of its threads is there. It is handed out with the message.
 */
#pragma once

#include "analysis/breakdown/breakdown.h"
#include "analysis/join/joined.h"
#include "model/spans.h"
#include "model/stack_names.h"
#include "model/unit.h"

struct analysis;
struct blames;
struct units;

/* Borrows parts of the analysis. NULL: out of memory. */
struct units *units__new(struct analysis *a, enum unit_kind kind, bool has_causes, unit_fn *on_unit,
			 void *ctx);

/* See analysis__set_causes_within(). */
void units__set_causes_within(struct units *units, const struct spans *spans);

/* See analysis__leave_out_identities(). */
void units__leave_out_identities(struct units *units);

/* Whether units that are under way in [from_ns, to_ns] need causes. */
bool units__need_causes(struct units *units, uint64_t from_ns, uint64_t to_ns);
void units__free(struct units *units); /* NULL is ignored */

/* The analysis begins anew: others with the same wishes, which replace these. */
struct units *units__renew(struct units *old, struct analysis *a);

/* What threads have to do with each other, in any order. Without causes, all is ignored. 0 or
 * -ENOMEM. */
int units__sent(struct units *units, const struct record_send *send);
int units__received(struct units *units, const struct record_receive *receive);
int units__woke(struct units *units, const struct record_wakeup *wakeup);

/* Records of stacks; others are ignored. 0 or -ENOMEM. */
int units__stack(struct units *units, const struct record *record);

/* The functions of stacks, which the caller frees. NULL: none were recorded. */
struct stack_names *units__take_stack_names(struct units *units);

/* A message with both ends, when its own unit has been built; in the order of receives. */
int units__joined(struct units *units, const struct joined *joined);

/*
 * All records from before `before_ns` are here, and messages need the history from `horizon_ns` on.
 * Forgets what is too old for units. Returns from when on units need the history.
 */
uint64_t units__trim(struct units *units, uint64_t before_ns, uint64_t horizon_ns);

/*
 * The unit of a message as far as it is known, borrowed until the next one. `blames`: of the
 * message, not sorted yet. NULL: out of memory.
 */
const struct unit *units__build(struct analysis *a, const struct breakdown_input *in,
				const struct message *message, const struct blames *blames);

/* Run: so many messages are sent in a round. As the next one. */
int units__tick(struct units *units, const struct record_tick *tick, uint64_t warmup);

/* The message is handed out, with its round. 0 or what `on_unit` returned. */
int units__message(struct units *units, const struct message *message);

/* Hands out a message with its unit, unless it is outside of a window. 0 or what that returned. */
int units_hand_out(struct analysis *a, const struct message *message);
