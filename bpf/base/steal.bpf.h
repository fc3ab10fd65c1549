/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Reads for how long the host of a virtual machine has taken a CPU away (--level deep). The
 * scheduler leaves this time out of the run times of threads, and asks the hypervisor for it at
 * every switch (update_rq_clock_task). The count is in the CPU's run queue.
 */
#pragma once

#include "base/context.bpf.h"

/* Up to now, on the CPU that the thread is on; 0: also if the kernel does not count it. */
static __always_inline u64 stolen_from(struct task_struct *task)
{
	if (!bpf_core_field_exists(struct rq, prev_steal_time_rq) ||
	    !bpf_core_field_exists(struct cfs_rq, rq))
		return 0;
	return BPF_CORE_READ(task, se.cfs_rq, rq, prev_steal_time_rq);
}

/* `task` leaves the CPU. */
static __always_inline void note_steal(struct cpu_context *context, struct task_struct *task,
				       u64 now_ns)
{
	context->stolen_ns = stolen_from(task);
	context->stolen_at_ns = now_ns;
}

/* The same, where a traced thread waits for the CPU, leaves it or gets it. */
static __always_inline void stage_steal(struct cpu_state *c, struct cpu_context *context,
					struct task_struct *task, u32 cpu, u64 now_ns)
{
	u64 before_ns = context->stolen_ns, from_ns = context->stolen_at_ns;
	struct record_stolen *record;

	note_steal(context, task, now_ns);
	if (!from_ns || context->stolen_ns <= before_ns)
		return;
	record = stage(c, sizeof(*record), sizeof(*record), now_ns);
	record->head = record_head(RECORD_STOLEN, sizeof(*record), cpu, task_tid(task));
	record->from_ns = from_ns;
	record->to_ns = now_ns;
	record->stolen_ns = context->stolen_ns - before_ns;
}
