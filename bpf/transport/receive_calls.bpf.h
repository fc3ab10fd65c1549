/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Handles the start of a receive call. Notes the socket from which the call receives. For UDP,
 * also notes the datagram that the call is going to receive.
 *
 * At the start of a call, the socket is looked up only for MSG_WAITALL, or when one was seen for
 * which this matters: a UDP socket or a unix datagram of a traced thread, or any socket that waits
 * for more than one byte (SO_RCVLOWAT).
 */
#pragma once

#include "attach/partial_receives.bpf.h"
#include "transport/udp_packets.bpf.h"

/* What the call receives from is of no use later. */
static __always_inline void receive_exit(struct task_state *t)
{
	t->receiving.unix_cookie = t->udp.sock = t->udp.first = 0;
	t->receiving.is_partial = 0;
}

static __always_inline void receive_look_up(struct task_state *t, struct task_struct *task,
					    const struct pt_regs *regs)
{
	struct open_socket open;

	receive_exit(t);
	if (by_syscalls || !call_receives(regs))
		return;
	open = socket_of(file_of_task(task, call_argument(regs, 0)));
	t->receiving.is_partial = open.type == SOCK_STREAM && open.low_water > 1;
	if (open.family == AF_UNIX) {
		t->receiving.unix_cookie = open.cookie;
	} else if (trace_udp && open.address && open.type == SOCK_DGRAM) {
		t->udp.sock = open.address;
		datagram_sample(t);
	}
}

/* A receive call begins. */
static __always_inline void receive_enter(struct task_state *t, const struct pt_regs *regs,
					  long number)
{
	struct task_struct *task;
	bool waits_for_all = call_waits_for_all(regs, number);

	/* Before the survey ends, and where it does not see all, there may be such a socket. */
	if (!waits_for_all && is_surveyed && !in_pid_ns && !looks_up_receives)
		return;
	task = current_task();
	receive_look_up(t, task, regs);
	if (t->receiving.is_partial || waits_for_all)
		stream_receive_begin(t, task);
}

/* It began before tracing, and its thread sleeps in it. */
static __always_inline void receive_waits(struct task_state *t, struct task_struct *task)
{
	receive_look_up(t, task, task_regs(task));
	if (t->receiving.is_partial && !t->partial_receive.sock)
		stream_receive_begin(t, task);
	t->udp.has_slept =
		t->udp.sock && t->sched.place == PLACE_ASLEEP && datagram_awaits(t->udp.sock, task);
}
