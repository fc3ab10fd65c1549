/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Knows which window of a recording the analysis is in. Messages that began before the window, or
 * may be incomplete at its end, are outside of it: they are neither handed out nor missing.
 */
#pragma once

#include "container/number_table.h"
#include "model/spec.h"
#include "model/window_records.h"
#include "model/summary.h"

/* Zero-initialised: all records are there. */
struct windows {
	bool is_on;         /* a WINDOW record has come */
	bool is_finished;   /* its last watermark is the end of tracing */
	struct begin begin; /* of tracing */
	uint64_t from_ns;
	uint64_t before_ns;          /* of the last watermark */
	struct number_table numbers; /* a run: of messages on their links, the warm-up included */
	struct window_summary summary;
};

/* Whether all of this time is in the window, or there are none. */
static inline bool windows_have(const struct windows *windows, uint64_t from_ns, uint64_t to_ns)
{
	return !windows->is_on || (from_ns >= windows->from_ns && to_ns <= windows->before_ns);
}
