/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Makes units, which are latencies with their causes, from messages. A unit is made of a message
 * while the history of its threads is there. It is handed out with the message.
 */
#pragma once

#include "analysis/breakdown/breakdown.h"
#include "model/unit.h"

struct analysis;
struct blames;
struct units;

struct units *units__new(enum unit_kind kind, bool has_causes, unit_fn *on_unit, void *ctx);
void units__free(struct units *units); /* NULL is ignored */

/* Begins the unit of a message with its run queue component. `blames` are not sorted yet. */
void units__begin(struct units *units, const struct blames *blames, uint32_t receiver_tid);

/*
 * The unit of a message as far as it is known, borrowed until the next units__begin(). NULL: out of
 * memory.
 */
const struct unit *units__build(struct analysis *a, const struct breakdown_input *in,
				const struct message *message);

/* The message is handed out, with its round. 0 or what `on_unit` returned. */
int units__message(struct units *units, const struct message *message);
