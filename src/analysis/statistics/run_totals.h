/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Adds up what ipctrace's own workload reports about itself: the roles of threads, ticks, stamps
 * and traffic. The results go into struct summary, for example into `rounds` and `flow`.
 */
#pragma once

#include "model/summary.h"

struct run_totals;

/* `summary`, whose `info` is set, is borrowed and gets its clients. NULL: out of memory. */
struct run_totals *run_totals__new(struct summary *summary);
void run_totals__free(struct run_totals *totals);

/* A message with its breakdown, after the warm-up. 0 or -ENOMEM. */
int run_totals__message(struct run_totals *totals, const struct message *message);

/* The same message in an untraced run: a receiver's stamp with valid times. 0 or -ENOMEM. */
int run_totals__untraced(struct run_totals *totals, const struct record_stamp *stamp);

/* A receiver's stamp, traced or not: how its client spends its time. 0 or -ENOMEM. */
int run_totals__stamp(struct run_totals *totals, const struct record_stamp *stamp);

/* A tick of the server: how many messages the round has. 0 or -ENOMEM. */
int run_totals__tick(struct run_totals *totals, const struct record_tick *tick);

/* What one direction of a link carried. */
void run_totals__traffic(struct run_totals *totals, const struct record_traffic *traffic);
void run_totals__role(struct run_totals *totals, const struct record_role *role);

/* Completes the summary. `first_ns` is the first stamp after the warm-up. */
void run_totals__finish(struct run_totals *totals, uint64_t first_ns);
