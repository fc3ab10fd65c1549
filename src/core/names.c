/* SPDX-License-Identifier: BSD-2-Clause */
#include "core/names.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <uthash.h>

struct name_id {
	uint32_t kind;
	uint32_t id;
};

struct name_entry {
	struct name_id key;
	struct record_name *name; /* in no order: there are few of one id */
	size_t cnt;
	UT_hash_handle hh;
};

struct names {
	struct name_entry *entry; /* hash by key */
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

void names__free(struct names *names)
{
	struct name_entry *entry, *next;

	if (!names)
		return;
	HASH_ITER (hh, names->entry, entry, next) {
		HASH_DEL(names->entry, entry);
		free(entry->name);
		free(entry);
	}
	free(names);
}

static struct name_entry *entry_of(const struct names *names, uint32_t kind, uint32_t id)
{
	struct name_id key = {.kind = kind, .id = id};
	struct name_entry *entry;

	HASH_FIND(hh, names->entry, &key, sizeof(key), entry);
	return entry;
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
	struct name_entry *entry = entry_of(names, name->kind, name->head.tid);
	struct record_name *more;

	if (!entry && HASH_COUNT(names->entry) >= NAMES_MAX)
		return 0;
	if (!entry) {
		entry = calloc(1, sizeof(*entry));
		if (!entry)
			return -ENOMEM;
		entry->key = (struct name_id){.kind = name->kind, .id = name->head.tid};
		HASH_ADD(hh, names->entry, key, sizeof(entry->key), entry);
	}
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

const struct record_name *names__find(const struct names *names, uint32_t kind, uint32_t id,
				      uint64_t at_ns)
{
	const struct name_entry *entry;
	const struct record_name *best = NULL;

	if (kind == SLICE_SOFTIRQ)
		return id < sizeof(softirqs) / sizeof(softirqs[0]) ? &softirqs[id] : NULL;
	entry = entry_of(names, kind, id);
	for (size_t i = 0; entry && i < entry->cnt; i++) {
		const struct record_name *name = &entry->name[i];
		bool holds = name->since_ns <= at_ns, best_holds = best && best->since_ns <= at_ns;

		if (!best || (holds && (!best_holds || name->since_ns > best->since_ns)) ||
		    (!holds && !best_holds && name->since_ns < best->since_ns))
			best = name;
	}
	return best;
}
