/* SPDX-License-Identifier: BSD-2-Clause */
/* What goes into a file of limited size. */
#include "support/build.h"

#include "command/excerpt/excerpt.h"

#include <string.h>

#define MS     1000000ULL
#define SECOND 1000000000ULL

/* More than one message takes. */
#define MESSAGE_BYTES_MAX 1000

static struct excerpt *excerpt;

static void begin(uint64_t max_bytes)
{
	excerpt = excerpt__new(max_bytes, SECOND);
	assert_non_null(excerpt);
}

static int teardown(void **state)
{
	excerpt__free(excerpt);
	return 0;
}

EACH_TEST(NULL, teardown)

static struct message message_of(uint64_t from_ns, uint64_t latency_ns)
{
	return (struct message){.send_ns = from_ns, .latency_ns = latency_ns};
}

static void add(uint64_t from_ns, uint64_t latency_ns)
{
	const struct message message = message_of(from_ns, latency_ns);

	assert_int_equal(excerpt__message(excerpt, &message), 0);
}

/* Not all messages fit, and the text says so. */
static bool is_limited(void)
{
	char text[EXCERPT_TEXT_LEN];

	excerpt__text(excerpt, text);
	return text[0];
}

static bool has(uint64_t from_ns, uint64_t latency_ns)
{
	const struct message message = message_of(from_ns, latency_ns);

	return excerpt__has_message(excerpt, &message);
}

static bool has_moment(uint64_t from_ns, uint64_t to_ns)
{
	const struct moment moment = {.from_ns = from_ns, .to_ns = to_ns};

	return excerpt__has_moment(excerpt, &moment);
}

static void add_moments(uint64_t from_ns, uint32_t cnt)
{
	static struct moment moment[1000];

	assert_true(cnt && cnt <= ARRAY_SIZE(moment));
	moment[cnt - 1] = (struct moment){.from_ns = from_ns, .to_ns = from_ns + 1};
	excerpt__moments(excerpt, &(struct thread_moments){.moment = moment, .cnt = cnt});
}

TEST(what_fits_is_shown_whole)
{
	char text[EXCERPT_TEXT_LEN];

	begin(100 * MESSAGE_BYTES_MAX);
	for (uint64_t i = 0; i < 50; i++)
		add(SECOND + i * MS, 10);
	assert_int_equal(excerpt__choose(excerpt, false), 0);
	assert_false(is_limited());
	assert_null(excerpt__spans(excerpt));
	assert_true(has(SECOND, 10));
	assert_true(has_moment(5, 6));
	excerpt__text(excerpt, text);
	assert_string_equal(text, "");
}

/* A message each 1 ms for 10 s. Number 5000 is the slowest one, then number 9000. */
static void put_many(void)
{
	for (uint64_t i = 0; i < 10000; i++)
		add(SECOND + i * MS, i == 5000 ? 3000 : i == 9000 ? 2000 : 1000);
}

TEST(else_the_slowest_are_with_what_is_around_them)
{
	char text[EXCERPT_TEXT_LEN];

	begin(14 * MESSAGE_BYTES_MAX);
	put_many();
	assert_int_equal(excerpt__choose(excerpt, false), 0);
	assert_true(is_limited());
	for (uint64_t i = 4995; i <= 5005; i++)
		assert_true(has(SECOND + i * MS, 1000));
	for (uint64_t i = 8996; i <= 9005; i++)
		assert_true(has(SECOND + i * MS, 1000));
	assert_false(has(SECOND + 4990 * MS, 1000));
	assert_false(has(SECOND + 5006 * MS, 1000));
	assert_false(has(SECOND, 1000));
	assert_true(has_moment(SECOND + 5000 * MS, SECOND + 5001 * MS));
	assert_true(has_moment(SECOND, SECOND + 9000 * MS));
	assert_false(has_moment(SECOND, SECOND + 4900 * MS));
	excerpt__text(excerpt, text);
	assert_non_null(strstr(text, "of 10000 messages, and 5 ms around"));
}

/*
 * What is around the slowest one would fill it several times: the slowest itself has to be in it.
 */
TEST(a_small_file_has_less_around_each)
{
	char text[EXCERPT_TEXT_LEN];

	begin(5 * MESSAGE_BYTES_MAX);
	put_many();
	assert_int_equal(excerpt__choose(excerpt, false), 0);
	assert_true(has(SECOND + 5000 * MS, 3000));
	assert_true(has(SECOND + 5001 * MS, 1000));
	assert_false(has(SECOND + 5003 * MS, 1000));
	excerpt__text(excerpt, text);
	assert_non_null(strstr(text, "of 10000 messages, and 1 ms around each of them"));
}

/* The threads fill the file: fewer messages fit. */
TEST(threads_take_their_room)
{
	begin(15 * MESSAGE_BYTES_MAX);
	put_many();
	add_moments(SECOND + 9000 * MS, 300);
	assert_int_equal(excerpt__choose(excerpt, false), 0);
	assert_true(has(SECOND + 5000 * MS, 3000));
	assert_false(has(SECOND + 9000 * MS, 2000));
}

/* A message that takes all of the time would have everything around it. */
TEST(both_ends_of_a_long_message_are_shown)
{
	begin(15 * MESSAGE_BYTES_MAX);
	put_many();
	add(SECOND, 10000 * MS);
	assert_int_equal(excerpt__choose(excerpt, false), 0);
	assert_true(has(SECOND, 10000 * MS));
	assert_true(has(SECOND + 4 * MS, 1000));
	assert_true(has(SECOND + 9998 * MS, 1000));
	assert_false(has(SECOND + 3000 * MS, 1000));
}

/* The rest of the time is no part of the selection, and its threads need no room. */
TEST(threads_of_a_selection_are_shown_around_it)
{
	begin(100 * MESSAGE_BYTES_MAX);
	add(SECOND + 100 * MS, 1000);
	add(SECOND + 300 * MS, 1000);
	for (int i = 0; i < 1000; i++)
		add_moments(SECOND + 200 * MS, 1000);
	assert_int_equal(excerpt__choose(excerpt, true), 0);
	assert_false(is_limited());
	assert_true(has_moment(SECOND + 96 * MS, SECOND + 97 * MS));
	assert_true(has_moment(SECOND + 300 * MS, SECOND + 300 * MS + 1));
	assert_false(has_moment(SECOND + 200 * MS, SECOND + 201 * MS));
	assert_true(has(SECOND + 200 * MS, 1000));
}

TEST(bins_get_longer_with_the_run)
{
	begin(15 * MESSAGE_BYTES_MAX);
	for (uint64_t i = 0; i < 10000; i++)
		add(SECOND + i * SECOND, i == 7777 ? 3000 : 1000);
	assert_int_equal(excerpt__choose(excerpt, false), 0);
	assert_true(has(SECOND + 7777 * SECOND, 3000));
	assert_false(has(SECOND + 7779 * SECOND, 3000));
}

TEST(nothing_is_no_limit)
{
	begin(1000);
	assert_int_equal(excerpt__choose(excerpt, true), 0);
	assert_false(is_limited());
	assert_false(has_moment(SECOND, SECOND + 1));
}
