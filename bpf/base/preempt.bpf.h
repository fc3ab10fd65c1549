/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Keeps the BPF programs correct on Linux 7.0 and later, where a thread can be preempted inside a
 * program at a tracepoint. The kernel commit that permits this preemption is "tracing: Guard
 * __DECLARE_TRACE() use of __DO_TRACE_CALL() with SRCU-fast".
 *
 * - Another thread could change per-CPU data while a program uses the data. Programs therefore
 *   disable preemption while they run.
 * - The thread can still be preempted at the very end of a program. The kernel then skips this
 *   program for other threads on the CPU, until the first thread continues. Each such program
 *   therefore has two copies, called twins, which run after the program at the same tracepoint. If
 *   the program was skipped, a twin does the work.
 *
 * Programs that run with interrupts off, for example at sched_switch, cannot be preempted.
 */
#pragma once

#include "base/lookup.bpf.h"

#ifdef LEGACY
static __always_inline void bpf_preempt_disable(void)
{
}

static __always_inline void bpf_preempt_enable(void)
{
}
#else
extern void bpf_preempt_disable(void) __weak __ksym;
extern void bpf_preempt_enable(void) __weak __ksym;
#endif

/* The programs that have run for the current thread's current event, until the last twin. */
enum ran {
	RAN_on_sys_enter,
	RAN_on_sys_exit,
	RAN_on_net_dev_queue,
	RAN_on_unix_ready,
	RAN_on_inet_ready,
	RAN_on_send_length,
	RAN_on_copy_datagram,
	RAN_on_recv_length,
	RAN_on_uring_complete,
};

static __always_inline void preempt_disable(void)
{
	if (can_preempt)
		bpf_preempt_disable();
}

static __always_inline void preempt_enable(void)
{
	if (can_preempt)
		bpf_preempt_enable();
}

static __always_inline void note_run(enum ran program)
{
	struct task_state *t = can_preempt ? current_state() : NULL;

	if (t)
		t->ran |= 1u << program;
}

static __always_inline bool has_run(enum ran program)
{
	struct task_state *t = current_state();

	return t && t->ran & 1u << program;
}

static __always_inline void forget_run(enum ran program)
{
	struct task_state *t = current_state();

	if (t)
		t->ran &= ~(1u << program);
}

/* Like BPF_PROG(), with its section, and with twins: `name`_twin and `name`_third. */
#define TWIN_PROG(section, name, args...)                                                          \
	static __always_inline void name##_work(unsigned long long *ctx, ##args);                  \
	_Pragma("GCC diagnostic push") _Pragma("GCC diagnostic ignored \"-Wint-conversion\"");     \
	SEC(section) int name(unsigned long long *ctx)                                             \
	{                                                                                          \
		preempt_disable();                                                                 \
		name##_work(___bpf_ctx_cast(args));                                                \
		note_run(RAN_##name);                                                              \
		preempt_enable();                                                                  \
		return 0;                                                                          \
	}                                                                                          \
	SEC(section) int name##_twin(unsigned long long *ctx)                                      \
	{                                                                                          \
		preempt_disable();                                                                 \
		if (!has_run(RAN_##name)) {                                                        \
			name##_work(___bpf_ctx_cast(args));                                        \
			note_run(RAN_##name);                                                      \
		}                                                                                  \
		preempt_enable();                                                                  \
		return 0;                                                                          \
	}                                                                                          \
	SEC(section) int name##_third(unsigned long long *ctx)                                     \
	{                                                                                          \
		preempt_disable();                                                                 \
		if (!has_run(RAN_##name))                                                          \
			name##_work(___bpf_ctx_cast(args));                                        \
		forget_run(RAN_##name);                                                            \
		preempt_enable();                                                                  \
		return 0;                                                                          \
	}                                                                                          \
	_Pragma("GCC diagnostic pop") static __always_inline void name##_work(                     \
		unsigned long long *ctx, ##args)
