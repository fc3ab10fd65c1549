/* SPDX-License-Identifier: BSD-2-Clause */
/* Forks the command of --on-slow. Its stdin is a file in memory, which is complete at once. */
#include "command/watch/on_slow.h"

#include "util/caller.h"
#include "util/clock.h"
#include "util/log.h"
#include "util/process_limits.h"
#include "util/signals.h"

#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

/* The last command has so long to end by itself, and so long again after SIGTERM. */
#define END_NS      NSEC_PER_SEC
#define END_POLL_NS (10 * NSEC_PER_MSEC)

struct on_slow {
	const char *command;
	const struct caller *caller;
	pid_t pid; /* 0: none runs */
	uint64_t started;
	uint64_t skipped;
	bool has_failed; /* logged */
};

struct on_slow *on_slow__new(const char *command)
{
	const struct caller *caller = caller_find();
	struct on_slow *slow = caller ? calloc(1, sizeof(*slow)) : NULL;

	if (!slow)
		return NULL;
	slow->command = command;
	slow->caller = caller;
	return slow;
}

/* Its output goes to stderr, because stdout is the report. */
_Noreturn static void execute(const struct on_slow *slow, int input)
{
	signals_default();
	process_limits_restore();
	setpgid(0, 0);
	dup2(input, STDIN_FILENO);
	dup2(STDERR_FILENO, STDOUT_FILENO);
	close_range(STDERR_FILENO + 1, UINT_MAX, 0);
	if (!caller_become(slow->caller))
		execl("/bin/sh", "sh", "-c", slow->command, NULL);
	_exit(127);
}

/* A descriptor at the begin of the text, or -1 and errno. */
static int input_of(const char *text, size_t length)
{
	int input = memfd_create("message", MFD_CLOEXEC);

	if (input < 0)
		return -1;
	if (write(input, text, length) == (ssize_t)length && write(input, "\n", 1) == 1 &&
	    !lseek(input, 0, SEEK_SET))
		return input;
	close(input);
	return -1;
}

static void fail(struct on_slow *slow)
{
	slow->skipped++;
	if (!slow->has_failed)
		log_warning("--on-slow: '%s': cannot be started: %s: it misses messages",
			    slow->command, strerror(errno));
	slow->has_failed = true;
}

void on_slow__start(struct on_slow *slow, const char *text, size_t length)
{
	int input;
	pid_t pid;

	on_slow__reap(slow);
	if (slow->pid) {
		slow->skipped++;
		return;
	}
	input = input_of(text, length);
	pid = input < 0 ? -1 : fork();
	if (!pid)
		execute(slow, input);
	if (pid < 0)
		fail(slow);
	else
		slow->pid = pid;
	slow->started += pid > 0;
	if (input >= 0)
		close(input);
}

static void note_end(struct on_slow *slow, int status)
{
	slow->pid = 0;
	if (!status || slow->has_failed)
		return;
	slow->has_failed = true;
	log_warning("--on-slow: '%s': the command failed, %s %d: further failures are not shown",
		    slow->command, WIFSIGNALED(status) ? "by signal" : "with status",
		    WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status));
}

void on_slow__reap(struct on_slow *slow)
{
	int status;

	if (slow->pid && waitpid(slow->pid, &status, WNOHANG) == slow->pid)
		note_end(slow, status);
}

static void await_end(struct on_slow *slow)
{
	uint64_t until_ns = clock_now_ns() + END_NS;

	on_slow__reap(slow);
	while (slow->pid && clock_now_ns() < until_ns) {
		struct timespec pause = clock_timespec(END_POLL_NS);

		nanosleep(&pause, NULL);
		on_slow__reap(slow);
	}
}

/* The command and what it has started. */
static void end(struct on_slow *slow)
{
	int status;

	await_end(slow);
	if (!slow->pid)
		return;
	slow->has_failed = true;
	log_warning("--on-slow: '%s': the last command is ended: it still runs after the end of "
		    "tracing",
		    slow->command);
	kill(-slow->pid, SIGTERM);
	await_end(slow);
	if (!slow->pid)
		return;
	kill(-slow->pid, SIGKILL);
	while (waitpid(slow->pid, &status, 0) < 0 && errno == EINTR)
		;
	slow->pid = 0;
}

void on_slow__free(struct on_slow *slow)
{
	if (!slow)
		return;
	end(slow);
	if (slow->skipped)
		log_notice("--on-slow: '%s': it was executed for %llu messages, and not for %llu "
			   "that came while it ran",
			   slow->command, (unsigned long long)slow->started,
			   (unsigned long long)slow->skipped);
	free(slow);
}
