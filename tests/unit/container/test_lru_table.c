/* SPDX-License-Identifier: BSD-2-Clause */
/* A table of limited size stays so large, however many entries it has seen. */
#include "support/build.h"

#include "container/lru_table.h"

struct entry {
	uint32_t id;
	uint32_t used;
	UT_hash_handle hh;
};

static struct table {
	LRU_TABLE(struct entry);
} table_;

static void forget(struct table *table, struct entry *entry)
{
	LRU_DELETE(table, entry);
	free(entry);
}

static int teardown(void **state)
{
	while (table_.first)
		forget(&table_, table_.first);
	return 0;
}

EACH_TEST(NULL, teardown)

static void add(uint32_t first, uint32_t cnt)
{
	struct entry *entry;

	for (uint32_t id = first; id - first < cnt; id++) {
		LRU_FIND_OR_ADD(&table_, id, entry, LRU_CHANNELS_MAX, forget);
		assert_non_null(entry);
	}
}

TEST(a_full_table_does_not_grow)
{
	add(0, 20 * LRU_CHANNELS_MAX);
	assert_int_equal(HASH_COUNT(table_.first), LRU_CHANNELS_MAX);
	assert_in_range(table_.first->hh.tbl->num_buckets, 1, LRU_CHANNELS_MAX);
}

TEST(the_youngest_entries_are_kept)
{
	struct entry *entry;
	uint32_t youngest = 3 * LRU_CHANNELS_MAX - 1, forgotten = 2 * LRU_CHANNELS_MAX - 1;

	add(0, 3 * LRU_CHANNELS_MAX);
	LRU_FIND(&table_, youngest, entry);
	assert_non_null(entry);
	LRU_FIND(&table_, forgotten, entry);
	assert_null(entry);
}
