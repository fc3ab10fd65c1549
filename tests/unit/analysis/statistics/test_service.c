/* SPDX-License-Identifier: BSD-2-Clause */
/* What a serving thread did from 200 to 500. */
#include "support/build.h"

#include "analysis/statistics/service.h"

/* Cuts the time from 200 to 500. Whether that could be done. */
static bool cut_line(const struct timeline *line, bool may_end_off_cpu, struct service *service)
{
	const struct service_part part = {
		.tid = 7, .from_ns = 200, .to_ns = 500, .may_end_off_cpu = may_end_off_cpu};

	service_clear(service);
	return service_cut(service, &part, line);
}

TEST(a_thread_that_seems_to_sleep_at_its_answer_was_not_seen_whole)
{
	struct change change = {.at_ns = 250, .index = 5, .kind = CHANGE_SLEEP};
	struct timeline line = {.change = &change, .cnt = 1};
	struct service service;

	assert_false(cut_line(&line, false, &service));
}

/* TCP where no call is seen: a softirq queues the answer after its sender has left the CPU. */
TEST(a_service_that_others_end_may_end_off_the_cpu)
{
	struct change change[] = {
		{.at_ns = 150, .index = 4, .kind = CHANGE_RUN},
		{.at_ns = 250, .index = 5, .kind = CHANGE_PREEMPT},
		{.at_ns = 600, .index = 6, .kind = CHANGE_SWITCH},
	};
	struct timeline line = {.change = change, .cnt = ARRAY_SIZE(change)};
	struct service service;

	assert_false(cut_line(&line, false, &service));
	assert_true(cut_line(&line, true, &service));
	assert_int_equal(service.state_ns[SERVICE_ON_CPU], 50);
	assert_int_equal(service.state_ns[SERVICE_RUNQUEUE], 250);
	change[1] = (struct change){.at_ns = 300, .index = 5, .kind = CHANGE_SLEEP_IN, .cpu = 202};
	assert_true(cut_line(&line, true, &service));
	assert_int_equal(service.state_ns[SERVICE_BLOCKED], 200);
	assert_int_equal(blocked_calls_ns(&service.blocked), 200);
	change[2].index = 8;
	assert_false(cut_line(&line, true, &service));
}

static bool cut(const struct change *change, size_t cnt, struct service *service)
{
	struct timeline line = {.change = change, .cnt = cnt};

	return cut_line(&line, false, service);
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

TEST(a_thread_without_changes_was_on_its_cpu)
{
	assert_cut(NULL, 0, 300, 0, 0);
	assert_cut(LINE({.at_ns = 150, .index = 7, .kind = CHANGE_RUN}), 300, 0, 0);
}

TEST(the_very_first_changes_of_a_thread_have_nothing_before_them)
{
	assert_cut(LINE({.at_ns = 250, .index = 0, .kind = CHANGE_SLEEP},
			{.at_ns = 350, .index = 1, .kind = CHANGE_WAKE},
			{.at_ns = 400, .index = 2, .kind = CHANGE_SWITCH}),
		   150, 50, 100);
}

TEST(a_service_has_the_syscalls_it_slept_in)
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
	struct calls_summary summary = {0};
	struct service service;

	assert_true(cut(change, ARRAY_SIZE(change), &service));
	assert_int_equal(service.state_ns[SERVICE_BLOCKED], 140);
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
TEST(a_gap_before_the_first_change_is_noticed)
{
	assert_not_known(LINE({.at_ns = 300, .index = 4, .kind = CHANGE_SLEEP},
			      {.at_ns = 350, .index = 5, .kind = CHANGE_WAKE},
			      {.at_ns = 400, .index = 6, .kind = CHANGE_RUN}));
	assert_not_known(LINE({.at_ns = 100, .index = 2, .kind = CHANGE_RUN},
			      {.at_ns = 300, .index = 4, .kind = CHANGE_SLEEP},
			      {.at_ns = 350, .index = 5, .kind = CHANGE_WAKE},
			      {.at_ns = 400, .index = 6, .kind = CHANGE_RUN}));
}

TEST(a_gap_behind_the_last_change_is_noticed)
{
	assert_not_known(LINE({.at_ns = 150, .index = 1, .kind = CHANGE_RUN},
			      {.at_ns = 700, .index = 4, .kind = CHANGE_SLEEP}));
	assert_not_known(LINE({.at_ns = 700, .index = 4, .kind = CHANGE_SLEEP}));
}

/* The change, and the missing one before it, are younger than what is complete. */
TEST(what_has_come_early_is_no_gap)
{
	const struct change change[] = {{.at_ns = 150, .index = 1, .kind = CHANGE_RUN},
					{.at_ns = 700, .index = 4, .kind = CHANGE_SLEEP}};
	struct timeline line = {.change = change, .cnt = ARRAY_SIZE(change), .open_ns = 700};
	struct service service;

	assert_true(cut_line(&line, false, &service));
	assert_int_equal(service.state_ns[SERVICE_ON_CPU], 300);
	line.open_ns = 701;
	assert_false(cut_line(&line, false, &service));
}

/* It ran when it received its request: a wakeup or a switch can only follow a sleep. */
TEST(a_change_that_cannot_follow_shows_a_gap)
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
TEST(switches_may_be_seen_in_part)
{
	assert_cut(LINE({.at_ns = 250, .index = 0, .kind = CHANGE_PREEMPT},
			{.at_ns = 300, .index = 1, .kind = CHANGE_SWITCH},
			{.at_ns = 350, .index = 2, .kind = CHANGE_THROTTLE},
			{.at_ns = 400, .index = 3, .kind = CHANGE_RESUME}),
		   200, 100, 0);
}

/* An older thread had the id, and slept until its end. */
TEST(an_older_thread_of_the_same_number_is_none_of_it)
{
	assert_cut(LINE({.at_ns = 100, .index = 9, .kind = CHANGE_SLEEP},
			{.at_ns = 300, .index = 0, .kind = CHANGE_SLEEP},
			{.at_ns = 350, .index = 1, .kind = CHANGE_WAKE},
			{.at_ns = 350, .index = 2, .kind = CHANGE_SWITCH}),
		   250, 0, 50);
}

/* The waits for a CPU say which CPU it was, as far as that was recorded. */
TEST(the_waits_for_a_cpu_are_listed)
{
	const struct change change[] = {
		{.at_ns = 210, .index = 0, .kind = CHANGE_PREEMPT, .cpu = 3},
		{.at_ns = 220, .index = 1, .kind = CHANGE_MIGRATE, .cpu = 5},
		{.at_ns = 240, .index = 2, .kind = CHANGE_SWITCH, .cpu = 5},
		{.at_ns = 300, .index = 3, .kind = CHANGE_THROTTLE, .cpu = 5},
		{.at_ns = 400, .index = 4, .kind = CHANGE_SWITCH, .cpu = 6},
		{.at_ns = 410, .index = 5, .kind = CHANGE_PREEMPT, .cpu = 6},
		{.at_ns = 450, .index = 6, .kind = CHANGE_SWITCH, .cpu = 7},
	};
	const struct service_wait expected[] = {
		{.from_ns = 210, .to_ns = 220, .cpu = 3},
		{.from_ns = 220, .to_ns = 240, .cpu = 5, .is_moved = true},
		{.from_ns = 300, .to_ns = 400, .cpu = SEGMENT_CPU_THROTTLED},
		{.from_ns = 410, .to_ns = 450, .cpu = SEGMENT_CPU_UNKNOWN},
	};
	struct service service;

	assert_true(cut(change, ARRAY_SIZE(change), &service));
	assert_int_equal(service.state_ns[SERVICE_RUNQUEUE], 170);
	assert_int_equal(service.wait_cnt, ARRAY_SIZE(expected));
	for (size_t i = 0; i < ARRAY_SIZE(expected); i++) {
		assert_int_equal(service.wait[i].tid, 7);
		assert_int_equal(service.wait[i].from_ns, expected[i].from_ns);
		assert_int_equal(service.wait[i].to_ns, expected[i].to_ns);
		assert_int_equal(service.wait[i].cpu, expected[i].cpu);
		assert_int_equal(service.wait[i].is_moved, expected[i].is_moved);
	}
}

/*
 *	     150         200      250     260         500    600    650
 *	first |           runs ...                   hands over
 *	next  | asleep                                 | woken |  runs
 */
TEST(a_service_goes_on_in_the_thread_that_is_handed_the_work)
{
	const struct change change[] = {
		{.at_ns = 150, .index = 3, .kind = CHANGE_SLEEP_IN, .cpu = 202},
		{.at_ns = 520, .index = 4, .kind = CHANGE_WAKE, .cpu = 1},
		{.at_ns = 550, .index = 5, .kind = CHANGE_SWITCH, .cpu = 1},
		{.at_ns = 600, .index = 6, .kind = CHANGE_SLEEP_IN, .cpu = 230},
		{.at_ns = 640, .index = 7, .kind = CHANGE_WAKE, .cpu = 1},
		{.at_ns = 640, .index = 8, .kind = CHANGE_SWITCH, .cpu = 1},
	};
	const struct timeline first = {0}, next = {.change = change, .cnt = ARRAY_SIZE(change)};
	struct service_part part = {.tid = 8, .from_ns = 500, .to_ns = 700, .is_handed_over = true};
	struct service service;

	assert_true(cut_line(&first, false, &service));
	assert_true(service_cut(&service, &part, &next));
	assert_int_equal(service.state_ns[SERVICE_ON_CPU], 300 + 50 + 60);
	assert_int_equal(service.state_ns[SERVICE_WAKEUP], 20);
	assert_int_equal(service.state_ns[SERVICE_RUNQUEUE], 30);
	assert_int_equal(service.state_ns[SERVICE_BLOCKED], 40);
	assert_int_equal(blocked_calls_ns(&service.blocked), 40);
	assert_int_equal(service.wait_cnt, 1);
	assert_int_equal(service.wait[0].tid, 8);
	/* Nothing is known of the thread before it is handed the work. */
	part.from_ns = 100;
	assert_false(service_cut(&service, &part, &next));
}

/* It was busy with something else, or waited for a CPU, when the work came. */
TEST(a_thread_that_is_handed_work_need_not_be_asleep)
{
	const struct change change[] = {
		{.at_ns = 450, .index = 0, .kind = CHANGE_PREEMPT, .cpu = 1},
		{.at_ns = 510, .index = 1, .kind = CHANGE_SWITCH, .cpu = 1},
	};
	const struct timeline line = {.change = change, .cnt = ARRAY_SIZE(change)};
	const struct service_part part = {
		.tid = 8, .from_ns = 500, .to_ns = 700, .is_handed_over = true};
	struct service service;

	service_clear(&service);
	assert_true(service_cut(&service, &part, &line));
	assert_int_equal(service.state_ns[SERVICE_RUNQUEUE], 10);
	assert_int_equal(service.wait[0].from_ns, 500);
	assert_int_equal(service.state_ns[SERVICE_ON_CPU], 190);
	assert_int_equal(service.state_ns[SERVICE_WAKEUP], 0);
}
