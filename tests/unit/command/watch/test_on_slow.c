/* SPDX-License-Identifier: BSD-2-Clause */
/* The command of --on-slow: one at a time, with the message on stdin, and none is left. */
#include "support/build.h"
#include "support/capture.h"

#include "command/watch/on_slow.h"
#include "util/clock.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static void start(struct on_slow *slow, const char *text)
{
	on_slow__start(slow, text, strlen(text));
}

static void rest(uint64_t ns)
{
	struct timespec pause = clock_timespec(ns);

	nanosleep(&pause, NULL);
}

/* What the command writes to stdout goes to stderr, too. */
static void the_command_gets_the_text(void **state)
{
	struct capture out, err;
	struct on_slow *slow;

	capture_begin(&out, STDOUT_FILENO);
	capture_begin(&err, STDERR_FILENO);
	slow = on_slow__new("read x; echo got $x; cat >/dev/null; echo done >&2");
	assert_non_null(slow);
	start(slow, "{\"a\":1}");
	on_slow__free(slow);
	capture_end(&err);
	capture_end(&out);
	assert_string_equal(out.text, "");
	assert_string_equal(err.text, "got {\"a\":1}\ndone\n");
}

static void a_text_of_a_megabyte_blocks_nothing(void **state)
{
	static char text[1 << 20];
	struct capture err;
	struct on_slow *slow;

	memset(text, 'x', sizeof(text) - 1);
	capture_begin(&err, STDERR_FILENO);
	slow = on_slow__new("wc -c");
	start(slow, text);
	on_slow__free(slow);
	capture_end(&err);
	assert_has(err.text, "1048576\n");
}

static void while_one_runs_others_are_skipped_and_counted(void **state)
{
	struct capture err;
	struct on_slow *slow;

	capture_begin(&err, STDERR_FILENO);
	slow = on_slow__new("cat; sleep 0.3");
	start(slow, "first");
	for (int i = 0; i < 5; i++)
		start(slow, "skipped");
	rest(600 * NSEC_PER_MSEC);
	start(slow, "second");
	on_slow__free(slow);
	capture_end(&err);
	assert_has(err.text, "first\nsecond\n");
	assert_has_not(err.text, "skipped\n");
	assert_has(err.text, "executed for 2 messages, and not for 5");
}

static void a_command_that_stays_is_ended_with_its_children(void **state)
{
	struct capture err;
	struct on_slow *slow;
	uint64_t began_ns = clock_now_ns();
	int child;

	capture_begin(&err, STDERR_FILENO);
	slow = on_slow__new("trap '' TERM; sleep 100 & echo $!; while :; do sleep 1; done");
	start(slow, "message");
	on_slow__free(slow);
	capture_end(&err);
	assert_int_equal(sscanf(err.text, "%d", &child), 1);
	assert_has(err.text, "the last command is ended");
	assert_true(clock_now_ns() - began_ns < 20 * NSEC_PER_SEC);
	/* It is a zombie until its new parent has noticed. */
	for (int i = 0; i < 500 && !kill(child, 0); i++)
		rest(10 * NSEC_PER_MSEC);
}

static void a_failure_is_said_once(void **state)
{
	struct capture err;
	struct on_slow *slow;

	capture_begin(&err, STDERR_FILENO);
	slow = on_slow__new("exit 7");
	for (int i = 0; i < 3; i++) {
		start(slow, "message");
		rest(200 * NSEC_PER_MSEC);
		on_slow__reap(slow);
	}
	on_slow__free(slow);
	capture_end(&err);
	assert_one_line_with(err.text, "the command failed, with status 7");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_command_gets_the_text),
		cmocka_unit_test(a_text_of_a_megabyte_blocks_nothing),
		cmocka_unit_test(while_one_runs_others_are_skipped_and_counted),
		cmocka_unit_test(a_command_that_stays_is_ended_with_its_children),
		cmocka_unit_test(a_failure_is_said_once),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
