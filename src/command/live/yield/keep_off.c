/* SPDX-License-Identifier: BSD-2-Clause */
/* Finds the CPUs on which processes run, and keeps a thread off these CPUs. */
#include "command/live/yield/keep_off.h"

#include "util/clock.h"
#include "util/proc_stat.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Within a shorter time, a thread that gets its share of a CPU may have got nothing. */
#define SAMPLE_LEAST_NS (40 * NSEC_PER_MSEC)

/* Fields of /proc/PID/task/TID/stat, see proc_pid_stat(5). */
enum { FIELD_STATE = 3, FIELD_USER = 14, FIELD_SYSTEM = 15, FIELD_CPU = 39 };

struct thread_search {
	struct cpu_use *use;
	const char *folder; /* of the threads of a process */
};

static int keep_off_add_thread(void *ctx, pid_t tid)
{
	const struct thread_search *search = ctx;
	char path[600], text[STAT_LEN], *word, *rest;
	unsigned long ticks = 0, cpu = CPU_SETSIZE;

	snprintf(path, sizeof(path), "%s/%d/stat", search->folder, tid);
	rest = proc_stat_read(path, text);
	if (!rest)
		return 0;
	word = strtok_r(rest, " ", &rest);
	for (int field = FIELD_STATE; word; field++, word = strtok_r(NULL, " ", &rest)) {
		if (field == FIELD_USER || field == FIELD_SYSTEM)
			ticks += strtoul(word, NULL, 10);
		else if (field == FIELD_CPU)
			cpu = strtoul(word, NULL, 10);
	}
	if (cpu >= CPU_SETSIZE)
		return 0;
	ticks++; /* it has used a part of another one */
	search->use->ticks[cpu] += ticks;
	return 0;
}

void cpu_use_add(struct cpu_use *use, const char *root, pid_t pid)
{
	char folder[512];
	struct thread_search search = {use, folder};

	snprintf(folder, sizeof(folder), "%s/proc/%d/task", root, pid);
	proc_visit(folder, keep_off_add_thread, &search);
}

bool cpu_use_avoid(const struct cpu_use *use, cpu_set_t *cpus)
{
	cpu_set_t others = *cpus;
	uint64_t most = 0;

	for (int cpu = 0; cpu < CPU_SETSIZE; cpu++) {
		if (CPU_ISSET(cpu, cpus) && use->ticks[cpu] > most)
			most = use->ticks[cpu];
	}
	for (int cpu = 0; cpu < CPU_SETSIZE; cpu++) {
		if (use->ticks[cpu] > most / 2)
			CPU_CLR(cpu, &others);
	}
	if (!CPU_COUNT(&others) || CPU_EQUAL(&others, cpus))
		return false;
	*cpus = others;
	return true;
}

/* The thread's CPU time, in ns. */
static uint64_t used_ns(const struct keep_off *keep_off)
{
	struct timespec used = {};

	clock_gettime(keep_off->clock, &used);
	return (uint64_t)used.tv_sec * NSEC_PER_SEC + (uint64_t)used.tv_nsec;
}

/* Whether the thread has a CPU, or waits for one. */
static bool keep_off_is_runnable(const struct keep_off *keep_off)
{
	char path[64], text[STAT_LEN];
	const char *state;

	snprintf(path, sizeof(path), "/proc/self/task/%d/stat", keep_off->tid);
	state = proc_stat_read(path, text);
	return state && *state == 'R';
}

void keep_off_init(struct keep_off *keep_off)
{
	*keep_off = (struct keep_off){.tid = gettid()};
	pthread_getcpuclockid(pthread_self(), &keep_off->clock); /* this thread exists */
}

void keep_off_begin(struct keep_off *keep_off, const struct cpu_use *use)
{
	cpu_set_t cpus;

	if (keep_off->is_on ||
	    sched_getaffinity(keep_off->tid, sizeof(keep_off->allowed), &keep_off->allowed))
		return;
	cpus = keep_off->allowed;
	if (!cpu_use_avoid(use, &cpus) || sched_setaffinity(keep_off->tid, sizeof(cpus), &cpus))
		return;
	keep_off->sampled_ns = clock_now_ns();
	keep_off->used_ns = used_ns(keep_off);
	keep_off->had_to_wait = false;
	keep_off->is_on = keep_off->was_on = true;
}

void keep_off_sample(struct keep_off *keep_off)
{
	uint64_t now_ns = clock_now_ns(), ns = now_ns - keep_off->sampled_ns, used;

	if (!keep_off->is_on || ns < SAMPLE_LEAST_NS)
		return;
	used = used_ns(keep_off);
	if (used - keep_off->used_ns < ns / 2 && keep_off_is_runnable(keep_off)) {
		keep_off_end(keep_off);
		keep_off->had_to_wait = true;
	}
	keep_off->sampled_ns = now_ns;
	keep_off->used_ns = used;
}

void keep_off_end(struct keep_off *keep_off)
{
	if (keep_off->is_on)
		sched_setaffinity(keep_off->tid, sizeof(keep_off->allowed), &keep_off->allowed);
	keep_off->is_on = false;
}
