/* SPDX-License-Identifier: BSD-2-Clause */
/* Declares the line that shows on a terminal what an attach has seen so far. */
#pragma once

#include "analysis/analysis.h"

#include <stdbool.h>
#include <stdint.h>

struct attach_progress {
	bool is_wanted; /* see progress_is_wanted() */
	uint64_t began_ns;
	uint64_t due_ns; /* the line is not rewritten before */
};

/* Tracing has begun. */
void attach_progress_begin(struct attach_progress *progress, uint64_t now_ns);

/* Whether the line is to be rewritten. */
bool attach_progress_is_due(const struct attach_progress *progress, uint64_t now_ns);

/* Between two drains: rewrites the line. `lost` records are missing so far. */
void attach_progress_show(struct attach_progress *progress, uint64_t now_ns,
			  const struct analysis *analysis, uint64_t lost);
