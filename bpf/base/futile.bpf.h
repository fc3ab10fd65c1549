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
 *
 * A broadcast wakes all threads that sleep for one futex word. Those that find nothing sleep for
 * that word again. Meanwhile they may wait for a lock, but make no other call, and use a CPU for a
 * short time only: threads that share some work use it for longer.
 *
 *	 futex, word A    woken      futex, word B: a lock      futex, word A
 *	-----|===asleep==|------------|===asleep==|----------------|===asleep===> time
 *	               awake_ns
 *
 * A thread that waits for a file lock tries again within its call.
 */
#pragma once

#include "base/context.bpf.h"
#include "kernel/compat.bpf.h"

/* A thread that used a CPU for longer has done something: a share of some work, for example. */
#define FUTEX_VAIN_NS 100000

#define F_SETLKW      7 /* include/uapi/asm-generic/fcntl.h */
#define F_OFD_SETLKW  38

/* What the thread has used of CPUs. It does not run now, or is about to leave its CPU. */
static __always_inline u64 cpu_time_of(struct task_struct *task)
{
	return READ(task, se.sum_exec_runtime);
}

/* The thread's sleep ends. Comes before emit_waker(). */
static __always_inline void note_woken(struct task_state *t, struct task_struct *task, u64 now_ns)
{
	const struct waking_state *waking = &t->waking;

	if (t->futile.word && !t->futile.awake_ns && !waking->timed_out && waking->at_ns &&
	    !waking->flags) {
		t->futile.awake_ns = now_ns;
		t->futile.awake_word = t->futile.word;
		t->futile.awake_ran_ns = cpu_time_of(task);
		t->futile.awake_by = waking->tid;
	}
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

	if (!call_is_futex(number))
		t->futile.awake_ns = 0;
	if (!t->futile.from_ns || !call_is_of_use(number))
		return;
	if (ret >= 0 || (ret != -EAGAIN && call_obtains(number)))
		t->futile.from_ns = 0;
	else if (call_obtains(number) && !t->futile.failed)
		t->futile.failed = number + 1;
}

static __always_inline void emit_futile(struct task_state *t, struct task_struct *task,
					struct record_futile *record, u64 now_ns)
{
	u32 flags = record->head.flags;

	record->head = record_head(RECORD_FUTILE, sizeof(*record), bpf_get_smp_processor_id(),
				   state_tid(t, task));
	record->head.flags = flags;
	record->to_ns = now_ns;
	emit(record, sizeof(*record));
}

/*
 * The word that the thread waits for in a futex call, as in struct futile_state. The C library
 * waits for conditions with FUTEX_WAIT_BITSET, and for locks with FUTEX_WAIT.
 */
static __always_inline u64 futex_word(const struct pt_regs *regs, long number)
{
	if (number != __NR_futex || (call_argument(regs, 1) & FUTEX_CMD_MASK) != FUTEX_WAIT_BITSET)
		return 0;
	return call_argument(regs, 0) >> 3;
}

/* The thread falls asleep, for a word or not. */
static __always_inline void note_futex_asleep(struct task_state *t, struct task_struct *task,
					      u64 word, long number, u64 now_ns)
{
	struct record_futile record = {
		.from_ns = t->futile.awake_ns, .number = number, .waker = t->futile.awake_by};

	t->futile.word = word;
	if (!word && call_is_futex(number))
		return;
	if (!record.from_ns || (word && word != t->futile.awake_word))
		return;
	t->futile.awake_ns = 0;
	record.cpu_ns = cpu_time_of(task) - t->futile.awake_ran_ns;
	record.head.flags = FUTILE_IN_FUTEX;
	if (word && record.cpu_ns < FUTEX_VAIN_NS)
		emit_futile(t, task, &record, now_ns);
}

static __always_inline bool call_waits_for_file_lock(long number, const struct pt_regs *regs)
{
	u32 command = call_argument(regs, 1);

	return number == __NR_flock ||
	       (number == __NR_fcntl && (command == F_SETLKW || command == F_OFD_SETLKW));
}

/*
 * The thread falls asleep. Only a sleep for want of events ends the stretch, not one for a lock.
 * The call may have begun before the thread was traced. Not staged: the stage of this CPU may be in
 * use.
 */
OUT_OF_LINE void note_futile_asleep(struct task_state *t, struct task_struct *task, u64 now_ns)
{
	const struct pt_regs *regs = task_regs(task);
	bool waits = is_asleep_waiting(task) && is_in_call(regs);
	long number = waits ? call_number(regs) : -1;
	bool polls = waits && call_polls(number, regs);
	struct record_futile record = {.number = number, .waker = t->futile.waker};

	if (waits)
		note_futex_asleep(t, task, futex_word(regs, number), number, now_ns);
	t->futile.polls = polls || (waits && call_waits_for_file_lock(number, regs));
	if (!t->futile.polls)
		return;
	record.cpu_ns = cpu_time_of(task) - t->futile.ran_ns;
	if (polls && t->futile.from_ns && t->futile.failed) {
		record.from_ns = t->futile.from_ns;
		record.number = t->futile.failed - 1;
		emit_futile(t, task, &record, now_ns);
	} else if (t->futile.woken_ns > t->call.enter_ns) {
		record.from_ns = t->futile.woken_ns;
		record.head.flags = FUTILE_IN_POLL;
		emit_futile(t, task, &record, now_ns);
	}
	t->futile.from_ns = t->futile.woken_ns = 0;
}
