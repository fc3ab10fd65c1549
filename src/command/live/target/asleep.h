/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Declares functions that note which threads of targets and peers sleep in calls that send or
 * receive when tracing begins and ends, and which processes have the other ends. So a program is
 * explained that hangs, and sends nothing any more.
 */
#pragma once

#include "bpf/record_asleep.h"

#include <stdbool.h>
#include <stddef.h>

/* Further threads are left out. */
#define SLEEPERS_MAX 4096

/* The threads that slept at an instant. Starts as zeros. */
struct sleepers {
	struct sleeper *sleeper; /* [cnt]; sleepers_free() frees it */
	size_t cnt;
};

void sleepers_free(struct sleepers *sleepers);

/* Passes an ASLEEP record for each thread that waits for room. 0 or the error of `put`. */
int sleepers_put_first(const struct sleepers *first, record_put_fn *put, void *ctx);

/*
 * The same when tracing has ended, for each thread that waits for room or is stopped, and if
 * `is_silent`, as no message was seen, for each that waits for data. Then for threads of the
 * processes at the other ends. `first`: those of the beginning.
 */
int sleepers_put_last(const struct sleepers *last, const struct sleepers *first, bool is_silent,
		      record_put_fn *put, void *ctx);
