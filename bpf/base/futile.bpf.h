/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Finds wakes that were in vain (--level deep): something has become ready that a thread watches,
 * but another thread was faster, so that there is nothing left for this one. The kernel may see it
 * itself, and then the call that polls does not return:
 *
 *	 epoll_wait    woken     returns 1       accept: EAGAIN      epoll_wait
 *	-----|===asleep==|-----------|-------------------|----------------|===asleep===> time
 *	                 from_ns                                          to_ns
 *	-----|===asleep==|----|===asleep===>
 *
 * A call in between that receives, accepts or sends something shows that the wake was of use: a
 * program with edge-triggered events reads until EAGAIN. So does an error other than EAGAIN. A call
 * that polls and returns without a sleep is no wake.
 */
#pragma once

#include "base/context.bpf.h"
#include "kernel/compat.bpf.h"

/* What the thread has used of CPUs. It does not run now, or is about to leave its CPU. */
static __always_inline u64 cpu_time_of(struct task_struct *task)
{
	return READ(task, se.sum_exec_runtime);
}

/* The thread's sleep ends. Comes before emit_waker(). */
static __always_inline void note_woken(struct task_state *t, struct task_struct *task, u64 now_ns)
{
	const struct waking_state *waking = &t->waking;

	if (!t->futile.polls)
		return;
	t->futile.woken_ns = waking->timed_out ? 0 : now_ns;
	t->futile.ran_ns = cpu_time_of(task);
	t->futile.waker = waking->at_ns && !(waking->flags & ~WAKER_OWN_SOFTIRQ) ? waking->tid : 0;
}

/* A call has returned. */
static __always_inline void note_wait_over(struct task_state *t, const struct pt_regs *regs,
					   long ret)
{
	if (!call_polls(t->call.number, regs))
		return;
	t->futile.from_ns =
		ret > 0 && t->futile.woken_ns > t->call.enter_ns ? t->futile.woken_ns : 0;
	t->futile.woken_ns = 0;
	t->futile.failed = 0;
}

static __always_inline bool call_obtains(long number)
{
	return call_inputs(number) || call_accepts(number) || number == __NR_mq_timedreceive;
}

/* Whether the call has been of use if it succeeds. Waking a thread of the same program is not. */
static __always_inline bool call_is_of_use(long number)
{
	return call_obtains(number) || (call_sends(number) && !call_is_futex(number));
}

/* Any call has returned. */
static __always_inline void note_outcome(struct task_state *t, long ret)
{
	long number = t->call.number;

	if (!t->futile.from_ns || !call_is_of_use(number))
		return;
	if (ret >= 0 || (ret != -EAGAIN && call_obtains(number)))
		t->futile.from_ns = 0;
	else if (call_obtains(number) && !t->futile.failed)
		t->futile.failed = number + 1;
}

static __always_inline void emit_futile(struct task_state *t, struct task_struct *task, u64 from_ns,
					u64 now_ns)
{
	struct record_futile record = {};

	record.head = record_head(RECORD_FUTILE, sizeof(record), bpf_get_smp_processor_id(),
				  state_tid(t, task));
	record.head.flags = t->futile.from_ns ? 0 : FUTILE_IN_POLL;
	record.from_ns = from_ns;
	record.to_ns = now_ns;
	record.cpu_ns = cpu_time_of(task) - t->futile.ran_ns;
	record.number = t->futile.from_ns ? t->futile.failed - 1 : call_number(task_regs(task));
	record.waker = t->futile.waker;
	emit(&record, sizeof(record));
}

/*
 * The thread falls asleep. Only a sleep for want of events ends the stretch, not one for a lock.
 * The call may have begun before the thread was traced. Not staged: the stage of this CPU may be in
 * use.
 */
OUT_OF_LINE void note_futile_asleep(struct task_state *t, struct task_struct *task, u64 now_ns)
{
	const struct pt_regs *regs = task_regs(task);

	t->futile.polls =
		is_asleep_waiting(task) && is_in_call(regs) && call_polls(call_number(regs), regs);
	if (!t->futile.polls)
		return;
	if (t->futile.from_ns && t->futile.failed)
		emit_futile(t, task, t->futile.from_ns, now_ns);
	else if (t->futile.woken_ns > t->call.enter_ns)
		emit_futile(t, task, t->futile.woken_ns, now_ns);
	t->futile.from_ns = t->futile.woken_ns = 0;
}
