/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Finds out whether a thread slept until its own timeout (--level deep). A thread that sets one
 * puts a timer on its kernel stack, starts it, and sleeps:
 *
 *	hrtimer_start, timer_start    sched_switch         sched_waking
 *	  | the timer is started        | it is queued       | it is not queued any more
 *	--|-----------------------------|====== asleep ======|--> time
 *
 * The stack of a sleeping thread does not change. So a timer there that was queued when the sleep
 * began, and is not when an interrupt wakes the thread, has expired and woken it. What is left on
 * the stack of a timer that was taken back is never queued. Other timers that may end the sleep,
 * such as those of timerfd_create() and setitimer(), are not on the stack.
 *
 *	struct hrtimer_sleeper    nanosleep, futex, poll, select, epoll_wait. `task` becomes NULL
 *	                          before the thread is woken (hrtimer_wakeup)
 *	struct process_timer      schedule_timeout(): SO_RCVTIMEO, SO_SNDTIMEO. It leaves its list
 *	                          before the thread is woken (expire_timers)
 */
#pragma once

#include "base/context.bpf.h"
#include "base/emit.bpf.h"
#include "base/syscalls.bpf.h"
#include "deep.h"
#include "kernel/compat.bpf.h"

/* Before Linux 7.1 ("hrtimer: Convert state and properties to boolean") it is a bit of `state`. */
struct hrtimer___queued {
	bool is_queued;
} __attribute__((preserve_access_index));

#define HRTIMER_STATE_ENQUEUED 1

static __always_inline bool hrtimer_is_queued(u64 address)
{
	struct hrtimer *timer = (struct hrtimer *)address;
	struct hrtimer___queued *queued = (struct hrtimer___queued *)address;

	if (bpf_core_field_exists(queued->is_queued))
		return BPF_CORE_READ(queued, is_queued);
	return BPF_CORE_READ(timer, state) & HRTIMER_STATE_ENQUEUED;
}

static __always_inline u64 hrtimer_soft_expiry(u64 address)
{
	struct hrtimer *timer = (struct hrtimer *)address;

	return BPF_CORE_READ(timer, _softexpires);
}

static __always_inline bool wheel_is_queued(u64 address)
{
	struct timer_list *timer = (struct timer_list *)address;

	return BPF_CORE_READ(timer, entry.pprev);
}

static __always_inline u64 wheel_expiry(u64 address)
{
	struct timer_list *timer = (struct timer_list *)address;

	return BPF_CORE_READ(timer, expires);
}

/* The thread that a timer of the kind would wake (address). */
static __always_inline u64 timer_sleeper(u64 address, bool is_wheel)
{
	struct process_timer *of_ticks = (struct process_timer *)address;
	struct hrtimer_sleeper *sleeper = (struct hrtimer_sleeper *)address;

	if (is_wheel)
		return (u64)BPF_CORE_READ(of_ticks, task);
	return (u64)BPF_CORE_READ(sleeper, task);
}

/* Like address_of(), for programs that only run with interrupts off. */
static __always_inline u64 timer_address_of(struct task_state *t, const void *pointer)
{
	*(volatile u64 *)&t->timer.scratch = (u64)pointer;
	return *(volatile u64 *)&t->timer.scratch;
}

/*
 * Whether the timer is on the kernel stack of the current thread, and wakes this thread. `timer` is
 * the argument of an event.
 */
static __always_inline bool is_own_timer(struct task_state *t, const void *timer, bool is_wheel)
{
	struct task_struct *task = current_task();
	u64 at = timer_address_of(t, timer), self = timer_address_of(t, task);

	return at >= (u64)READ(task, stack) && at < (u64)task_regs(task) &&
	       timer_sleeper(at, is_wheel) == self;
}

static __always_inline bool timer_is_queued(const struct timer_state *timer)
{
	if (timer->is_wheel)
		return wheel_is_queued(timer->address) &&
		       wheel_expiry(timer->address) == timer->until;
	return hrtimer_is_queued(timer->address) &&
	       hrtimer_soft_expiry(timer->address) == timer->until;
}

static __always_inline bool timer_has_expired(const struct timer_state *timer)
{
	if (timer->is_wheel)
		return !wheel_is_queued(timer->address);
	return !timer_sleeper(timer->address, false) && !hrtimer_is_queued(timer->address);
}

/*
 * The thread leaves its CPU, and may fall asleep. Sleeps that signals do not interrupt are the
 * kernel's own, for example until a disk or a lock is ready.
 */
OUT_OF_LINE void note_timer_asleep(struct task_state *t, struct task_struct *task)
{
	t->timer.was_queued =
		t->timer.address && is_asleep_waiting(task) &&
		timer_sleeper(t->timer.address, t->timer.is_wheel) == timer_address_of(t, task) &&
		timer_is_queued(&t->timer);
}

/* include/linux/interrupt.h */
enum { TIMER_SOFTIRQ = 1, HRTIMER_SOFTIRQ = 8 };

/*
 * Whether timers expire in this context: in interrupts, and in two softirqs. Another softirq or a
 * thread may wake the thread at the same instant.
 */
static __always_inline bool timers_expire_in(const struct context *context)
{
	if (!(context->flags & (WAKER_SOFTIRQ | WAKER_OWN_SOFTIRQ)))
		return context->flags;
	return context->number == WAKER_NUMBER_NONE || context->number == TIMER_SOFTIRQ ||
	       context->number == HRTIMER_SOFTIRQ;
}

/* Whether its own timer wakes the thread now. */
static __always_inline bool timer_wakes(const struct task_state *t, const struct context *context)
{
	return t->timer.was_queued && timers_expire_in(context) && timer_has_expired(&t->timer);
}

/* Whether the thread has slept for a time, for the first time since a call of it failed. */
static __always_inline bool pauses_after_failure(const struct task_state *t,
						 struct task_struct *task)
{
	return t->call.failed_error && t->call.enter_ns &&
	       READ(task, nvcsw) == t->call.failed_sleeps + 1 &&
	       call_pauses(t->call.number, task_regs(task));
}

/* The sleep ended at `wake_ns`. Not staged: the stage of this CPU may be in use. */
static __always_inline void emit_timeout(struct task_state *t, struct task_struct *task, u32 tid,
					 u64 wake_ns)
{
	struct record_timeout_failed failed = {};
	struct record_timeout record = {};
	bool tries_again;

	t->timer.was_queued = 0;
	if (!t->waking.timed_out)
		return;
	t->waking.timed_out = 0;
	tries_again = pauses_after_failure(t, task);
	record.head = record_head(RECORD_TIMEOUT, tries_again ? sizeof(failed) : sizeof(record),
				  bpf_get_smp_processor_id(), tid);
	record.head.flags = t->timer.is_wheel ? TIMEOUT_IN_TICKS : 0;
	if (t->syscall.polls ||
	    (t->timer.is_wheel && class_of_call(t->syscall.number) & CALL_RECEIVES))
		record.head.flags |= TIMEOUT_FOR_DATA;
	if (t->call.enter_ns && call_is_futex(t->call.number))
		record.head.flags |= TIMEOUT_IN_FUTEX;
	record.wake_ns = wake_ns;
	record.started_ns = t->timer.started_ns;
	record.asked_ns = t->timer.asked_ns;
	record.slack_ns = t->timer.slack_ns;
	if (!tries_again) {
		emit(&record, sizeof(record));
		return;
	}
	failed.timeout = record;
	failed.number = t->call.failed;
	failed.error = t->call.failed_error;
	emit(&failed, sizeof(failed));
}
