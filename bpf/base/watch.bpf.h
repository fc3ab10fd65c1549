/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Records what a thread waits for when it falls asleep in a call that polls or accepts (--level
 * deep). So threads are known that wait for the same thing, and could take the work of each other.
 * Most threads wait for one thing all the time, and make one record.
 */
#pragma once

#include "base/context.bpf.h"
#include "base/socket_id.bpf.h"
#include "kernel/compat.bpf.h"

static __always_inline bool call_waits_in_epoll(long number)
{
	return number == __NR_epoll_wait || number == __NR_epoll_pwait || number == NR_epoll_pwait2;
}

/* What the thread itself lists: how many files, and which are first in the list. */
static __always_inline u64 listed_files(const struct pt_regs *regs, long number)
{
	bool polls = number == __NR_poll || number == __NR_ppoll;
	u64 count = call_argument(regs, polls ? 1 : 0), first = 0;
	const void *list = (const void *)call_argument(regs, polls ? 0 : 1);

	if (polls)
		bpf_probe_read_user(&first, sizeof(int), list);
	else
		bpf_probe_read_user(&first, sizeof(first), list);
	return (first ^ (u64)number << 56 ^ count << 40) * 0x9e3779b97f4a7c15ULL | 1;
}

/* `flags`: enum watch_flag. 0: the call waits for nothing of the kind. */
static __always_inline u64 watched_in(const struct task_state *t, const struct pt_regs *regs,
				      long number, u32 *flags)
{
	struct file *file;
	struct sock *sk;

	*flags = 0;
	if (call_polls(number, regs) && !call_waits_in_epoll(number))
		return listed_files(regs, number);
	if (call_accepts(number)) {
		*flags = WATCH_ACCEPT;
		return sock_word((void *)socket_of(file_of(call_argument(regs, 0))).address);
	}
	sk = (struct sock *)t->udp.sock;
	if (sk && BPF_CORE_READ(sk, sk_reuseport_cb)) {
		*flags = WATCH_ACCEPT;
		return sock_word(sk);
	}
	if (!call_waits_in_epoll(number))
		return 0;
	*flags = WATCH_EPOLL;
	file = file_of(call_argument(regs, 0));
	return file ? sock_word(BPF_CORE_READ(file, private_data)) : 0;
}

#define SEVERAL_THREADS 0xffffffffu

static __always_inline void note_several_users(u64 what)
{
	u32 several = SEVERAL_THREADS;

	shares_waits = 1;
	bpf_map_update_elem(&users, &what, &several, BPF_ANY);
}

/*
 * The thread uses a listener or an epoll. If others do so as well, when it sleeps has to be known
 * while they work, and not only when it receives something again.
 */
static __always_inline void note_user(struct task_state *t, u32 tid, u64 what)
{
	u32 *known = bpf_map_lookup_elem(&users, &what);

	if (!known) {
		bpf_map_update_elem(&users, &what, &tid, BPF_ANY);
	} else if (*known != tid) {
		t->shows_sleeps = 1;
		if (*known != SEVERAL_THREADS)
			note_several_users(what);
	}
}

static __always_inline bool has_several_users(u64 what)
{
	u32 *known = bpf_map_lookup_elem(&users, &what);

	return known && *known == SEVERAL_THREADS;
}

/* The file that a thread executes. */
static __always_inline u32 program_of(struct task_struct *task)
{
	return sock_word(BPF_CORE_READ(task, mm, exe_file, f_inode));
}

/*
 * The thread leaves its CPU, to wait where several do, or for the last time: what it did until then
 * is emitted.
 */
OUT_OF_LINE void show_sleep(struct cpu_state *c, struct task_state *t, struct task_struct *task,
			    u64 now_ns)
{
	if ((t->shows_sleeps && is_asleep_waiting(task)) || sleep_of(task) & TASK_DEAD)
		stage_changes(c, t, bpf_get_smp_processor_id(), state_tid(t, task), now_ns);
}

/* The thread falls asleep. Not staged: the stage of this CPU may be in use. */
OUT_OF_LINE void note_watch(struct task_state *t, struct task_struct *task, u64 now_ns)
{
	const struct pt_regs *regs = task_regs(task);
	struct record_watch record = {.at_ns = now_ns};
	u32 flags;

	if (!is_asleep_waiting(task) || !is_in_call(regs))
		return;
	record.number = call_number(regs);
	record.what = watched_in(t, regs, record.number, &flags);
	if (!record.what)
		return;
	if (flags)
		note_user(t, state_tid(t, task), record.what);
	if (record.what == t->watch)
		return;
	record.program = program_of(task);
	t->watch = record.what;
	record.head = record_head(RECORD_WATCH, sizeof(record), bpf_get_smp_processor_id(),
				  state_tid(t, task));
	record.head.flags = flags;
	emit(&record, sizeof(record));
}
