/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Attach: several threads at one end of a channel whose sends, or receives, are numbered when their
 * calls are over; two that were under way at the same time may have come in another order:
 *
 *	thread 1   |---- send ----| numbered
 *	thread 2         |---- send ----| numbered
 *	thread 1                                |--- send ---| certain
 */
#ifndef IPCTRACE_ANALYSIS_ATTACH_OVERLAP_H
#define IPCTRACE_ANALYSIS_ATTACH_OVERLAP_H

#include "analysis/attach/end_access.h"
#include "analysis/join/join.h"

/*
 * Ends of channels that are looked at between two settlings; what comes beyond them is ambiguous.
 * So many a full ring may tell of, if each connection carries one call.
 */
#define OVERLAP_MAX 262144

struct overlap;

/* `join`, borrowed, is told of what is ambiguous. NULL: out of memory. */
struct overlap *overlap__new(struct join *join);
void overlap__free(struct overlap *turns);

int overlap__add(struct overlap *turns, const struct end_access *turn); /* 0 or -ENOMEM */

/*
 * A thread has no CPU to tell what it has done. Whoever else was at an end with several, or at a
 * queue's where it may be, is in doubt as long as nobody tells how it went on.
 *
 *	thread 1   |-- receive -- no CPU ------------|---- no CPU ----| numbered
 *	               from_ns                    until_ns
 *	thread 2             |- receive -| numbered too early
 *
 * 0 or -ENOMEM.
 */
int overlap__starve(struct overlap *turns, const struct record_starving *starving);

/* Whether there was an end with several threads at it, or a queue's. */
bool overlap__shared(const struct overlap *turns);

/* Who was at it when we stopped, and not done soon after, is not told of. */
void overlap__stop(struct overlap *turns, uint64_t at_ns);

/* All that was over before `before_ns` has been told of; UINT64_MAX: nothing else will be. */
void overlap__settle(struct overlap *turns, uint64_t before_ns);

/*
 * Of receives before this instant all is known that were at it at the same time: one that was
 * interrupted on its way out is told of late.
 */
uint64_t overlap__known_ns(const struct overlap *turns, uint64_t before_ns);

#endif
