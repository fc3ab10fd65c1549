/* SPDX-License-Identifier: BSD-2-Clause */
/* Open messages: found by channel and position, in the order in which they came. */
#include "support/build.h"

#include "analysis/join/pending.h"

static int setup(void **state)
{
	static struct pending opens;

	opens = (struct pending){0};
	*state = &opens;
	return 0;
}

static int teardown(void **state)
{
	pending_free(*state);
	return 0;
}

EACH_TEST(setup, teardown)

static void add(struct pending *opens, uint32_t channel, uint64_t position)
{
	assert_non_null(pending_add(opens, channel, position));
}

static void close_it(struct pending *opens, uint32_t channel, uint64_t position)
{
	struct pending_message *message = pending_find(opens, channel, position);

	assert_non_null(message);
	assert_int_equal(message->send.channel, channel);
	assert_int_equal(message->receive.position, position);
	pending_close(opens, message);
	assert_null(pending_find(opens, channel, position));
}

/* The positions of all of them, as they come. */
static void check_order(const struct pending *opens, const uint64_t *position, size_t cnt)
{
	const struct pending_message *message = pending_from(opens, 0);

	assert_int_equal(opens->cnt, cnt);
	for (size_t i = 0; i < cnt; i++) {
		assert_non_null(message);
		assert_int_equal(message->send.position, position[i]);
		message = pending_from(opens, message - opens->message + 1);
	}
	assert_null(message);
}

TEST(of_none_none_is_found)
{
	assert_null(pending_find(*state, 1, 0));
	assert_null(pending_from(*state, 0));
}

TEST(they_come_in_their_order_without_the_closed_ones)
{
	static const uint64_t all[] = {5, 3, 9, 4}, left[] = {3, 4};

	for (size_t i = 0; i < ARRAY_SIZE(all); i++)
		add(*state, 7, all[i]);
	check_order(*state, all, ARRAY_SIZE(all));
	close_it(*state, 7, 5);
	close_it(*state, 7, 9);
	check_order(*state, left, ARRAY_SIZE(left));
	close_it(*state, 7, 4);
	close_it(*state, 7, 3);
	check_order(*state, NULL, 0);
}

TEST(channels_are_distinguished)
{
	for (uint32_t channel = 1; channel <= 50; channel++)
		for (uint64_t position = 0; position < 50; position++)
			add(*state, channel, position);
	for (uint32_t channel = 50; channel; channel--)
		for (uint64_t position = 0; position < 50; position++)
			close_it(*state, channel, position);
	check_order(*state, NULL, 0);
}

TEST(one_that_stays_open_does_not_keep_the_room_of_others)
{
	static const uint64_t left[] = {1000000, 10000};
	struct pending *opens = *state;

	add(opens, 7, left[0]);
	add(opens, 7, 0);
	for (uint64_t position = 0; position < 10000; position++) {
		add(opens, 7, position + 1);
		close_it(opens, 7, position);
	}
	check_order(opens, left, ARRAY_SIZE(left));
	assert_true(opens->room < 200);
	pending_close_ranks(opens);
	assert_int_equal(opens->end - opens->first, opens->cnt);
	check_order(opens, left, ARRAY_SIZE(left));
	close_it(opens, 7, left[0]);
	close_it(opens, 7, left[1]);
}

/* What came all at once does not keep its room. */
TEST(room_for_far_more_is_given_back)
{
	static const uint64_t left[] = {77, 99999, 100000};
	struct pending *opens = *state;

	for (uint64_t position = 0; position < 100000; position++)
		add(opens, 7, position);
	for (uint64_t position = 0; position < 100000; position++) {
		if (position != left[0] && position != left[1])
			close_it(opens, 7, position);
	}
	assert_true(opens->room >= 100000);
	pending_close_ranks(opens);
	assert_true(opens->room < 5000 && opens->mask < 2 * opens->room);
	add(opens, 7, left[2]);
	check_order(opens, left, ARRAY_SIZE(left));
	for (uint64_t position = 200000; position < 210000; position++)
		add(opens, 7, position);
	for (uint64_t position = 200000; position < 210000; position++)
		close_it(opens, 7, position);
	check_order(opens, left, ARRAY_SIZE(left));
}
