/* SPDX-License-Identifier: BSD-2-Clause */
/* Who ran instead of a runnable receiver: shares of CPU time become shares of blame. */
#ifndef IPCTRACE_ANALYSIS_BREAKDOWN_BLAME_H
#define IPCTRACE_ANALYSIS_BREAKDOWN_BLAME_H

#include "analysis/history/cpu_slices.h"
#include "analysis/history/names.h"
#include "model/message.h"

#define BLAMES_MAX 1024 /* per message; when there are more, the rest is one share `unknown` */

struct blames {
	struct blame blame[BLAMES_MAX];
	uint32_t cnt;
};

/* What decides the class of a thread besides its name. */
struct blame_roles {
	uint32_t sender_tid;
	bool (*is_client)(const void *ctx, uint32_t tid);
	const void *ctx;
};

/* Adds the shares of one run queue segment. */
void blame_add(struct blames *blames, const struct cpu_shares *shares, struct names *names,
	       const struct blame_roles *roles);

/* Largest first. */
void blame_sort(struct blames *blames);

#endif
