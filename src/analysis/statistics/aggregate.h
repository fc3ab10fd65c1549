/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Adds up what happened into a summary: finished messages, the workload's ticks and stamps, and
 * what is missing. Warm-up is left out here, by the number of its round.
 */
#ifndef IPCTRACE_ANALYSIS_STATISTICS_AGGREGATE_H
#define IPCTRACE_ANALYSIS_STATISTICS_AGGREGATE_H

#include "analysis/attach/attach.h"
#include "model/summary.h"

struct tally;

/* `info` is copied. NULL: out of memory. */
struct tally *tally__new(const struct run_info *info);
void tally__free(struct tally *tally);

/* Whether a round, counted from the start of the run, is warm-up; and its number without that. */
bool tally__is_warmup(const struct tally *tally, uint64_t round);
uint64_t tally__kept_round(const struct tally *tally, uint64_t round);

/* A kept message with its anatomy. 0 or -ENOMEM. */
int tally__message(struct tally *tally, const struct message *message);

/* The same message, if a recording keeps only slow ones: counts it as one of these, if it is. */
void tally__slower(struct tally *tally, const struct message *message);

/* A message of an untraced run: its receiver's own stamp is all there is. 0 or -ENOMEM. */
int tally__stamp(struct tally *tally, const struct record_stamp *stamp);

/* A receiver's stamp, traced or not: what its client's time was spent on. 0 or -ENOMEM. */
int tally__seen(struct tally *tally, const struct record_stamp *stamp);

/* Where calls are added up. */
struct calls_summary *tally__calls(struct tally *tally);

/* What one way of a link came to. */
void tally__traffic(struct tally *tally, const struct record_traffic *traffic);

/* A kept message that has no anatomy. */
void tally__incomplete(struct tally *tally, enum incomplete reason);

/* Attach: messages of which there is no record. If none was lost, they were not for us to see. */
void tally__not_recorded(struct tally *tally, uint64_t cnt);

/* An end of a message whose other end is not for us to see. */
void tally__elsewhere(struct tally *tally);

/* 0 or -ENOMEM. */
int tally__tick(struct tally *tally, const struct record_tick *tick);
void tally__role(struct tally *tally, const struct record_role *role);
void tally__left(struct tally *tally, const struct record_left *left);
void tally__load(struct tally *tally, const struct record_load *load);
void tally__effect(struct tally *tally, const struct record_effect *effect);
void tally__end(struct tally *tally, const struct record_end *end);

/*
 * Nothing more comes. `refused_sends`: SEND records for which there was no room. `attached`: NULL
 * for a run. 0 or -ENOMEM. The summary lives as long as the tally.
 */
int tally__finish(struct tally *tally, uint64_t refused_sends, struct attached *attached);
const struct summary *tally__summary(const struct tally *tally);

#endif
