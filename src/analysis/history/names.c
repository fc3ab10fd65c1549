/* SPDX-License-Identifier: BSD-2-Clause */
/* Keeps the names of threads and interrupts in a hash table. */
#include "analysis/history/names.h"

#include "container/lru_table.h"
#include "bpf/record_stacks.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct named {
	struct record_name name;
	struct record_process process; /* pid 0: none is known */
};

struct name_entry {
	uint64_t id; /* names_id_of() */
	uint32_t used;
	struct named *named; /* [cnt], in no order */
	size_t cnt;
	UT_hash_handle hh;
};

struct names {
	LRU_TABLE(struct name_entry);
};

/* include/linux/interrupt.h: the order is kernel ABI for tracing tools. */
static const struct record_name softirqs[] = {
	{.comm = "hi"},      {.comm = "timer"},    {.comm = "net_tx"},  {.comm = "net_rx"},
	{.comm = "block"},   {.comm = "irq_poll"}, {.comm = "tasklet"}, {.comm = "sched"},
	{.comm = "hrtimer"}, {.comm = "rcu"},
};

struct names *names__new(void)
{
	return calloc(1, sizeof(struct names));
}

static void names_forget(struct names *names, struct name_entry *entry)
{
	LRU_DELETE(names, entry);
	free(entry->named);
	free(entry);
}

void names__free(struct names *names)
{
	while (names && names->first)
		names_forget(names, names->first);
	free(names);
}

/* Threads, interrupts and softirqs are numbered independently of one another. */
static uint64_t names_id_of(uint32_t kind, uint32_t number)
{
	return (uint64_t)kind << 32 | number;
}

static void names_forget_oldest(struct name_entry *entry)
{
	size_t oldest = 0;

	for (size_t i = 1; i < entry->cnt; i++) {
		if (entry->named[i].name.since_ns < entry->named[oldest].name.since_ns)
			oldest = i;
	}
	entry->named[oldest] = entry->named[--entry->cnt];
}

int names__add(struct names *names, const struct record_name *name)
{
	uint64_t id = names_id_of(name->kind, name->head.tid);
	struct name_entry *entry;
	struct named *more;

	LRU_FIND_OR_ADD(names, id, entry, LRU_THREADS_MAX, names_forget);
	if (!entry)
		return -ENOMEM;
	if (entry->cnt == NAMES_PER_ID_MAX)
		names_forget_oldest(entry);
	more = realloc(entry->named, (entry->cnt + 1) * sizeof(*more));
	if (!more)
		return -ENOMEM;
	entry->named = more;
	more += entry->cnt++;
	*more = (struct named){.name = *name};
	more->name.comm[RECORD_COMM_LEN - 1] = '\0';
	return 0;
}

bool name_is_namer(const struct record_name *name, uint32_t tracer_pid)
{
	char comm[NAMER_COMM_LEN];

	if (!name || !tracer_pid)
		return false;
	snprintf(comm, sizeof(comm), NAMER_COMM_FORMAT, tracer_pid);
	return !strcmp(name->comm, comm);
}

void names__add_process(struct names *names, const struct record_process *process)
{
	uint64_t id = names_id_of(SLICE_TASK, process->head.tid);
	struct name_entry *entry = LRU_GET(names, id);

	for (size_t i = 0; entry && i < entry->cnt; i++) {
		struct named *named = &entry->named[i];

		if (named->name.since_ns != process->since_ns)
			continue;
		named->process = *process;
		named->process.comm[RECORD_COMM_LEN - 1] = '\0';
	}
}

static bool holds_at(const struct named *named, uint64_t at_ns)
{
	return named->name.since_ns <= at_ns;
}

/* Whether `named` is nearer to the name at `at_ns` than `best`. */
static bool names_is_better(const struct named *named, const struct named *best, uint64_t at_ns)
{
	if (!best || holds_at(named, at_ns) != holds_at(best, at_ns))
		return !best || holds_at(named, at_ns);
	if (holds_at(named, at_ns))
		return named->name.since_ns > best->name.since_ns;
	return named->name.since_ns < best->name.since_ns;
}

static const struct named *names_find(struct names *names, uint32_t kind, uint32_t number,
				      uint64_t at_ns)
{
	uint64_t id = names_id_of(kind, number);
	const struct named *best = NULL;
	struct name_entry *entry = LRU_GET(names, id);

	if (entry)
		LRU_USE(names, entry);
	for (size_t i = 0; entry && i < entry->cnt; i++) {
		if (names_is_better(&entry->named[i], best, at_ns))
			best = &entry->named[i];
	}
	return best;
}

const struct record_name *names__find(struct names *names, uint32_t kind, uint32_t id,
				      uint64_t at_ns)
{
	const struct named *found;

	if (kind == SLICE_SOFTIRQ)
		return id < sizeof(softirqs) / sizeof(softirqs[0]) ? &softirqs[id] : NULL;
	found = names_find(names, kind, id, at_ns);
	return found ? &found->name : NULL;
}

const struct record_process *names__process(struct names *names, uint32_t tid, uint64_t at_ns)
{
	const struct named *found = names_find(names, SLICE_TASK, tid, at_ns);

	return found && found->process.pid ? &found->process : NULL;
}
