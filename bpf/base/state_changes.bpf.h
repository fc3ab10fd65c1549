/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Logs when a thread falls asleep, becomes runnable and runs. The log stays in the struct
 * task_state of the thread until a RECEIVE or CHANGES record carries the log to user space.
 */
#pragma once

#include "base/emit.bpf.h"
#include "base/syscalls.bpf.h"
#include "kernel/compat.bpf.h"

/* The buffer is full and no receive has come: emits it as a record of its own. */
OUT_OF_LINE void flush_changes(struct task_state *t, struct task_struct *task, u64 now_ns)
{
	struct {
		struct record_changes record;
		u64 change[CHANGES_MAX];
	} *out = bpf_ringbuf_reserve(&ring, sizeof(*out), 0);

	if (out) {
		out->record.head = record_head(RECORD_CHANGES, sizeof(*out),
					       bpf_get_smp_processor_id(), state_tid(t, task));
		out->record.base_ns = now_ns;
		out->record.first = t->receiving.record.first;
		__builtin_memcpy(out->change, t->changes.packed, sizeof(out->change));
		bpf_ringbuf_submit(out, BPF_RB_NO_WAKEUP);
	} else {
		count_loss(LOSS_RING_FULL, 1);
	}
	t->receiving.record.first += CHANGES_MAX;
	t->changes.cnt = 0;
}

static __always_inline void log_change(struct task_state *t, struct task_struct *task, u32 kind,
				       u32 cpu, u64 now_ns)
{
	if (t->changes.cnt >= CHANGES_MAX)
		flush_changes(t, task, now_ns);
	t->changes.packed[t->changes.cnt & (CHANGES_MAX - 1)] = change_pack(now_ns, cpu, kind);
	t->changes.cnt++;
}

/*
 * Emits what the current thread did until now. Not staged: the stage of this CPU may be in use by a
 * program that an interrupt interrupts. 0, or -1 if they are lost.
 */
OUT_OF_LINE int show_changes(struct task_state *t, struct task_struct *task, u64 now_ns)
{
	u32 cnt = t->changes.cnt, size = sizeof(struct record_changes) + cnt * sizeof(u64);
	struct {
		struct record_changes record;
		u64 change[CHANGES_MAX];
	} out;

	if (!cnt || cnt > CHANGES_MAX)
		return 0;
	out.record.head =
		record_head(RECORD_CHANGES, size, bpf_get_smp_processor_id(), state_tid(t, task));
	out.record.base_ns = base_of_changes(t, now_ns);
	out.record.first = t->receiving.record.first;
	__builtin_memcpy(out.change, t->changes.packed, sizeof(out.change));
	t->receiving.record.first += cnt;
	t->changes.cnt = 0;
	return emit(&out, size);
}

/*
 * The call that a thread sleeps in; notes whether the thread watches many channels there. A thread
 * that is held, see is_held(), sleeps outside of calls. The registers of an io_uring thread are
 * those of its maker.
 */
static __always_inline u32 note_call_asleep(struct task_state *t, struct task_struct *task,
					    bool held)
{
	const struct pt_regs *regs = task_regs(task);
	bool is_io = t->syscall.is_mid_call && is_io_thread(task);
	u32 number = held ? CALL_STOPPED : CALL_OUTSIDE;

	if (!held && !is_io && is_in_call(regs))
		number = call_number(regs);
	t->syscall.polls = is_io || call_polls(number, regs);
	return number;
}

/*
 * Whether a sleep in this call is a wait for room at the receiver. Locks, pages and disks are
 * waited for without interruption.
 */
static __always_inline bool waits_for_room(u32 number, u32 state)
{
	return class_of_call(number) & CALL_ROOM && !(state & TASK_UNINTERRUPTIBLE);
}

/*
 * A thread that decides to sleep leaves its CPU a moment later. A wakeup in between may find it
 * still there, and it goes on running; or it is about to leave, and the wakeup is completed once it
 * has left.
 */
static __always_inline void log_sleep(struct task_state *t, struct task_struct *task, bool held,
				      u32 state, u32 cpu, u64 now_ns)
{
	u32 number = note_call_asleep(t, task, held);
	bool polls = t->syscall.polls && !held;

	if (t->sched.is_being_woken)
		log_change(t, task, CHANGE_WOKEN, cpu, now_ns);
	else if (waits_for_room(number, state))
		log_change(t, task, CHANGE_ROOM, number, now_ns);
	else if (attach || held)
		log_change(t, task, polls ? CHANGE_POLL_IN : CHANGE_SLEEP_IN, number, now_ns);
	else
		log_change(t, task, polls ? CHANGE_POLL : CHANGE_SLEEP, cpu, now_ns);
}
