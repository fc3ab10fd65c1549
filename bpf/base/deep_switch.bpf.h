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

/* So many CPUs are compared: it is done at the end of long waits only. */
#define SPARE_CPUS_MAX 128

/* `mask`: the address of a struct cpumask. */
static __always_inline bool may_use(u64 mask, u32 cpu)
{
	u64 word = 0;

	bpf_probe_read_kernel(&word, sizeof(word), &((const struct cpumask *)mask)->bits[cpu / 64]);
	return word >> (cpu & 63) & 1;
}

/*
 *	  wait begins            a CPU goes idle          gets another CPU
 *	      |                        |------ idle_ns ---------|
 *
 * What was idle earlier in the wait, and is not any more, does not count. `mask`: the address of
 * that of CPUs that thread `tid` may use.
 */
VERIFIED_ONCE int find_spare(struct cpu_state *c, u32 tid, u64 mask, u64 from_ns, u64 now_ns)
{
	struct record_spare best = {.from_ns = from_ns, .to_ns = now_ns};

	if (!c)
		return 0;
	for (u32 cpu = 0; cpu < SPARE_CPUS_MAX; cpu++) {
		struct cpu_context *context = cpu_context(cpu);
		u64 unused_ns, idle_ns;
		bool allowed;

		if (!context)
			break;
		unused_ns = *(volatile u64 *)&context->unused_ns;
		if (!unused_ns || unused_ns >= now_ns)
			continue;
		idle_ns = now_ns - (unused_ns > from_ns ? unused_ns : from_ns);
		if (SPARE_PART * idle_ns < now_ns - from_ns)
			continue;
		allowed = may_use(mask, cpu);
		if (best.idle_ns && (best.is_allowed > allowed ||
				     (best.is_allowed == allowed && best.idle_ns >= idle_ns)))
			continue;
		best.cpu = cpu;
		best.is_allowed = allowed;
		best.idle_ns = idle_ns;
	}
	if (!best.idle_ns)
		return 0;
	best.head = record_head(RECORD_SPARE, sizeof(best), bpf_get_smp_processor_id(), tid);
	__builtin_memcpy(stage(c, sizeof(best), sizeof(best), now_ns), &best, sizeof(best));
	return 0;
}

/* The thread leaves its CPU. That it is frozen may also begin in its sleep: see held_now(). */
static __always_inline void note_held(struct task_state *t, struct task_struct *task)
{
	long state = sleep_of(task);

	t->waking.held = is_frozen(task, state)       ? WAKER_OF_FROZEN
			 : is_held_by_debugger(state) ? WAKER_OF_TRACED
						      : 0;
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

	if (from) {
		note_timer_asleep(from, prev);
		note_held(from, prev);
	}
	if (!context)
		return;
	context->unused_ns = task_key(next) ? 0 : now_ns;
	stage_steal(c, context, prev, cpu, now_ns);
	note_reserve(context, prev, next);
	if (!task_key(prev) && (gets_traced || waiters(c)))
		stage_idle_exit(c, context, next, cpu, now_ns);
}

/* The same where none does. */
OUT_OF_LINE void deep_switch_of_others(struct task_struct *prev, struct task_struct *next)
{
	struct cpu_context *context = cpu_context(bpf_get_smp_processor_id());
	u64 now;

	if (!context)
		return;
	now = bpf_ktime_get_ns();
	context->unused_ns = task_key(next) ? 0 : now;
	context->reserved = 0;
	note_steal(context, prev, now);
}
