/* SPDX-License-Identifier: BSD-2-Clause */
/* The scripts of processes that live, have ended, or execute another program. */
#include "support/build.h"

#include "command/live/proc/scripts.h"
#include "util/clock.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static struct scripts *scripts;
static struct record_script last;
static int put_cnt;

static int setup(void **state)
{
	put_cnt = 0;
	scripts = scripts__new();
	return scripts ? 0 : -1;
}

static int teardown(void **state)
{
	scripts__free(scripts);
	return 0;
}

EACH_TEST(setup, teardown)

static int put(void *ctx, const struct record *record)
{
	assert_int_equal(record->type, RECORD_SCRIPT);
	last = *(const struct record_script *)record;
	put_cnt++;
	return 0;
}

static void read_all(void)
{
	assert_int_equal(scripts__read(scripts, put, NULL), 0);
}

static void see_thread(pid_t tid, pid_t pid, uint64_t since_ns)
{
	struct record_thread thread = make_thread(tid, pid, false, since_ns);

	scripts__see(scripts, &thread.head);
}

static void see_name(pid_t tid)
{
	struct record_name name = make_name(SLICE_TASK, tid, 0, "x");

	scripts__see(scripts, &name.head);
}

/* `sh FILE`, which sleeps until end(); after SIGUSR1 it executes sleep. */
static pid_t begin(void)
{
	char path[] = "/tmp/ipctrace-script-XXXXXX";
	static const char text[] = "trap 'exec sleep 1000' USR1\necho\n"
				   "while :; do sleep 0.01; done\n";
	int fd = mkstemp(path), ready[2];
	char byte;
	pid_t pid;

	assert_int_equal(write(fd, text, strlen(text)), strlen(text));
	close(fd);
	assert_int_equal(pipe(ready), 0);
	pid = fork();
	if (!pid) {
		dup2(ready[1], 1);
		close(ready[0]);
		execl("/bin/sh", "sh", path, NULL);
		_exit(1);
	}
	close(ready[1]);
	assert_int_equal(read(ready[0], &byte, 1), 1);
	close(ready[0]);
	unlink(path);
	return pid;
}

static void end(pid_t pid)
{
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}

TEST(an_interpreter_has_its_script)
{
	pid_t pid = begin();

	see_thread(pid, pid, clock_now_ns());
	read_all();
	assert_int_equal(put_cnt, 1);
	assert_int_equal(last.head.tid, pid);
	assert_memory_equal(last.text, "/tmp/ipctrace-script-", 21);
	/* A second thread of it says nothing new. */
	see_thread(pid + 1, pid, clock_now_ns());
	read_all();
	assert_int_equal(put_cnt, 1);
	end(pid);
}

TEST(this_program_has_none)
{
	see_thread(getpid(), getpid(), clock_now_ns());
	read_all();
	assert_int_equal(put_cnt, 0);
}

/* A process that began after the thread of the record has got its number since. */
TEST(a_later_process_of_the_same_number_is_another_one)
{
	pid_t pid = begin();

	see_thread(pid, pid, 1);
	read_all();
	assert_int_equal(put_cnt, 0);
	end(pid);
}

TEST(a_process_that_has_ended_keeps_its_script)
{
	pid_t pid = begin();

	see_thread(pid, pid, clock_now_ns());
	read_all();
	end(pid);
	see_name(pid);
	read_all();
	assert_int_equal(put_cnt, 1);
}

TEST(a_new_process_does_not_keep_it)
{
	pid_t pid = begin();

	see_thread(pid, pid, clock_now_ns());
	read_all();
	end(pid);
	see_thread(pid, pid, clock_now_ns());
	read_all();
	assert_int_equal(put_cnt, 2);
	assert_string_equal(last.text, "");
}

/* It has a new name before it has a new command line. */
static bool executes_sleep(pid_t pid)
{
	char path[64], command[16];
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%d/cmdline", pid);
	file = fopen(path, "re");
	assert_non_null(file);
	command[fread(command, 1, sizeof(command) - 1, file)] = '\0';
	fclose(file);
	return !strcmp(command, "sleep");
}

TEST(after_exec_the_script_is_gone)
{
	pid_t pid = begin();

	see_thread(pid, pid, clock_now_ns());
	read_all();
	kill(pid, SIGUSR1);
	while (!executes_sleep(pid))
		usleep(1000);
	read_all();
	assert_int_equal(put_cnt, 1);
	see_name(pid);
	read_all();
	assert_int_equal(put_cnt, 2);
	assert_string_equal(last.text, "");
	end(pid);
}

TEST(names_of_other_threads_do_not_matter)
{
	pid_t pid = begin();

	see_name(pid);
	see_thread(TID_OUTSIDE | 5, TID_OUTSIDE | 5, clock_now_ns());
	read_all();
	assert_int_equal(put_cnt, 0);
	end(pid);
}

/* Processes that have ended, more than there is room for. */
TEST(many_processes_leave_room_for_the_next)
{
	enum { MANY = 20000 };
	pid_t pid = begin();

	for (uint32_t i = 0; i < MANY; i++) {
		see_thread(4200000 + i, 4200000 + i, 1);
		read_all();
	}
	see_thread(pid, pid, clock_now_ns());
	read_all();
	assert_int_equal(put_cnt, 1);
	assert_int_equal(last.head.tid, pid);
	end(pid);
}
