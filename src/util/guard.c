/* SPDX-License-Identifier: BSD-2-Clause */
/* Starts and ends a guard. A guard is a child process that cleans up when its parent has ended. */
#include "util/guard.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

/*
 * Closes all other descriptors: an open copy of the pipe's other end would look like a living
 * process, and a process that waits for the end of this one's output would wait for the guard.
 */
static void become_guard(const char *name, int pipe)
{
	const struct sched_param param = {.sched_priority = 0};
	sigset_t all;

	prctl(PR_SET_NAME, name);
	setsid();
	sched_setscheduler(0, SCHED_OTHER, &param);
	sigfillset(&all);
	sigprocmask(SIG_BLOCK, &all, NULL);
	dup2(pipe, STDIN_FILENO);
	close_range(STDIN_FILENO + 1, ~0U, 0);
}

int guard_start(struct guard *guard, const char *name, void (*clean_up)(void *ctx), void *ctx)
{
	char nothing;
	int ends[2], err;
	pid_t pid;

	if (pipe2(ends, O_CLOEXEC))
		return -errno;
	pid = fork();
	err = -errno;
	if (pid == 0) {
		become_guard(name, ends[0]);
		while (read(STDIN_FILENO, &nothing, 1) < 0 && errno == EINTR)
			;
		clean_up(ctx);
		_exit(EXIT_SUCCESS);
	}
	close(ends[0]);
	if (pid < 0) {
		close(ends[1]);
		return err;
	}
	*guard = (struct guard){.pid = pid, .pipe = ends[1]};
	return 0;
}

/* Other processes may still hold the pipe, so the guard is killed. */
void guard_end(const struct guard *guard)
{
	if (!guard->pid)
		return;
	kill(guard->pid, SIGKILL);
	while (waitpid(guard->pid, NULL, 0) < 0 && errno == EINTR)
		;
	close(guard->pipe);
}
