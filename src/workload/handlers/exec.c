/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Implements the handler "exec", which runs a shell command for every request. The command reads
 * the request from stdin, and writes the answer to stdout. A command that exceeds the time limit
 * is killed, and the answer reports the timeout. Processes that are left in the command's process
 * group are killed before the answer is sent.
 */
#include "util/clock.h"
#include "util/guard.h"
#include "util/process_limits.h"
#include "util/shared_memory.h"
#include "util/signals.h"
#include "workload/handler.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

unsigned int exec_time_limit_s = 5;

/* After this many timeouts in a row the handler gives up. */
#define TIME_LIMITS_MAX 3

/* Exit statuses of a shell that cannot run a command. */
#define STATUS_NOT_EXECUTABLE 126
#define STATUS_NOT_FOUND      127

struct exec {
	const char *command; /* borrowed */
	int request;         /* a memfd: writing a request never blocks */
	int null;
	_Atomic pid_t *group; /* process group of the current command, for the guard; 0: none */
	struct guard guard;
	unsigned int timeouts; /* timeouts in a row */
};

/* The answer that is being read. */
struct answer {
	char *text;
	size_t size;
	size_t length;
};

static const char *exec_refuse(const char *argument)
{
	return argument && *argument ? NULL : "no command: add one, as in exec=date";
}

static void group_kill(void *ctx)
{
	const _Atomic pid_t *group = ctx;

	if (atomic_load(group))
		kill(-atomic_load(group), SIGKILL);
}

static void exec_close(void *state)
{
	struct exec *exec = state;

	guard_end(&exec->guard);
	if (exec->group)
		munmap((void *)exec->group, sizeof(*exec->group));
	if (exec->request >= 0)
		close(exec->request);
	if (exec->null >= 0)
		close(exec->null);
	free(exec);
}

static void *exec_open(const char *argument)
{
	struct exec *exec = malloc(sizeof(*exec));
	int err;

	if (!exec)
		return NULL;
	*exec = (struct exec){.command = argument};
	exec->request = memfd_create("request", MFD_CLOEXEC);
	exec->null = open("/dev/null", O_WRONLY | O_CLOEXEC);
	exec->group = shared_memory_map(sizeof(*exec->group));
	if (exec->request < 0 || exec->null < 0 || !exec->group)
		err = -errno;
	else
		err = guard_start(&exec->guard, "ipctrace-guard", group_kill, (void *)exec->group);
	if (!err)
		return exec;
	exec_close(exec);
	errno = -err;
	return NULL;
}

static int request_write(const struct exec *exec, const char *text, size_t size)
{
	ssize_t written;

	if (ftruncate(exec->request, 0) || lseek(exec->request, 0, SEEK_SET))
		return -errno;
	if (!size)
		return 0;
	written = pwrite(exec->request, text, size, 0);
	if (written < 0)
		return -errno;
	return (size_t)written == size ? 0 : -ENOSPC;
}

/* The guard learns the group before anything can fail. */
static _Noreturn void exec_command_run(const struct exec *exec, int output)
{
	const struct sched_param param = {.sched_priority = 0};

	atomic_store(exec->group, getpid());
	setpgid(0, 0);
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	/* A command gets neither the server's policy nor its blocked and ignored signals. */
	sched_setscheduler(0, SCHED_OTHER, &param);
	signals_default();
	process_limits_restore();
	if (dup2(exec->request, STDIN_FILENO) < 0 || dup2(output, STDOUT_FILENO) < 0 ||
	    dup2(exec->null, STDERR_FILENO) < 0)
		_exit(STATUS_NOT_EXECUTABLE);
	close_range(STDERR_FILENO + 1, UINT_MAX, 0);
	execl("/bin/sh", "sh", "-c", exec->command, NULL);
	_exit(STATUS_NOT_FOUND);
}

/*
 * vfork() saves a copy of the server's page tables, which would cost most. Until exec the child
 * runs on the server's memory and does not change it.
 */
static pid_t command_start(const struct exec *exec, int output)
{
	pid_t pid = vfork();

	if (pid == 0)
		exec_command_run(exec, output);
	return pid < 0 ? -errno : pid;
}

/*
 * Reads output that does not fit as well, or the command would block on a full pipe. False: no more
 * output.
 */
static bool output_read(int output, struct answer *answer)
{
	char rest[4096];
	size_t room = answer->size - answer->length;
	ssize_t size = room ? read(output, answer->text + answer->length, room)
			    : read(output, rest, sizeof(rest));

	if (size <= 0)
		return size < 0 && errno == EINTR;
	if (room)
		answer->length += (size_t)size;
	return true;
}

/*
 * Waits until the shell has ended, not only its output: a command may close its output early, and a
 * process that it left running may keep it open. poll() checks the shell first, so that one more
 * read gets everything that an ended shell has printed. `output` is non-blocking. False: the time
 * limit was reached.
 */
static bool command_attend(int shell, int output, struct answer *answer)
{
	const uint64_t until_ns = clock_now_ns() + exec_time_limit_s * NSEC_PER_SEC;
	struct pollfd fds[] = {{.fd = shell, .events = POLLIN}, {.fd = output, .events = POLLIN}};
	uint64_t now_ns;

	while ((now_ns = clock_now_ns()) < until_ns) {
		uint64_t left_ms = (until_ns - now_ns) / NSEC_PER_MSEC + 1;

		if (poll(fds, 2, (int)left_ms) <= 0)
			continue;
		if (fds[1].revents && !output_read(output, answer))
			fds[1].fd = -1;
		if (fds[0].revents)
			return true;
	}
	return false;
}

/* Kills what is left of the command's process group. */
static int command_end(const struct exec *exec, pid_t pid)
{
	int status = 0;

	kill(-pid, SIGKILL);
	atomic_store(exec->group, 0);
	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	return status;
}

static void time_limit_report(struct answer *answer)
{
	char text[48];
	size_t length = (size_t)snprintf(text, sizeof(text), "killed: no answer within %u s\n",
					 exec_time_limit_s);

	answer->length = length < answer->size ? length : answer->size;
	memcpy(answer->text, text, answer->length);
}

/* Any other exit status is no error: grep without a match has one. */
static int status_errno(int status)
{
	if (WIFEXITED(status) && WEXITSTATUS(status) == STATUS_NOT_FOUND)
		return -ENOENT;
	if (WIFEXITED(status) && WEXITSTATUS(status) == STATUS_NOT_EXECUTABLE)
		return -EACCES;
	return 0;
}

static int command_follow(struct exec *exec, pid_t pid, int output, struct answer *answer)
{
	int shell = (int)syscall(SYS_pidfd_open, pid, 0);
	int err = shell < 0 ? -errno : 0;
	bool in_time = !err && command_attend(shell, output, answer);
	int status = command_end(exec, pid);

	if (err)
		return err;
	close(shell);
	if (!in_time) {
		time_limit_report(answer);
		/* A run of a thousand messages would take hours and measure nothing. */
		return ++exec->timeouts < TIME_LIMITS_MAX ? 0 : -ETIME;
	}
	exec->timeouts = 0;
	return status_errno(status);
}

static ssize_t exec_answer(void *state, const char *text, size_t size, char *answer,
			   size_t answer_size)
{
	struct exec *exec = state;
	struct answer reply = {.text = answer, .size = answer_size};
	int err = request_write(exec, text, size);
	int output[2];
	pid_t pid;

	if (err)
		return err;
	if (pipe2(output, O_CLOEXEC))
		return -errno;
	fcntl(output[0], F_SETFL, O_NONBLOCK);
	pid = command_start(exec, output[1]);
	close(output[1]);
	err = pid < 0 ? pid : command_follow(exec, pid, output[0], &reply);
	close(output[0]);
	return err ? err : (ssize_t)reply.length;
}

const struct handler_ops exec_handler = {
	.name = "exec",
	.argument = "CMD",
	.summary = "run CMD with the request as its input; its output is the answer (limit: 5 s)",
	.lengthens = true,
	.runs_commands = true,
	.refuse = exec_refuse,
	.open = exec_open,
	.answer = exec_answer,
	.close = exec_close,
};
