/* SPDX-License-Identifier: BSD-2-Clause */
/* Ends a slice of the reader's CPU time. */
#include "command/yield/slices.h"

#include "util/clock.h"

#include <stddef.h>

/* A record or a message takes a few microseconds. */
#define CLOCK_EVERY 32 /* breaths */

void slices_breathe(struct slices *slices)
{
	uint64_t now_ns;

	if (!slices || !slices->is_alone || ++slices->breaths % CLOCK_EVERY)
		return;
	now_ns = clock_now_ns();
	if (now_ns - slices->began_ns < SLICE_NS)
		return;
	if (!slices->is_alone(slices->ctx))
		clock_sleep_until(now_ns + TURN_NS);
	slices->began_ns = clock_now_ns();
}
