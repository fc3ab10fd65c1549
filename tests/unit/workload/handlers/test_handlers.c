/* SPDX-License-Identifier: BSD-2-Clause */
/* Which handlers there are, what they refuse, and handlers echo, spin and sleep. */
#include "support/build.h"
#include "support/handler.h"
#include "util/clock.h"

#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

TEST(what_is_no_handler_is_refused_with_those_that_are)
{
	static const char *const bad[] = {"",      "=",    "pigeon", "ech",
					  "echos", "Echo", "spin ",  "=1ms"};

	for (size_t i = 0; i < ARRAY_SIZE(bad); i++)
		handler_expect_refused(
			bad[i], "use one of echo, translate[=FILE], spin=DUR, sleep=DUR, exec=CMD");
}

TEST(an_argument_is_there_if_and_only_if_it_is_needed)
{
	handler_expect_refused("echo=", "use echo alone");
	handler_expect_refused("echo=1", "use echo alone");
	handler_expect_refused("spin", "spin=20us");
	handler_expect_refused("sleep", "sleep=1ms");
	handler_expect_refused("exec", "exec=date");
	handler_expect_refused("exec=", "exec=date");
}

TEST(a_duration_needs_a_unit)
{
	handler_expect_refused("spin=20", "'20': no unit");
	handler_expect_refused("sleep=20", "'20': no unit");
	handler_expect_refused("spin=", "not a duration");
	handler_expect_refused("sleep=0ms", "out of range");
}

TEST(a_reason_never_outgrows_its_room)
{
	const char *argument;
	char why[8];

	memset(why, 'x', sizeof(why));
	assert_null(handler_find("pigeon", &argument, why, sizeof(why)));
	assert_string_equal(why, "unknown");
}

TEST(the_argument_is_all_that_stands_behind_the_first_equals_sign)
{
	const char text[] = "exec=a=b";
	const char *argument;
	char why[200];

	assert_ptr_equal(handler_find(text, &argument, why, sizeof(why)), &exec_handler);
	assert_ptr_equal(argument, text + 5);
	assert_ptr_equal(handler_find("translate", &argument, why, sizeof(why)),
			 &translate_handler);
	assert_null(argument);
}

TEST(echo_answers_what_it_was_asked)
{
	handler_expect_of("echo", "", "");
	handler_expect_of("echo", "hello", "hello");
	handler_expect_cut("echo", "hello", 3, "hel");
	handler_expect_cut("echo", "hello", 0, "");
}

TEST(echo_keeps_bytes_that_are_no_text)
{
	struct served served = handler_serve("echo");
	char *answer;

	assert_int_equal(handler_ask(served, "a\0\xff\0", 4, &answer, ROOM), 4);
	assert_memory_equal(answer, "a\0\xff\0", 4);
	free(answer);
	handler_leave(served);
}

static uint64_t cpu_time_ns(void)
{
	struct timespec time;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
	return (uint64_t)time.tv_sec * NSEC_PER_SEC + (uint64_t)time.tv_nsec;
}

/* Three other threads want the same CPU, so elapsed time would be mostly theirs. */
TEST(spin_takes_its_time_on_the_cpu)
{
	struct served served = handler_serve("spin=60ms");
	cpu_set_t allowed, one;
	pid_t others[3];
	uint64_t begin_ns;

	assert_int_equal(sched_getaffinity(0, sizeof(allowed), &allowed), 0);
	CPU_ZERO(&one);
	CPU_SET(sched_getcpu(), &one);
	assert_int_equal(sched_setaffinity(0, sizeof(one), &one), 0);
	for (size_t i = 0; i < ARRAY_SIZE(others); i++) {
		others[i] = fork();
		while (others[i] == 0)
			;
	}
	begin_ns = cpu_time_ns();
	handler_expect(served, "hello", "hello");
	assert_true(cpu_time_ns() - begin_ns >= 60 * NSEC_PER_MSEC);
	for (size_t i = 0; i < ARRAY_SIZE(others); i++) {
		kill(others[i], SIGKILL);
		waitpid(others[i], NULL, 0);
	}
	assert_int_equal(sched_setaffinity(0, sizeof(allowed), &allowed), 0);
	handler_leave(served);
}

static void alarm_take(int number)
{
	(void)number;
}

TEST(sleep_sleeps_its_time_even_if_it_is_woken)
{
	const struct itimerval often = {.it_interval.tv_usec = 5000, .it_value.tv_usec = 5000};
	const struct itimerval never = {.it_value.tv_usec = 0};
	struct served served = handler_serve("sleep=50ms");
	uint64_t begin_ns = clock_now_ns();

	signal(SIGALRM, alarm_take);
	setitimer(ITIMER_REAL, &often, NULL);
	handler_expect(served, "hello", "hello");
	setitimer(ITIMER_REAL, &never, NULL);
	signal(SIGALRM, SIG_DFL);
	assert_true(clock_now_ns() - begin_ns >= 50 * NSEC_PER_MSEC);
	handler_leave(served);
}

TEST(spin_and_sleep_cut_as_echo_does)
{
	handler_expect_cut("spin=1ns", "hello", 4, "hell");
	handler_expect_cut("sleep=1ns", "hello", 4, "hell");
}

ALL_TESTS(become_subreaper, NULL)
