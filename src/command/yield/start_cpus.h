/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Declares functions that keep the start of tracing off the CPUs of the targets. A kernel without
 * preemption makes a large map, or the last changes to a program, in one piece of up to some
 * milliseconds, in which not even a real-time thread gets that CPU.
 */
#pragma once

#include <sched.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

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
 * Removes from `cpus` each CPU with more than half as much use as the CPU that has most, unless none
 * would be left. Returns whether it has removed one.
 */
bool cpu_use_avoid(const struct cpu_use *use, cpu_set_t *cpus);

/*
 * The calling thread keeps off the CPUs of these processes until start_cpus_leave(). `before` is
 * for that function: the CPUs that the thread may use otherwise. False: it stays where it is.
 */
bool start_cpus_enter(const pid_t *pid, size_t cnt, cpu_set_t *before);
void start_cpus_leave(const cpu_set_t *before);
