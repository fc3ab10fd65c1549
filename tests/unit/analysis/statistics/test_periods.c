/* SPDX-License-Identifier: BSD-2-Clause */
/* The period of rounds, and the rounds that missed it. */
#include "support/build.h"

#include "analysis/statistics/periods.h"

#include <stdio.h>
#include <string.h>

#define MS 1000000ULL

static struct periods *periods;
static struct rounds_summary summary;

static int setup(void **state)
{
	memset(&summary, 0, sizeof(summary));
	periods = periods__new();
	return periods ? 0 : -1;
}

static int teardown(void **state)
{
	periods__free(periods);
	stat_free(&summary.distance);
	return 0;
}

EACH_TEST(setup, teardown)

static void start_as(uint64_t distance_ns, bool is_caused)
{
	const struct late_start on_time = {0};

	periods__start(periods, distance_ns, is_caused, &on_time);
}

static void start(uint64_t distance_ns)
{
	start_as(distance_ns, false);
}

static void starts(uint32_t cnt, uint64_t distance_ns)
{
	while (cnt--)
		start(distance_ns);
}

static struct blame blame_of(const char *comm, uint32_t tid)
{
	struct blame blame = {.class = BLAME_TASK, .tid = tid, .ns = 5 + tid};

	strcpy(blame.comm, comm);
	return blame;
}

static void late_start(uint64_t distance_ns, enum component component, const char *comm,
		       uint32_t tid)
{
	const struct late_start late = {
		.is_known = true, .component = component, .blame = blame_of(comm, tid)};

	periods__start(periods, distance_ns, false, &late);
}

static void last(uint64_t latency_ns, enum component component)
{
	const struct peak peak = {.latency_ns = latency_ns, .component = component};

	periods__last(periods, &peak, false);
}

static void last_behind(uint64_t latency_ns, const char *comm, uint32_t tid, bool is_long)
{
	const struct peak peak = {.latency_ns = latency_ns,
				  .component = COMPONENT_RUNQUEUE,
				  .blame = blame_of(comm, tid)};

	periods__last(periods, &peak, is_long);
}

static void finish(void)
{
	periods__finish(periods, &summary);
}

static void assert_near(uint64_t value, uint64_t exact)
{
	assert_in_range(value, exact, exact + exact / 1000);
}

static void assert_missed(uint64_t late, uint64_t skipped, uint64_t unfinished)
{
	assert_int_equal(summary.missed.late, late);
	assert_int_equal(summary.missed.skipped, skipped);
	assert_int_equal(summary.missed.unfinished, unfinished);
}

static void assert_cause(uint32_t i, bool is_late, enum component component, const char *comm,
			 uint64_t count)
{
	const struct missed_cause *cause = &summary.missed.cause[i];

	assert_true(i < summary.missed.cause_cnt);
	assert_true(cause->is_known);
	assert_int_equal(cause->is_late, is_late);
	assert_int_equal(cause->component, component);
	assert_int_equal(cause->has_blame, comm != NULL);
	assert_string_equal(cause->blame.comm, comm ? comm : "");
	assert_int_equal(cause->count, count);
}

/* The pace of clients that wait for each answer is no period that could be missed. */
TEST(rounds_that_messages_cause_have_no_period)
{
	for (int i = 0; i < 22; i++)
		start_as(10 * MS, i < 12);
	finish();
	assert_int_equal(summary.period_ns, 0);
}

TEST(a_few_rounds_may_be_caused_by_messages)
{
	for (int i = 0; i < 22; i++)
		start_as(10 * MS, i < 11);
	finish();
	assert_near(summary.period_ns, 10 * MS);
}

/* The service time is that of 44 % of a period. */
TEST(the_period_is_the_median_of_the_distances)
{
	summary.service_ns = 4.4 * MS;
	summary.tick_ns = MS;
	starts(20, 10 * MS);
	start(9 * MS);
	start(11 * MS);
	finish();
	assert_near(summary.period_ns, 10 * MS);
	assert_true(summary.efficiency_pct > 43.9 && summary.efficiency_pct <= 44);
	assert_int_equal(summary.tick_ns, 0);
	assert_int_equal(summary.distance.count, 22);
	assert_missed(0, 0, 0);
	assert_int_equal(summary.missed.cause_cnt, 0);
}

/* One in ten is late. */
TEST(late_rounds_do_not_make_the_others_irregular)
{
	starts(18, 10 * MS);
	starts(2, 17 * MS);
	finish();
	assert_near(summary.period_ns, 10 * MS);
	assert_missed(2, 2, 0);
}

TEST(distances_of_all_sizes_are_no_period)
{
	summary.service_ns = MS;
	for (uint64_t i = 1; i <= 50; i++) {
		start(i * MS);
		last(100 * MS, COMPONENT_WAKEUP);
	}
	finish();
	assert_int_equal(summary.period_ns, 0);
	assert_true(summary.efficiency_pct == 0);
	assert_missed(0, 0, 0);
	assert_int_equal(summary.missed.cause_cnt, 0);
	assert_int_equal(summary.distance.count, 50);
}

/* Two rounds per cycle: neither distance is the period. */
TEST(two_distances_in_turns_are_no_period)
{
	for (int i = 0; i < 50; i++) {
		start(MS);
		start(9 * MS);
	}
	finish();
	assert_int_equal(summary.period_ns, 0);
}

TEST(too_few_rounds_have_no_period)
{
	starts(PERIOD_DISTANCES_LEAST - 1, 10 * MS);
	finish();
	assert_int_equal(summary.period_ns, 0);
}

TEST(without_rounds_there_is_nothing)
{
	finish();
	assert_int_equal(summary.period_ns, 0);
	assert_int_equal(summary.distance.count, 0);
	assert_missed(0, 0, 0);
}

/* 14.9 ms is not late; 15.1, 24 and 26 ms stand for 2, 2 and 3 periods. */
TEST(a_late_round_skips_periods)
{
	starts(100, 10 * MS);
	start(14.9 * MS);
	start(15.1 * MS);
	start(24 * MS);
	start(26 * MS);
	finish();
	assert_missed(3, 1 + 1 + 2, 0);
}

/* A second without rounds. */
TEST(a_pause_skips_many)
{
	starts(100, 10 * MS);
	start(1000 * MS);
	finish();
	assert_missed(1, 99, 0);
}

/* 31 ms for three periods, in which the sender sends three rounds at once. */
TEST(a_sender_that_catches_up_skips_nothing)
{
	starts(100, 10 * MS);
	start(31 * MS);
	start(MS);
	start(MS);
	finish();
	assert_missed(1, 0, 0);
}

TEST(a_last_latency_above_the_period_is_unfinished)
{
	starts(100, 10 * MS);
	last(9.9 * MS, COMPONENT_WAKEUP);
	last(10.1 * MS, COMPONENT_DISPATCH);
	last(50 * MS, COMPONENT_DISPATCH);
	last(11 * MS, COMPONENT_BUSY);
	finish();
	assert_missed(0, 0, 3);
	assert_int_equal(summary.missed.cause_cnt, 2);
	assert_cause(0, false, COMPONENT_DISPATCH, NULL, 2);
	assert_cause(1, false, COMPONENT_BUSY, NULL, 1);
}

/* Those of late rounds and of others are apart, also if they have one component and one task. */
TEST(causes_come_with_the_most_frequent_first)
{
	starts(100, 10 * MS);
	late_start(16 * MS, COMPONENT_BLOCKED, "", 0);
	for (int i = 0; i < 3; i++)
		late_start(20 * MS, COMPONENT_RUNQUEUE, "hog", 7);
	for (int i = 0; i < 2; i++)
		last_behind(11 * MS, "hog", 7, true);
	/* Within the limit after all. */
	late_start(13 * MS, COMPONENT_BUSY, "", 0);
	last_behind(9 * MS, "other", 8, true);
	finish();
	assert_missed(4, 4, 2);
	assert_int_equal(summary.missed.cause_cnt, 3);
	assert_cause(0, true, COMPONENT_RUNQUEUE, "hog", 3);
	assert_cause(1, false, COMPONENT_RUNQUEUE, "hog", 2);
	assert_cause(2, true, COMPONENT_BLOCKED, NULL, 1);
	assert_int_equal(summary.missed.cause[0].blame.tid, 7);
	assert_int_equal(summary.missed.cause[0].blame.ns, 0);
}

TEST(a_late_round_without_a_known_cause_says_so)
{
	starts(100, 10 * MS);
	start(20 * MS);
	finish();
	assert_missed(1, 1, 0);
	assert_int_equal(summary.missed.cause_cnt, 1);
	assert_false(summary.missed.cause[0].is_known);
	assert_true(summary.missed.cause[0].is_late);
	assert_int_equal(summary.missed.cause[0].count, 1);
}

/* A compiler: a thread for each file. */
TEST(threads_of_one_name_are_one_cause)
{
	starts(1000, 10 * MS);
	for (uint32_t tid = 1; tid <= 100; tid++)
		late_start(20 * MS, COMPONENT_RUNQUEUE, "cc1", tid);
	finish();
	assert_int_equal(summary.missed.cause_cnt, 1);
	assert_cause(0, true, COMPONENT_RUNQUEUE, "cc1", 100);
	assert_int_equal(summary.missed.cause[0].blame.tid, 0);
}

/* What does not fit has no name; no round is lost. Components always find room. */
TEST(very_many_causes_share_an_entry)
{
	uint64_t late = 0, unfinished = 0;
	char name[16];

	starts(5000, 10 * MS);
	for (uint32_t i = 0; i < 200; i++) {
		snprintf(name, sizeof(name), "hog%u", i);
		late_start(20 * MS, COMPONENT_RUNQUEUE, name, i + 1);
		last_behind(20 * MS, name, i + 1, true);
	}
	for (int i = 0; i < NR_COMPONENTS; i++)
		last(20 * MS, i);
	late_start(20 * MS, COMPONENT_BUSY, "", 0);
	late_start(20 * MS, COMPONENT_BLOCKED, "", 0);
	finish();
	assert_missed(202, 202, 200 + NR_COMPONENTS);
	for (uint32_t i = 0; i < summary.missed.cause_cnt; i++) {
		const struct missed_cause *cause = &summary.missed.cause[i];

		*(cause->is_late ? &late : &unfinished) += cause->count;
	}
	assert_int_equal(late, 202);
	assert_int_equal(unfinished, 200 + NR_COMPONENTS);
	assert_false(summary.missed.cause[0].has_blame);
}

/* They would fill the list with names that no missed deadline has. */
TEST(short_rounds_name_no_task)
{
	char name[16];

	starts(5000, 10 * MS);
	for (uint32_t i = 0; i < 200; i++) {
		snprintf(name, sizeof(name), "hog%u", i);
		last_behind(MS, name, i + 1, false);
	}
	last_behind(12 * MS, "last", 7, true);
	finish();
	assert_missed(0, 0, 1);
	assert_cause(0, false, COMPONENT_RUNQUEUE, "last", 1);
}
