/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Handles the begin and the end of system calls. These programs run for every system call of every
 * task. For a task that is not traced, the programs do little more than one lookup.
 */
#include "attach/listeners.bpf.h"
#include "base/preempt.bpf.h"
#include "transport/eventfd.bpf.h"
#include "transport/mqueue.bpf.h"
#include "transport/file_dispatch.bpf.h"
#include "transport/futex.bpf.h"
#include "transport/receive_calls.bpf.h"

/* The first send of a thread to a target, which is not traced yet, may be this call. */
static __always_inline void note_enter(long number)
{
	struct cpu_state *c;

	if (!armed_ns || !call_sends(number))
		return;
	c = cpu_state(bpf_get_smp_processor_id());
	if (!c)
		return;
	c->enter_thread = current_key();
	c->enter_ns = bpf_ktime_get_ns();
}

TWIN_PROG("tp_btf/sys_enter", on_sys_enter, struct pt_regs *regs, long id)
{
	struct task_state *t = current_state();

	if (!t) {
		if (attach)
			note_enter(id);
		return;
	}
	t->syscall.polls = call_polls(id, regs);
	t->syscall.has_reported = 0;
	if (attach) {
		t->syscall.is_mid_call = 0;
		if (t->has_untraced_siblings) {
			t->has_untraced_siblings = 0;
			trace_siblings();
		}
		t->syscall.number = id;
		t->sending.is_urgent = call_is_urgent(regs, id);
		t->receiving.copied_socket = 0;
		t->receiving.sender = 0;
	}
	t->syscall.enter_ns = bpf_ktime_get_ns();
	/* Before any sample: what a sample misses has come after this instant. */
	if (!attach)
		return;
	receive_enter(t, current_task(), regs);
	if (t->receiving.is_partial || call_waits_for_all(regs, id))
		stream_receive_begin(t, current_task());
}

/*
 * One program for everything, because each costs every call of every task. Pipes, queues and
 * futexes have no other event; they come before the receive is emitted that they may have made.
 */
TWIN_PROG("tp_btf/sys_exit", on_sys_exit, struct pt_regs *regs, long ret)
{
	struct task_state *t = current_state();
	long number = call_number(regs);

	if (attach && number == __NR_listen && !ret)
		listen_exit(t, call_argument(regs, 0));
	if (!t && attach && trace_queues && call_uses_queue(number) && ret >= 0)
		t = mqueue_peer(regs, number);
	if (!t)
		return;
	if (!attach || armed_ns) {
		if (attach && t->pieces.bytes)
			pieces_sent(t);
		if (trace_pipes)
			pipe_exit(t, regs, number, ret);
		if (trace_queues)
			mqueue_exit(t, number, ret);
		if (attach && !futex_exit(t, number, ret))
			eventfd_exit(t, number, ret);
	}
	if (t->receiving.has_record)
		receive_returns(t, bpf_ktime_get_ns());
	/* A later sleep is outside of the call: the thread may be stopped before it is back. */
	t->syscall.polls = 0;
	if (attach) {
		t->syscall.number = CALL_OUTSIDE;
		if (t->partial_send.channel)
			partial_send_end(t);
		if (t->partial_receive.sock)
			partial_receive_end(t);
		t->receiving.is_partial = 0;
	}
}
