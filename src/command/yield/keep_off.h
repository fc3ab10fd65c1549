/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Declares functions that keep a thread off the CPUs of some processes, while it has the kernel do
 * long pieces of work. A kernel without preemption makes a large map, or the last changes to a
 * program, in one piece of up to some milliseconds. Not even a real-time thread gets that CPU then.
 */
#pragma once

#include <sched.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include <time.h>

/* The CPU time of threads, by the CPU on which each of them ran last: in ticks of the kernel. */
struct cpu_use {
	uint64_t ticks[CPU_SETSIZE];
};

/*
 * Adds the threads of a process. `root` is "" except in tests, see util/read_file.h. A process that
 * has ended adds nothing.
 */
void cpu_use_add(struct cpu_use *use, const char *root, pid_t pid);

/*
 * Removes from `cpus` each CPU with more than half as much use as the CPU that has most, unless
 * none would be left. Returns whether it has removed one.
 */
bool cpu_use_avoid(const struct cpu_use *use, cpu_set_t *cpus);

struct keep_off {
	pid_t tid;
	clockid_t clock; /* the thread's CPU time */
	bool is_on;
	cpu_set_t before; /* the CPUs that it may use otherwise */
	uint64_t looked_ns;
	uint64_t used_ns;
};

/* For the calling thread, which keeps off nothing yet. */
void keep_off_init(struct keep_off *keep_off);

/*
 * The functions below may be called by any thread, one at a time.
 *
 * The thread keeps off the CPUs that are used as `use` says, if others are left to it. It should
 * not do this to itself while it holds a lock: on the other CPUs it may have to wait.
 */
void keep_off_begin(struct keep_off *keep_off, const struct cpu_use *use);

/*
 * At regular instants: ends it if the thread has hardly got a CPU since the look before. With the
 * lowest priority it might wait for long while another CPU is free.
 */
void keep_off_look(struct keep_off *keep_off);

void keep_off_end(struct keep_off *keep_off);
