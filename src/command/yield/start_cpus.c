/* SPDX-License-Identifier: BSD-2-Clause */
/* Finds the CPUs on which targets run, and keeps the calling thread off these CPUs. */
#include "command/yield/start_cpus.h"

#include "util/log.h"
#include "util/read_file.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

bool start_cpus_enter(const pid_t *pid, size_t cnt, cpu_set_t *before)
{
	struct cpu_use use = {};
	cpu_set_t cpus;

	if (sched_getaffinity(0, sizeof(*before), before))
		return false;
	for (size_t i = 0; i < cnt; i++)
		cpu_use_add(&use, "", pid[i]);
	cpus = *before;
	if (!cpu_use_avoid(&use, &cpus))
		return false;
	if (sched_setaffinity(0, sizeof(cpus), &cpus)) {
		log_info("tracing starts on any CPU: %s", strerror(errno));
		return false;
	}
	log_info("tracing starts on CPUs that the targets hardly use");
	return true;
}

void start_cpus_leave(const cpu_set_t *before)
{
	if (sched_setaffinity(0, sizeof(*before), before))
		log_warning("the reader of records keeps off the CPUs of the targets: %s: reports "
			    "are right, but may come late",
			    strerror(errno));
}
