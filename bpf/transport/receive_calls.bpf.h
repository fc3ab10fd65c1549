/* SPDX-License-Identifier: GPL-2.0 */
/* Attach: a receive call begins, and what is known before it returns. */
#ifndef IPCTRACE_BPF_TRANSPORT_RECEIVE_CALLS_H
#define IPCTRACE_BPF_TRANSPORT_RECEIVE_CALLS_H

#include "attach/partial_receives.bpf.h"
#include "transport/udp_packets.bpf.h"

/* A receive call begins: on which socket, and what is it going to take? */
static __always_inline void receive_enter(struct task_state *t, struct task_struct *task,
					  const struct pt_regs *regs)
{
	struct open_socket open;

	t->unix_cookie = t->udp_sock = t->udp_first = 0;
	t->takes_parts = 0;
	if (by_calls || !call_takes(regs))
		return;
	open = socket_of(file_of_task(task, call_argument(regs, 0)));
	t->takes_parts = open.type == SOCK_STREAM && open.blocked_calls_for > 1;
	if (open.family == AF_UNIX) {
		t->unix_cookie = open.cookie;
	} else if (trace_udp && open.address && open.type == SOCK_DGRAM) {
		t->udp_sock = open.address;
		datagram_look(t);
	}
}

/* It has begun before, and its thread sleeps in it. */
static __always_inline void receive_waits(struct task_state *t, struct task_struct *task)
{
	receive_enter(t, task, task_regs(task));
	if (t->takes_parts && !t->take_sock)
		stream_takes_begin(t, task);
	t->slept = t->udp_sock && t->place == PLACE_ASLEEP && datagram_awaits(t->udp_sock, task);
}

#endif
