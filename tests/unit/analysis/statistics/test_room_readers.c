/* SPDX-License-Identifier: BSD-2-Clause */
/* What receivers did while messages waited for room there. */
#include "support/build.h"

#include "analysis/statistics/room_readers.h"

#include <string.h>

enum { READER = 7, NANOSLEEP = 35 };

static struct names *names;
static struct room_readers *readers;
static struct breakdown breakdown;
static struct change change[8];
static struct timeline line;

static int setup(void **state)
{
	names = names__new();
	readers = room_readers__new(names);
	memset(&breakdown, 0, sizeof(breakdown));
	line = (struct timeline){.change = change};
	return !names || !readers;
}

static int teardown(void **state)
{
	room_readers__free(readers);
	names__free(names);
	return 0;
}

EACH_TEST(setup, teardown)

static void then(enum change_kind kind, uint64_t at_ns, uint16_t cpu)
{
	size_t i = line.cnt++;

	change[i] = (struct change){.at_ns = at_ns, .index = i, .cpu = cpu, .kind = kind};
}

static void add_wait(uint64_t from_ns, uint64_t to_ns)
{
	breakdown.segment[breakdown.segment_cnt++] =
		(struct segment){.from_ns = from_ns, .to_ns = to_ns, .component = COMPONENT_ROOM};
	breakdown.component_ns[COMPONENT_ROOM] += to_ns - from_ns;
}

static void add_message(uint32_t tid)
{
	const struct party receiver = {.tid = tid, .comm = "reader"};

	assert_int_equal(room_readers__add(readers, &breakdown, &receiver, &line), 0);
}

/* Its only receiver; the caller frees nothing. */
static struct room_summary finish(void)
{
	struct summary summary = {0};
	struct room_summary room;

	assert_int_equal(room_readers__finish(readers, &summary), 0);
	assert_int_equal(summary.room_cnt, 1);
	room = summary.room[0];
	summary_clean(&summary);
	return room;
}

static void assert_states(const struct room_summary *room, uint64_t on_cpu_ns, uint64_t runqueue_ns,
			  uint64_t blocked_ns, uint64_t unknown_ns)
{
	assert_int_equal(room->state_ns[SERVICE_ON_CPU], on_cpu_ns);
	assert_int_equal(room->state_ns[SERVICE_RUNQUEUE], runqueue_ns);
	assert_int_equal(room->state_ns[SERVICE_BLOCKED], blocked_ns);
	assert_int_equal(room->unknown_ns, unknown_ns);
	assert_int_equal(room->ns, on_cpu_ns + runqueue_ns + blocked_ns + unknown_ns);
}

TEST(a_wait_is_cut_by_the_states_of_the_receiver)
{
	struct room_summary room;

	then(CHANGE_RUN, 50, 0);
	then(CHANGE_SLEEP_IN, 120, NANOSLEEP);
	then(CHANGE_WOKEN, 135, 0);
	then(CHANGE_WAKE, 150, 1);
	then(CHANGE_SWITCH, 180, 1);
	add_wait(100, 200);
	add_message(READER);
	room = finish();
	assert_states(&room, 40, 30, 30, 0);
	assert_int_equal(room.messages, 1);
	assert_int_equal(room.reader.tid, READER);
	assert_int_equal(room.reader.pid, READER);
	assert_string_equal(room.reader.comm, "reader");
	assert_int_equal(room.blocked.entry[0].call, NANOSLEEP);
}

TEST(a_receiver_without_a_change_in_the_wait_stays_as_it_was)
{
	struct room_summary room;

	then(CHANGE_PREEMPT, 50, 0);
	then(CHANGE_SWITCH, 300, 0);
	add_wait(100, 200);
	add_message(READER);
	room = finish();
	assert_states(&room, 0, 100, 0, 0);
}

TEST(what_was_forgotten_or_lost_is_not_known)
{
	struct room_summary room;

	then(CHANGE_RUN, 120, 0);
	then(CHANGE_SLEEP_IN, 140, NANOSLEEP);
	then(CHANGE_WAKE, 170, 0);
	change[0].index = 5;
	change[1].index = 6;
	change[2].index = 9;
	add_wait(100, 200);
	add_message(READER);
	room = finish();
	assert_states(&room, 20, 30, 0, 50);
}

TEST(all_waits_of_a_message_and_all_messages_are_added_up)
{
	struct room_summary room;

	then(CHANGE_RUN, 50, 0);
	add_wait(100, 110);
	add_wait(120, 150);
	add_message(READER);
	add_message(READER);
	room = finish();
	assert_states(&room, 80, 0, 0, 0);
	assert_int_equal(room.messages, 2);
}

TEST(receivers_are_kept_apart_and_the_longest_comes_first)
{
	struct summary summary = {0};

	then(CHANGE_RUN, 50, 0);
	add_wait(100, 110);
	add_message(READER);
	add_wait(120, 150);
	add_message(READER + 1);
	assert_int_equal(room_readers__finish(readers, &summary), 0);
	assert_int_equal(summary.room_cnt, 2);
	assert_int_equal(summary.room[0].reader.tid, READER + 1);
	assert_int_equal(summary.room[0].ns, 40);
	assert_int_equal(summary.room[1].ns, 10);
	summary_clean(&summary);
}

TEST(very_many_receivers_are_folded)
{
	struct summary summary = {0};
	uint64_t ns = 0;

	then(CHANGE_RUN, 50, 0);
	add_wait(100, 110);
	for (uint32_t tid = 1; tid <= 1000; tid++)
		add_message(tid);
	assert_int_equal(room_readers__finish(readers, &summary), 0);
	assert_int_equal(summary.room_cnt, 257);
	assert_int_equal(summary.room[0].reader.tid, 0);
	for (uint32_t i = 0; i < summary.room_cnt; i++)
		ns += summary.room[i].ns;
	assert_int_equal(ns, 10000);
	summary_clean(&summary);
}

TEST(without_waits_there_is_nothing)
{
	struct summary summary = {0};

	add_message(READER);
	assert_int_equal(room_readers__finish(readers, &summary), 0);
	assert_int_equal(summary.room_cnt, 0);
	assert_null(summary.room);
}
