/* SPDX-License-Identifier: BSD-2-Clause */
/* Adds messages to the summary, and other figures such as the number of lost records. */
#pragma once

#include "analysis/history/names.h"
#include "analysis/statistics/blame_totals.h"
#include "model/summary.h"

struct aggregate;

/*
 * Borrows `names`, and `summary`, whose `info` is set and which is filled in. `relation`: as for
 * blame_totals__new(). NULL: out of memory.
 */
struct aggregate *aggregate__new(struct summary *summary, struct names *names,
				 blame_relation_fn *relation, void *ctx);
void aggregate__free(struct aggregate *aggregate);

/* A message with its breakdown; warm-up messages are the caller's to leave out. 0 or -ENOMEM. */
int aggregate__message(struct aggregate *aggregate, const struct message *message);

/* A message of an untraced run: only the receiver's stamp is known. */
/* `exchange`: of its pattern; NULL: there is none. */
void aggregate__untraced(struct aggregate *aggregate, const struct record_stamp *stamp,
			 const struct connected_exchange *exchange);

/* Attach: `cnt` messages without any record. They count only if records were lost. */
void aggregate__not_recorded(struct aggregate *aggregate, uint64_t cnt);

/* What is recorded once, about all of tracing. 0, -ENOMEM, or RECORD_IS_NOT_MINE. */
int aggregate__record(struct aggregate *aggregate, const struct record *record);

/* When the first message was stamped or sent; 0: there was none. */
uint64_t aggregate__first_ns(const struct aggregate *aggregate);

/*
 * Completes the summary when no more messages come. `refused_sends` SEND records found no room:
 * that many of the messages without a send are counted as overflow. 0 or -ENOMEM.
 */
int aggregate__finish(struct aggregate *aggregate, uint64_t refused_sends);
