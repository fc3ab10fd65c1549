/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Where calls begin and end. These run for every system call of every task, so an untraced one
 * leaves after one look into its task storage.
 */
#include "state.bpf.h"

SEC("tp_btf/sys_enter")
int BPF_PROG(on_sys_enter, struct pt_regs *regs, long id)
{
	struct task_state *t = current_state();

	if (t)
		t->enter_ns = bpf_ktime_get_ns();
	return 0;
}

/* A receive that took a message is complete when its call returns. */
SEC("tp_btf/sys_exit")
int BPF_PROG(on_sys_exit, struct pt_regs *regs, long ret)
{
	struct task_state *t = current_state();
	u32 cnt;
	u64 size;

	if (!t || !t->taken)
		return 0;
	t->taken = 0;
	cnt = t->change_cnt;
	if (cnt > CHANGES_MAX)
		return 0;
	size = sizeof(t->receive) + cnt * sizeof(u64);
	t->receive.head.type = RECORD_RECEIVE;
	t->receive.head.words = size / 8;
	t->receive.head.cpu = bpf_get_smp_processor_id();
	t->receive.head.tid = (u32)bpf_get_current_pid_tgid();
	t->receive.exit_ns = bpf_ktime_get_ns();
	/* A lost record leaves a gap, also if it had no change: nobody knows then what call it was.
	 */
	t->receive.first += emit(&t->receive, size) ? cnt + 1 : cnt;
	t->change_cnt = 0;
	return 0;
}
