/* SPDX-License-Identifier: BSD-2-Clause */
/* Finds the children of a process in /proc and ends all its descendants. */
#include "load/descendants.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/*
 * Signals are sent every CHECK_MS. The first PATIENCE_CHECKS rounds send SIGTERM, the others
 * SIGKILL.
 */
#define CHECK_MS        20
#define PATIENCE_CHECKS 50

/*
 * Parent of a process; 0: there is no such process. /proc/PID/stat is "PID (any text) STATE PPID
 * ...".
 */
static pid_t parent_of(const char *pid)
{
	char path[32], text[256];
	const char *state;
	ssize_t length;
	int fd, parent;

	snprintf(path, sizeof(path), "/proc/%.16s/stat", pid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return 0;
	length = read(fd, text, sizeof(text) - 1);
	close(fd);
	text[length > 0 ? length : 0] = '\0';
	state = strrchr(text, ')');
	return state && sscanf(state, ") %*c %d", &parent) == 1 ? parent : 0;
}

typedef bool child_fn(pid_t child, int signal);

/*
 * Calls `call` for every child of `parent` until it returns true, which is then returned. This
 * reads all of /proc: not every kernel has /proc/PID/task/TID/children.
 */
static bool children_find(pid_t parent, child_fn *call, int signal)
{
	DIR *processes = opendir("/proc");
	struct dirent *entry;
	bool found = false;

	if (!processes)
		return false;
	while (!found && (entry = readdir(processes)))
		if (atoi(entry->d_name) > 0 && parent_of(entry->d_name) == parent)
			found = call(atoi(entry->d_name), signal);
	closedir(processes);
	return found;
}

/* A stopped process handles a signal only after it continues. */
static bool child_signal(pid_t child, int signal)
{
	kill(child, signal);
	kill(child, SIGCONT);
	return false;
}

static bool child_exists(pid_t child, int signal)
{
	(void)child;
	(void)signal;
	return true;
}

bool process_has_child(pid_t parent)
{
	return children_find(parent, child_exists, 0);
}

/* False: no child is left. */
static bool children_reap(void)
{
	pid_t pid;

	do
		pid = waitpid(-1, NULL, WNOHANG);
	while (pid > 0 || (pid < 0 && errno == EINTR));
	return pid == 0;
}

void descendants_end(pid_t group)
{
	const struct timespec pause = {.tv_nsec = CHECK_MS * 1000000L};

	if (group)
		child_signal(-group, SIGTERM);
	for (unsigned int check = 1; children_reap(); check++) {
		nanosleep(&pause, NULL);
		children_find(getpid(), child_signal, check < PATIENCE_CHECKS ? SIGTERM : SIGKILL);
	}
}
