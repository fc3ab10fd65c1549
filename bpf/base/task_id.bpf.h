/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The numbers of threads and processes. Every thread has two:
 *
 *	key	the kernel's own, as the initial PID namespace shows it. Programs compare threads by
 *		it: it is at hand, and a thread has it until it is freed.
 *	tid	the one of the tracer's PID namespace, which /proc, the workload and the user know.
 *		Records carry it, and maps that user space fills have it as their key.
 *
 * In the initial namespace both are the same, and the verifier removes what finds the second one.
 * A thread outside of the tracer's namespace, and one that has given its number back because it
 * ends, has no tid there: it gets one of TID_OUTSIDE.
 */
#ifndef IPCTRACE_BPF_BASE_TASK_ID_H
#define IPCTRACE_BPF_BASE_TASK_ID_H

#include "vmlinux.h"
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_core_read.h>

#include "kernel/legacy.bpf.h"
#include "record.h"

/* Set by the loader: the tracer is in another PID namespace than the initial one. */
const volatile bool in_pid_ns = false;
/* Then: this namespace (address), and how many namespaces are above it. See find_pid_ns(). */
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

/* The number that a thread has in the namespace of this depth. */
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

/* Of its process. */
static __always_inline u32 task_pid(struct task_struct *task)
{
	return in_pid_ns ? translated(READ(task, group_leader)) : process_key(task);
}

/*
 * The current thread's number, for records from which nothing follows; 0: not known. In a namespace
 * it would have to be translated, but the verifier adds up the stacks of all callers, and these
 * have many.
 */
static __always_inline u32 first_user_tid(void)
{
	return in_pid_ns ? 0 : current_key();
}

/* Whether the user's namespace does not have the current thread: iterators do not show it. */
static __always_inline bool current_is_outside(void)
{
	return in_pid_ns && translated(current_task()) & TID_OUTSIDE;
}

/* There are functions above that say which number is meant. */
#pragma GCC poison bpf_get_current_pid_tgid

#endif
