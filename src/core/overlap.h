/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Attach: ends of one channel that were at it at the same time. The kernel side numbers them when
 * their calls are over, but which of two threads came first in between, nobody knows:
 *
 *	thread 1   |---- send ----|
 *	thread 2         |---- send ----|
 */
#ifndef IPCTRACE_CORE_OVERLAP_H
#define IPCTRACE_CORE_OVERLAP_H

#include <stdbool.h>
#include <stdint.h>

/* The last one at one end of a channel. Zero-initialised: none yet. */
struct overlap {
	uint32_t tid;
	uint64_t position;
	uint64_t until_ns;
};

/*
 * `tid` was at it in [from_ns, until_ns], for what has this position. Whether somebody else was,
 * too; then `other` is what for. Records of a channel come nearly in order: one that comes out of
 * it is compared with the youngest.
 */
bool overlap_note(struct overlap *last, uint32_t tid, uint64_t from_ns, uint64_t until_ns,
		  uint64_t position, uint64_t *other);

#endif
