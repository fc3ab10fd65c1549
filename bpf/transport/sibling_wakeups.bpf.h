/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Emits which thread of a process wakes another one of it (attach mode): the one may hand over
 * work, or a lock. It does so by a futex call, by a write to what the other one watches, or by
 * rearming that.
 */
#pragma once

#include "attach/peer.bpf.h"
#include "base/emit.bpf.h"
#include "base/syscalls.bpf.h"

/*
 * Where a thread sleeps in a futex call. A condition variable of glibc has two words, next to each
 * other, which count as one place. So do places that are 32 GiB apart.
 */
static __always_inline u32 futex_place(struct task_struct *sleeper)
{
	return call_argument(task_regs(sleeper), 0) >> 3;
}

/*
 * Emits that the current thread wakes another one of its process, and what the current thread did
 * until then. An interrupt in the middle of a futex call or of epoll_ctl() interrupts no program
 * that writes to the stage. `flags`: enum wakeup_flag.
 */
OUT_OF_LINE void stage_wakeup(struct task_state *waker, u32 woken, u32 type, u32 flags, u32 place)
{
	u32 cpu = bpf_get_smp_processor_id(), tid = state_tid(waker, current_task());
	struct cpu_state *c = cpu_state(cpu);
	u64 now = bpf_ktime_get_ns();
	struct record_wakeup *record;

	if (!c || !armed_ns)
		return;
	stage_changes(c, waker, cpu, tid, now);
	record = stage(c, sizeof(*record), sizeof(*record), now);
	record->head = record_head(type, sizeof(*record), cpu, tid);
	record->head.flags = flags;
	record->woken = woken;
	record->place = place;
	record->at_ns = now;
}

/*
 * The same for a write to an eventfd or a pipe that the other thread watches, and perhaps never
 * reads (EPOLLET). The SEND that follows brings what the current thread did until then. Not staged:
 * an interrupt that wakes the other one may be in the way of a program that stages.
 */
OUT_OF_LINE void emit_wakeup(struct task_state *waker, u32 woken)
{
	struct record_wakeup record = {};

	if (!armed_ns)
		return;
	record.head = record_head(RECORD_WAKEUP, sizeof(record), bpf_get_smp_processor_id(),
				  state_tid(waker, current_task()));
	record.head.flags = WAKEUP_BY_WRITE;
	record.woken = woken;
	record.at_ns = bpf_ktime_get_ns();
	emit(&record, sizeof(record));
}

/* Whether the current thread, in a futex call, may wake this thread of its process. */
static __always_inline bool futex_wakes_sibling(const struct pt_regs *regs,
						struct task_struct *woken)
{
	return call_is_futex(call_number(regs)) && call_wakes_futex(regs) &&
	       call_is_futex(call_of(woken));
}

/* The current thread may hand over work to another one of its process. */
static __always_inline void wakes_sibling(struct task_state *waker, struct task_state *woken,
					  struct task_struct *task)
{
	const struct pt_regs *regs = task_regs(current_task());
	long number = call_number(regs);

	if (!is_in_call(regs))
		return;
	if (futex_wakes_sibling(regs, task))
		stage_wakeup(waker, state_tid(woken, task), RECORD_FUTEX_WAKEUP, 0,
			     futex_place(task));
	/* The woken thread sleeps in a call that watches many channels. */
	else if (woken->syscall.polls && call_writes(number))
		emit_wakeup(waker, state_tid(woken, task));
	/*
	 * Boost.Asio rearms an eventfd that is always readable. A descriptor that is added is a
	 * new connection, which wakes the thread without being work for it.
	 */
	else if (woken->syscall.polls && number == __NR_epoll_ctl &&
		 call_argument(regs, 1) == EPOLL_CTL_MOD)
		stage_wakeup(waker, state_tid(woken, task), RECORD_WAKEUP, WAKEUP_BY_WRITE, 0);
}
