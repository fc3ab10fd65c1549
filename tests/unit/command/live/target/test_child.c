/* SPDX-License-Identifier: BSD-2-Clause */
/* A command that waits for its start. */
#include "support/build.h"
#include "support/capture.h"

#include "command/live/target/child.h"
#include "util/read_file.h"

#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#define ARGV(...) ((char *[]){__VA_ARGS__, NULL})

static int end_of(struct child *child)
{
	while (child__alive(child))
		usleep(1000);
	return child__end(child);
}

static int sh(const char *script)
{
	struct child *child = child__new(ARGV("sh", "-c", (char *)script), NULL);

	assert_non_null(child);
	assert_int_equal(child__go(child), 0);
	return end_of(child);
}

static size_t open_files(void)
{
	DIR *fds = opendir("/proc/self/fd");
	size_t cnt = 0;

	assert_non_null(fds);
	while (readdir(fds))
		cnt++;
	closedir(fds);
	return cnt;
}

TEST(the_status_is_that_of_the_command)
{
	assert_int_equal(sh("exit 0"), 0);
	assert_int_equal(sh("exit 7"), 7);
	assert_int_equal(sh("kill -KILL $$"), 128 + SIGKILL);
	assert_int_equal(sh("kill -INT $$"), 128 + SIGINT);
}

TEST(nothing_of_it_runs_before_it_may)
{
	char path[] = "/tmp/ipctrace-test-XXXXXX", script[64];
	int fd = mkstemp(path);
	struct child *child;

	assert_true(fd >= 0);
	close(fd);
	snprintf(script, sizeof(script), "rm %s", path);
	child = child__new(ARGV("sh", "-c", script), NULL);
	assert_non_null(child);
	assert_true(child__pid(child) > 0);
	usleep(50000);
	assert_true(child__alive(child));
	assert_int_equal(access(path, F_OK), 0);
	assert_int_equal(child__go(child), 0);
	assert_int_equal(end_of(child), 0);
	assert_int_equal(access(path, F_OK), -1);
}

/* The kernel closes descriptors before it changes the process's name. */
static void await_sleep(pid_t pid)
{
	char path[64], comm[32] = "";

	snprintf(path, sizeof(path), "/proc/%d/comm", pid);
	for (int i = 0; i < 10000 && strcmp(comm, "sleep"); i++) {
		assert_true(read_line("", path, comm, sizeof(comm)));
		usleep(1000);
	}
	assert_string_equal(comm, "sleep");
}

TEST(it_is_found_on_the_path_and_keeps_its_pid)
{
	struct child *child = child__new(ARGV("sleep", "1000"), NULL);
	pid_t pid;

	assert_non_null(child);
	pid = child__pid(child);
	assert_int_equal(child__go(child), 0);
	await_sleep(pid);
	child__ask_to_end(child);
	assert_int_equal(end_of(child), 128 + SIGTERM);
	assert_int_equal(kill(pid, 0), -1);
}

TEST(a_missing_command_is_reported)
{
	struct child *child = child__new(ARGV("ipctrace-no-such-program", "x"), NULL);
	struct capture err;
	int status;

	assert_non_null(child);
	capture_begin(&err, STDERR_FILENO);
	status = child__go(child);
	capture_end(&err);
	assert_int_equal(status, -ENOENT);
	assert_one_line_with(err.text, "ipctrace-no-such-program");
	assert_has(err.text, "No such file");
	assert_has(err.text, "PATH");
	assert_int_equal(end_of(child), 127);
}

TEST(a_command_that_never_began_is_ended)
{
	struct child *child = child__new(ARGV("sleep", "1000"), NULL);
	pid_t pid = child__pid(child);

	child__ask_to_end(child);
	assert_int_equal(end_of(child), 128 + SIGTERM);
	assert_int_equal(kill(pid, 0), -1);
}

TEST(a_command_that_ignores_sigterm_is_killed)
{
	struct child *child = child__new(ARGV("sh", "-c", "trap '' TERM; exec sleep 1000"), NULL);
	pid_t pid;

	assert_non_null(child);
	pid = child__pid(child);
	assert_int_equal(child__go(child), 0);
	await_sleep(pid);
	child__ask_to_end(child);
	usleep(100000);
	assert_true(child__alive(child));
	assert_int_equal(child__end(child), 128 + SIGKILL);
	assert_int_equal(kill(pid, 0), -1);
}

TEST(no_file_stays_open)
{
	size_t before = open_files();

	sh("exit 0");
	child__end(child__new(ARGV("sleep", "1000"), NULL));
	assert_int_equal(open_files(), before);
}

/* The command must not inherit ignored signals: a shell could not reset them. */
TEST(it_begins_with_the_signals_of_a_new_process)
{
	sigset_t blocked, before;

	signal(SIGPIPE, SIG_IGN);
	sigemptyset(&blocked);
	sigaddset(&blocked, SIGUSR1);
	sigprocmask(SIG_BLOCK, &blocked, &before);
	assert_int_equal(sh("grep -q '^SigBlk:.0*$' /proc/self/status"), 0);
	assert_int_equal(sh("grep -q '^SigIgn:.0*$' /proc/self/status"), 0);
	sigprocmask(SIG_SETMASK, &before, NULL);
	signal(SIGPIPE, SIG_DFL);
}
