/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Calls by hand:
 *
 *	100          200                    500             600
 *	 |--request---|-------service--------|---response----|
 */
#include "support/build.h"

#include "analysis/statistics/calls.h"

enum { CLIENT = 1, SERVER_TID = 7 };

static struct calls *calls;
static struct calls_summary summary;

static int setup(void **state)
{
	summary = (struct calls_summary){0};
	calls = calls__new();
	return calls ? 0 : -1;
}

static int teardown(void **state)
{
	calls__free(calls);
	stat_free(&summary.round_trip);
	stat_free(&summary.request);
	stat_free(&summary.service);
	stat_free(&summary.response);
	stat_free(&summary.from_due);
	return 0;
}

static void request(uint64_t index, uint64_t stamp_ns, uint64_t user_ns)
{
	struct record_stamp stamp = make_stamp(CLIENT, index, stamp_ns, user_ns);

	stamp.to_server = 1;
	stamp.head.tid = SERVER_TID;
	assert_int_equal(calls__add(calls, &stamp, NULL, &summary), 0);
}

static void response(uint64_t index, uint64_t stamp_ns, uint64_t user_ns, uint64_t due_ns,
		     const struct timeline *server)
{
	struct record_stamp stamp = make_stamp(CLIENT, index, stamp_ns, user_ns);

	stamp.due_ns = due_ns;
	assert_int_equal(calls__add(calls, &stamp, server, &summary), 0);
}

/* The thread that is known to serve a response. */
static uint32_t server_of(uint64_t index)
{
	struct record_stamp stamp = make_stamp(CLIENT, index, 500, 600);

	return calls__server(calls, &stamp);
}

static void the_parts_add_up_to_the_round_trip(void **state)
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

static void a_late_start_counts_from_when_it_was_due(void **state)
{
	request(0, 100, 200);
	response(0, 500, 600, 40, NULL);
	assert_int_equal(summary.from_due.count, 1);
	assert_int_equal(stat_mean(&summary.from_due), 560);
}

static void a_response_without_its_request_is_no_call(void **state)
{
	request(1, 100, 200);
	response(0, 500, 600, 0, NULL);
	assert_int_equal(summary.count, 0);
	assert_int_equal(server_of(1), SERVER_TID);
	assert_int_equal(server_of(0), 0);
}

/* Server and clients log their messages separately, and the logs are read one by one. */
static void a_response_may_arrive_first(void **state)
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

static void instants_out_of_order_are_no_call(void **state)
{
	request(0, 100, 700);
	response(0, 500, 600, 0, NULL);
	assert_int_equal(summary.count, 0);
}

static void the_horizon_is_the_oldest_open_request(void **state)
{
	assert_true(calls__horizon(calls) == UINT64_MAX);
	request(0, 100, 200);
	request(1, 250, 300);
	assert_int_equal(calls__horizon(calls), 200);
	response(0, 500, 600, 0, NULL);
	assert_int_equal(calls__horizon(calls), 300);
}

/* on CPU 50, blocked 100, run queue 30, on CPU 120 (the switch belongs to it) */
static void a_service_is_cut_by_what_its_thread_did(void **state)
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

static void a_gap_in_the_time_line_leaves_the_service_whole(void **state)
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

static void a_thread_that_seems_to_sleep_at_its_answer_was_not_seen_whole(void **state)
{
	struct change change = {.at_ns = 250, .index = 5, .kind = CHANGE_SLEEP};
	struct timeline line = {.change = &change, .cnt = 1};
	struct service service;

	assert_false(service_cut(&line, 200, 500, false, &service));
}

/* TCP where no call is seen: a softirq queues the answer after its sender has left the CPU. */
static void a_service_that_others_end_may_end_off_the_cpu(void **state)
{
	struct change change[] = {
		{.at_ns = 150, .index = 4, .kind = CHANGE_RUN},
		{.at_ns = 250, .index = 5, .kind = CHANGE_PREEMPT},
		{.at_ns = 600, .index = 6, .kind = CHANGE_SWITCH},
	};
	struct timeline line = {.change = change, .cnt = ARRAY_SIZE(change)};
	struct service service;

	assert_false(service_cut(&line, 200, 500, false, &service));
	assert_true(service_cut(&line, 200, 500, true, &service));
	assert_int_equal(service.state_ns[SERVICE_ON_CPU], 50);
	assert_int_equal(service.state_ns[SERVICE_RUNQUEUE], 250);
	change[1] = (struct change){.at_ns = 300, .index = 5, .kind = CHANGE_SLEEP_IN, .cpu = 202};
	assert_true(service_cut(&line, 200, 500, true, &service));
	assert_int_equal(service.state_ns[SERVICE_BLOCKED], 200);
	assert_int_equal(blocked_calls_ns(&service.blocked), 200);
	change[2].index = 8;
	assert_false(service_cut(&line, 200, 500, true, &service));
}

/* Cuts [200, 500). Whether that could be done. */
static bool cut(const struct change *change, size_t cnt, struct service *service)
{
	struct timeline line = {.change = change, .cnt = cnt};

	return service_cut(&line, 200, 500, false, service);
}

static void assert_cut(const struct change *change, size_t cnt, uint64_t on_cpu, uint64_t runqueue,
		       uint64_t blocked)
{
	struct service service;

	assert_true(cut(change, cnt, &service));
	assert_int_equal(service.state_ns[SERVICE_ON_CPU], on_cpu);
	assert_int_equal(service.state_ns[SERVICE_RUNQUEUE], runqueue);
	assert_int_equal(service.state_ns[SERVICE_BLOCKED], blocked);
	assert_int_equal(blocked_calls_ns(&service.blocked), blocked);
}

static void assert_not_known(const struct change *change, size_t cnt)
{
	struct service service;

	assert_false(cut(change, cnt, &service));
}

#define LINE(...) (struct change[]){__VA_ARGS__}, ARRAY_SIZE(((struct change[]){__VA_ARGS__}))

static void a_thread_without_changes_was_on_its_cpu(void **state)
{
	assert_cut(NULL, 0, 300, 0, 0);
	assert_cut(LINE({.at_ns = 150, .index = 7, .kind = CHANGE_RUN}), 300, 0, 0);
}

static void the_very_first_changes_of_a_thread_have_nothing_before_them(void **state)
{
	assert_cut(LINE({.at_ns = 250, .index = 0, .kind = CHANGE_SLEEP},
			{.at_ns = 350, .index = 1, .kind = CHANGE_WAKE},
			{.at_ns = 400, .index = 2, .kind = CHANGE_SWITCH}),
		   150, 50, 100);
}

static void a_service_has_the_syscalls_it_slept_in(void **state)
{
	const struct change change[] = {
		{.at_ns = 210, .index = 0, .kind = CHANGE_SLEEP_IN, .cpu = 202},
		{.at_ns = 220, .index = 1, .kind = CHANGE_WAKE},
		{.at_ns = 230, .index = 2, .kind = CHANGE_SWITCH},
		{.at_ns = 240, .index = 3, .kind = CHANGE_POLL_IN, .cpu = 232},
		{.at_ns = 330, .index = 4, .kind = CHANGE_WOKEN},
		{.at_ns = 340, .index = 5, .kind = CHANGE_WAKE},
		{.at_ns = 340, .index = 6, .kind = CHANGE_SWITCH},
		{.at_ns = 400, .index = 7, .kind = CHANGE_SLEEP_IN, .cpu = 202},
		{.at_ns = 430, .index = 8, .kind = CHANGE_WAKE},
		{.at_ns = 440, .index = 9, .kind = CHANGE_SWITCH},
	};
	struct service service;

	assert_true(cut(change, ARRAY_SIZE(change), &service));
	assert_int_equal(service.state_ns[SERVICE_BLOCKED], 140);
	summary = (struct calls_summary){0};
	service_add(&service, &summary);
	service_add(&service, &summary);
	blocked_calls_sort(&summary.blocked);
	assert_int_equal(summary.state_cnt, 2);
	assert_int_equal(summary.blocked.cnt, 2);
	assert_int_equal(summary.blocked.entry[0].call, 232);
	assert_int_equal(summary.blocked.entry[0].ns, 200);
	assert_int_equal(summary.blocked.entry[1].ns, 80);
	assert_int_equal(summary.blocked.entry[1].cnt, 2);
}

/* Its changes from the request until 300 are missing. */
static void a_gap_before_the_first_change_is_noticed(void **state)
{
	assert_not_known(LINE({.at_ns = 300, .index = 4, .kind = CHANGE_SLEEP},
			      {.at_ns = 350, .index = 5, .kind = CHANGE_WAKE},
			      {.at_ns = 400, .index = 6, .kind = CHANGE_RUN}));
	assert_not_known(LINE({.at_ns = 100, .index = 2, .kind = CHANGE_RUN},
			      {.at_ns = 300, .index = 4, .kind = CHANGE_SLEEP},
			      {.at_ns = 350, .index = 5, .kind = CHANGE_WAKE},
			      {.at_ns = 400, .index = 6, .kind = CHANGE_RUN}));
}

static void a_gap_behind_the_last_change_is_noticed(void **state)
{
	assert_not_known(LINE({.at_ns = 150, .index = 1, .kind = CHANGE_RUN},
			      {.at_ns = 700, .index = 4, .kind = CHANGE_SLEEP}));
	assert_not_known(LINE({.at_ns = 700, .index = 4, .kind = CHANGE_SLEEP}));
}

/* The change, and the missing one before it, are younger than what is complete. */
static void what_has_come_early_is_no_gap(void **state)
{
	const struct change change[] = {{.at_ns = 150, .index = 1, .kind = CHANGE_RUN},
					{.at_ns = 700, .index = 4, .kind = CHANGE_SLEEP}};
	struct timeline line = {.change = change, .cnt = ARRAY_SIZE(change), .open_ns = 700};
	struct service service;

	assert_true(service_cut(&line, 200, 500, false, &service));
	assert_int_equal(service.state_ns[SERVICE_ON_CPU], 300);
	line.open_ns = 701;
	assert_false(service_cut(&line, 200, 500, false, &service));
}

/* It ran when it received its request: a wakeup or a switch can only follow a sleep. */
static void a_change_that_cannot_follow_shows_a_gap(void **state)
{
	assert_not_known(LINE({.at_ns = 300, .index = 0, .kind = CHANGE_WAKE},
			      {.at_ns = 400, .index = 1, .kind = CHANGE_SWITCH}));
	assert_not_known(LINE({.at_ns = 300, .index = 0, .kind = CHANGE_SWITCH}));
	assert_not_known(LINE({.at_ns = 300, .index = 0, .kind = CHANGE_SLEEP},
			      {.at_ns = 350, .index = 1, .kind = CHANGE_PREEMPT},
			      {.at_ns = 400, .index = 2, .kind = CHANGE_SWITCH}));
	assert_not_known(LINE({.at_ns = 300, .index = 0, .kind = NR_CHANGE_KINDS}));
}

/* Kernels that do not show the end of a switch, and switches whose begin was not seen. */
static void switches_may_be_seen_in_part(void **state)
{
	assert_cut(LINE({.at_ns = 250, .index = 0, .kind = CHANGE_PREEMPT},
			{.at_ns = 300, .index = 1, .kind = CHANGE_SWITCH},
			{.at_ns = 350, .index = 2, .kind = CHANGE_THROTTLE},
			{.at_ns = 400, .index = 3, .kind = CHANGE_RESUME}),
		   200, 100, 0);
}

/* An older thread had the id, and slept until its end. */
static void an_older_thread_of_the_same_number_is_none_of_it(void **state)
{
	assert_cut(LINE({.at_ns = 100, .index = 9, .kind = CHANGE_SLEEP},
			{.at_ns = 300, .index = 0, .kind = CHANGE_SLEEP},
			{.at_ns = 350, .index = 1, .kind = CHANGE_WAKE},
			{.at_ns = 350, .index = 2, .kind = CHANGE_SWITCH}),
		   250, 0, 50);
}

#define TEST(function) cmocka_unit_test_setup_teardown(function, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(the_parts_add_up_to_the_round_trip),
		TEST(a_late_start_counts_from_when_it_was_due),
		TEST(a_response_without_its_request_is_no_call),
		TEST(a_response_may_arrive_first),
		TEST(instants_out_of_order_are_no_call),
		TEST(the_horizon_is_the_oldest_open_request),
		TEST(a_service_is_cut_by_what_its_thread_did),
		TEST(a_gap_in_the_time_line_leaves_the_service_whole),
		TEST(a_thread_that_seems_to_sleep_at_its_answer_was_not_seen_whole),
		TEST(a_service_that_others_end_may_end_off_the_cpu),
		TEST(a_thread_without_changes_was_on_its_cpu),
		TEST(the_very_first_changes_of_a_thread_have_nothing_before_them),
		TEST(a_service_has_the_syscalls_it_slept_in),
		TEST(a_gap_before_the_first_change_is_noticed),
		TEST(a_gap_behind_the_last_change_is_noticed),
		TEST(what_has_come_early_is_no_gap),
		TEST(a_change_that_cannot_follow_shows_a_gap),
		TEST(switches_may_be_seen_in_part),
		TEST(an_older_thread_of_the_same_number_is_none_of_it),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
