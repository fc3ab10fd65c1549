/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Where calls begin and end. These run for every system call of every task, so an untraced one
 * leaves after one look into its task storage.
 */
#include "attach/listeners.bpf.h"
#include "base/preempt.bpf.h"
#include "transport/eventfd.bpf.h"
#include "transport/mqueue.bpf.h"
#include "transport/file_dispatch.bpf.h"
#include "transport/receive_calls.bpf.h"

/* Whoever sends to a target for the first time is not traced yet, but the call may be this one. */
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
	t->polls = call_polls(id, regs);
	t->told = 0;
	if (attach) {
		t->is_fresh = 0;
		if (t->has_siblings) {
			t->has_siblings = 0;
			trace_siblings();
		}
		t->call = id;
		t->is_urgent = call_is_urgent(regs, id);
		t->copied_socket = 0;
		t->taken_from = 0;
	}
	t->enter_ns = bpf_ktime_get_ns();
	/* What is not found comes after this instant. */
	if (!attach)
		return;
	receive_enter(t, current_task(), regs);
	if (t->takes_parts || call_waits_for_all(regs, id))
		stream_takes_begin(t, current_task());
}

/*
 * One program for all: each costs every call of every task. Pipes, queues and hand-offs have no
 * other event, and come before the receive is handed out that they may have made.
 */
TWIN_PROG("tp_btf/sys_exit", on_sys_exit, struct pt_regs *regs, long ret)
{
	struct task_state *t = current_state();
	long number = call_number(regs);

	if (attach && number == NR_listen && !ret)
		listen_exit(t, call_argument(regs, 0));
	if (!t && attach && trace_queues && call_uses_queue(number) && ret >= 0)
		t = queue_peer(regs, number);
	if (!t)
		return;
	if (!attach || armed_ns) {
		if (attach && t->pieces_bytes)
			pieces_sent(t);
		if (trace_pipes)
			pipe_exit(t, regs, number, ret);
		if (trace_queues)
			queue_exit(t, number, ret);
		if (attach)
			handoff_exit(t, number, ret);
	}
	if (t->taken)
		receive_returns(t, bpf_ktime_get_ns());
	/* A sleep from here on is none of the call's: it may be stopped before it is back. */
	t->polls = 0;
	if (attach) {
		t->call = CALL_OUTSIDE;
		if (t->part_channel)
			part_ends(t);
		if (t->take_sock)
			takes_end(t);
		t->takes_parts = 0;
	}
}
