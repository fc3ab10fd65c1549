/* SPDX-License-Identifier: BSD-2-Clause */
#include "child.h"

#include "log.h"
#include "signals.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

/* As a shell says it: killed by a signal, not there. */
#define STATUS_SIGNAL    128
#define STATUS_NOT_FOUND 127

struct child {
	pid_t pid;
	int failed; /* tells the errno of its exec() */
	bool ended;
	int status;
	const char *name; /* borrowed */
};

/* It stops itself: to wait for a word would be a message, too. */
_Noreturn static void begin(char *const *argv, int failed)
{
	int err;

	signals_default();
	/* Whoever waits stopped must not outlive the one who lets it go on. */
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	raise(SIGSTOP);
	prctl(PR_SET_PDEATHSIG, 0);
	execvp(argv[0], argv);
	err = errno;
	if (write(failed, &err, sizeof(err)) < 0)
		_exit(EXIT_FAILURE);
	_exit(STATUS_NOT_FOUND);
}

static struct child *fork_child(char *const *argv, int failed[2])
{
	struct child *child = calloc(1, sizeof(*child));

	if (!child)
		return NULL;
	child->pid = fork();
	if (!child->pid)
		begin(argv, failed[1]);
	child->failed = failed[0];
	child->name = argv[0];
	if (child->pid > 0)
		return child;
	free(child);
	return NULL;
}

static void note_end(struct child *child, int status)
{
	child->ended = true;
	child->status =
		WIFSIGNALED(status) ? STATUS_SIGNAL + WTERMSIG(status) : WEXITSTATUS(status);
}

struct child *child__new(char *const *argv)
{
	struct child *child;
	int failed[2], status;

	if (pipe2(failed, O_CLOEXEC))
		return NULL;
	child = fork_child(argv, failed);
	close(failed[1]);
	if (!child) {
		log_error("cannot start a command: %s: %s", argv[0], strerror(errno));
		close(failed[0]);
		return NULL;
	}
	while (waitpid(child->pid, &status, WUNTRACED) < 0 && errno == EINTR)
		;
	if (!WIFSTOPPED(status))
		note_end(child, status);
	return child;
}

pid_t child__pid(const struct child *child)
{
	return child->pid;
}

static void await_end(struct child *child)
{
	int status = 0;

	while (waitpid(child->pid, &status, 0) < 0 && errno == EINTR)
		;
	note_end(child, status);
}

int child__go(struct child *child)
{
	int err = 0;

	kill(child->pid, SIGCONT);
	if (read(child->failed, &err, sizeof(err)) != sizeof(err))
		return 0;
	log_error("cannot start a command: %s: %s: is it installed, and on the PATH?", child->name,
		  strerror(err));
	await_end(child);
	return -err;
}

bool child__alive(struct child *child)
{
	int status;

	if (!child->ended && waitpid(child->pid, &status, WNOHANG) == child->pid)
		note_end(child, status);
	return !child->ended;
}

void child__ask_to_end(struct child *child)
{
	if (!child__alive(child))
		return;
	kill(child->pid, SIGTERM);
	kill(child->pid, SIGCONT);
}

int child__end(struct child *child)
{
	int status;

	if (child__alive(child)) {
		kill(child->pid, SIGKILL);
		await_end(child);
	}
	status = child->status;
	close(child->failed);
	free(child);
	return status;
}
