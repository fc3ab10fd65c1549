/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Hands records to user space. A record goes directly into the ring buffer, or first into a stage.
 * A stage is a buffer of one CPU for records about messages.
 */
#pragma once

#include "base/lookup.bpf.h"
#include "timing.h"

static __always_inline void count_loss(enum loss loss, u64 n)
{
	__sync_fetch_and_add(&losses[loss], n);
}

/* No record wakes the reader: user space drains on a timer, which saves an IPI per record. */
static __always_inline int emit(void *record, u64 size)
{
	if (!bpf_ringbuf_output(&ring, record, size, BPF_RB_NO_WAKEUP))
		return 0;
	count_loss(LOSS_RING_FULL, 1);
	return -1;
}

/* Writes out the stage: one sample of the ring buffer with several records. */
OUT_OF_LINE void flush_stage(struct cpu_state *c)
{
	u32 size = c->staged_bytes;

	if (size > STAGE_SIZE)
		size = STAGE_SIZE;
	if (bpf_ringbuf_output(&ring, c->stage, size, BPF_RB_NO_WAKEUP))
		count_loss(LOSS_RING_FULL, c->staged_cnt);
	c->staged_bytes = 0;
	c->staged_cnt = 0;
	c->staged_ns = 0;
}

/*
 * Room for a record of up to `size_max` bytes, `size` of which count, about an event at `at_ns`.
 * The caller fills it in. All records of messages go this way. The ring buffer's pages and lock are
 * cold when a tick wakes all receivers, and a message would wait for them. The stage is written out
 * when it is full, or when the CPU switches to an untraced task.
 */
static __always_inline void *stage(struct cpu_state *c, u32 size, u32 size_max, u64 at_ns)
{
	u32 at = c->staged_bytes;

	if (at > STAGE_SIZE - size_max) {
		flush_stage(c);
		at = 0;
	}
	if (!at)
		c->staged_ns = at_ns;
	c->staged_bytes = at + size;
	c->staged_cnt++;
	return c->stage + at;
}

/* An instant at or after the youngest change: `at_ns`, if it is one. */
static __always_inline u64 base_of_changes(const struct task_state *t, u64 at_ns)
{
	u64 youngest = t->changes.packed[(t->changes.cnt - 1) & (CHANGES_MAX - 1)];

	if (((at_ns - youngest) & CHANGE_TIME_MASK) >> (CHANGE_TIME_BITS - 1))
		return bpf_ktime_get_ns();
	return at_ns;
}

/* Most messages have no more. */
#define CHANGES_FEW 4

/*
 * Copies at least the changes that count, to where there is room for CHANGES_MAX. Without a loop,
 * because the verifier walks through every round of one.
 */
static __always_inline void copy_changes(u64 *to, const struct task_state *t)
{
	__builtin_memcpy(to, t->changes.packed, CHANGES_FEW * sizeof(u64));
	if (t->changes.cnt > CHANGES_FEW)
		__builtin_memcpy(to + CHANGES_FEW, t->changes.packed + CHANGES_FEW,
				 (CHANGES_MAX - CHANGES_FEW) * sizeof(u64));
}

/*
 * Emits the current thread's changes in a record of their own, where the next record is not a
 * RECEIVE that would carry them.
 */
static __always_inline void stage_changes(struct cpu_state *c, struct task_state *t, u32 cpu,
					  u32 tid, u64 now_ns)
{
	struct record_changes *record;
	u32 cnt = t->changes.cnt, size;

	if (!cnt || cnt > CHANGES_MAX)
		return;
	size = sizeof(*record) + cnt * sizeof(u64);
	record = stage(c, size, sizeof(*record) + CHANGES_MAX * sizeof(u64), now_ns);
	record->head = record_head(RECORD_CHANGES, size, cpu, tid);
	record->base_ns = base_of_changes(t, now_ns);
	record->first = t->receiving.record.first;
	copy_changes((u64 *)(record + 1), t);
	t->receiving.record.first += cnt;
	t->changes.cnt = 0;
}

/* What announce_as() emits, one after the other: the stack of old kernels has no room for both. */
union name_or_process {
	struct record_name name;
	struct record_process process;
};

/* Emits the process of a thread whose NAME has been emitted. Its first thread needs no PROCESS. */
static __always_inline void announce_process(struct task_struct *task, u32 tid, u64 since_ns,
					     struct record_process *record)
{
	struct task_struct *first = READ(UNTRUSTED(struct task_struct, task), group_leader);

	if (first == task)
		return;
	__builtin_memset(record, 0, sizeof(*record));
	record->head =
		record_head(RECORD_PROCESS, sizeof(*record), bpf_get_smp_processor_id(), tid);
	record->since_ns = since_ns;
	record->pid = task_pid(task);
	bpf_probe_read_kernel_str(record->comm, sizeof(record->comm), first->comm);
	emit(record, sizeof(*record));
}

/* Whether it is a command of --on-slow, or was started by one: all are in the keeper's session. */
static __always_inline bool is_kept(struct task_struct *task)
{
	return keeper_pid && session_of(task) == keeper_pid;
}

/*
 * Emits a thread's name, if user space does not know the thread, or if its name changes to `comm`.
 * Not inlined because it rarely runs: hot programs stay small, for cold caches.
 */
OUT_OF_LINE void announce_as(struct task_struct *task, u32 tid, const char *comm, u64 now_ns)
{
	/* First, as its room on the stack is free again then. */
	u32 own = is_kept(task) ? NAME_OWN : 0;
	struct name_key key = {.kind = SLICE_TASK, .id = task_key(task)};
	union name_or_process record = {};
	struct name_state *known, state = {.start_time = READ(task, start_time),
					   .policy = READ(task, policy),
					   .priority = READ(task, normal_prio)};

	bpf_probe_read_kernel_str(state.comm, sizeof(state.comm), comm);
	known = bpf_map_lookup_elem(&names, &key);
	if (known && known->start_time == state.start_time && known->policy == state.policy &&
	    known->priority == state.priority && *(u64 *)known->comm == *(u64 *)state.comm &&
	    *(u64 *)(known->comm + 8) == *(u64 *)(state.comm + 8))
		return;

	record.name.head =
		record_head(RECORD_NAME, sizeof(record.name), bpf_get_smp_processor_id(), tid);
	record.name.kind = SLICE_TASK;
	record.name.flags = own | (READ(task, flags) & PF_KTHREAD ? NAME_KTHREAD : 0);
	record.name.policy = state.policy;
	record.name.priority = state.priority;
	/* Before the first name of a thread, its number may have been another thread's. */
	record.name.since_ns =
		known && known->start_time == state.start_time ? now_ns : state.start_time;
	__builtin_memcpy(record.name.comm, state.comm, sizeof(record.name.comm));
	if (emit(&record.name, sizeof(record.name)))
		return;
	bpf_map_update_elem(&names, &key, &state, BPF_ANY);
	announce_process(task, tid, record.name.since_ns, &record.process);
}

static __always_inline void announce_task(struct task_struct *task, u32 tid, u64 now_ns)
{
	announce_as(task, tid, task->comm, now_ns);
}

OUT_OF_LINE void announce_thread(struct task_struct *task, u32 tid, u32 is_peer)
{
	struct record_thread record = {
		.head = record_head(RECORD_THREAD, sizeof(record), bpf_get_smp_processor_id(), tid),
		.pid = task_pid(task),
		.is_peer = is_peer,
		.since_ns = READ(task, start_time),
	};

	emit(&record, sizeof(record));
}

/* A change of name is emitted by on_task_rename(). */
static __always_inline void announce_traced(struct task_state *t, struct task_struct *task,
					    u64 now_ns)
{
	u32 priority = READ(task, normal_prio), policy = READ(task, policy);
	bool is_named = t->is_named;

	if (is_named && t->priority == priority && t->policy == policy)
		return;
	t->is_named = 1;
	t->tid = task_tid(task);
	t->priority = priority;
	t->policy = policy;
	announce_task(task, t->tid, now_ns);
	if (attach && !is_named)
		announce_thread(task, t->tid, t->is_peer);
}

/* The current thread, which mostly has its name: then this reads nothing of the kernel's. */
static __always_inline void announce_current(struct task_state *t, u64 now_ns)
{
	if (!t->is_named)
		announce_traced(t, current_task(), now_ns);
}
