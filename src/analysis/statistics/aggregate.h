/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Adds messages to the summary. Also adds other figures, such as the number of lost records.
 * run_totals.h adds statistics about ipctrace's own workload.
 */
#pragma once

#include "analysis/history/names.h"
#include "analysis/statistics/blame_totals.h"
#include "model/summary.h"

struct aggregate;

/*
 * Borrows `names`, and `summary`, whose `info` is set and which is filled in. NULL: out of memory.
 */
struct aggregate *aggregate__new(struct summary *summary, struct names *names);
void aggregate__free(struct aggregate *aggregate);

/* An attach: see blame_totals__set_relation(). */
void aggregate__set_relation(struct aggregate *aggregate, blame_relation_fn *relation, void *ctx);

/* A message with its breakdown; warm-up messages are the caller's to leave out. 0 or -ENOMEM. */
int aggregate__message(struct aggregate *aggregate, const struct message *message);

/* A message of an untraced run: only the receiver's stamp is known. */
void aggregate__untraced(struct aggregate *aggregate, const struct record_stamp *stamp);

/* Attach: `cnt` messages without any record. They count only if records were lost. */
void aggregate__not_recorded(struct aggregate *aggregate, uint64_t cnt);

void aggregate__left(struct aggregate *aggregate, const struct record_left *left);
void aggregate__load(struct aggregate *aggregate, const struct record_load *load);
void aggregate__reader(struct aggregate *aggregate, const struct record_reader *reader);
void aggregate__pauses(struct aggregate *aggregate, const struct record_pauses *pauses);
int aggregate__steal(struct aggregate *aggregate,
		     const struct record_steal *steal); /* 0 or -ENOMEM */
void aggregate__observer_effect(struct aggregate *aggregate,
				const struct record_observer_effect *effect);
void aggregate__end(struct aggregate *aggregate, const struct record_end *end);

/* When the first message was stamped or sent; 0: there was none. */
uint64_t aggregate__first_ns(const struct aggregate *aggregate);

/*
 * Completes the summary when no more messages come. `refused_sends` SEND records found no room:
 * that many of the messages without a send are counted as overflow. 0 or -ENOMEM.
 */
int aggregate__finish(struct aggregate *aggregate, uint64_t refused_sends);
