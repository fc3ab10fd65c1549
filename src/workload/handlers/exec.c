/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Handler "exec": a shell runs a command for every request. It reads the request from its stdin,
 * and what it prints is the answer. It has TIME_LIMIT_S for it; then it is killed, and the answer
 * says so; some of these in a row are a failure. Nothing of it stays: after every answer its
 * process group is killed, and a guard does that if the server itself is killed meanwhile.
 */
#include "util/clock.h"
#include "util/signals.h"
#include "workload/handlers/exec.h"

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

/* Commands that reach it one after the other: no more are tried. */
#define TIME_LIMITS_MAX 3

/* How a shell says that it could not run a command. */
#define STATUS_NOT_EXECUTABLE 126
#define STATUS_NOT_FOUND      127

struct exec {
	const char *command; /* borrowed */
	int request;         /* a file in memory: what the command reads never makes us wait */
	int null;
	_Atomic pid_t *group; /* of the present command, for the guard; 0: none */
	pid_t guard;
	int alive;             /* its other end tells the guard when this process is gone */
	unsigned int timeouts; /* commands that have just reached the time limit, in a row */
};

/* The answer that a command is giving. */
struct answer {
	char *text;
	size_t size;
	size_t length;
};

static const char *exec_refuse(const char *argument)
{
	return argument && *argument ? NULL : "say which command, as in exec=date";
}

/* The server's policy, its blocked and its ignored signals are for the server alone. */
static void ordinary_become(void)
{
	const struct sched_param param = {.sched_priority = 0};

	sched_setscheduler(0, SCHED_OTHER, &param);
	signals_default();
}

/* Sleeps until the server is gone. Keeps nothing open, or others would take it for the server. */
static _Noreturn void guard_run(const struct exec *exec, int server)
{
	char nothing;
	pid_t group;

	setpgid(0, 0);
	ordinary_become();
	prctl(PR_SET_NAME, "ipctrace-guard");
	dup2(server, STDIN_FILENO);
	close_range(STDIN_FILENO + 1, UINT_MAX, 0);
	while (read(STDIN_FILENO, &nothing, 1) < 0 && errno == EINTR)
		;
	group = atomic_load(exec->group);
	if (group)
		kill(-group, SIGKILL);
	_exit(EXIT_SUCCESS);
}

static int guard_start(struct exec *exec)
{
	int ends[2];
	int err;

	if (pipe2(ends, O_CLOEXEC))
		return -errno;
	exec->alive = ends[1];
	exec->guard = fork();
	if (exec->guard == 0)
		guard_run(exec, ends[0]);
	err = exec->guard < 0 ? -errno : 0;
	close(ends[0]);
	return err;
}

/*
 * No command runs any more, so there is nothing left to guard. The guard may not notice that
 * `alive` is closed here: another thread, or a process that the server has forked, may have a copy
 * of it.
 */
static void guard_end(const struct exec *exec)
{
	if (exec->alive >= 0)
		close(exec->alive);
	if (exec->guard <= 0)
		return;
	kill(exec->guard, SIGKILL);
	while (waitpid(exec->guard, NULL, 0) < 0 && errno == EINTR)
		;
}

static void exec_close(void *state)
{
	struct exec *exec = state;

	guard_end(exec);
	if (exec->group != MAP_FAILED)
		munmap((void *)exec->group, sizeof(*exec->group));
	if (exec->request >= 0)
		close(exec->request);
	if (exec->null >= 0)
		close(exec->null);
	free(exec);
}

static int exec_prepare(struct exec *exec)
{
	exec->request = memfd_create("request", MFD_CLOEXEC);
	exec->null = open("/dev/null", O_WRONLY | O_CLOEXEC);
	exec->group = mmap(NULL, sizeof(*exec->group), PROT_READ | PROT_WRITE,
			   MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (exec->request < 0 || exec->null < 0 || exec->group == MAP_FAILED)
		return -errno;
	return guard_start(exec);
}

static void *exec_open(const char *argument)
{
	struct exec *exec = malloc(sizeof(*exec));
	int err;

	if (!exec)
		return NULL;
	*exec = (struct exec){.command = argument, .alive = -1};
	err = exec_prepare(exec);
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

/* The group's number is noted first: from then on the guard knows it. */
static _Noreturn void command_run(const struct exec *exec, int output)
{
	atomic_store(exec->group, getpid());
	setpgid(0, 0);
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	ordinary_become();
	if (dup2(exec->request, STDIN_FILENO) < 0 || dup2(output, STDOUT_FILENO) < 0 ||
	    dup2(exec->null, STDERR_FILENO) < 0)
		_exit(STATUS_NOT_EXECUTABLE);
	close_range(STDERR_FILENO + 1, UINT_MAX, 0);
	execl("/bin/sh", "sh", "-c", exec->command, NULL);
	_exit(STATUS_NOT_FOUND);
}

/*
 * vfork(), as a copy of the server's page tables is what would cost most. The child runs on the
 * server's memory until it has become the shell, and touches none of it.
 */
static pid_t command_start(const struct exec *exec, int output)
{
	pid_t pid = vfork();

	if (pid == 0)
		command_run(exec, output);
	return pid < 0 ? -errno : pid;
}

/* What does not fit is read too: a command that can't print would not end. False: nothing more. */
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
 * Until the shell has ended, not just its output: it may close it early, and what it left running
 * may keep it open. poll() looks at the shell first: all that one which has ended has printed is
 * there, for one read. `output` does not wait. False: time was up.
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

/* Whatever else of the group still runs has had its time. */
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

/* Other failures of a command are its own affair: grep that finds nothing is one. */
static int status_errno(int status)
{
	if (WIFEXITED(status) && WEXITSTATUS(status) == STATUS_NOT_FOUND)
		return -ENOENT;
	if (WIFEXITED(status) && WEXITSTATUS(status) == STATUS_NOT_EXECUTABLE)
		return -EACCES;
	return 0;
}

/* A run of a thousand messages would take hours, and say nothing. */
static int time_limit_reached(struct exec *exec, struct answer *answer)
{
	time_limit_report(answer);
	return ++exec->timeouts < TIME_LIMITS_MAX ? 0 : -ETIME;
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
	if (!in_time)
		return time_limit_reached(exec, answer);
	exec->timeouts = 0;
	return status_errno(status);
}

static ssize_t exec_answer(void *state, uint64_t number, const char *text, size_t size,
			   char *answer, size_t answer_size)
{
	struct exec *exec = state;
	struct answer reply = {.text = answer, .size = answer_size};
	int err = request_write(exec, text, size);
	int output[2];
	pid_t pid;

	(void)number;
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
	.summary = "a shell runs CMD, which reads the request and prints the answer, within 5 s",
	.lengthens = true,
	.runs_commands = true,
	.refuse = exec_refuse,
	.open = exec_open,
	.answer = exec_answer,
	.close = exec_close,
};
