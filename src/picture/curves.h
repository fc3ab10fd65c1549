/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Computes percentiles with their 95 % bands. Units are not independent: one event makes several of
 * them slow. So the uncertainty comes from blocks of consecutive units (batch means): how much the
 * share of units below a latency varies from block to block. It is never taken to be less than that
 * of independent units (Wilson's interval).
 *
 * Law, Kelton: Simulation Modeling and Analysis, chapter 9; Wilson, JASA 22 (1927), 209-212.
 */
#pragma once

#include "model/picture.h"

#define CURVE_BLOCKS 20

struct curves;

/* `units`: so many will be added. NULL: out of memory. */
struct curves *curves__new(uint64_t units);
void curves__free(struct curves *curves);

/* In the order of the recording. */
void curves__add(struct curves *curves, uint64_t latency_ns);

/* `latency`: that of all units that were added. */
void curves__finish(const struct curves *curves, const struct stat *latency, struct curve *curve);
