/* SPDX-License-Identifier: BSD-2-Clause */
/* Finds the CPUs on which processes run, and keeps a thread off these CPUs. */
#include "command/yield/keep_off.h"

#include "util/clock.h"
#include "util/log.h"
#include "util/read_file.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Shorter than that, a thread may have waited for something else. */
#define LOOK_LEAST_NS (40 * NSEC_PER_MSEC)

/* Fields of /proc/PID/task/TID/stat, see proc_pid_stat(5). */
enum { FIELD_AFTER_NAME = 3, FIELD_USER = 14, FIELD_SYSTEM = 15, FIELD_CPU = 39 };

static void add_thread(struct cpu_use *use, const char *root, pid_t pid, const char *tid)
{
	char path[64], line[FILE_LINE_LEN], *word, *rest;
	unsigned long ticks = 0, cpu = CPU_SETSIZE;

	snprintf(path, sizeof(path), "/proc/%d/task/%.20s/stat", pid, tid);
	/* The name is in brackets, and may contain anything. */
	rest = read_line(root, path, line, sizeof(line)) ? strrchr(line, ')') : NULL;
	if (!rest)
		return;
	rest++;
	for (int field = FIELD_AFTER_NAME; (word = strtok_r(NULL, " ", &rest)); field++) {
		if (field == FIELD_USER || field == FIELD_SYSTEM)
			ticks += strtoul(word, NULL, 10);
		else if (field == FIELD_CPU)
			cpu = strtoul(word, NULL, 10);
	}
	if (cpu >= CPU_SETSIZE)
		return;
	ticks++; /* it has used a part of another one */
	use->ticks[cpu] += ticks;
}

void cpu_use_add(struct cpu_use *use, const char *root, pid_t pid)
{
	const struct dirent *entry;
	char path[512];
	DIR *threads;

	snprintf(path, sizeof(path), "%s/proc/%d/task", root, pid);
	threads = opendir(path);
	while (threads && (entry = readdir(threads))) {
		if (isdigit((unsigned char)entry->d_name[0]))
			add_thread(use, root, pid, entry->d_name);
	}
	if (threads)
		closedir(threads);
}

bool cpu_use_avoid(const struct cpu_use *use, cpu_set_t *cpus)
{
	cpu_set_t others = *cpus;
	uint64_t most = 0;

	for (int cpu = 0; cpu < CPU_SETSIZE; cpu++)
		most = use->ticks[cpu] > most ? use->ticks[cpu] : most;
	for (int cpu = 0; cpu < CPU_SETSIZE; cpu++) {
		if (use->ticks[cpu] > most / 2)
			CPU_CLR(cpu, &others);
	}
	if (!CPU_COUNT(&others) || CPU_EQUAL(&others, cpus))
		return false;
	*cpus = others;
	return true;
}

/* The CPU time of the thread, in ns. */
static uint64_t used_ns(const struct keep_off *keep_off)
{
	struct timespec used = {};

	clock_gettime(keep_off->clock, &used);
	return (uint64_t)used.tv_sec * NSEC_PER_SEC + (uint64_t)used.tv_nsec;
}

static void look_now(struct keep_off *keep_off, uint64_t now_ns)
{
	keep_off->looked_ns = now_ns;
	keep_off->used_ns = used_ns(keep_off);
}

void keep_off_init(struct keep_off *keep_off)
{
	*keep_off = (struct keep_off){.tid = gettid()};
	pthread_getcpuclockid(pthread_self(), &keep_off->clock); /* of a thread that lives */
}

void keep_off_begin(struct keep_off *keep_off, const struct cpu_use *use)
{
	cpu_set_t cpus;

	if (keep_off->is_on ||
	    sched_getaffinity(keep_off->tid, sizeof(keep_off->before), &keep_off->before))
		return;
	cpus = keep_off->before;
	if (!cpu_use_avoid(use, &cpus))
		return;
	if (sched_setaffinity(keep_off->tid, sizeof(cpus), &cpus)) {
		log_info("the reader of records does not keep off the CPUs of the targets: %s",
			 strerror(errno));
		return;
	}
	look_now(keep_off, clock_now_ns());
	keep_off->is_on = true;
	log_info("the reader of records keeps off the CPUs of the targets");
}

void keep_off_look(struct keep_off *keep_off)
{
	struct keep_off before = *keep_off;
	uint64_t now_ns = clock_now_ns(), ns = now_ns - before.looked_ns;

	if (!keep_off->is_on || ns < LOOK_LEAST_NS)
		return;
	look_now(keep_off, now_ns);
	if (keep_off->used_ns - before.used_ns >= ns / 2)
		return;
	keep_off_end(keep_off);
	log_info("the reader of records uses the CPUs of the targets again: it had to wait");
}

void keep_off_end(struct keep_off *keep_off)
{
	if (keep_off->is_on &&
	    sched_setaffinity(keep_off->tid, sizeof(keep_off->before), &keep_off->before))
		log_warning("the reader of records keeps off the CPUs of the targets: %s: the "
			    "report is right, but may come late: start ipctrace again",
			    strerror(errno));
	keep_off->is_on = false;
}
