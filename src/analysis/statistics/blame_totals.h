/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Adds up the blame of all messages by culprit. However many come and go, no more than
 * BLAME_TOTALS_MAX are told apart: the lesser half is folded into one for each class.
 */
#ifndef IPCTRACE_ANALYSIS_STATISTICS_BLAME_TOTALS_H
#define IPCTRACE_ANALYSIS_STATISTICS_BLAME_TOTALS_H

#include "model/summary.h"

#define BLAME_TOTALS_MAX 4096

struct blame_totals;

struct blame_totals *blame_totals__new(void); /* NULL: out of memory */
void blame_totals__free(struct blame_totals *culprits);

/* 0 or -ENOMEM. */
int blame_totals__add(struct blame_totals *culprits, const struct message *message);

/* Fills in summary->blame, which the summary owns, largest first. 0 or -ENOMEM. */
int blame_totals__finish(const struct blame_totals *culprits, struct summary *summary);

#endif
