/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Handles the start and the end of system calls. These programs run for every system call of every
 * task. For a call that is not followed, see base/syscalls.bpf.h, and for a task that is not
 * traced, the programs do little more than one lookup.
 */
#include "attach/listeners.bpf.h"
#include "base/preempt.bpf.h"
#include "transport/connections.bpf.h"
#include "transport/eventfd.bpf.h"
#include "transport/mqueue.bpf.h"
#include "transport/file_dispatch.bpf.h"
#include "transport/futex.bpf.h"
#include "transport/receive_calls.bpf.h"

/* The first send of a thread to a target, which is not traced yet, may be this call. */
static __always_inline void note_enter(void)
{
	struct cpu_state *c;

	if (!armed_ns)
		return;
	c = cpu_state(bpf_get_smp_processor_id());
	if (!c)
		return;
	c->enter_thread = current_key();
	c->enter_ns = bpf_ktime_get_ns();
}

static __always_inline void enter(struct task_state *t, struct pt_regs *regs, long number,
				  u32 class)
{
	t->syscall.has_reported = 0;
	if (attach) {
		t->syscall.is_mid_call = 0;
		t->syscall.number = number;
		t->sending.is_urgent = call_is_urgent(regs, number);
		t->receiving.copied_socket = 0;
		t->receiving.sender = 0;
	}
	t->syscall.enter_ns = bpf_ktime_get_ns();
	/* Before any sample: what a sample misses has come after this instant. */
	if (attach && class & CALL_RECEIVES)
		receive_enter(t, regs, number);
}

TWIN_PROG("tp_btf/sys_enter", on_sys_enter, struct pt_regs *regs, long id)
{
	u32 class = call_class(id, regs);
	struct task_state *t;

	if (!class && !untraced_siblings)
		return;
	t = current_state();
	if (!t) {
		if (attach && class & CALL_SENDS)
			note_enter();
		if (attach && class & CALL_SOCKET)
			opening_begins(NULL, regs, id);
		return;
	}
	if (attach)
		siblings_follow(t);
	if (class & CALLS_FOLLOWED)
		enter(t, regs, id, class);
	if (trace_connections && class & CALL_SOCKET)
		opening_begins(t, regs, id);
}

/* What the call has sent or received over anything but a socket, which has events of its own. */
static __always_inline void files_exit(struct task_state *t, struct pt_regs *regs, long number,
				       u32 class, long ret)
{
	if (attach && t->pieces.bytes)
		pieces_sent(t);
	if (class & CALL_FILE) {
		if (trace_pipes)
			pipe_exit(t, regs, number, ret);
		if (attach)
			eventfd_exit(t, number, ret);
	} else if (trace_queues && class & CALL_QUEUE) {
		if (ret >= 0)
			mqueue_used(t, number, ret);
	} else if (attach && class & CALL_FUTEX) {
		futex_exit(t, ret);
	}
}

/* A run: a member of the workload has connected, or accepted a connection. */
static __always_inline void opening_ends(struct task_state *t, const struct pt_regs *regs,
					 long number, long ret)
{
	if (number == __NR_connect)
		connect_returns(t, regs, ret);
	else if (ret >= 0 && call_accepts(number))
		accept_returns(t, regs, ret);
}

/*
 * Attach: a call has made, changed or connected a socket. `t`: NULL if it is not traced.
 */
static __always_inline void socket_exit(struct task_state *t, const struct pt_regs *regs,
					long number, long ret)
{
	if (number == __NR_connect)
		connect_returns(t, regs, ret);
	else if (ret < 0)
		return;
	else if (call_accepts(number))
		accept_returns(t, regs, ret);
	else if (number == __NR_listen)
		listen_exit(t, call_argument(regs, 0));
	else if (number == __NR_socket ? t && call_makes_udp(regs) : call_sets_low_water(regs))
		looks_up_receives = 1;
}

/*
 * One program for everything, because each costs every call of every task. Pipes, queues and
 * futexes have no other event; they come before the receive is emitted that they may have made.
 */
TWIN_PROG("tp_btf/sys_exit", on_sys_exit, struct pt_regs *regs, long ret)
{
	long number = call_number(regs);
	u32 class = call_class(number, regs);
	struct task_state *t;

	if (!class)
		return;
	t = current_state();
	if (class & CALL_SOCKET) {
		if (attach)
			socket_exit(t, regs, number, ret);
		else if (trace_connections && t)
			opening_ends(t, regs, number, ret);
		if (number != __NR_connect)
			return;
	}
	if (!t && attach && trace_queues && class & CALL_QUEUE && ret >= 0)
		t = mqueue_peer(regs, number);
	if (!t)
		return;
	if (!attach || armed_ns)
		files_exit(t, regs, number, class, ret);
	if (t->receiving.has_record)
		receive_returns(t, bpf_ktime_get_ns());
	if (!attach)
		return;
	/* A later sleep is outside of the call: the thread may be stopped before it is back. */
	t->syscall.number = CALL_OUTSIDE;
	if (t->partial_send.channel)
		partial_send_end(t);
	if (t->partial_receive.sock)
		partial_receive_end(t);
	receive_exit(t);
}
