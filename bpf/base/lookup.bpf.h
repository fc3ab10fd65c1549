/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Finds the state that the programs keep for a thread or a CPU. Also defines function attributes
 * that control inlining, and how often the verifier walks through a function.
 */
#pragma once

#include "vmlinux.h"
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>
#include <bpf/bpf_core_read.h>

#include "base/maps.bpf.h"
#include "base/settings.bpf.h"
#include "base/task_id.bpf.h"
#include "kernel/cast.bpf.h"
#include "kernel/legacy.bpf.h"

/* A function of a header that is rarely called, and not by every file that includes it. */
#define OUT_OF_LINE static __noinline __attribute__((unused))

/*
 * A function with many callers that the verifier walks through once, without knowledge of its
 * callers; it walks through a static function from every caller, in every state. Such a function
 * returns a number. Its arguments are numbers, and pointers that may be NULL.
 */
#ifdef LEGACY
#define VERIFIED_ONCE OUT_OF_LINE /* before Linux 5.12 their arguments can only be numbers */
#else
#define VERIFIED_ONCE __weak __noinline
#endif

#define CONTAINER_OF(address, type, member)                                                        \
	((type *)((u64)(address)-bpf_core_field_offset(type, member)))

#ifdef LEGACY
static __always_inline struct task_state *task_state(struct task_struct *task)
{
	u32 key = task_key(task);

	return bpf_map_lookup_elem(&tasks, &key);
}

static __always_inline struct task_state *current_state(void)
{
	u32 key = current_key();

	return bpf_map_lookup_elem(&tasks, &key);
}

/* For a thread that has none. NULL: no memory. */
static __always_inline struct task_state *task_state_make(struct task_struct *task)
{
	u32 key = task_key(task), first = 0;
	struct task_state *initial = bpf_map_lookup_elem(&blank, &first);

	if (initial)
		bpf_map_update_elem(&tasks, &key, initial, BPF_NOEXIST);
	return bpf_map_lookup_elem(&tasks, &key);
}

static __always_inline void task_state_drop(struct task_struct *task)
{
	u32 key = task_key(task);

	bpf_map_delete_elem(&tasks, &key);
}
#else
static __always_inline struct task_state *task_state(struct task_struct *task)
{
	/* Most tasks have no storage at all, which needs no call to see. */
	if (!UNTRUSTED(struct task_struct, task)->bpf_storage)
		return NULL;
	return bpf_task_storage_get(&tasks, task, NULL, 0);
}

static __always_inline struct task_state *current_state(void)
{
	return task_state(current_task());
}

/* For a thread that has none. NULL: no memory. */
static __always_inline struct task_state *task_state_make(struct task_struct *task)
{
	return bpf_task_storage_get(&tasks, task, NULL, BPF_LOCAL_STORAGE_GET_F_CREATE);
}

static __always_inline void task_state_drop(struct task_struct *task)
{
	bpf_task_storage_delete(&tasks, task);
}
#endif

/* The number of a traced thread. It is found once, because only exec changes it. */
static __always_inline u32 state_tid(struct task_state *t, struct task_struct *task)
{
	if (!in_pid_ns)
		return task_key(task);
	if (!t->tid)
		t->tid = task_tid(task);
	return t->tid;
}

/* A worker thread of io_uring, which makes no system calls. */
static __always_inline bool is_io_thread(struct task_struct *task)
{
	return READ(task, flags) & PF_IO_WORKER;
}

static __always_inline struct cpu_state *cpu_state(u32 cpu)
{
	return bpf_map_lookup_elem(&cpus, &cpu);
}

/* A pointer as a number to calculate with: the verifier forgets what it was. */
static __always_inline u64 address_of(struct task_state *t, const void *pointer)
{
	*(volatile u64 *)&t->scratch = (u64)pointer;
	return *(volatile u64 *)&t->scratch;
}

static __always_inline u32 waiters(const struct cpu_state *c)
{
	return *(volatile u64 *)&c->waits;
}

/* There are functions above, or in legacy.bpf.h, that work on all kernels. */
#pragma GCC poison bpf_get_current_task_btf bpf_task_pt_regs bpf_task_storage_get
