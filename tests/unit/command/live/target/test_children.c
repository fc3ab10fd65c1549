/* SPDX-License-Identifier: BSD-2-Clause */
/* Which children of the processes to attach to are targets, too. */
#include "support/build.h"
#include "support/target_search.h"

#include "command/live/target/children.h"
#include "report/words/labels.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

/* A process with a child that has a child. The numbers of all three. One of them holds `fd`. */
static void start_family(pid_t pid[3], int fd, int holder)
{
	int ready[2];

	assert_int_equal(pipe(ready), 0);
	pid[0] = fork();
	for (int i = 0; !pid[0] && i < 3; i++) {
		pid_t own = getpid();

		prctl(PR_SET_PDEATHSIG, SIGKILL);
		prctl(PR_SET_NAME, "test-family");
		if (i > holder)
			close(fd);
		if (write(ready[1], &own, sizeof(own)) != sizeof(own))
			_exit(1);
		if (i == 2 || fork()) {
			if (i < holder)
				close(fd);
			for (;;)
				pause();
		}
	}
	for (int i = 0; i < 3; i++)
		assert_int_equal(read(ready[0], &pid[i], sizeof(pid[i])), sizeof(pid[i]));
	close(ready[0]);
	close(ready[1]);
	close(fd);
}

static void stop_family(const pid_t pid[3])
{
	for (int i = 2; i >= 0; i--)
		kill(pid[i], SIGKILL);
	waitpid(pid[0], NULL, 0);
}

TEST(children_that_exist_are_targets)
{
	char name[64] = "", text[UNTRACED_TITLE_LEN], expected[64];
	struct untraced untraced;
	struct attach_options options;
	struct targets targets;
	pid_t pid[3];

	snprintf(name, sizeof(name), "@ipctrace-family-%d", getpid());
	name[0] = '\0';
	start_family(pid, unix_listener_at(name, 1 + strlen(name + 1)), 2);
	name[0] = '@';
	options = (struct attach_options){.targets = CHOICES(PID_OF(pid[0]))};
	targets = targets_found(&options);
	assert_int_equal(targets.cnt, 3);
	assert_true(targets_has(&targets, pid[1]) && targets_has(&targets, pid[2]));
	assert_int_equal(targets.pid[0], pid[0]);
	children_left_out(&targets, &untraced);
	assert_int_equal(untraced.cnt, 0);
	targets_free(&targets);
	options.no_children = true;
	targets = targets_found(&options);
	assert_int_equal(targets.cnt, 1);
	children_left_out(&targets, &untraced);
	assert_true(untraced.cnt > 0);
	untraced_title(&untraced, text);
	snprintf(expected, sizeof(expected), "test-family (pid %d)", pid[2]);
	assert_has(text, expected);
	targets_free(&targets);
	/* A socket names a process by what it has open. */
	options = (struct attach_options){.targets = CHOICES(NAME_OF(UNIX, name))};
	targets = targets_found(&options);
	assert_int_equal(targets.cnt, 1);
	assert_true(targets_has(&targets, pid[2]));
	targets_free(&targets);
	stop_family(pid);
}

/* A service manager holds the sockets of services, and has started much else. */
TEST(children_of_what_holds_a_socket_are_no_targets)
{
	char name[64] = "";
	struct untraced untraced;
	struct attach_options options;
	struct targets targets;
	pid_t pid[3];

	snprintf(name, sizeof(name), "@ipctrace-manager-%d", getpid());
	name[0] = '\0';
	start_family(pid, unix_listener_at(name, 1 + strlen(name + 1)), 0);
	name[0] = '@';
	options = (struct attach_options){.targets = CHOICES(NAME_OF(UNIX, name))};
	targets = targets_found(&options);
	assert_int_equal(targets.cnt, 1);
	assert_true(targets_has(&targets, pid[0]));
	children_left_out(&targets, &untraced);
	assert_int_equal(untraced.cnt, 2);
	targets_free(&targets);
	/* The process itself is named, too. */
	options = (struct attach_options){.targets = CHOICES(NAME_OF(UNIX, name), PID_OF(pid[0]))};
	targets = targets_found(&options);
	assert_int_equal(targets.cnt, 3);
	targets_free(&targets);
	stop_family(pid);
}

/* A shell that ipctrace is started from has it as a child. */
TEST(this_program_is_no_child)
{
	struct attach_options options = {.targets = CHOICES(PID_OF(getppid()))};
	struct targets targets;

	targets = targets_found(&options);
	assert_true(targets_has(&targets, getppid()));
	assert_false(targets_has(&targets, getpid()));
	targets_free(&targets);
}
