/* SPDX-License-Identifier: BSD-2-Clause */
/* Keeps numbers by channel and position. */
#include "container/hash_table.h"
#include "container/number_table.h"

#include <errno.h>
#include <stdlib.h>
#include <uthash.h>

struct number_key {
	uint64_t channel;
	uint64_t position;
};

struct numbered {
	struct number_key key;
	uint64_t number;
	UT_hash_handle hh;
};

void number_table_clean(struct number_table *table)
{
	HASH_DROP_ALL(table->first);
}

int number_table_add(struct number_table *table, uint32_t channel, uint64_t position,
		     uint64_t number)
{
	const struct number_key key = {.channel = channel, .position = position};
	struct numbered *entry;

	HASH_FIND(hh, table->first, &key, sizeof(key), entry);
	if (!entry && HASH_COUNT(table->first) >= NUMBER_TABLE_MAX)
		return 0;
	if (!entry) {
		HASH_ADD_NEW(table->first, key, key, entry);
		if (!entry)
			return -ENOMEM;
	}
	entry->number = number;
	return 0;
}

bool number_table_find(const struct number_table *table, uint32_t channel, uint64_t position,
		       uint64_t *number)
{
	const struct number_key key = {.channel = channel, .position = position};
	struct numbered *entry;

	HASH_FIND(hh, table->first, &key, sizeof(key), entry);
	if (entry)
		*number = entry->number;
	return entry;
}
