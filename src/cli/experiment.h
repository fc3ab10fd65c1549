/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Defines the published experiments that --experiment repeats. An experiment is a list of blocks.
 * A block has lists of values for several settings, such as the transport. Each combination of the
 * values is one run.
 */
#pragma once

#include "model/spec.h"

/*
 * A block of runs: every combination of one entry per list is a run. All pointers are static or
 * borrowed.
 */
struct block {
	const char *pattern;
	const char *const *transports; /* ends with NULL */
	const char *const *loads;      /* ends with NULL; "": none */
	const uint32_t *sizes;         /* these three lists end with 0 */
	const uint32_t *clients;
	const uint32_t *messages;
	uint64_t warmup;
	uint64_t period_ns;  /* 0: each exchange follows the last one at once */
	const char *handler; /* NULL: none */
	bool threads;
};

struct experiment {
	const char *name;         /* the word of --experiment */
	const char *summary;      /* one line, for --help */
	enum sched_policy policy; /* as published */
	uint32_t runs;
	const struct block *block;
	size_t block_cnt;
};

/* NULL: there is no experiment of this name. */
const struct experiment *experiment_find(const char *name);

/* NULL: past the end. */
const struct experiment *experiment_at(size_t i);

/* All names, separated by commas, for messages and help. Static. */
const char *experiment_names(void);
