/* SPDX-License-Identifier: BSD-2-Clause */
/* The control groups of throttled threads. */
#include "support/build.h"

#include "container/lru_table.h"
#include "analysis/history/deep_events.h"

#include <stdio.h>
#include <string.h>

EACH_TEST_HAS(*state, deep_events__new(), deep_events__free)

static void add(struct deep_events *groups, uint32_t tid, const char *path)
{
	struct record_group record = {
		.head = {.type = RECORD_GROUP, .words = RECORD_WORDS(record), .tid = tid}};

	snprintf(record.text, sizeof(record.text), "%s", path);
	assert_int_equal(deep_events__add(groups, &record.head), 0);
}

TEST(the_last_group_of_a_thread_is_found)
{
	add(*state, 1, "/a");
	add(*state, 2, "/b");
	add(*state, 1, "/c/d");
	assert_string_equal(deep_events__group(*state, 1), "/c/d");
	assert_string_equal(deep_events__group(*state, 2), "/b");
	assert_null(deep_events__group(*state, 3));
	assert_null(deep_events__group(NULL, 1));
}

/* A forged record may have no end. */
TEST(a_text_without_end_is_cut)
{
	struct record_group record = {
		.head = {.type = RECORD_GROUP, .words = RECORD_WORDS(record), .tid = 1}};

	memset(record.text, 'x', sizeof(record.text));
	assert_int_equal(deep_events__add(*state, &record.head), 0);
	assert_int_equal(strlen(deep_events__group(*state, 1)), GROUP_LEN - 1);
}

TEST(the_number_of_threads_has_a_limit)
{
	for (uint32_t tid = 1; tid <= LRU_THREADS_MAX + 1; tid++)
		add(*state, tid, "/a");
	assert_null(deep_events__group(*state, 1));
	assert_non_null(deep_events__group(*state, LRU_THREADS_MAX + 1));
}

TEST(a_name_is_the_last_part_of_a_path)
{
	assert_string_equal(group_name("/web.slice/app.service"), "app.service");
	assert_string_equal(group_name("/"), "/");
	assert_string_equal(group_name("part"), "part");
	assert_string_equal(group_name(""), "");
}
