/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Adds up the blame of each thread or interrupt over all messages. Blame is the time for which a
 * thread or interrupt kept a receiver waiting for a CPU. Each entry has a class, such as task or
 * irq. Threads that a report shows in one row are also counted together. When there are
 * BLAME_TOTALS_MAX entries, the half with the least time is merged into one entry per class.
 */
#pragma once

#include "analysis/history/names.h"
#include "model/summary.h"

#define BLAME_TOTALS_MAX 4096
_Static_assert(2 * BLAME_TOTALS_MAX <= SUMMARY_BLAMES_MAX, "blame");

struct blame_totals;

/* Says what thread `tid` of process `pid` has to do with the target at that instant. */
typedef enum blame_relation blame_relation_fn(void *ctx, uint32_t tid, uint32_t pid,
					      uint64_t at_ns);

/*
 * Borrows `names`, for the processes of threads. `relation` gets `ctx`; NULL: a run has no target.
 * NULL: out of memory.
 */
struct blame_totals *blame_totals__new(struct names *names, blame_relation_fn *relation, void *ctx);
void blame_totals__free(struct blame_totals *totals);

/* Adds the blame of one message or call, which was received or served at `at_ns`. 0 or -ENOMEM. */
int blame_totals__add(struct blame_totals *totals, const struct blame *blame, uint32_t cnt,
		      uint64_t at_ns);

/* Makes `*blame` a list of `*cnt` entries, largest first, which the caller frees. 0 or -ENOMEM. */
int blame_totals__finish(const struct blame_totals *totals, struct blame_summary **blame,
			 uint32_t *cnt);
