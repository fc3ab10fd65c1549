/* SPDX-License-Identifier: BSD-2-Clause */
/* Threads that slept when tracing began and ended, by hand. */
#include "support/build.h"

#include "analysis/attach/sleepers.h"

#include <stdlib.h>
#include <string.h>

enum { CLIENT = 901, SERVER = 902, SENDTO = 44, AT = 5000 };

static struct sleeper_book *book;
static struct summary summary;

static int setup(void **state)
{
	memset(&summary, 0, sizeof(summary));
	book = sleeper_book__new();
	return !book;
}

static int teardown(void **state)
{
	sleeper_book__free(book);
	free(summary.sleeper);
	return 0;
}

EACH_TEST(setup, teardown)

static struct record_asleep asleep(uint32_t pid, uint32_t flags, uint32_t other)
{
	struct record_asleep record = {
		.head = record_head(RECORD_ASLEEP, sizeof(record), 0, pid),
		.pid = pid,
		.number = SENDTO,
		.at_ns = AT,
		.other = other,
	};

	record.head.flags = flags;
	return record;
}

static void add(struct record_asleep record)
{
	assert_int_equal(sleeper_book__add(book, &record), 0);
}

TEST(nothing_slept)
{
	assert_int_equal(sleeper_book__finish(book, &summary), 0);
	assert_int_equal(summary.sleeper_cnt, 0);
	assert_int_equal(sleeper_book__waits_for(book, CLIENT, 1), 0);
}

TEST(only_those_of_the_end_are_in_the_summary)
{
	add(asleep(CLIENT, ASLEEP_AT_BEGIN | ASLEEP_FOR_ROOM, SERVER));
	add(asleep(SERVER, ASLEEP_FOR_DATA, CLIENT));
	assert_int_equal(sleeper_book__finish(book, &summary), 0);
	assert_int_equal(summary.sleeper_cnt, 1);
	assert_int_equal(summary.sleeper[0].thread.pid, SERVER);
	assert_int_equal(summary.sleeper[0].other.pid, CLIENT);
	assert_int_equal(summary.sleeper[0].number, SENDTO);
}

TEST(for_whom_a_thread_waits_from_the_begin_is_known_for_sends_alone)
{
	add(asleep(CLIENT, ASLEEP_AT_BEGIN | ASLEEP_FOR_ROOM, SERVER));
	add(asleep(SERVER, ASLEEP_AT_BEGIN | ASLEEP_FOR_DATA, CLIENT));
	add(asleep(SERVER, ASLEEP_FOR_ROOM, CLIENT));
	assert_int_equal(sleeper_book__waits_for(book, CLIENT, AT), SERVER);
	assert_int_equal(sleeper_book__waits_for(book, CLIENT, AT + 1), 0);
	assert_int_equal(sleeper_book__waits_for(book, SERVER, AT), 0);
}

TEST(a_sleep_is_so_long_if_its_begin_is_known)
{
	struct record_asleep record = asleep(CLIENT, ASLEEP_FOR_ROOM, 0);

	add(record);
	record.since_ns = 2000;
	add(record);
	record.since_ns = AT + 1; /* a forged one */
	add(record);
	assert_int_equal(sleeper_book__finish(book, &summary), 0);
	assert_int_equal(summary.sleeper[0].ns, 0);
	assert_int_equal(summary.sleeper[1].ns, AT - 2000);
	assert_int_equal(summary.sleeper[2].ns, 0);
	assert_int_equal(summary.sleeper[0].other.pid, 0);
}

TEST(a_process_without_a_name_has_that_of_its_own_record)
{
	struct record_asleep record = asleep(SERVER, 0, 0);

	memset(record.comm, 'x', sizeof(record.comm)); /* without an end */
	add(asleep(CLIENT, ASLEEP_FOR_ROOM, SERVER));
	add(record);
	assert_int_equal(sleeper_book__finish(book, &summary), 0);
	assert_string_equal(summary.sleeper[0].other.comm, "xxxxxxxxxxxxxxx");
	assert_string_equal(summary.sleeper[0].thread.comm, "");
}

TEST(those_without_room_are_left_out)
{
	for (uint32_t i = 0; i < 3 * SUMMARY_SLEEPERS_MAX; i++)
		add(asleep(CLIENT + i, 0, 0));
	assert_int_equal(sleeper_book__finish(book, &summary), 0);
	assert_int_equal(summary.sleeper_cnt, SUMMARY_SLEEPERS_MAX);
}
