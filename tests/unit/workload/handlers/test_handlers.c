/* SPDX-License-Identifier: BSD-2-Clause */
/* What a server answers, and that a command it runs leaves nothing behind. */
#include "support/build.h"
#include "support/capture.h"

#include "util/clock.h"
#include "workload/handlers/handlers.h"

#include <dirent.h>
#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#define ROOM 4096

/* What hangs ends the tests: far more than anything takes. */
#define ALARM_S 60

/* An opened handler. */
struct served {
	const struct handler_ops *handler;
	void *state;
};

static struct served serve(const char *text)
{
	const char *argument;
	struct served served;
	char why[200] = "";

	served.handler = handler_find(text, &argument, why, sizeof(why));
	if (!served.handler)
		fail_msg("%s: %s", text, why);
	served.state = served.handler->open(argument);
	assert_non_null(served.state);
	return served;
}

static void leave(struct served served)
{
	served.handler->close(served.state);
}

/*
 * Both texts have the memory they need and not a byte more, for the sanitizer to see. The answer is
 * the caller's to free, and ends with a NUL that the handler did not write.
 */
static ssize_t ask(struct served served, const char *request, size_t size, char **answer,
		   size_t answer_size)
{
	char *text = malloc(size ? size : 1);
	char *room = malloc(answer_size ? answer_size : 1);
	ssize_t length;

	memcpy(text, request, size);
	length = served.handler->answer(served.state, 0, text, size, room, answer_size);
	*answer = calloc(1, answer_size + 1);
	if (length > 0)
		memcpy(*answer, room, (size_t)length);
	free(room);
	free(text);
	return length;
}

static void expect(struct served served, const char *request, const char *expected)
{
	char *answer;
	ssize_t length = ask(served, request, strlen(request), &answer, ROOM);

	assert_int_equal(length, strlen(expected));
	assert_string_equal(answer, expected);
	free(answer);
}

static void expect_of(const char *text, const char *request, const char *expected)
{
	struct served served = serve(text);

	expect(served, request, expected);
	leave(served);
}

static void expect_error(const char *text, int err)
{
	struct served served = serve(text);
	char *answer;

	assert_int_equal(ask(served, "", 0, &answer, ROOM), err);
	free(answer);
	leave(served);
}

/* The answer is cut to `size` bytes, of which `expected` has as many. */
static void expect_cut(const char *text, const char *request, size_t size, const char *expected)
{
	struct served served = serve(text);
	char *answer;

	assert_int_equal(ask(served, request, strlen(request), &answer, size), size);
	assert_string_equal(answer, expected);
	free(answer);
	leave(served);
}

static void refuse(const char *text, const char *reason)
{
	const char *argument;
	char why[200] = "";

	if (handler_find(text, &argument, why, sizeof(why)))
		fail_msg("'%s' is taken for a handler", text);
	assert_has(why, reason);
	assert_has_not(why, "\n");
}

static void what_is_no_handler_is_refused_with_those_that_are(void **state)
{
	static const char *const bad[] = {"",      "=",    "pigeon", "ech",
					  "echos", "Echo", "spin ",  "=1ms"};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++)
		refuse(bad[i], "use echo, translate[=FILE], spin=DUR, sleep=DUR, exec=CMD");
}

static void an_argument_is_there_if_and_only_if_it_is_needed(void **state)
{
	(void)state;
	refuse("echo=", "use echo alone");
	refuse("echo=1", "use echo alone");
	refuse("spin", "spin=20us");
	refuse("sleep", "sleep=1ms");
	refuse("exec", "exec=date");
	refuse("exec=", "exec=date");
}

static void a_duration_needs_a_unit(void **state)
{
	(void)state;
	refuse("spin=20", "20 has no unit");
	refuse("sleep=20", "20 has no unit");
	refuse("spin=", "not a duration");
	refuse("sleep=0ms", "not within");
}

static void a_reason_never_outgrows_its_room(void **state)
{
	const char *argument;
	char why[8];

	(void)state;
	memset(why, 'x', sizeof(why));
	assert_null(handler_find("pigeon", &argument, why, sizeof(why)));
	assert_string_equal(why, "there i");
}

static void the_argument_is_all_that_stands_behind_the_first_equals_sign(void **state)
{
	const char text[] = "exec=a=b";
	const char *argument;
	char why[200];

	(void)state;
	assert_ptr_equal(handler_find(text, &argument, why, sizeof(why)), &exec_handler);
	assert_ptr_equal(argument, text + 5);
	assert_ptr_equal(handler_find("translate", &argument, why, sizeof(why)),
			 &translate_handler);
	assert_null(argument);
}

static void echo_answers_what_it_was_asked(void **state)
{
	(void)state;
	expect_of("echo", "", "");
	expect_of("echo", "hello", "hello");
	expect_cut("echo", "hello", 3, "hel");
	expect_cut("echo", "hello", 0, "");
}

static void echo_keeps_bytes_that_are_no_text(void **state)
{
	struct served served = serve("echo");
	char *answer;

	(void)state;
	assert_int_equal(ask(served, "a\0\xff\0", 4, &answer, ROOM), 4);
	assert_memory_equal(answer, "a\0\xff\0", 4);
	free(answer);
	leave(served);
}

static void translate_leaves_what_it_does_not_know(void **state)
{
	(void)state;
	expect_of("translate", "", "");
	expect_of("translate", " ", " ");
	expect_of("translate", "good morning server 17", "guten Morgen Diener 17");
	expect_of("translate", "goodmorning Good good.", "goodmorning Good good.");
}

static void translate_keeps_the_blanks(void **state)
{
	(void)state;
	expect_of("translate", "  good\t\tbread \n", "  guten\t\tBrot \n");
}

static void translate_cuts_an_answer_that_is_longer_than_its_room(void **state)
{
	(void)state;
	expect_cut("translate", "dictionary", 10, "W\303\266rterbuc");
	expect_cut("translate", "good bread", 5, "guten");
	expect_cut("translate", "good bread", 0, "");
}

static void translate_takes_bytes_that_are_no_text_for_words(void **state)
{
	struct served served = serve("translate");
	char *answer;

	(void)state;
	assert_int_equal(ask(served, "\0 go\0 go", 8, &answer, ROOM), 11);
	assert_memory_equal(answer, "\0 go\0 gehen", 11);
	free(answer);
	leave(served);
}

/* A file of the test's own; its name is in "translate=NAME". */
struct file {
	char text[48];
};

static struct file file_with(const char *content)
{
	struct file file = {"translate=/tmp/ipctrace-test-XXXXXX"};
	int fd = mkstemp(strchr(file.text, '/'));

	assert_true(fd >= 0);
	assert_int_equal(write(fd, content, strlen(content)), strlen(content));
	close(fd);
	return file;
}

static void file_remove(struct file file)
{
	assert_int_equal(unlink(strchr(file.text, '/')), 0);
}

static void a_dictionary_file_has_a_word_and_its_translation_in_each_line(void **state)
{
	struct file file = file_with("# good bad\n\n \t\n  good bon\nbread\tdu  pain \r\n"
				     "good again\n17  dix-sept");

	(void)state;
	expect_of(file.text, "good bread 17 morning", "bon du  pain dix-sept morning");
	expect_of(file.text, "# bad", "# bad");
	file_remove(file);
}

static void an_empty_dictionary_translates_nothing(void **state)
{
	struct file file = file_with("");

	(void)state;
	expect_of(file.text, "good morning", "good morning");
	file_remove(file);
}

static void a_line_without_a_translation_is_named(void **state)
{
	struct file file = file_with("good bon\n# more\nbread \nmilk lait\n");

	(void)state;
	refuse(file.text, "line 3 has no translation");
	file_remove(file);
}

static void a_file_that_is_no_dictionary_is_refused_with_the_reason(void **state)
{
	(void)state;
	refuse("translate=/no/such/file", "No such file or directory");
	refuse("translate=", "No such file or directory");
	refuse("translate=/tmp", "Is a directory");
	refuse("translate=/dev/zero", "not a plain file");
}

static void a_dictionary_that_vanished_cannot_be_opened(void **state)
{
	(void)state;
	errno = 0;
	assert_null(translate_handler.open("/no/such/file"));
	assert_int_equal(errno, ENOENT);
}

static void clients_of_translate_say_who_they_are(void **state)
{
	char text[64] = "";
	size_t length = translate_handler.ask(17, 3, text, sizeof(text));

	(void)state;
	assert_int_equal(length, strlen(text));
	assert_has(text, "client 17");
	expect_of("translate", text, "guten Morgen Diener ich bin Klient 17");
	memset(text, 'x', sizeof(text));
	assert_int_equal(translate_handler.ask(17, 3, text, 4), 4);
	assert_memory_equal(text, "goodxxxx", 8);
	assert_int_equal(translate_handler.ask(17, 3, text, 0), 0);
}

static uint64_t cpu_time_ns(void)
{
	struct timespec time;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
	return (uint64_t)time.tv_sec * NSEC_PER_SEC + (uint64_t)time.tv_nsec;
}

/* Three others want the same CPU: by the clock on the wall most of the time would be theirs. */
static void spin_takes_its_time_on_the_cpu(void **state)
{
	struct served served = serve("spin=60ms");
	cpu_set_t allowed, one;
	pid_t others[3];
	uint64_t begin_ns;

	(void)state;
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
	expect(served, "hello", "hello");
	assert_true(cpu_time_ns() - begin_ns >= 60 * NSEC_PER_MSEC);
	for (size_t i = 0; i < ARRAY_SIZE(others); i++) {
		kill(others[i], SIGKILL);
		waitpid(others[i], NULL, 0);
	}
	assert_int_equal(sched_setaffinity(0, sizeof(allowed), &allowed), 0);
	leave(served);
}

static void alarm_take(int number)
{
	(void)number;
}

static void sleep_sleeps_its_time_even_if_it_is_woken(void **state)
{
	const struct itimerval often = {.it_interval.tv_usec = 5000, .it_value.tv_usec = 5000};
	const struct itimerval never = {.it_value.tv_usec = 0};
	struct served served = serve("sleep=50ms");
	uint64_t begin_ns = clock_now_ns();

	(void)state;
	signal(SIGALRM, alarm_take);
	setitimer(ITIMER_REAL, &often, NULL);
	expect(served, "hello", "hello");
	setitimer(ITIMER_REAL, &never, NULL);
	signal(SIGALRM, SIG_DFL);
	assert_true(clock_now_ns() - begin_ns >= 50 * NSEC_PER_MSEC);
	leave(served);
}

static void spin_and_sleep_cut_as_echo_does(void **state)
{
	(void)state;
	expect_cut("spin=1ns", "hello", 4, "hell");
	expect_cut("sleep=1ns", "hello", 4, "hell");
}

static void a_command_reads_the_request_and_prints_the_answer(void **state)
{
	struct served served = serve("exec=cat");

	(void)state;
	expect(served, "", "");
	expect(served, "a long request", "a long request");
	expect(served, "short", "short");
	leave(served);
	expect_of("exec=wc -c | tr -d ' '", "hello", "5\n");
}

static void a_command_that_fails_has_answered_what_it_printed(void **state)
{
	(void)state;
	expect_of("exec=echo out; exit 3", "", "out\n");
	expect_of("exec=exit 1", "", "");
	expect_of("exec=echo out; kill -9 $$", "", "out\n");
}

static void a_command_that_does_not_exist_is_an_error(void **state)
{
	(void)state;
	expect_error("exec=ipctrace-no-such-command", -ENOENT);
	expect_error("exec=/dev/null", -EACCES);
}

static void a_command_that_prints_too_much_is_read_to_its_end(void **state)
{
	(void)state;
	expect_cut("exec=yes | head -c 3000000; echo end >&2", "", 4, "y\ny\n");
	expect_cut("exec=echo hello", "", 0, "");
}

static void an_answer_may_be_longer_than_a_pipe(void **state)
{
	struct served served = serve("exec=yes | head -c 200001");
	char *answer;

	(void)state;
	assert_int_equal(ask(served, "", 0, &answer, 300000), 200001);
	assert_memory_equal(answer + 199998, "y\ny", 3);
	free(answer);
	leave(served);
}

static void a_request_that_is_not_read_stops_nobody(void **state)
{
	struct served served = serve("exec=echo done");
	char *request = calloc(1, 1 << 20);
	char *answer;

	(void)state;
	assert_int_equal(ask(served, request, 1 << 20, &answer, ROOM), 5);
	assert_string_equal(answer, "done\n");
	free(answer);
	free(request);
	leave(served);
}

static void a_command_that_closes_its_output_is_waited_for(void **state)
{
	char name[] = "/tmp/ipctrace-test-XXXXXX";
	char text[80];

	(void)state;
	close(mkstemp(name));
	snprintf(text, sizeof(text), "exec=exec >&-; sleep 0.2; rm %s", name);
	expect_of(text, "", "");
	assert_int_equal(access(name, F_OK), -1);
}

/* As a subreaper this process gets to know how each orphan ends. */
static pid_t orphan_end(int *status)
{
	return waitpid(-1, status, 0);
}

static void what_a_command_leaves_running_is_killed_after_its_answer(void **state)
{
	struct served served = serve("exec=sleep 20 & echo $!");
	char *answer;
	int status;
	pid_t pid;

	(void)state;
	assert_true(ask(served, "", 0, &answer, ROOM) > 0);
	pid = atoi(answer);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
	free(answer);
	leave(served);
}

static void a_command_that_hangs_is_killed_with_its_children(void **state)
{
	struct served served = serve("exec=echo $$; sleep 20 & wait; echo late");
	int status;

	(void)state;
	expect(served, "", "killed: no answer within 5 s\n");
	leave(served);
	assert_true(orphan_end(&status) > 0);
	assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
	assert_int_equal(orphan_end(&status), -1);
}

static void file_await(const char *name)
{
	while (access(name, F_OK))
		clock_sleep_until(clock_now_ns() + NSEC_PER_MSEC);
}

/* Shell and sleep are killed; the guard that does it ends by itself. */
static void a_killed_server_leaves_no_command_running(void **state)
{
	char name[] = "/tmp/ipctrace-test-XXXXXX";
	unsigned int killed = 0, ended = 0;
	char text[80], *answer;
	int status;
	pid_t server;

	(void)state;
	close(mkstemp(name));
	unlink(name);
	snprintf(text, sizeof(text), "exec=sleep 20 & echo > %s; wait", name);
	server = fork();
	if (server == 0) {
		ask(serve(text), "", 0, &answer, ROOM);
		_exit(0);
	}
	file_await(name);
	kill(server, SIGKILL);
	while (orphan_end(&status) > 0) {
		killed += WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL;
		ended += WIFEXITED(status) && WEXITSTATUS(status) == 0;
	}
	assert_int_equal(killed, 3);
	assert_int_equal(ended, 1);
	unlink(name);
}

static void a_command_inherits_neither_policy_nor_signals(void **state)
{
	const struct sched_param param = {.sched_priority = 0};
	sigset_t blocked;

	(void)state;
	sigfillset(&blocked);
	sigprocmask(SIG_SETMASK, &blocked, NULL);
	signal(SIGINT, SIG_IGN);
	assert_int_equal(sched_setscheduler(0, SCHED_BATCH, &param), 0);
	expect_of("exec=cut -d ' ' -f 41 /proc/self/stat", "", "0\n");
	expect_of("exec=grep -Ec 'Sig(Blk|Ign):.0+$' /proc/self/status", "", "2\n");
	sched_setscheduler(0, SCHED_OTHER, &param);
	signal(SIGINT, SIG_DFL);
	sigemptyset(&blocked);
	sigprocmask(SIG_SETMASK, &blocked, NULL);
}

static void a_command_inherits_no_descriptors(void **state)
{
	int fd = dup(STDIN_FILENO);

	(void)state;
	assert_true(fd > STDERR_FILENO);
	expect_of("exec=ls /proc/self/fd", "", "0\n1\n2\n3\n");
	close(fd);
}

static unsigned int descriptors(void)
{
	DIR *directory = opendir("/proc/self/fd");
	unsigned int count = 0;

	while (readdir(directory))
		count++;
	closedir(directory);
	return count;
}

static void handlers_keep_nothing_open(void **state)
{
	struct file file = file_with("good bon");
	unsigned int before = descriptors();
	struct served served = serve("exec=true");

	(void)state;
	for (int i = 0; i < 20; i++)
		expect(served, "hello", "");
	leave(served);
	expect_of(file.text, "good", "bon");
	file_remove(file);
	refuse("translate=/tmp", "Is a directory");
	assert_int_equal(descriptors(), before);
	assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
}

/* As the control thread of a server does, which has its own table of the same descriptors. */
static void to_close_is_not_to_wait_for_copies_of_the_descriptors(void **state)
{
	struct served served = serve("exec=true");
	pid_t copy = fork();

	(void)state;
	if (copy == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		for (;;)
			pause();
	}
	alarm(ALARM_S);
	leave(served);
	alarm(0);
	kill(copy, SIGKILL);
	assert_int_equal(waitpid(copy, NULL, 0), copy);
}

static int become_subreaper(void **state)
{
	(void)state;
	return prctl(PR_SET_CHILD_SUBREAPER, 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_no_handler_is_refused_with_those_that_are),
		cmocka_unit_test(an_argument_is_there_if_and_only_if_it_is_needed),
		cmocka_unit_test(a_duration_needs_a_unit),
		cmocka_unit_test(a_reason_never_outgrows_its_room),
		cmocka_unit_test(the_argument_is_all_that_stands_behind_the_first_equals_sign),
		cmocka_unit_test(echo_answers_what_it_was_asked),
		cmocka_unit_test(echo_keeps_bytes_that_are_no_text),
		cmocka_unit_test(translate_leaves_what_it_does_not_know),
		cmocka_unit_test(translate_keeps_the_blanks),
		cmocka_unit_test(translate_cuts_an_answer_that_is_longer_than_its_room),
		cmocka_unit_test(translate_takes_bytes_that_are_no_text_for_words),
		cmocka_unit_test(a_dictionary_file_has_a_word_and_its_translation_in_each_line),
		cmocka_unit_test(an_empty_dictionary_translates_nothing),
		cmocka_unit_test(a_line_without_a_translation_is_named),
		cmocka_unit_test(a_file_that_is_no_dictionary_is_refused_with_the_reason),
		cmocka_unit_test(a_dictionary_that_vanished_cannot_be_opened),
		cmocka_unit_test(clients_of_translate_say_who_they_are),
		cmocka_unit_test(spin_takes_its_time_on_the_cpu),
		cmocka_unit_test(sleep_sleeps_its_time_even_if_it_is_woken),
		cmocka_unit_test(spin_and_sleep_cut_as_echo_does),
		cmocka_unit_test(a_command_reads_the_request_and_prints_the_answer),
		cmocka_unit_test(a_command_that_fails_has_answered_what_it_printed),
		cmocka_unit_test(a_command_that_does_not_exist_is_an_error),
		cmocka_unit_test(a_command_that_prints_too_much_is_read_to_its_end),
		cmocka_unit_test(an_answer_may_be_longer_than_a_pipe),
		cmocka_unit_test(a_request_that_is_not_read_stops_nobody),
		cmocka_unit_test(a_command_that_closes_its_output_is_waited_for),
		cmocka_unit_test(what_a_command_leaves_running_is_killed_after_its_answer),
		cmocka_unit_test(a_command_that_hangs_is_killed_with_its_children),
		cmocka_unit_test(a_killed_server_leaves_no_command_running),
		cmocka_unit_test(a_command_inherits_neither_policy_nor_signals),
		cmocka_unit_test(a_command_inherits_no_descriptors),
		cmocka_unit_test(handlers_keep_nothing_open),
		cmocka_unit_test(to_close_is_not_to_wait_for_copies_of_the_descriptors),
	};

	return cmocka_run_group_tests(tests, become_subreaper, NULL);
}
