/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Records what ends the sleeps of traced threads (--level deep). sched_waking fires in the context
 * of the waker. The WAKER record goes out at sched_wakeup, where the sleep ends, see wakes().
 */
#include "base/context.bpf.h"
#include "base/state_changes.bpf.h"
#include "base/timers.bpf.h"

/* By name: the thread in whose context a traced one is woken. */
static __always_inline void announce_waker(u64 now_ns)
{
	struct task_struct *task = current_task();
	struct task_state *t = task_state(task);

	if (t && !t->is_peer)
		announce_traced(t, task, now_ns);
	else if (task_key(task))
		announce_task(task, task_tid(task), now_ns);
}

/* What has held the thread that is woken. From Linux 6.1 on, a sleep turns into a frozen one. */
static __always_inline u32 held_now(const struct task_state *woken, struct task_struct *task)
{
	return sleep_of(task) & TASK_FROZEN ? WAKER_OF_FROZEN : woken->waking.held;
}

/*
 * What the waker did until now is what the woken thread has waited for. A send shows it at its
 * end. Returns WAKER_IS_SHOWN or 0.
 */
static __always_inline u32 show_waker(const struct context *context, u64 now_ns)
{
	struct task_state *waker = context->flags ? NULL : current_state();

	if (!waker ||
	    (waker->syscall.enter_ns && waker->sending.queued_ns >= waker->syscall.enter_ns))
		return 0;
	return show_changes(waker, current_task(), now_ns) ? 0 : WAKER_IS_SHOWN;
}

/* Under the pi_lock of `task`. */
SEC("tp_btf/sched_waking")
int BPF_PROG(on_waker, struct task_struct *task)
{
	u32 cpu = bpf_get_smp_processor_id();
	struct cpu_context *c = cpu_context(cpu);
	struct task_state *woken = task_state(task);
	struct context context;
	u64 now;

	if (!c || !woken)
		return 0;
	context = context_of(c, ctx);
	now = bpf_ktime_get_ns();
	announce_waker(now);
	woken->waking.at_ns = now;
	woken->waking.tid = task_tid(current_task());
	woken->waking.number = context.number;
	woken->waking.cpu = cpu;
	woken->waking.flags = context.flags | held_now(woken, task);
	woken->waking.shown = show_waker(&context, now);
	woken->waking.timed_out = timer_wakes(woken, &context);
	return 0;
}

static __always_inline u32 raiser_of(const struct cpu_context *c, u32 flags)
{
	if (flags & WAKER_IRQ)
		return RAISED_BY_IRQ;
	if (flags & (WAKER_SOFTIRQ | WAKER_OWN_SOFTIRQ))
		return c->softirq_raiser;
	return flags & WAKER_UNSURE ? RAISED_BY_SEVERAL : current_key() + 1;
}

/* Which thread or interrupt makes the CPU execute a softirq soon. */
SEC("tp_btf/softirq_raise")
int BPF_PROG(on_softirq_raise, unsigned int vector)
{
	struct cpu_context *c = cpu_context(bpf_get_smp_processor_id());
	u32 *raiser, by;

	if (!c)
		return 0;
	by = raiser_of(c, context_of(c, ctx).flags);
	raiser = &c->raiser[vector & (SOFTIRQS_MAX - 1)];
	*raiser = *raiser && *raiser != by ? RAISED_BY_SEVERAL : by;
	return 0;
}
