/* SPDX-License-Identifier: BSD-2-Clause */
/* Forks a process that stops before it executes COMMAND, so that it can be traced. */
#include "command/live/target/child.h"

#include "util/log.h"
#include "util/process_limits.h"
#include "util/rights.h"
#include "util/signals.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

/* The exit statuses of a shell: killed by a signal, command not found. */
#define STATUS_SIGNAL    128
#define STATUS_NOT_FOUND 127

/* The descriptor of the failure pipe in the child, where all inherited descriptors are closed. */
#define FAILED_FD (STDERR_FILENO + 1)

struct child {
	pid_t pid;
	int failed; /* the read end of a pipe: a struct failure, if the start failed */
	bool ended;
	int status;
	const char *name;        /* borrowed */
	const struct caller *as; /* borrowed */
};

struct failure {
	int err;
	bool is_user; /* changing the user failed; else exec failed */
};

_Noreturn static void child_fail(int err, bool is_user)
{
	const struct failure failure = {.err = err, .is_user = is_user};

	if (write(FAILED_FD, &failure, sizeof(failure)) < 0)
		_exit(EXIT_FAILURE);
	_exit(STATUS_NOT_FOUND);
}

/* The child stops itself. Waiting on a pipe would add a message to the trace. */
_Noreturn static void child_begin(char *const *argv, const struct caller *as, int failed)
{
	int err;

	/* Drops the descriptors and signal settings of this program. */
	signals_default();
	process_limits_restore();
	dup3(failed, FAILED_FD, O_CLOEXEC);
	close_range(FAILED_FD + 1, UINT_MAX, 0);
	rights_drop();
	/* A stopped child must not outlive the parent that resumes it. */
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	raise(SIGSTOP);
	prctl(PR_SET_PDEATHSIG, 0);
	err = as ? caller_become(as) : 0;
	if (err)
		child_fail(-err, true);
	execvp(argv[0], argv);
	child_fail(errno, false);
}

static struct child *fork_child(char *const *argv, const struct caller *as, int failed[2])
{
	struct child *child = calloc(1, sizeof(*child));

	if (!child)
		return NULL;
	child->pid = fork();
	if (!child->pid)
		child_begin(argv, as, failed[1]);
	child->failed = failed[0];
	child->name = argv[0];
	child->as = as;
	if (child->pid > 0)
		return child;
	free(child);
	return NULL;
}

static void child_note_end(struct child *child, int status)
{
	child->ended = true;
	child->status =
		WIFSIGNALED(status) ? STATUS_SIGNAL + WTERMSIG(status) : WEXITSTATUS(status);
}

struct child *child__new(char *const *argv, const struct caller *as)
{
	struct child *child;
	int failed[2], status;

	if (pipe2(failed, O_CLOEXEC))
		return NULL;
	child = fork_child(argv, as, failed);
	close(failed[1]);
	if (!child) {
		log_error("cannot start a command: '%s': %s%s", argv[0], strerror(errno),
			  errno == ENOMEM ? "" : ": allow this user more processes (ulimit -u)");
		close(failed[0]);
		return NULL;
	}
	while (waitpid(child->pid, &status, WUNTRACED) < 0 && errno == EINTR)
		;
	if (!WIFSTOPPED(status))
		child_note_end(child, status);
	return child;
}

pid_t child__pid(const struct child *child)
{
	return child->pid;
}

static void child_await_end(struct child *child)
{
	int status = 0;

	while (waitpid(child->pid, &status, 0) < 0 && errno == EINTR)
		;
	child_note_end(child, status);
}

static void log_failure(const struct child *child, const struct failure *failure)
{
	const char *name = child->name, *why = strerror(failure->err);
	bool is_other = child->as && child->as->is_other;

	if (failure->is_user)
		log_error("cannot start a command: '%s' as user %u: %s: start it as root by "
			  "--as-root",
			  name, child->as->uid, why);
	else if (is_other && failure->err == EACCES)
		log_error(
			"cannot start a command: '%s': %s: let user %u execute it, or start it as "
			"root by --as-root",
			name, why, child->as->uid);
	else
		log_error("cannot start a command: '%s': %s: install it, or check PATH%s", name,
			  why, is_other ? " of the user that called sudo" : "");
}

int child__go(struct child *child)
{
	struct failure failure;

	kill(child->pid, SIGCONT);
	if (read(child->failed, &failure, sizeof(failure)) != sizeof(failure))
		return 0;
	log_failure(child, &failure);
	child_await_end(child);
	return -failure.err;
}

bool child__alive(struct child *child)
{
	int status;

	if (!child->ended && waitpid(child->pid, &status, WNOHANG) == child->pid)
		child_note_end(child, status);
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
		child_await_end(child);
	}
	status = child->status;
	close(child->failed);
	free(child);
	return status;
}
