/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Replaces helpers and instructions that kernels before Linux 5.15 do not have. Such a kernel
 * refuses a program that contains an unknown instruction, even if the program never executes the
 * instruction. For such kernels, the programs are compiled with LEGACY defined, see variant.bpf.h.
 *
 *	from 5.11  task storage; the current task as a pointer that can be read directly
 *	from 5.12  atomic operations that return the former value
 *	from 5.15  bpf_task_pt_regs()
 */
#pragma once

#include "vmlinux.h"
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_core_read.h>

#ifdef LEGACY

/* A field of a task, of registers, or of something that is reached from these. */
#define READ(pointer, field) BPF_CORE_READ(pointer, field)

/*
 * Another thread may add between the two accesses. Each of these counters has one writer, except
 * those of channels whose messages are ambiguous in this case.
 */
#define FETCH_ADD(pointer, n)                                                                      \
	({                                                                                         \
		__typeof__(*(pointer)) before_ = *(volatile __typeof__(pointer))(pointer);         \
		__sync_fetch_and_add(pointer, n);                                                  \
		before_;                                                                           \
	})

/* A load after all loads before it, which x86-64 guarantees by itself. */
#define READ_LATER(pointer) (*(volatile __typeof__(pointer))(pointer))

#define KERNEL_STACK_BYTES  16384 /* THREAD_SIZE of x86-64, and of arm64 with pages of 4 KiB */

static __always_inline struct task_struct *current_task(void)
{
	return (struct task_struct *)bpf_get_current_task();
}

/* The registers of a task's current system call. */
static __always_inline struct pt_regs *task_regs(struct task_struct *task)
{
	return (struct pt_regs *)((u64)BPF_CORE_READ(task, stack) + KERNEL_STACK_BYTES -
				  bpf_core_type_size(struct pt_regs));
}

#else

#define READ(pointer, field)                ((pointer)->field)
#define FETCH_ADD(pointer, n)               __sync_fetch_and_add(pointer, n)
#define READ_LATER(pointer)                 __sync_fetch_and_add(pointer, 0)
#define COMPARE_EXCHANGE(pointer, old, new) __sync_val_compare_and_swap(pointer, old, new)

static __always_inline struct task_struct *current_task(void)
{
	return bpf_get_current_task_btf();
}

static __always_inline struct pt_regs *task_regs(struct task_struct *task)
{
	return (struct pt_regs *)bpf_task_pt_regs(task);
}

#endif
