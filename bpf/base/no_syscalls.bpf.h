/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Replaces the events of system calls when the user chooses `--level light`. At this level, no
 * program runs at system calls, because such a program slows down every task on the machine. Other
 * events are used instead:
 *
 *	sender:   sk_data_ready(receiver) → sock_send_length(sender)
 *	receiver: [sched_switch: it sleeps, in which call?] → sock_recv_length(receiver)
 *
 * - When a thread falls asleep, its registers show in which call the thread sleeps.
 * - A message counts as received at sock_recv_length, shortly before the receive call returns.
 * - The start of a call is not known. If the receiver slept in the call, `enter_ns` is the start
 *   of the sleep. Otherwise `enter_ns` is an instant before the call.
 */
#pragma once

#include "base/syscalls.bpf.h"

/*
 * The thread falls asleep now; in no call, if it is held. Sleeps in receive calls of one socket are
 * one wait as long as nothing is received in between.
 */
static __always_inline void no_syscalls_sleep(struct task_state *t, struct task_struct *task,
					      bool held, u64 now_ns)
{
	const struct pt_regs *regs = task_regs(task);
	u64 socket = 0;

	t->syscall.number = held ? CALL_OUTSIDE : call_number(regs);
	t->syscall.is_mid_call = 0;
	if (!held && call_receives(regs))
		socket = socket_of(file_of_task(task, call_argument(regs, 0))).address;
	if (socket && socket == t->receiving.waits_on)
		return;
	t->receiving.waits_on = socket;
	t->receiving.waits_since_ns = now_ns;
}

/* The thread is awake again. What it sends may be queued in parts, before and after the sleep. */
static __always_inline void no_syscalls_awake(struct task_state *t, u64 now_ns)
{
	t->sched.awake_ns = now_ns;
	if (!call_sends(t->syscall.number) || call_is_futex(t->syscall.number))
		t->syscall.enter_ns = now_ns;
}

/*
 * The thread has received from `sk`: a lower bound for its call's begin; 0: before it was traced.
 */
static __always_inline void no_syscalls_receive(struct task_state *t, const struct sock *sk)
{
	if (t->receiving.waits_on == (u64)sk)
		t->syscall.enter_ns = t->receiving.waits_since_ns;
	else if (t->syscall.is_mid_call)
		t->syscall.enter_ns = 0;
	else if (t->syscall.enter_ns < t->sched.awake_ns)
		t->syscall.enter_ns = t->sched.awake_ns;
}

/* All that the call has sent or received is emitted. */
static __always_inline void no_syscalls_done(struct task_state *t, u64 now_ns)
{
	t->syscall.enter_ns = now_ns;
	t->sending.queued_ns = 0;
	t->receiving.sender = 0;
	t->receiving.waits_on = 0;
	t->syscall.is_mid_call = 0;
}

/*
 * Whether the current thread is in a call that sock_send_length ends. A softirq runs in the context
 * of any thread, and may bring data of another sender.
 */
static __always_inline bool no_syscalls_in_send(void)
{
	struct task_struct *task = current_task();
	const struct pt_regs *regs = task_regs(task);
	long number = call_number(regs);

	if (number == __NR_sendto || number == __NR_sendmsg || number == __NR_sendmmsg)
		return true;
	return call_writes(number) && socket_of(file_of_task(task, call_argument(regs, 0))).address;
}
