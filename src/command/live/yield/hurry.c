/* SPDX-License-Identifier: BSD-2-Clause */
/* Decides when the reader of the ring buffer may no longer yield its CPU. */
#include "command/live/yield/hurry.h"

/* A reader that has begun to hurry goes on until only this part of the ring is used. */
#define CALM_PART 16

/* However slowly it is written, no more of the ring than this part is left to wait. */
#define FULL_PART 4

/*
 *	      before         now                        full, if nothing is read
 *	--------|-------------|----------------------------|----------------> time
 *	  written          written
 *	        |--- rate ----|------- time to full -------|
 */
bool ring_needs_reader(const struct ring_look *before, const struct ring_look *now, bool hurries,
		       uint64_t reserve_ns)
{
	uint64_t used = now->written - now->read, ns = now->at_ns - before->at_ns;
	uint64_t grown = now->written - before->written;

	if (!now->size)
		return false;
	if (hurries && used > now->size / CALM_PART)
		return true;
	if (used > now->size / FULL_PART)
		return true;
	/* (size - used) / (grown / ns) < reserve, without a division by 0 */
	return before->size && ns &&
	       (double)(now->size - used) * (double)ns < (double)reserve_ns * (double)grown;
}
