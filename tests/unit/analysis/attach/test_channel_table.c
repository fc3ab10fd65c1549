/* SPDX-License-Identifier: BSD-2-Clause */
/* Channels are found again, and the quietest one is forgotten with all of its parts. */
#include "support/build.h"

#include "analysis/attach/channel_table.h"
#include "container/lru_table.h"

static struct baselines baselines;
static struct channel_table *channels;
static struct threads *threads;

static int setup(void **state)
{
	baselines = (struct baselines){0};
	threads = threads__new();
	channels = channel_table__new(threads, NULL, &baselines);
	return channels ? 0 : -1;
}

static int teardown(void **state)
{
	channel_table__free(channels);
	threads__free(threads);
	return 0;
}

EACH_TEST(setup, teardown)

TEST(a_channel_is_found_once_it_was_made)
{
	struct channel *channel;

	assert_null(channel_table__find(channels, 7));
	channel = channel_table__make(channels, 7);
	assert_int_equal(channel->id, 7);
	assert_ptr_equal(channel_table__find(channels, 7), channel);
	assert_ptr_equal(channel_table__make(channels, 7), channel);
	assert_null(channel_table__find(channels, 8));
	assert_false(channel_table__forgot(channels, 8));
}

/* Channels with the same place in the cache of ids. */
TEST(equal_places_do_not_hide_one_another)
{
	struct channel *first, *second;

	first = channel_table__make(channels, 1);
	second = channel_table__make(channels, 1 + ID_CACHE_ENTRIES);
	assert_ptr_not_equal(first, second);
	assert_ptr_equal(channel_table__find(channels, 1), first);
	assert_ptr_equal(channel_table__find(channels, 1 + ID_CACHE_ENTRIES), second);
}

TEST(the_quietest_of_too_many_channels_is_forgotten)
{
	for (uint32_t id = 1; id <= LRU_CHANNELS_MAX; id++)
		channel_table__make(channels, id)->baseline.is_known = true;
	channel_table__make(channels, 1);
	channel_table__find(channels, 2)->usage.had_target = true;
	channel_table__make(channels, LRU_CHANNELS_MAX + 1)->baseline.is_known = true;
	assert_non_null(channel_table__find(channels, 1));
	assert_null(channel_table__find(channels, 2));
	assert_true(channel_table__forgot(channels, 2));
	assert_false(channel_table__forgot(channels, CHANNEL_UNKNOWN));
	assert_true(channel_table__find(channels, LRU_CHANNELS_MAX + 1)->baseline.is_known);
	assert_false(channel_table__make(channels, 2)->baseline.is_known);
}

TEST(of_a_forgotten_channel_it_is_known_whether_a_target_used_it)
{
	channel_table__make(channels, 1)->usage.had_target = true;
	channel_table__make(channels, 2);
	channel_table__make(channels, 3)->usage.had_target = true;
	for (uint32_t id = 4; id <= LRU_CHANNELS_MAX + 3; id++)
		channel_table__make(channels, id);
	assert_true(channel_table__forgot(channels, 1));
	assert_false(channel_table__forgot(channels, 2));
	assert_true(channel_table__forgot(channels, 3));
	assert_true(channel_table__make(channels, 1)->usage.had_target);
	assert_false(channel_table__make(channels, 2)->usage.had_target);
	channel_table__begins(channels, 3);
	assert_false(channel_table__forgot(channels, 3));
	assert_false(channel_table__make(channels, 3)->usage.had_target);
}
