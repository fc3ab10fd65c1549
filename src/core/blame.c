/* SPDX-License-Identifier: BSD-2-Clause */
#include "core/blame.h"

#include <stdlib.h>
#include <string.h>

static enum blame_class class_of(const struct cpu_share *share, const struct record_name *name,
				 const struct blame_roles *roles)
{
	switch (share->kind) {
	case SLICE_IRQ:
		return BLAME_IRQ;
	case SLICE_SOFTIRQ:
		return BLAME_SOFTIRQ;
	case SLICE_TASK:
		if (!share->id)
			return BLAME_IDLE;
		if (share->id == roles->sender_tid)
			return BLAME_SERVER;
		if (roles->is_client(roles->ctx, share->id))
			return BLAME_CLIENT;
		return name && name->flags & NAME_KTHREAD ? BLAME_KTHREAD : BLAME_TASK;
	case SHARE_THROTTLED:
		return BLAME_THROTTLED;
	default:
		return BLAME_UNKNOWN;
	}
}

/* The entry that takes this share; the last one is kept for all that no longer fit. */
static struct blame *entry_for(struct blames *blames, uint32_t kind, uint32_t id, bool *fresh)
{
	*fresh = false;
	for (uint32_t i = 0; i < blames->cnt; i++) {
		if (blames->blame[i].kind == kind && blames->blame[i].tid == id)
			return &blames->blame[i];
	}
	if (blames->cnt == BLAMES_MAX)
		return &blames->blame[BLAMES_MAX - 1];
	*fresh = true;
	return &blames->blame[blames->cnt++];
}

void blame_add(struct blames *blames, const struct cpu_shares *shares, const struct names *names,
	       const struct blame_roles *roles)
{
	for (uint32_t i = 0; i < shares->cnt; i++) {
		const struct cpu_share *share = &shares->share[i];
		const struct record_name *name =
			names__find(names, share->kind, share->id, share->to_ns);
		bool fresh, last = blames->cnt >= BLAMES_MAX - 1;
		struct blame *blame = last ? entry_for(blames, SHARE_UNKNOWN, 0, &fresh)
					   : entry_for(blames, share->kind, share->id, &fresh);

		if (fresh) {
			memset(blame, 0, sizeof(*blame));
			blame->kind = last ? SHARE_UNKNOWN : share->kind;
			blame->tid = last ? 0 : share->id;
			blame->class = last ? BLAME_UNKNOWN : class_of(share, name, roles);
			if (name && !last) {
				blame->policy = name->policy;
				blame->priority = name->priority;
				memcpy(blame->comm, name->comm, sizeof(blame->comm));
			}
		}
		blame->ns += share->to_ns - share->from_ns;
	}
}

static int compare_blames(const void *a, const void *b)
{
	const struct blame *x = a, *y = b;

	if (x->ns != y->ns)
		return x->ns < y->ns ? 1 : -1;
	if (x->kind != y->kind)
		return x->kind > y->kind ? 1 : -1;
	return (x->tid > y->tid) - (x->tid < y->tid);
}

void blame_sort(struct blames *blames)
{
	qsort(blames->blame, blames->cnt, sizeof(blames->blame[0]), compare_blames);
}
