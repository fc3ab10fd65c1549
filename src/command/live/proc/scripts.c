/* SPDX-License-Identifier: BSD-2-Clause */
/* Keeps the script of each process in a hash table, and a list of processes to look at. */
#include "command/live/proc/scripts.h"

#include "util/clock.h"
#include "util/interpreter.h"
#include "util/proc_stat.h"
#include "util/process_name.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include <uthash.h>

/* The first ones are forgotten then. A thread of such a process makes it known again. */
#define PROCESSES_MAX 16384

/* A drain must not last: a server may start thousands of processes at once. */
#define READS_MAX 64

/* In the middle of an exec, a process has no command line for a moment. */
#define TRIES_MAX 3

/* /proc has the start of a process in ticks. */
#define START_ROUNDING_NS (20 * NSEC_PER_MSEC)

/* Fields behind the state: proc_pid_stat(5) counts `starttime` as 22 and the state as 3. */
#define START_TIME_AT (22 - 3)

#define COMMAND_LEN   4096

struct process {
	uint32_t pid;
	uint32_t tries;    /* that are left; 0: not to be read now */
	uint64_t since_ns; /* one of its threads exists since then */
	uint64_t began_ns; /* its first thread; 0: not known */
	bool is_new;       /* its number was that of another process before */
	char text[SCRIPT_LEN];
	struct process *next_due;
	UT_hash_handle hh;
};

struct scripts {
	struct process *process; /* hash by pid */
	struct process *first_due;
};

struct scripts *scripts__new(void)
{
	return calloc(1, sizeof(struct scripts));
}

void scripts__free(struct scripts *scripts)
{
	struct process *process, *next;

	if (!scripts)
		return;
	HASH_ITER (hh, scripts->process, process, next) {
		HASH_DEL(scripts->process, process);
		free(process);
	}
	free(scripts);
}

static struct process *scripts_find(const struct scripts *scripts, uint32_t pid)
{
	struct process *process;

	HASH_FIND(hh, scripts->process, &pid, sizeof(pid), process);
	return process;
}

/* False: it is still to be read. */
static bool scripts_forget_first(struct scripts *scripts)
{
	struct process *first = scripts->process;

	if (first->tries)
		return false;
	HASH_DEL(scripts->process, first);
	free(first);
	return true;
}

static struct process *scripts_find_or_make(struct scripts *scripts, uint32_t pid)
{
	struct process *process = scripts_find(scripts, pid);

	if (process)
		return process;
	if (HASH_COUNT(scripts->process) >= PROCESSES_MAX && !scripts_forget_first(scripts))
		return NULL;
	process = calloc(1, sizeof(*process));
	if (!process)
		return NULL;
	process->pid = pid;
	HASH_ADD(hh, scripts->process, pid, sizeof(process->pid), process);
	return process;
}

static void make_due(struct scripts *scripts, struct process *process)
{
	if (!process->tries) {
		process->next_due = scripts->first_due;
		scripts->first_due = process;
	}
	process->tries = TRIES_MAX;
}

static void see_thread(struct scripts *scripts, const struct record_thread *thread)
{
	struct process *process;

	if (tid_is_outside(thread->pid))
		return;
	process = scripts_find_or_make(scripts, thread->pid);
	if (!process)
		return;
	process->since_ns = thread->since_ns;
	if (thread->head.tid == thread->pid && thread->since_ns != process->began_ns) {
		process->is_new = true;
		process->began_ns = thread->since_ns;
	}
	make_due(scripts, process);
}

/* A thread that sleeps all the time has no other record. */
static void see_asleep(struct scripts *scripts, const struct record_asleep *asleep)
{
	struct process *process;

	if (tid_is_outside(asleep->pid) || scripts_find(scripts, asleep->pid))
		return;
	process = scripts_find_or_make(scripts, asleep->pid);
	if (!process)
		return;
	process->since_ns = asleep->at_ns;
	make_due(scripts, process);
}

void scripts__see(struct scripts *scripts, const struct record *record)
{
	const struct record_name *name = (const void *)record;
	struct process *process;

	if (record->type == RECORD_THREAD)
		see_thread(scripts, (const void *)record);
	if (record->type == RECORD_ASLEEP)
		see_asleep(scripts, (const void *)record);
	if (record->type != RECORD_NAME || name->kind != SLICE_TASK)
		return;
	/* exec changes the name of the first thread. */
	process = scripts_find(scripts, record->tid);
	if (process)
		make_due(scripts, process);
}

/* For how long the machine slept: CLOCK_BOOTTIME counts that, too. */
static int64_t suspended_ns(void)
{
	struct timespec boot, awake;

	clock_gettime(CLOCK_BOOTTIME, &boot);
	clock_gettime(CLOCK_MONOTONIC, &awake);
	return (int64_t)(boot.tv_sec - awake.tv_sec) * NSEC_PER_SEC + boot.tv_nsec - awake.tv_nsec;
}

/* Whether the process of this number is still the one that is meant: a later one began later. */
static bool scripts_is_same(const struct process *process)
{
	char path[64], text[STAT_LEN], *field;
	int64_t start_ns;

	snprintf(path, sizeof(path), "/proc/%u/stat", process->pid);
	field = proc_stat_read(path, text);
	for (int i = 0; field && i < START_TIME_AT; i++) {
		field = strchr(field, ' ');
		field += field != NULL;
	}
	if (!field)
		return false;
	start_ns = strtoull(field, NULL, 10) * (NSEC_PER_SEC / sysconf(_SC_CLK_TCK));
	return start_ns - suspended_ns() <= (int64_t)(process->since_ns + START_ROUNDING_NS);
}

bool script_of_process(uint32_t pid, char text[SCRIPT_LEN])
{
	char command[COMMAND_LEN];

	return interpreter_script(command, process_command(pid, command, COMMAND_LEN), text,
				  SCRIPT_LEN);
}

static int put_script(struct process *process, const char *text, record_put_fn *put, void *ctx)
{
	struct record_script record = {.head = {.type = RECORD_SCRIPT,
						.words = RECORD_WORDS(record),
						.tid = process->pid}};

	if (!strcmp(process->text, text))
		return 0;
	snprintf(process->text, sizeof(process->text), "%s", text);
	memcpy(record.text, process->text, sizeof(record.text));
	return put(ctx, &record.head);
}

/* Returns to the list if it has no command line yet. */
static int scripts_read_one(struct scripts *scripts, struct process *process, record_put_fn *put,
			    void *ctx)
{
	char command[COMMAND_LEN], text[SCRIPT_LEN] = "";
	size_t length = process_command(process->pid, command, COMMAND_LEN);

	/* After the command line, so that both are of one process. */
	if (!scripts_is_same(process))
		length = process->tries = 0;
	else if (!length)
		process->tries--;
	else
		process->tries = 0;
	if (process->tries) {
		process->next_due = scripts->first_due;
		scripts->first_due = process;
	}
	if (!length && !process->is_new)
		return 0;
	process->is_new = false;
	interpreter_script(command, length, text, sizeof(text));
	return put_script(process, text, put, ctx);
}

int scripts__read(struct scripts *scripts, record_put_fn *put, void *ctx)
{
	struct process *due = scripts->first_due, *next;
	int err = 0;

	scripts->first_due = NULL;
	for (int i = 0; due && i < READS_MAX && !err; i++, due = next) {
		next = due->next_due;
		err = scripts_read_one(scripts, due, put, ctx);
	}
	for (; due; due = next) {
		next = due->next_due;
		due->next_due = scripts->first_due;
		scripts->first_due = due;
	}
	return err;
}
