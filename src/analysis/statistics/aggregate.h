/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Adds up what happened into a summary: finished messages, the workload's ticks and stamps, and
 * what is missing. Warm-up is left out here, by the number of its round.
 */
#ifndef IPCTRACE_ANALYSIS_STATISTICS_AGGREGATE_H
#define IPCTRACE_ANALYSIS_STATISTICS_AGGREGATE_H

#include "analysis/attach/attach_state.h"
#include "model/summary.h"

struct aggregate;

/* `info` is copied. NULL: out of memory. */
struct aggregate *aggregate__new(const struct run_info *info);
void aggregate__free(struct aggregate *tally);

/* Whether a round, counted from the start of the run, is warm-up; and its number without that. */
bool aggregate__is_warmup(const struct aggregate *tally, uint64_t round);
uint64_t aggregate__kept_round(const struct aggregate *tally, uint64_t round);

/* A kept message with its anatomy. 0 or -ENOMEM. */
int aggregate__message(struct aggregate *tally, const struct message *message);

/* The same message, if a recording keeps only slow ones: counts it as one of these, if it is. */
void aggregate__slower(struct aggregate *tally, const struct message *message);

/* A message of an untraced run: its receiver's own stamp is all there is. 0 or -ENOMEM. */
int aggregate__stamp(struct aggregate *tally, const struct record_stamp *stamp);

/* A receiver's stamp, traced or not: what its client's time was spent on. 0 or -ENOMEM. */
int aggregate__seen(struct aggregate *tally, const struct record_stamp *stamp);

/* Where calls are added up. */
struct calls_summary *aggregate__calls(struct aggregate *tally);

/* What one way of a link came to. */
void aggregate__traffic(struct aggregate *tally, const struct record_traffic *traffic);

/* A kept message that has no anatomy. */
void aggregate__incomplete(struct aggregate *tally, enum incomplete reason);

/* Attach: messages of which there is no record. If none was lost, they were not for us to see. */
void aggregate__not_recorded(struct aggregate *tally, uint64_t cnt);

/* An end of a message whose other end is not for us to see. */
void aggregate__elsewhere(struct aggregate *tally);

/* 0 or -ENOMEM. */
int aggregate__tick(struct aggregate *tally, const struct record_tick *tick);
void aggregate__role(struct aggregate *tally, const struct record_role *role);
void aggregate__left(struct aggregate *tally, const struct record_left *left);
void aggregate__load(struct aggregate *tally, const struct record_load *load);
void aggregate__effect(struct aggregate *tally, const struct record_effect *effect);
void aggregate__end(struct aggregate *tally, const struct record_end *end);

/*
 * Nothing more comes. `refused_sends`: SEND records for which there was no room. `attach`: NULL
 * for a run. 0 or -ENOMEM. The summary lives as long as the tally.
 */
int aggregate__finish(struct aggregate *tally, uint64_t refused_sends, struct attach_state *attach);
const struct summary *aggregate__summary(const struct aggregate *tally);

#endif
