/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Declares functions that keep a thread off the CPUs of some processes while the kernel does long
 * pieces of work for this thread. A kernel without preemption makes a large map, or the last
 * changes to a program, in one piece of up to some milliseconds. Not even a real-time thread gets
 * that CPU then.
 */
#pragma once

#include <sched.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include <time.h>

/*
 * The CPU time of threads since they began, counted for the CPU on which each of them ran last: in
 * ticks of the kernel. A thread that was busy long ago counts as much as one that is busy now.
 */
struct cpu_use {
	uint64_t ticks[CPU_SETSIZE];
};

/*
 * Adds the threads of a process. `root` is "" except in tests, see util/read_file.h. A process that
 * has ended adds nothing.
 */
void cpu_use_add(struct cpu_use *use, const char *root, pid_t pid);

/*
 * Removes from `cpus` each CPU that has more than half as much use as the most used CPU of them,
 * unless none would be left. Returns whether it has removed one.
 */
bool cpu_use_avoid(const struct cpu_use *use, cpu_set_t *cpus);

struct keep_off {
	pid_t tid;
	clockid_t clock; /* the thread's CPU time */
	bool is_on;
	bool was_on;       /* set with it, and cleared by the user of this struct */
	bool had_to_wait;  /* why it has ended */
	cpu_set_t allowed; /* the CPUs that the thread may use otherwise */
	uint64_t sampled_ns;
	uint64_t used_ns; /* the thread's CPU time then */
};

/* For the calling thread, which keeps off nothing yet. */
void keep_off_init(struct keep_off *keep_off);

/*
 * The functions below may be called by any thread, one at a time. They use neither memory nor files
 * of the C library, as the thread may hold their locks while it has no CPU.
 *
 * The thread keeps off the CPUs that are used as `use` says, if others are left to it. It should
 * not do this to itself while it holds a lock: on the other CPUs it may have to wait. On a machine
 * with more than CPU_SETSIZE CPUs nothing happens.
 */
void keep_off_begin(struct keep_off *keep_off, const struct cpu_use *use);

/*
 * At regular instants: ends it if the thread is runnable (it has a CPU, or waits for one), and had
 * a CPU for less than half of the time since the sample before. With the lowest priority it might
 * wait for long while another CPU is free.
 */
void keep_off_sample(struct keep_off *keep_off);

void keep_off_end(struct keep_off *keep_off);
