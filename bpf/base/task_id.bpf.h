/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Finds the two ids of a thread or process:
 *
 *	key	the id in the initial PID namespace, the namespace of the whole machine. BPF
 *		programs compare threads by key. A thread has a key until the kernel frees the
 *		thread.
 *	tid	the id in the tracer's PID namespace, which /proc, the workload and the user know.
 *		Records and the map `processes` contain tids.
 *
 * If the tracer is in the initial namespace, both ids are the same. The verifier then removes the
 * code that finds the tid. A thread outside of the tracer's namespace has no tid, and an ending
 * thread loses its tid. The records of such a thread contain the key, marked with TID_OUTSIDE.
 */
#pragma once

#include "vmlinux.h"
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_core_read.h>

#include "kernel/legacy.bpf.h"
#include "record.h"

/* Set by the loader: the tracer is not in the initial PID namespace. */
const volatile bool in_pid_ns = false;
/* That namespace (address), and how many namespaces are above it. See find_pid_ns(). */
u64 pid_ns;
u32 pid_ns_level;

static __always_inline u32 task_key(struct task_struct *task)
{
	return READ(task, pid);
}

static __always_inline u32 process_key(struct task_struct *task)
{
	return READ(task, tgid);
}

static __always_inline u32 current_key(void)
{
	return bpf_get_current_pid_tgid();
}

static __always_inline u32 current_process_key(void)
{
	return bpf_get_current_pid_tgid() >> 32;
}

/* A thread's number in the namespace of this depth. */
static __always_inline struct upid pid_at_level(struct pid *pid, u32 level)
{
	struct upid number = {};
	u64 numbers;

	if (!pid || BPF_CORE_READ(pid, level) < level)
		return number;
	numbers = (u64)pid + bpf_core_field_offset(struct pid, numbers);
	bpf_probe_read_kernel(&number, sizeof(number), (void *)(numbers + level * sizeof(number)));
	return number;
}

static __noinline __attribute__((unused)) u32 translated(struct task_struct *task)
{
	u32 key = task_key(task);
	struct upid number;

	if (!key)
		return 0; /* idle */
	number = pid_at_level(BPF_CORE_READ(task, thread_pid), pid_ns_level);
	return (u64)number.ns == pid_ns ? (u32)number.nr : TID_OUTSIDE | key;
}

static __always_inline u32 task_tid(struct task_struct *task)
{
	return in_pid_ns ? translated(task) : task_key(task);
}

/* The number of its process. */
static __always_inline u32 task_pid(struct task_struct *task)
{
	return in_pid_ns ? translated(READ(task, group_leader)) : process_key(task);
}

#define SESSION 3 /* PIDTYPE_SID */

/* The number of the process that leads its session, if the tracer's namespace has one for it. */
static __always_inline u32 session_of(struct task_struct *task)
{
	return pid_at_level(BPF_CORE_READ(task, signal, pids[SESSION]), pid_ns_level).nr;
}

/*
 * The current thread's number, for records that may lack it; 0: not known. In a namespace it would
 * have to be translated, but the callers have large stacks, which the verifier adds up.
 */
static __always_inline u32 first_user_tid(void)
{
	return in_pid_ns ? 0 : current_key();
}

/* Whether the current thread is outside of the user's namespace: iterators do not show it. */
static __always_inline bool current_is_outside(void)
{
	return in_pid_ns && translated(current_task()) & TID_OUTSIDE;
}

/* The functions above say which number is meant. */
#pragma GCC poison bpf_get_current_pid_tgid
