/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Finds out in which context a program runs (--level deep): whether the current thread does what
 * the event shows, or an interrupt or a softirq that uses the CPU meanwhile.
 *
 *	irq_handler_entry ... irq_handler_exit    and the same of the CPU's own interrupts
 *	softirq_raise   by a thread, which then executes the softirq itself, as in a send over a
 *	                loopback device; or by an interrupt
 *	softirq_entry ... softirq_exit
 *
 * Some hypervisors have interrupts without a tracepoint. They are recognised by their stack. The
 * names of the kernel's counters (preempt_count) are not known on every kernel.
 */
#pragma once

#include "base/emit.bpf.h"
#include "base/syscalls.bpf.h"
#include "deep.h"

static __always_inline struct cpu_context *cpu_context(u32 cpu)
{
	return bpf_map_lookup_elem(&contexts, &cpu);
}

/* The first event on a CPU that was idle. */
static __always_inline void cpu_is_awake(struct cpu_context *c, u64 now_ns)
{
	if (c->idle_ns && !c->left_ns)
		c->left_ns = now_ns;
}

#define SOFTIRQ_OFFSET (1u << 8) /* include/linux/preempt.h: set while softirqs are executed */

struct context {
	u32 number; /* as in struct record_waker */
	u32 flags;  /* enum waker_flag; 0: the current thread itself */
};

/*
 * Whether the event comes from the stack of the current thread. `arguments` lie on the stack of the
 * event. Interrupts have a stack of their own, but x86-64 uses that of a thread that was in user
 * space.
 */
static __always_inline bool on_own_stack(struct cpu_context *c, const void *arguments)
{
	struct task_struct *task = current_task();
	u64 end = (u64)task_regs(task), at;

	/* As a number: the verifier allows no comparison with the context of a program. */
	*(volatile u64 *)&c->scratch = (u64)arguments;
	at = *(volatile u64 *)&c->scratch;
	return at >= (u64)READ(task, stack) && at < end;
}

/*
 * The thread has entered the kernel without a system call. The way there was an interrupt, which
 * may go on; or a page fault or a signal, which the thread handles itself.
 */
static __always_inline bool was_interrupted_in_user_space(void)
{
	struct task_struct *task = current_task();

	return !(READ(task, flags) & (PF_KTHREAD | PF_IO_WORKER | PF_EXITING)) &&
	       call_number(task_regs(task)) == -1;
}

static __always_inline bool in_softirq(const struct cpu_context *c)
{
	return c->softirq && c->softirq_thread == current_key() + 1;
}

/*
 * PREEMPT_RT: the thread executes a softirq, which another thread may have interrupted to execute
 * one itself.
 */
static __always_inline bool serves_softirq(void)
{
	struct task_struct *task = current_task();

	return bpf_core_field_exists(task->softirq_disable_cnt) &&
	       READ(task, softirq_disable_cnt) & SOFTIRQ_OFFSET;
}

static __always_inline struct context softirq_context(const struct cpu_context *c)
{
	struct context is = {.number = c->softirq - 1, .flags = WAKER_SOFTIRQ};

	if (c->softirq_raiser == RAISED_BY_SEVERAL || c->softirq_raiser == RAISED_BY_NONE)
		is.flags |= WAKER_UNSURE;
	else if (c->softirq_raiser == current_key() + 1)
		is.flags = WAKER_OWN_SOFTIRQ;
	return is;
}

static __always_inline struct context context_of(struct cpu_context *c, const void *arguments)
{
	if (c->irq)
		return (struct context){.number = c->irq - 1, .flags = WAKER_IRQ};
	if (in_softirq(c))
		return softirq_context(c);
	if (serves_softirq())
		return (struct context){.number = WAKER_NUMBER_NONE,
					.flags = WAKER_SOFTIRQ | WAKER_UNSURE};
	if (!current_key() || !on_own_stack(c, arguments))
		return (struct context){.number = WAKER_NUMBER_NONE, .flags = WAKER_IRQ};
	return (struct context){
		.number = WAKER_NUMBER_NONE,
		.flags = was_interrupted_in_user_space() ? WAKER_UNSURE : 0,
	};
}
