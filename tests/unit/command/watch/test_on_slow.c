/* SPDX-License-Identifier: BSD-2-Clause */
/* The command of --on-slow: one at a time, with the message on stdin, and none is left. */
#include "support/build.h"
#include "support/capture.h"

#include "command/watch/on_slow.h"
#include "util/clock.h"

#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
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

/* The stderr of this process, read while it is written. */
struct spoken {
	int before, output;
	char text[512];
	size_t length;
};

static void spoken_begin(struct spoken *spoken)
{
	int ends[2];

	memset(spoken, 0, sizeof(*spoken));
	assert_int_equal(pipe(ends), 0);
	spoken->before = dup(STDERR_FILENO);
	spoken->output = ends[0];
	dup2(ends[1], STDERR_FILENO);
	close(ends[1]);
}

/* Waits a moment for it. */
static void spoken_read(struct spoken *spoken)
{
	struct pollfd more = {.fd = spoken->output, .events = POLLIN};
	ssize_t got = 0;

	if (poll(&more, 1, 10) == 1)
		got = read(spoken->output, spoken->text + spoken->length,
			   sizeof(spoken->text) - 1 - spoken->length);
	spoken->length += got > 0 ? got : 0;
}

static void spoken_end(struct spoken *spoken)
{
	spoken_read(spoken);
	dup2(spoken->before, STDERR_FILENO);
	close(spoken->before);
	close(spoken->output);
}

static int lines_of(const char *text)
{
	int lines = 0;

	for (; (text = strchr(text, '\n')); text++)
		lines++;
	return lines;
}

/*
 * Starts the command again and again, as it may run still, until so many lines have come. Returns
 * how often.
 */
static unsigned int start_until(struct on_slow *slow, struct spoken *spoken, int lines)
{
	uint64_t until_ns = clock_now_ns() + 60 * NSEC_PER_SEC;
	unsigned int starts;

	for (starts = 0; lines_of(spoken->text) < lines && clock_now_ns() < until_ns; starts++) {
		start(slow, "message");
		spoken_read(spoken);
	}
	assert_true(lines_of(spoken->text) >= lines);
	return starts;
}

/* What the command writes to stdout goes to stderr, too. */
TEST(the_command_gets_the_text)
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

TEST(a_text_of_a_megabyte_blocks_nothing)
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

TEST(while_one_runs_others_are_skipped_and_counted)
{
	struct spoken spoken;
	struct on_slow *slow;
	uint64_t starts = 1, executed, skipped;
	const char *end;

	spoken_begin(&spoken);
	slow = on_slow__new("cat; sleep 0.3");
	start(slow, "first");
	starts += start_until(slow, &spoken, 2);
	on_slow__free(slow);
	spoken_end(&spoken);
	assert_int_equal(strncmp(spoken.text, "first\nmessage\n", 14), 0);
	end = strstr(spoken.text, "executed for ");
	assert_non_null(end);
	assert_int_equal(sscanf(end, "executed for %" SCNu64 " messages, and not for %" SCNu64,
				&executed, &skipped),
			 2);
	assert_int_equal(executed, 2);
	assert_int_equal(executed + skipped, starts);
}

/* It is a zombie until its new parent has noticed. */
static void assert_ends(int process)
{
	uint64_t until_ns = clock_now_ns() + 60 * NSEC_PER_SEC;

	assert_true(process > 1);
	while (!kill(process, 0) && clock_now_ns() < until_ns)
		rest(10 * NSEC_PER_MSEC);
	assert_int_equal(kill(process, 0), -1);
}

TEST(a_command_that_stays_is_ended_with_its_children)
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
	assert_ends(child);
}

/* In a session of its own, and deaf to SIGTERM. */
#define STAYS "setsid sh -c 'trap \"\" TERM; echo $$; while :; do sleep 1; done'"

TEST(what_a_command_leaves_is_ended_in_whatever_session)
{
	struct spoken spoken;
	struct on_slow *slow;
	int child[2];

	spoken_begin(&spoken);
	slow = on_slow__new("sleep 100 & echo $!; " STAYS " & wait");
	start_until(slow, &spoken, 2);
	on_slow__free(slow);
	spoken_end(&spoken);
	assert_int_equal(sscanf(spoken.text, "%d %d", &child[0], &child[1]), 2);
	assert_has(spoken.text, "the last command is ended");
	assert_ends(child[0]);
	assert_ends(child[1]);
}

/* What a command leaves does not keep the next one from its message. */
TEST(what_a_command_leaves_delays_no_other)
{
	struct spoken spoken;
	struct on_slow *slow;

	spoken_begin(&spoken);
	slow = on_slow__new("sleep 100 & cat");
	start_until(slow, &spoken, 3);
	on_slow__free(slow);
	spoken_end(&spoken);
	assert_int_equal(strncmp(spoken.text, "message\nmessage\nmessage\n", 24), 0);
	assert_has(spoken.text, "is ended: it still runs after the end of tracing");
}

/* The process that uses on_slow.c is killed. Its command has written two numbers. */
TEST(a_kill_ends_the_command_and_what_it_has_started)
{
	int output[2], child[2], status;
	char text[64] = "";
	pid_t program;
	size_t length = 0;

	assert_int_equal(pipe(output), 0);
	program = fork();
	if (!program) {
		dup2(output[1], STDERR_FILENO);
		close(output[0]);
		start(on_slow__new("echo $$; " STAYS " & wait"), "message");
		for (;;)
			pause();
	}
	close(output[1]);
	while (sscanf(text, "%d\n%d\n%n", &child[0], &child[1], &status) < 2 ||
	       text[length - 1] != '\n') {
		ssize_t got = read(output[0], text + length, sizeof(text) - 1 - length);

		assert_true(got > 0);
		length += got;
	}
	close(output[0]);
	kill(program, SIGKILL);
	assert_int_equal(waitpid(program, &status, 0), program);
	assert_ends(child[0]);
	assert_ends(child[1]);
}

/* The lines that each command says show that it was executed. */
TEST(a_failure_is_said_once)
{
	static const char failure[] = "the command failed, with status 7";
	struct spoken spoken;
	struct on_slow *slow;
	const char *said;

	spoken_begin(&spoken);
	slow = on_slow__new("echo failing; exit 7");
	start_until(slow, &spoken, 4);
	on_slow__free(slow);
	spoken_end(&spoken);
	said = strstr(spoken.text, failure);
	assert_non_null(said);
	assert_null(strstr(said + 1, failure));
	said = strstr(spoken.text, "failing\n");
	assert_non_null(said);
	assert_non_null(strstr(said + 1, "failing\n"));
}
