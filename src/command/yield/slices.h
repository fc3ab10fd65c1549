/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Declares slices, in which a reader of records has its CPU. The kernel's fair server lets threads
 * without real-time priority run for 50 ms before real-time threads, if they had no CPU for long.
 * Between two slices, all threads that wait for the reader's CPU have their turn.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* The longest slice, and the time that others have after it. */
#define SLICE_NS 1000000ULL
#define TURN_NS  300000ULL

struct slices {
	/* Whether there is no thread that the reader could disturb. NULL: it has no slices. */
	bool (*is_alone)(const void *ctx);
	const void *ctx;
	uint64_t began_ns; /* the present slice */
	unsigned int breaths;
};

/*
 * The reader calls it between two records or messages: sleeps if the slice is over. `slices` may be
 * NULL.
 */
void slices_breathe(struct slices *slices);
