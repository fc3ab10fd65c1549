/* SPDX-License-Identifier: BSD-2-Clause */
#include "core/overlap.h"

bool overlap_note(struct overlap *last, uint32_t tid, uint64_t from_ns, uint64_t until_ns,
		  uint64_t position, uint64_t *other)
{
	bool overlaps = last->tid && last->tid != tid && from_ns <= last->until_ns;

	*other = last->position;
	if (until_ns >= last->until_ns)
		*last = (struct overlap){.tid = tid, .position = position, .until_ns = until_ns};
	return overlaps;
}
