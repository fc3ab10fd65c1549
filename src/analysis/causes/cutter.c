/* SPDX-License-Identifier: BSD-2-Clause */
/* Names threads as culprits, and hands out pieces. */
#include "analysis/causes/cutter.h"

#include <string.h>

struct blame thread_culprit(struct cutter *cutter, uint32_t tid, uint64_t at_ns)
{
	const char *comm = roles__comm(cutter->roles.roles, tid);
	const struct cpu_share share = {.kind = SLICE_TASK, .id = tid, .seen_ns = at_ns};
	struct blame blame = blame_of_share(cutter->names, &cutter->roles, &share);

	if (!blame.comm[0] && comm)
		memcpy(blame.comm, comm, sizeof(blame.comm));
	return blame;
}

void cut_emit(const struct cut *cut, const struct piece *piece)
{
	if (piece->from_ns >= piece->to_ns)
		return;
	if (cut->cutter->left)
		cut->cutter->left--;
	cut->fn(cut->ctx, piece);
}
