/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Adds up the blame of each thread or interrupt over all messages. Blame is the time for which a
 * thread or interrupt kept a receiver waiting for a CPU. Each entry has a class, such as task or
 * irq. When there are BLAME_TOTALS_MAX entries, the half with the least time is merged into one
 * entry per class.
 */
#pragma once

#include "analysis/history/names.h"
#include "model/summary.h"

#define BLAME_TOTALS_MAX 4096

struct blame_totals;

/* Borrows `names`, for the processes of threads. NULL: out of memory. */
struct blame_totals *blame_totals__new(struct names *names);
void blame_totals__free(struct blame_totals *totals);

/* Adds the blame of one message or call, which was received or served at `at_ns`. 0 or -ENOMEM. */
int blame_totals__add(struct blame_totals *totals, const struct blame *blame, uint32_t cnt,
		      uint64_t at_ns);

/* Makes `*blame` a list of `*cnt` entries, largest first, which the caller frees. 0 or -ENOMEM. */
int blame_totals__finish(const struct blame_totals *totals, struct blame_summary **blame,
			 uint32_t *cnt);
