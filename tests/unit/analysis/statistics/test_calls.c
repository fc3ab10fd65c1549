/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Calls by hand:
 *
 *	100          200                    500             600
 *	 |--request---|-------service--------|---response----|
 */
#include "support/build.h"
#include "support/serving.h"

#include "analysis/statistics/calls.h"

enum { CLIENT = 1, SERVER_TID = 7 };

static struct calls *calls;
static struct serving serving;
static struct calls_summary summary;

static int setup(void **state)
{
	summary = (struct calls_summary){0};
	calls = calls__new(NULL, NULL);
	return serving_setup(&serving) || !calls ? -1 : 0;
}

static int teardown(void **state)
{
	calls__free(calls);
	serving_teardown(&serving);
	stat_free(&summary.round_trip);
	stat_free(&summary.request);
	stat_free(&summary.service);
	stat_free(&summary.response);
	stat_free(&summary.from_due);
	return 0;
}

EACH_TEST(setup, teardown)

static void request(uint64_t index, uint64_t stamp_ns, uint64_t user_ns)
{
	struct record_stamp stamp = make_stamp(CLIENT, index, stamp_ns, user_ns);

	stamp.to_server = 1;
	stamp.head.tid = SERVER_TID;
	assert_int_equal(calls__add(calls, &stamp, NULL, serving.blame, &summary), 0);
}

static void response(uint64_t index, uint64_t stamp_ns, uint64_t user_ns, uint64_t due_ns,
		     const struct timeline *line)
{
	struct serving_thread server = {.tid = SERVER_TID,
					.line = line ? *line : (struct timeline){0}};
	struct record_stamp stamp = make_stamp(CLIENT, index, stamp_ns, user_ns);

	stamp.due_ns = due_ns;
	assert_int_equal(calls__add(calls, &stamp, line ? &server : NULL, serving.blame, &summary),
			 0);
}

/* The thread that is known to serve a response. */
static uint32_t server_of(uint64_t index)
{
	struct record_stamp stamp = make_stamp(CLIENT, index, 500, 600);

	return calls__server(calls, &stamp);
}

TEST(the_parts_add_up_to_the_round_trip)
{
	request(0, 100, 200);
	response(0, 500, 600, 0, NULL);
	assert_int_equal(summary.count, 1);
	assert_int_equal(stat_mean(&summary.round_trip), 500);
	assert_int_equal(stat_mean(&summary.request), 100);
	assert_int_equal(stat_mean(&summary.service), 300);
	assert_int_equal(stat_mean(&summary.response), 100);
	assert_int_equal(summary.from_due.count, 0);
	assert_int_equal(summary.state_cnt, 0);
}

TEST(a_late_start_counts_from_when_it_was_due)
{
	request(0, 100, 200);
	response(0, 500, 600, 40, NULL);
	assert_int_equal(summary.from_due.count, 1);
	assert_int_equal(stat_mean(&summary.from_due), 560);
}

TEST(a_response_without_its_request_is_no_call)
{
	request(1, 100, 200);
	response(0, 500, 600, 0, NULL);
	assert_int_equal(summary.count, 0);
	assert_int_equal(server_of(1), SERVER_TID);
	assert_int_equal(server_of(0), 0);
}

/* Server and clients log their messages separately, and the logs are read one by one. */
TEST(a_response_may_arrive_first)
{
	response(0, 500, 600, 40, NULL);
	response(1, 800, 900, 0, NULL);
	request(0, 100, 200);
	request(1, 650, 700);
	assert_int_equal(summary.count, 2);
	assert_int_equal(stat_mean(&summary.service), 200);
	assert_int_equal(summary.from_due.count, 1);
	assert_true(calls__horizon(calls) == UINT64_MAX);
}

TEST(instants_out_of_order_are_no_call)
{
	request(0, 100, 700);
	response(0, 500, 600, 0, NULL);
	assert_int_equal(summary.count, 0);
}

TEST(the_horizon_is_the_oldest_open_request)
{
	assert_true(calls__horizon(calls) == UINT64_MAX);
	request(0, 100, 200);
	request(1, 250, 300);
	assert_int_equal(calls__horizon(calls), 200);
	response(0, 500, 600, 0, NULL);
	assert_int_equal(calls__horizon(calls), 300);
}

/* on CPU 50, blocked 100, run queue 30, on CPU 120 (the switch belongs to it) */
TEST(a_service_is_cut_by_what_its_thread_did)
{
	struct change change[] = {
		{.at_ns = 150, .index = 4, .kind = CHANGE_RUN},
		{.at_ns = 250, .index = 5, .kind = CHANGE_SLEEP},
		{.at_ns = 350, .index = 6, .kind = CHANGE_WAKE},
		{.at_ns = 380, .index = 7, .kind = CHANGE_SWITCH},
		{.at_ns = 390, .index = 8, .kind = CHANGE_RUN},
		{.at_ns = 700, .index = 9, .kind = CHANGE_SLEEP},
	};
	struct timeline line = {.change = change, .cnt = ARRAY_SIZE(change)};

	request(0, 100, 200);
	response(0, 500, 600, 0, &line);
	assert_int_equal(summary.state_cnt, 1);
	assert_int_equal(summary.state_ns[SERVICE_ON_CPU], 170);
	assert_int_equal(summary.state_ns[SERVICE_BLOCKED], 100);
	assert_int_equal(summary.state_ns[SERVICE_RUNQUEUE], 30);
	assert_int_equal(sum_of(summary.state_ns, NR_SERVICE_STATES), 300);
}

TEST(a_gap_in_the_time_line_leaves_the_service_whole)
{
	struct change change[] = {
		{.at_ns = 250, .index = 5, .kind = CHANGE_SLEEP},
		{.at_ns = 390, .index = 8, .kind = CHANGE_RUN},
	};
	struct timeline line = {.change = change, .cnt = ARRAY_SIZE(change)};

	request(0, 100, 200);
	response(0, 500, 600, 0, &line);
	assert_int_equal(summary.count, 1);
	assert_int_equal(summary.state_cnt, 0);
}
