/* SPDX-License-Identifier: BSD-2-Clause */
/* One line on stderr that says how far a long run is; nothing if stderr is not a terminal. */
#ifndef IPCTRACE_PROGRESS_H
#define IPCTRACE_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>

struct progress {
	bool shown;
	uint64_t start_ns;
};

void progress_begin(struct progress *progress, uint64_t now_ns);

/* `done` of `total` rounds of cell `cell` of `cells`, both from 1. */
void progress_show(struct progress *progress, uint64_t now_ns, uint64_t done, uint64_t total,
		   unsigned int cell, unsigned int cells);

/* Takes the line away. */
void progress_end(struct progress *progress);

#endif
