/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Handles the begin and the end of system calls. These programs run for every system call of every
 * task. For a call that is not followed, see call_classes.bpf.h, and for a task that is not traced,
 * the programs do little more than one lookup.
 */
#include "attach/listeners.bpf.h"
#include "base/preempt.bpf.h"
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
		return;
	}
	if (attach)
		siblings_follow(t);
	if (class & CALLS_FOLLOWED)
		enter(t, regs, id, class);
}

/*
 * Whether there are pieces to report, or a call that may have used a pipe or an eventfd: no socket
 * event has reported what it did.
 */
static __always_inline bool may_have_used_file(const struct task_state *t, long number, long ret)
{
	return t->pieces.bytes || (ret > 0 && !(t->syscall.has_reported &&
						(call_reads(number) || call_writes(number))));
}

static __always_inline void file_exit(struct task_state *t, struct pt_regs *regs, long number,
				      long ret)
{
	if (attach && t->pieces.bytes)
		pieces_sent(t);
	if (trace_pipes)
		pipe_exit(t, regs, number, ret);
	if (attach)
		eventfd_exit(t, number, ret);
}

/* A call on a queue ends. `t`: NULL if the thread is not traced yet. Returns its state. */
static __always_inline struct task_state *queue_exit(struct task_state *t, struct pt_regs *regs,
						     long number, long ret)
{
	if (!t && attach && ret >= 0)
		t = mqueue_peer(regs, number);
	if (t && (!attach || armed_ns))
		mqueue_exit(t, number, ret);
	return t;
}

/* The end of each call of a traced thread, after all that the call has sent or received. */
static __always_inline void call_ends(struct task_state *t)
{
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

/*
 * The code for pipes and that for queues are large, and have programs of their own. After the
 * verifier has accepted a program, the kernel moves all of it for each small change that it makes,
 * and does not give up the CPU: for one program with everything, this takes milliseconds.
 */
static __always_inline bool has_parts(void)
{
	return !by_syscalls && !can_preempt;
}

SEC("tp_btf/sys_exit")
int BPF_PROG(on_sys_exit_file, struct pt_regs *regs, long ret)
{
	struct task_state *t = has_parts() ? current_state() : NULL;

	if (!t)
		return 0;
	file_exit(t, regs, call_number(regs), ret);
	call_ends(t);
	return 0;
}

SEC("tp_btf/sys_exit")
int BPF_PROG(on_sys_exit_queue, struct pt_regs *regs, long ret)
{
	struct task_state *t;

	if (!has_parts())
		return 0;
	t = queue_exit(current_state(), regs, call_number(regs), ret);
	if (t)
		call_ends(t);
	return 0;
}

/* Attach: a call has made a socket, or changed what it does. `t`: NULL if it is not traced. */
static __always_inline void socket_exit(struct task_state *t, const struct pt_regs *regs,
					long number)
{
	if (number == __NR_listen)
		listen_exit(t, call_argument(regs, 0));
	else if (number == __NR_socket ? t && call_makes_udp(regs) : call_sets_low_water(regs))
		looks_up_receives = 1;
}

/*
 * Returns only if there is no such part. Where preemption has to be disabled, the verifier refuses
 * the way from one program to another.
 */
static __always_inline void continue_in(unsigned long long *ctx, enum sys_exit_part part)
{
	if (has_parts())
		bpf_tail_call(ctx, &sys_exit_parts, part);
}

/*
 * One program for everything, because each costs every call of every task; it continues in one of
 * the programs above. Pipes, queues and futexes have no other event; they come before the receive
 * is emitted that they may have made.
 */
TWIN_PROG("tp_btf/sys_exit", on_sys_exit, struct pt_regs *regs, long ret)
{
	long number = call_number(regs);
	u32 class = call_class(number, regs);
	struct task_state *t;

	if (!class)
		return;
	if (trace_queues && class & CALL_QUEUE)
		continue_in(ctx, SYS_EXIT_QUEUE);
	t = current_state();
	if (class & CALL_SOCKET) {
		if (attach && ret >= 0)
			socket_exit(t, regs, number);
		return;
	}
	if (trace_queues && class & CALL_QUEUE && !has_parts())
		t = queue_exit(t, regs, number, ret);
	if (!t)
		return;
	if (class & CALL_FILE && (!attach || armed_ns) && may_have_used_file(t, number, ret)) {
		continue_in(ctx, SYS_EXIT_FILE);
		if (!has_parts())
			file_exit(t, regs, number, ret);
	}
	if (attach && class & CALL_FUTEX && armed_ns)
		futex_exit(t, ret);
	call_ends(t);
}
