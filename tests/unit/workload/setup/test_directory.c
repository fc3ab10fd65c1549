/* SPDX-License-Identifier: BSD-2-Clause */
/* Private directories, while other processes tidy up all the time. */
#include "support/test.h"

#include "workload/setup/directory.h"

#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define TIDIERS 2
#define ROUNDS  200

static const struct caller self = {.is_other = false};

static pid_t tidier_start(void)
{
	pid_t pid = fork();

	if (pid == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		for (;;)
			directories_tidy(&self);
	}
	return pid;
}

static void end(pid_t pid)
{
	kill(pid, SIGKILL);
	assert_int_equal(waitpid(pid, NULL, 0), pid);
}

static void put_file(const struct directory *directory)
{
	int fd = openat(directory->fd, "file", O_CREAT | O_WRONLY, 0600);

	assert_true(fd >= 0);
	close(fd);
}

TEST(what_is_in_use_is_never_removed_by_others)
{
	pid_t tidier[TIDIERS];

	for (int i = 0; i < TIDIERS; i++)
		tidier[i] = tidier_start();
	for (int i = 0; i < ROUNDS; i++) {
		struct directory directory;

		assert_int_equal(directory_make(&directory, DIRECTORY_OF_RUN, &self), 0);
		put_file(&directory);
		assert_int_equal(access(directory.path, F_OK), 0);
		assert_int_equal(directory_remove(&directory), 0);
	}
	for (int i = 0; i < TIDIERS; i++)
		end(tidier[i]);
}

TEST(what_a_killed_process_held_is_removed)
{
	struct directory directory;
	int status;
	pid_t pid;

	assert_int_equal(directory_make(&directory, DIRECTORY_OF_LOAD, &self), 0);
	put_file(&directory);
	pid = fork();
	if (pid == 0)
		for (;;)
			pause();
	close(directory.fd); /* the copy keeps the lock */
	directories_tidy(&self);
	assert_int_equal(access(directory.path, F_OK), 0);
	kill(pid, SIGKILL);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	directories_tidy(&self);
	assert_int_equal(access(directory.path, F_OK), -1);
}

TEST(removal_takes_along_whatever_was_put_there)
{
	struct directory directory;

	assert_int_equal(directory_make(&directory, DIRECTORY_OF_RUN, &self), 0);
	assert_int_equal(mkdirat(directory.fd, "sub", 0700), 0);
	assert_int_equal(mkdirat(directory.fd, "sub/sub", 0700), 0);
	assert_int_equal(symlinkat("/", directory.fd, "sub/link"), 0);
	put_file(&directory);
	assert_int_equal(directory_remove(&directory), 0);
	assert_int_equal(directory_remove(&directory), 0);
}

/* Each level uses descriptors, so the removal stops at a depth. */
TEST(a_directory_that_is_too_deep_is_an_error)
{
	struct directory directory;
	char command[120];
	char path[sizeof(directory.path)];

	assert_int_equal(directory_make(&directory, DIRECTORY_OF_RUN, &self), 0);
	strcpy(path, directory.path);
	snprintf(command, sizeof(command),
		 "cd %s && for i in $(seq 100); do mkdir d && cd -P d; done", path);
	assert_int_equal(system(command), 0);
	assert_int_equal(directory_remove(&directory), -ELOOP);
	snprintf(command, sizeof(command), "rm -r %s", path);
	assert_int_equal(system(command), 0);
}
