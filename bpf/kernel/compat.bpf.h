/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Hides differences between kernel versions and between kernel configurations. If a kernel commit
 * caused a difference, a comment names the commit.
 */
#pragma once

#include "vmlinux.h"
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_core_read.h>

#include "kernel/legacy.bpf.h"

struct task_struct___before_5_14 {
	volatile long state;
} __attribute__((preserve_access_index));

#define NORMAL_PRIO 100 /* real-time threads have lower values */

/*
 * Whether bandwidth control (cpu.max, cpu.cfs_quota_us) keeps a thread from running that leaves its
 * CPU or is woken. It does not apply to real-time threads. From Linux 6.18 single tasks are
 * throttled ("sched/fair: Switch to task based throttle model"); before that, whole run queues.
 */
static __always_inline bool is_throttled(struct task_struct *task)
{
	struct cfs_rq *queue;

	if (bpf_core_field_exists(task->throttled))
		return READ(task, throttled);
	if (!bpf_core_field_exists(struct cfs_rq, throttle_count) ||
	    (u32)READ(task, normal_prio) < NORMAL_PRIO)
		return false;
	queue = READ(task, se.cfs_rq);
	return queue && READ(queue, throttle_count) > 0;
}

struct task_struct___before_5_16 {
	unsigned int cpu;
} __attribute__((preserve_access_index));

/*
 * The CPU that the thread runs on, waits for, or ran on last. From Linux 5.16 in its thread_info
 * ("sched: move CPU field back into thread_info if THREAD_INFO_IN_TASK=y").
 */
static __always_inline u32 task_cpu(struct task_struct *task)
{
	if (bpf_core_field_exists(task->thread_info.cpu))
		return READ(task, thread_info.cpu);
	return BPF_CORE_READ((struct task_struct___before_5_16 *)task, cpu);
}

/* From Linux 5.14 the field is __state ("sched: Change task_struct::state"). */
static __always_inline long sleep_of(struct task_struct *task)
{
	if (bpf_core_field_exists(task->__state))
		return BPF_CORE_READ(task, __state);
	return BPF_CORE_READ((struct task_struct___before_5_14 *)task, state);
}

static __always_inline bool is_asleep(struct task_struct *task)
{
	return sleep_of(task) != 0;
}

/* A sleep for a lock, or a page of memory, does not have this bit. */
#define TASK_INTERRUPTIBLE   1
#define TASK_UNINTERRUPTIBLE 2

static __always_inline bool is_asleep_waiting(struct task_struct *task)
{
	return sleep_of(task) & TASK_INTERRUPTIBLE;
}

enum {
	TASK_DEAD = 0x0080, /* it leaves its CPU for the last time */
	TASK_STOPPED = 0x0004,
	TASK_TRACED = 0x0008,
	TASK_FROZEN = 0x8000, /* from Linux 6.1; no other state has this bit before */
};
#define JOBCTL_TRAP_FREEZE (1UL << 23)

/*
 * Whether a thread that sleeps in this state is stopped, traced or frozen, and waits for nothing
 * else: it is on its way out of the call that its registers show, or into it. The state of a thread
 * that cgroup.freeze freezes is a plain sleep.
 */
static __always_inline bool is_held(struct task_struct *task, long state)
{
	return state & (TASK_STOPPED | TASK_TRACED | TASK_FROZEN) ||
	       READ(task, jobctl) & JOBCTL_TRAP_FREEZE;
}

/* The two kinds of this that are not signals; for one of the others both are false. */
static __always_inline bool is_frozen(struct task_struct *task, long state)
{
	return state & TASK_FROZEN || READ(task, jobctl) & JOBCTL_TRAP_FREEZE;
}

static __always_inline bool is_held_by_debugger(long state)
{
	return state & TASK_TRACED;
}

struct mutex___rt {
	struct rt_mutex_base rtmutex;
} __attribute__((preserve_access_index));

#define MUTEX_FLAGS 7UL /* in the owner's address */

/* The thread that holds it (address); 0: none. PREEMPT_RT builds mutexes from another lock. */
static __always_inline u64 mutex_owner(struct mutex *mutex)
{
	struct mutex___rt *rt = (struct mutex___rt *)mutex;

	if (bpf_core_field_exists(rt->rtmutex.owner))
		return (u64)BPF_CORE_READ(rt, rtmutex.owner) & ~MUTEX_FLAGS;
	if (!bpf_core_field_exists(mutex->owner))
		return 0;
	return BPF_CORE_READ(mutex, owner.counter) & ~MUTEX_FLAGS;
}

/*
 * Set by the loader: programs can iterate over the threads of a process. From Linux 6.7 ("bpf:
 * Introduce task open coded iterator kfuncs"); older kernels never call these functions.
 */
const volatile bool has_task_iter = false;
#ifndef LEGACY
extern struct task_struct *bpf_task_acquire(struct task_struct *task) __weak __ksym;
extern void bpf_task_release(struct task_struct *task) __weak __ksym;
extern int bpf_iter_task_new(struct bpf_iter_task *iter, struct task_struct *task,
			     unsigned int flags) __weak __ksym;
extern struct task_struct *bpf_iter_task_next(struct bpf_iter_task *iter) __weak __ksym;
extern void bpf_iter_task_destroy(struct bpf_iter_task *iter) __weak __ksym;
#endif
