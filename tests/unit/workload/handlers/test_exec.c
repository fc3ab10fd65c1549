/* SPDX-License-Identifier: BSD-2-Clause */
/* Handler exec: what a command answers, and that nothing of it stays. */
#include "support/build.h"
#include "support/handler.h"
#include "util/clock.h"
#include "workload/handler.h"

#include <dirent.h>
#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

TEST(a_command_reads_the_request_and_prints_the_answer)
{
	struct served served = handler_serve("exec=cat");

	handler_expect(served, "", "");
	handler_expect(served, "a long request", "a long request");
	handler_expect(served, "short", "short");
	handler_leave(served);
	handler_expect_of("exec=wc -c | tr -d ' '", "hello", "5\n");
}

TEST(a_command_that_fails_has_answered_what_it_printed)
{
	handler_expect_of("exec=echo out; exit 3", "", "out\n");
	handler_expect_of("exec=exit 1", "", "");
	handler_expect_of("exec=echo out; kill -9 $$", "", "out\n");
}

TEST(a_command_that_does_not_exist_is_an_error)
{
	handler_expect_error("exec=ipctrace-no-such-command", -ENOENT);
	handler_expect_error("exec=/dev/null", -EACCES);
}

TEST(a_command_that_prints_too_much_is_read_to_its_end)
{
	handler_expect_cut("exec=yes | head -c 3000000; echo end >&2", "", 4, "y\ny\n");
	handler_expect_cut("exec=echo hello", "", 0, "");
}

TEST(an_answer_may_be_longer_than_a_pipe)
{
	struct served served = handler_serve("exec=yes | head -c 200001");
	char *answer;

	assert_int_equal(handler_ask(served, "", 0, &answer, 300000), 200001);
	assert_memory_equal(answer + 199998, "y\ny", 3);
	free(answer);
	handler_leave(served);
}

TEST(a_request_that_is_not_read_blocks_nothing)
{
	struct served served = handler_serve("exec=echo done");
	char *request = calloc(1, 1 << 20);
	char *answer;

	assert_int_equal(handler_ask(served, request, 1 << 20, &answer, ROOM), 5);
	assert_string_equal(answer, "done\n");
	free(answer);
	free(request);
	handler_leave(served);
}

TEST(a_command_that_closes_its_output_is_waited_for)
{
	char name[] = "/tmp/ipctrace-test-XXXXXX";
	char text[80];

	close(mkstemp(name));
	snprintf(text, sizeof(text), "exec=exec >&-; sleep 0.2; rm %s", name);
	handler_expect_of(text, "", "");
	assert_int_equal(access(name, F_OK), -1);
}

/* As a subreaper this process sees how each orphan ends. */
static pid_t orphan_end(int *status)
{
	return waitpid(-1, status, 0);
}

TEST(what_a_command_leaves_running_is_killed_after_its_answer)
{
	struct served served = handler_serve("exec=sleep 20 & echo $!");
	char *answer;
	int status;
	pid_t pid;

	assert_true(handler_ask(served, "", 0, &answer, ROOM) > 0);
	pid = atoi(answer);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
	free(answer);
	handler_leave(served);
}

TEST(a_command_that_hangs_is_killed_with_its_children)
{
	struct served served = handler_serve("exec=echo $$; sleep 20 & wait; echo late");
	int status;

	assert_int_equal(exec_time_limit_s, 5);
	exec_time_limit_s = 1;
	handler_expect(served, "", "killed: no answer within 1 s\n");
	exec_time_limit_s = 5;
	handler_leave(served);
	assert_true(orphan_end(&status) > 0);
	assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
	assert_int_equal(orphan_end(&status), -1);
}

static void file_await(const char *name)
{
	while (access(name, F_OK))
		clock_sleep_until(clock_now_ns() + NSEC_PER_MSEC);
}

/* The guard kills shell and sleep, and ends by itself. */
TEST(a_killed_server_leaves_no_command_running)
{
	char name[] = "/tmp/ipctrace-test-XXXXXX";
	unsigned int killed = 0, ended = 0;
	char text[80], *answer;
	int status;
	pid_t server;

	close(mkstemp(name));
	unlink(name);
	snprintf(text, sizeof(text), "exec=sleep 20 & echo > %s; wait", name);
	server = fork();
	if (server == 0) {
		handler_ask(handler_serve(text), "", 0, &answer, ROOM);
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

TEST(a_command_inherits_neither_policy_nor_signals)
{
	const struct sched_param param = {.sched_priority = 0};
	sigset_t blocked;

	sigfillset(&blocked);
	sigprocmask(SIG_SETMASK, &blocked, NULL);
	signal(SIGINT, SIG_IGN);
	assert_int_equal(sched_setscheduler(0, SCHED_BATCH, &param), 0);
	handler_expect_of("exec=cut -d ' ' -f 41 /proc/self/stat", "", "0\n");
	handler_expect_of("exec=grep -Ec 'Sig(Blk|Ign):.0+$' /proc/self/status", "", "2\n");
	sched_setscheduler(0, SCHED_OTHER, &param);
	signal(SIGINT, SIG_DFL);
	sigemptyset(&blocked);
	sigprocmask(SIG_SETMASK, &blocked, NULL);
}

TEST(a_command_inherits_no_descriptors)
{
	int fd = dup(STDIN_FILENO);

	assert_true(fd > STDERR_FILENO);
	handler_expect_of("exec=ls /proc/self/fd", "", "0\n1\n2\n3\n");
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

TEST(handlers_keep_nothing_open)
{
	struct dictionary_file file = dictionary_file_make("good bon");
	unsigned int before = descriptors();
	struct served served = handler_serve("exec=true");

	for (int i = 0; i < 20; i++)
		handler_expect(served, "hello", "");
	handler_leave(served);
	handler_expect_of(file.text, "good", "bon");
	dictionary_file_remove(file);
	handler_expect_refused("translate=/tmp", "Is a directory");
	assert_int_equal(descriptors(), before);
	assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
}

/* The control thread of a server has such a copy of the descriptors. */
TEST(to_close_is_not_to_wait_for_copies_of_the_descriptors)
{
	struct served served = handler_serve("exec=true");
	pid_t copy = fork();

	if (copy == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		for (;;)
			pause();
	}
	alarm(ALARM_S);
	handler_leave(served);
	alarm(0);
	kill(copy, SIGKILL);
	assert_int_equal(waitpid(copy, NULL, 0), copy);
}

ALL_TESTS(become_subreaper, NULL)
