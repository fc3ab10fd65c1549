/* SPDX-License-Identifier: BSD-2-Clause */
/* The published measurements that can be repeated with one option: which cells each of them has. */
#ifndef IPCTRACE_CLI_EXPERIMENT_H
#define IPCTRACE_CLI_EXPERIMENT_H

#include "model/spec.h"

/* Cells that have one of each list: every combination is a cell. All static, or borrowed. */
struct block {
	const char *pattern;
	const char *handler;           /* NULL: none */
	const char *const *transports; /* up to NULL */
	const char *const *loads;      /* up to NULL; "": none */
	const uint32_t *sizes;         /* these three up to 0 */
	const uint32_t *clients;
	const uint32_t *messages;
	uint64_t warmup;
	uint64_t period_ns; /* 0: one exchange right after the other */
	bool threads;
};

struct experiment {
	const char *name;         /* the word of --experiment */
	const char *summary;      /* one line for people */
	enum sched_policy policy; /* as it was published */
	uint32_t runs;
	const struct block *block;
	size_t block_cnt;
};

/* NULL if there is none of that name. */
const struct experiment *experiment_find(const char *name);

/* In the order of the table; NULL past the end. */
const struct experiment *experiment_at(size_t i);

/* All names, comma separated, for messages and help. Static. */
const char *experiment_names(void);

#endif
