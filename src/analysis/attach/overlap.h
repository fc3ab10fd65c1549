/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Attach: which messages are ambiguous because several threads used one end of a channel at the
 * same time. Such accesses are numbered when their calls end, so two that overlap may have reached
 * the channel in the other order:
 *
 *	thread 1   |---- send ----| number 0
 *	thread 2         |---- send ----| number 1, but maybe first
 *	thread 1                                |--- send ---| number 2 for certain
 */
#pragma once

#include "analysis/attach/end_access.h"
#include "analysis/join/join.h"

/*
 * Ends of channels in use between two watermarks; accesses to further ends are ambiguous. A full
 * ring buffer has records of so many, if each connection carries one call.
 */
#define OVERLAP_MAX 262144

struct overlap;

/* `join`, borrowed, gets the marks. NULL: out of memory. */
struct overlap *overlap__new(struct join *join);
void overlap__free(struct overlap *overlap);

int overlap__add(struct overlap *overlap, const struct end_access *access); /* 0 or -ENOMEM */

/*
 * A runnable thread without a CPU cannot report its call yet. Until it does, accesses by other
 * threads are ambiguous: at an end that several threads use, and at a queue, where it may be.
 *
 *	thread 1   |-- receive -- no CPU ------------|---- no CPU ----| numbered
 *	               from_ns                    until_ns
 *	thread 2             |- receive -| numbered too early
 *
 * 0 or -ENOMEM.
 */
int overlap__starve(struct overlap *overlap, const struct record_starving *starving);

/* Whether several threads have used one end, or a queue was used. */
bool overlap__shared(const struct overlap *overlap);

/* Tracing stopped: accesses that end later have no record. */
void overlap__stop(struct overlap *overlap, uint64_t at_ns);

/* All records of accesses that ended before `before_ns` have come; UINT64_MAX: all have. */
void overlap__settle(struct overlap *overlap, uint64_t before_ns);

/*
 * For receives before this instant all overlapping accesses are known. It is earlier than
 * `before_ns`: a thread may be interrupted between its access and the end of its call.
 */
uint64_t overlap__known_ns(const struct overlap *overlap, uint64_t before_ns);
