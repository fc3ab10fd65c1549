/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Adds up the blame of all messages by culprit. However many come and go, no more than CULPRITS_MAX
 * are told apart: the lesser half is folded into one for each class.
 */
#ifndef IPCTRACE_ANALYSIS_STATISTICS_BLAME_TOTALS_H
#define IPCTRACE_ANALYSIS_STATISTICS_BLAME_TOTALS_H

#include "model/summary.h"

#define CULPRITS_MAX 4096

struct culprits;

struct culprits *culprits__new(void); /* NULL: out of memory */
void culprits__free(struct culprits *culprits);

/* 0 or -ENOMEM. */
int culprits__add(struct culprits *culprits, const struct message *message);

/* Fills in summary->blame, which the summary owns, largest first. 0 or -ENOMEM. */
int culprits__finish(const struct culprits *culprits, struct summary *summary);

#endif
