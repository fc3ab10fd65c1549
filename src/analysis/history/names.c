/* SPDX-License-Identifier: BSD-2-Clause */
/* Keeps the names of threads and interrupts in a hash table. */
#include "analysis/history/names.h"

#include "analysis/container/lru_table.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>

struct name_entry {
	uint64_t id; /* id_of() */
	uint32_t used;
	struct record_name *name; /* [cnt], in no order */
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

static void forget(struct names *names, struct name_entry *entry)
{
	LRU_DELETE(names, entry);
	free(entry->name);
	free(entry);
}

void names__free(struct names *names)
{
	while (names && names->first)
		forget(names, names->first);
	free(names);
}

/* Threads, interrupts and softirqs are numbered independently of one another. */
static uint64_t id_of(uint32_t kind, uint32_t number)
{
	return (uint64_t)kind << 32 | number;
}

static void forget_oldest(struct name_entry *entry)
{
	size_t oldest = 0;

	for (size_t i = 1; i < entry->cnt; i++) {
		if (entry->name[i].since_ns < entry->name[oldest].since_ns)
			oldest = i;
	}
	entry->name[oldest] = entry->name[--entry->cnt];
}

int names__add(struct names *names, const struct record_name *name)
{
	uint64_t id = id_of(name->kind, name->head.tid);
	struct name_entry *entry;
	struct record_name *more;

	LRU_FIND_OR_ADD(names, id, entry, LRU_THREADS_MAX, forget);
	if (!entry)
		return -ENOMEM;
	if (entry->cnt == NAMES_PER_ID_MAX)
		forget_oldest(entry);
	more = realloc(entry->name, (entry->cnt + 1) * sizeof(*more));
	if (!more)
		return -ENOMEM;
	entry->name = more;
	entry->name[entry->cnt] = *name;
	entry->name[entry->cnt++].comm[RECORD_COMM_LEN - 1] = '\0';
	return 0;
}

const struct record_name *names__find(struct names *names, uint32_t kind, uint32_t id,
				      uint64_t at_ns)
{
	uint64_t entry_id = id_of(kind, id);
	struct name_entry *entry;
	const struct record_name *best = NULL;

	if (kind == SLICE_SOFTIRQ)
		return id < sizeof(softirqs) / sizeof(softirqs[0]) ? &softirqs[id] : NULL;
	LRU_FIND(names, entry_id, entry);
	if (entry)
		LRU_USE(names, entry);
	for (size_t i = 0; entry && i < entry->cnt; i++) {
		const struct record_name *name = &entry->name[i];
		bool holds = name->since_ns <= at_ns, best_holds = best && best->since_ns <= at_ns;

		if (!best || (holds && (!best_holds || name->since_ns > best->since_ns)) ||
		    (!holds && !best_holds && name->since_ns < best->since_ns))
			best = name;
	}
	return best;
}
