/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Notes the timers that traced threads start in order to be woken (--level deep), see timers.bpf.h.
 * Both events fire in the thread's context, with interrupts off. They also fire for all other
 * timers, such as those of the scheduler and of drivers.
 */
#include "base/timers.bpf.h"

/* A thread that is woken too soon starts its timer again. It still waits for the same instant. */
static __always_inline bool starts_again(const struct timer_state *timer, u64 address, u64 until,
					 u64 tolerance)
{
	return timer->address == address && until - timer->until + tolerance <= 2 * tolerance;
}

static __always_inline void note_timer(struct timer_state *timer, u64 address, u64 until,
				       u64 asked_ns, u64 now_ns)
{
	timer->address = address;
	timer->until = until;
	timer->started_ns = now_ns;
	timer->asked_ns = (s64)asked_ns < 0 ? 0 : asked_ns;
	timer->slack_ns = 0;
	timer->is_wheel = 0;
}

/* The clock of a timer is the monotonic one plus an offset. */
SEC("tp_btf/hrtimer_start")
int BPF_PROG(on_hrtimer_start, struct hrtimer *timer)
{
	struct task_state *t = current_state();
	u64 address, until, now;

	if (!t || !is_own_timer(t, timer, false))
		return 0;
	address = timer_address_of(t, timer);
	until = hrtimer_soft_expiry(address);
	if (!t->timer.is_wheel && starts_again(&t->timer, address, until, 0))
		return 0;
	now = bpf_ktime_get_ns();
	note_timer(&t->timer, address, until,
		   until - BPF_CORE_READ((struct hrtimer *)address, base, offset) - now, now);
	t->timer.slack_ns = BPF_CORE_READ((struct hrtimer *)address, node.expires) - until;
	return 0;
}

/* Timers of ticks expire later than asked for: their lists have some ticks in common. */
SEC("tp_btf/timer_start")
int BPF_PROG(on_timer_start, struct timer_list *timer)
{
	struct task_state *t = current_state();
	u64 address, until;

	if (!t || !is_own_timer(t, timer, true))
		return 0;
	address = timer_address_of(t, timer);
	until = wheel_expiry(address);
	/* What is left of the time is counted in ticks, too, so that it may be one off. */
	if (t->timer.is_wheel && starts_again(&t->timer, address, until, 1)) {
		t->timer.until = until;
		return 0;
	}
	note_timer(&t->timer, address, until, (until - bpf_jiffies64()) * tick_ns,
		   bpf_ktime_get_ns());
	t->timer.is_wheel = 1;
	return 0;
}
