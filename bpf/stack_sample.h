/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Defines what the BPF programs hand over of a thread's stack. Samples have a ring buffer of their
 * own, so that they never take the place of records. The session makes STACK records from them.
 *
 *	kernel stack                       user stack
 *	addresses of the callers           addresses, if the program keeps frame pointers;
 *	                                   else it is unwound from registers and a copy of its top
 */
#pragma once

#include "record_stacks.h"

/* Callers beyond these are cut off. */
#define SAMPLE_KERNEL_MAX 64
#define SAMPLE_USER_MAX   64

/* The stacks of waits for locks of the kernel: so many different ones, with so many functions. */
#define LOCK_STACKS_MAX 1024
#define LOCK_FRAMES_MAX 16

/*
 * The start of struct pt_regs, as ptrace shows it, and where in it the stack pointer is. The rest
 * on arm64 is of no use.
 */
#if defined(__TARGET_ARCH_x86) || defined(__x86_64__)
#define SAMPLE_REGS   21
#define SAMPLE_REG_SP 19
#define SAMPLE_REG_PC 16
#else
#define SAMPLE_REGS   34
#define SAMPLE_REG_SP 31
#define SAMPLE_REG_PC 32
#endif

/* From the stack pointer on. */
#define SAMPLE_COPY_MAX 4096

struct stack_sample {
	u64 from_ns; /* the thread slept, or had the CPU, since then */
	u64 to_ns;   /* until then */
	u64 image;   /* changes when the process executes another program, or is another one */
	u32 pid;     /* the process of the thread: its number in the tracer's PID namespace */
	u32 tid;     /* the same for the thread */
	u16 cpu;     /* the sample was taken there */
	u16 kind;    /* enum stack_kind */
	u16 kernel_cnt;
	u16 user_cnt; /* by frame pointers */
	u32 copied;   /* bytes of `copy` */
	u32 pad;
	u64 kernel[SAMPLE_KERNEL_MAX]; /* innermost first */
	u64 user[SAMPLE_USER_MAX];     /* innermost first */
	u64 reg[SAMPLE_REGS];          /* valid if `copied` is not 0 */
	u8 copy[SAMPLE_COPY_MAX];      /* only `copied` bytes are handed over */
};

/* What became of the samples. Counters of the programs. */
enum sample_count {
	SAMPLES_TAKEN,   /* handed over */
	SAMPLES_LOST,    /* the ring buffer was full */
	SAMPLES_NO_ROOM, /* there was no room for the stack of another thread that fell asleep */
	NR_SAMPLE_COUNTS
};
