/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Notes that the kernel is about to hold a traced thread back, because too many pages are dirty
 * (--level deep). The sleep itself is recorded where the thread leaves its CPU.
 */
#include "base/context.bpf.h"

/* `pause`: ticks. Where the kernel shows none, it does not let the thread sleep. */
static __always_inline void note_dirty(long pause)
{
	struct task_state *t = pause > 0 ? current_state() : NULL;

	if (t)
		t->dirty_ns = bpf_ktime_get_ns();
}

/* balance_dirty_pages() has eight arguments, of which the seventh is the pause, ... */
SEC("tp_btf/balance_dirty_pages")
int on_dirty_of_eight(const u64 *ctx)
{
	note_dirty((long)ctx[6]);
	return 0;
}

/* ... or twelve, and it is the eleventh. */
SEC("tp_btf/balance_dirty_pages")
int on_dirty_of_twelve(const u64 *ctx)
{
	note_dirty((long)ctx[10]);
	return 0;
}
