/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Records more of threads that leave their CPUs (--level deep). Has a program of its own, because
 * the verifier would walk through all of it in each state of the one that records the switch.
 */
#include "attach/peer.bpf.h"
#include "base/faults.bpf.h"
#include "base/futile.bpf.h"
#include "base/short_calls.bpf.h"
#include "base/tcp_window.bpf.h"
#include "base/watch.bpf.h"
#include "kernel/compat.bpf.h"
#include "transport/file_dispatch.bpf.h"

/*
 * The thread falls asleep in a send call of TCP: whether for want of room in its own buffer, though
 * the receiver would take what is there (sk_stream_wait_memory), or while the other end may wait
 * for this one.
 */
OUT_OF_LINE void note_own_room(struct task_state *t, struct task_struct *task, u32 state, u32 cpu,
			       u64 now_ns)
{
	const struct pt_regs *regs = task_regs(task);
	struct record_own_room record = {};
	struct open_socket open;
	const struct tcp_sock *tcp;
	struct sock *sk;
	bool is_full;

	if (!is_in_call(regs) || !waits_for_room(call_number(regs), state))
		return;
	open = socket_of(file_of_task(task, call_argument(regs, 0)));
	if (!open.address || !is_inet(open.family) || open.type != SOCK_STREAM)
		return;
	sk = (struct sock *)open.address;
	tcp = (const struct tcp_sock *)open.address;
	record.buffer_bytes = BPF_CORE_READ(sk, sk_sndbuf);
	is_full = (u32)BPF_CORE_READ(sk, sk_wmem_queued) >= record.buffer_bytes &&
		  (s32)(BPF_CORE_READ(tcp, write_seq) - BPF_CORE_READ(tcp, snd_una) -
			BPF_CORE_READ(tcp, snd_wnd)) <= 0;
	if (!is_full && !keeps_other_waiting(tcp))
		return;
	record.head = record_head(RECORD_OWN_ROOM, sizeof(record), cpu, state_tid(t, task));
	record.head.flags = is_full ? 0 : OWN_ROOM_UNREAD;
	record.at_ns = now_ns;
	emit(&record, sizeof(record));
}

/* The thread falls asleep soon after balance_dirty_pages(): it is a pause between two writes. */
OUT_OF_LINE void note_held_back(struct task_state *t, struct task_struct *task, u64 now_ns)
{
	struct record_dirty record = {.at_ns = now_ns};
	u64 since_ns = t->dirty_ns;

	t->dirty_ns = 0;
	if (now_ns - since_ns > DIRTY_NS || !(sleep_of(task) & TASK_UNINTERRUPTIBLE))
		return;
	record.head = record_head(RECORD_DIRTY, sizeof(record), bpf_get_smp_processor_id(),
				  state_tid(t, task));
	emit(&record, sizeof(record));
}

static __always_inline void note_asleep(struct task_state *t, struct task_struct *task, u64 now_ns)
{
	u32 cpu = bpf_get_smp_processor_id();
	long state = sleep_of(task);
	struct cpu_state *c;

	note_futile_asleep(t, task, now_ns);
	if (t->dirty_ns)
		note_held_back(t, task, now_ns);
	if (t->shorts.from_ns)
		end_short_calls(t);
	if (trace_inet && !is_held(task, state))
		note_own_room(t, task, state, cpu, now_ns);
	if (!attach)
		return;
	note_watch(t, task, now_ns);
	c = cpu_state(cpu);
	if (c)
		show_sleep(c, t, task, now_ns);
}

/*
 * Follows on_sched_switch, which has seen whether the current thread falls asleep or is preempted,
 * and when: the records of both have the same instant.
 * The kernel's versions differ in the other arguments.
 */
SEC("tp_btf/sched_switch")
int BPF_PROG(on_leaves_cpu, bool preempt)
{
	struct task_struct *task = current_task();
	struct task_state *t = task_state(task);

	if (!t)
		return 0;
	note_call_interrupted(t, task, t->left_ns);
	if (t->sched.place == PLACE_ASLEEP)
		note_asleep(t, task, t->left_ns);
	return 0;
}
