/* SPDX-License-Identifier: BSD-2-Clause */
/* Implements functions that all background loads need, for example to start programs. */
#include "load/site.h"

#include "util/clock.h"
#include "util/process_limits.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define STATUS_NOT_FOUND 127

#define CHECK_MS         10

void site_ready(struct site *site)
{
	ssize_t ready_fd;

	if (atomic_exchange(&site->shared->is_ready, true))
		return;
	/* The program that waits for this byte may be gone. This process is about to end then. */
	ready_fd = write(site->ready_fd, "", 1);
	(void)ready_fd;
}

void site_count(struct site *site)
{
	atomic_fetch_add_explicit(&site->shared->count, 1, memory_order_relaxed);
}

int site_fail(struct site *site, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(site->shared->reason, sizeof(site->shared->reason), format, args);
	va_end(args);
	return EXIT_FAILURE;
}

static void stream_set(int fd, int stream, int flags)
{
	int from = fd >= 0 ? fd : open("/dev/null", flags | O_CLOEXEC);

	dup2(from, stream);
}

static _Noreturn void program_become(const char *const argv[], struct streams streams, pid_t parent)
{
	stream_set(streams.input, STDIN_FILENO, O_RDONLY);
	stream_set(streams.output, STDOUT_FILENO, O_WRONLY);
	prctl(PR_SET_PDEATHSIG, SIGTERM);
	if (getppid() != parent)
		_exit(EXIT_FAILURE);
	close_range(STDERR_FILENO + 1, UINT_MAX, 0);
	process_limits_restore();
	execvp(argv[0], (char *const *)argv);
	fprintf(stderr, "%s: %s\n", argv[0], strerror(errno));
	_exit(STATUS_NOT_FOUND);
}

pid_t site_spawn(const char *const argv[], struct streams streams)
{
	pid_t parent = getpid();
	pid_t pid = fork();

	if (pid == 0)
		program_become(argv, streams, parent);
	return pid < 0 ? -errno : pid;
}

int site_wait(pid_t pid)
{
	int status;

	while (waitpid(pid, &status, 0) < 0)
		if (errno != EINTR)
			return -errno;
	return status;
}

int site_fail_ended(struct site *site, const char *program, int status)
{
	if (status < 0)
		return site_fail(site, "%s could not be started: %s", program, strerror(-status));
	if (WIFSIGNALED(status))
		return site_fail(site, "%s was killed by signal %d", program, WTERMSIG(status));
	return site_fail(site, "%s ended with status %d", program, WEXITSTATUS(status));
}

int site_run_on(struct site *site, const char *name, const char *const argv[],
		bool (*is_starting)(pid_t pid, unsigned int ms))
{
	pid_t pid = site_spawn(argv, NO_STREAMS);
	bool starts = true;
	int status;

	if (pid < 0)
		return site_fail_ended(site, name, pid);
	for (unsigned int ms = 0; starts; ms += CHECK_MS) {
		starts = is_starting(pid, ms);
		if (waitpid(pid, &status, WNOHANG) == pid)
			return site_fail_ended(site, name, status);
		if (starts)
			site_sleep_ms(CHECK_MS);
	}
	site_ready(site);
	return site_fail_ended(site, name, site_wait(pid));
}

bool site_first_line(const char *const argv[], char *line, int size)
{
	int output[2];
	FILE *lines;
	bool is_there;

	if (pipe2(output, O_CLOEXEC))
		return false;
	site_spawn(argv, (struct streams){-1, output[1]});
	close(output[1]);
	lines = fdopen(output[0], "r");
	is_there = lines && fgets(line, size, lines);
	if (lines)
		fclose(lines);
	line[is_there ? strcspn(line, "\n") : 0] = '\0';
	return is_there;
}

void site_sleep_ms(unsigned int ms)
{
	clock_sleep_until(clock_now_ns() + ms * NSEC_PER_MSEC);
}

static bool is_program(const char *path)
{
	struct stat status;

	return !stat(path, &status) && S_ISREG(status.st_mode) && !access(path, X_OK);
}

bool site_has_program(const char *program)
{
	const char *path = getenv("PATH");
	char candidate[512];

	if (strchr(program, '/'))
		return is_program(program);
	for (path = path ? path : "/usr/bin:/bin"; *path; path += *path == ':') {
		size_t length = strcspn(path, ":");

		snprintf(candidate, sizeof(candidate), "%.*s/%s", (int)length, path, program);
		if (length && is_program(candidate))
			return true;
		path += length;
	}
	return false;
}
