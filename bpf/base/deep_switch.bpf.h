/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Records at the switches of a CPU when the CPU left idle, and for how long the host of a virtual
 * machine has taken the CPU away (--level deep). The scheduler leaves stolen time out of the run
 * times of threads, and asks the hypervisor for it at every switch (update_rq_clock_task). The
 * count is in the CPU's run queue.
 */
#pragma once

#include "base/context.bpf.h"
#include "base/timers.bpf.h"

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

/* The CPU switches from idle to `next`. */
static __always_inline void stage_idle_exit(struct cpu_state *c, struct cpu_context *context,
					    struct task_struct *next, u32 cpu, u64 now_ns)
{
	struct record_idle *record;

	if (!context->idle_ns)
		return;
	cpu_is_awake(context, now_ns);
	record = stage(c, sizeof(*record), sizeof(*record), now_ns);
	record->head = record_head(RECORD_IDLE, sizeof(*record), cpu, task_tid(next));
	record->idle_ns = context->idle_ns;
	record->left_ns = context->left_ns;
	record->switch_ns = now_ns;
	context->idle_ns = 0;
}

/*
 * Whether real-time threads are runnable on the CPU that `task` is on. When the scheduler chooses
 * another thread there, it has reserved time for such threads: by the fair server, and before Linux
 * 6.12 by sched_rt_runtime_us ("sched/rt: Remove default bandwidth control").
 */
static __always_inline bool realtime_is_runnable(struct task_struct *task)
{
	if (!bpf_core_field_exists(struct rq, rt.rt_nr_running) ||
	    !bpf_core_field_exists(struct cfs_rq, rq))
		return false;
	return BPF_CORE_READ(task, se.cfs_rq, rq, rt.rt_nr_running);
}

/* `next` gets the CPU of `prev`. A thread with an inherited real-time priority needs no reserve. */
static __always_inline void note_reserve(struct cpu_context *context, struct task_struct *prev,
					 struct task_struct *next)
{
	context->reserved = 0;
	if (task_key(next) && (s32)READ(next, prio) >= NORMAL_PRIO && realtime_is_runnable(prev))
		context->reserved = task_key(next) + 1;
}

/* Flags for the slice of a thread that leaves the CPU. */
OUT_OF_LINE u32 reserve_flags(u32 cpu, struct task_struct *task)
{
	struct cpu_context *context = cpu_context(cpu);

	return context && context->reserved == task_key(task) + 1 ? SLICE_RESERVE : 0;
}

/*
 * --level deep, where a traced thread waits for the CPU, leaves it or gets it. Not inlined, because
 * the other levels should not pay for its registers.
 */
OUT_OF_LINE void deep_switch(struct cpu_state *c, struct task_struct *prev,
			     struct task_struct *next, u32 gets_traced, u64 now_ns)
{
	u32 cpu = bpf_get_smp_processor_id();
	struct cpu_context *context = cpu_context(cpu);
	struct task_state *from = task_state(prev);

	if (from)
		note_timer_asleep(from, prev);
	if (!context)
		return;
	stage_steal(c, context, prev, cpu, now_ns);
	note_reserve(context, prev, next);
	if (!task_key(prev) && (gets_traced || waiters(c)))
		stage_idle_exit(c, context, next, cpu, now_ns);
}

/* The same where none does. */
OUT_OF_LINE void deep_switch_of_others(struct task_struct *prev)
{
	struct cpu_context *context = cpu_context(bpf_get_smp_processor_id());

	if (!context)
		return;
	context->reserved = 0;
	note_steal(context, prev, bpf_ktime_get_ns());
}
