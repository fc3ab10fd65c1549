/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Records for how long a traced thread that needs memory frees some itself (--level deep): it looks
 * for pages that can go, of the whole machine or of its control group, or moves pages in order to
 * make room for a large one. It runs meanwhile, or sleeps.
 */
#include "base/context.bpf.h"

static __always_inline void reclaim_begins(void)
{
	struct task_state *t = current_state();

	if (t && !t->reclaim_ns)
		t->reclaim_ns = bpf_ktime_get_ns();
}

/* `flags`: enum reclaim_flag. */
static __always_inline void reclaim_ends(u32 flags)
{
	struct task_state *t = current_state();
	struct record_reclaim record = {};

	if (!t || !t->reclaim_ns)
		return;
	record.from_ns = t->reclaim_ns;
	record.to_ns = bpf_ktime_get_ns();
	t->reclaim_ns = 0;
	if (record.to_ns - record.from_ns < RECLAIM_NS)
		return;
	record.head = record_head(RECORD_RECLAIM, sizeof(record), bpf_get_smp_processor_id(),
				  state_tid(t, current_task()));
	record.head.flags = flags;
	emit(&record, sizeof(record));
}

SEC("tp_btf/mm_vmscan_direct_reclaim_begin")
int BPF_PROG(on_reclaim_begin)
{
	reclaim_begins();
	return 0;
}

SEC("tp_btf/mm_vmscan_direct_reclaim_end")
int BPF_PROG(on_reclaim_end)
{
	reclaim_ends(0);
	return 0;
}

SEC("tp_btf/mm_vmscan_memcg_reclaim_begin")
int BPF_PROG(on_reclaim_memcg_begin)
{
	reclaim_begins();
	return 0;
}

SEC("tp_btf/mm_vmscan_memcg_reclaim_end")
int BPF_PROG(on_reclaim_memcg_end)
{
	reclaim_ends(RECLAIM_GROUP);
	return 0;
}

SEC("tp_btf/mm_compaction_begin")
int BPF_PROG(on_reclaim_compact_begin)
{
	reclaim_begins();
	return 0;
}

SEC("tp_btf/mm_compaction_end")
int BPF_PROG(on_reclaim_compact_end)
{
	reclaim_ends(0);
	return 0;
}
