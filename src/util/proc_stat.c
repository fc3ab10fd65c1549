/* SPDX-License-Identifier: BSD-2-Clause */
/* Finds processes and threads in /proc, reads their figures, and ends descendants. */
#include "util/proc_stat.h"

#include "util/clock.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

char *proc_stat_read(const char *path, char text[STAT_LEN])
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t length;
	char *name_end;

	if (fd < 0)
		return NULL;
	length = read(fd, text, STAT_LEN - 1);
	close(fd);
	text[length > 0 ? length : 0] = '\0';
	name_end = strrchr(text, ')');
	return name_end && name_end[1] ? name_end + 2 : NULL;
}

char *process_stat(pid_t pid, char text[STAT_LEN])
{
	char path[32];

	snprintf(path, sizeof(path), "/proc/%d/stat", pid);
	return proc_stat_read(path, text);
}

int proc_visit(const char *folder, proc_visit_fn *visit, void *ctx)
{
	DIR *entries = opendir(folder);
	const struct dirent *entry;
	int result = entries ? 0 : -errno;

	while (!result && (entry = readdir(entries))) {
		if (isdigit((unsigned char)entry->d_name[0]))
			result = visit(ctx, atoi(entry->d_name));
	}
	if (entries)
		closedir(entries);
	return result;
}

/*
 * Signals are sent every CHECK_NS. The first PATIENCE_CHECKS rounds send SIGTERM, the others
 * SIGKILL.
 */
#define CHECK_NS        (20 * NSEC_PER_MSEC)
#define PATIENCE_CHECKS 50

typedef bool child_fn(pid_t child, int signal);

struct search {
	pid_t parent;
	child_fn *call;
	int signal;
};

static int visit_child(void *ctx, pid_t pid)
{
	const struct search *search = ctx;
	char text[STAT_LEN];
	const char *stat = process_stat(pid, text);
	int parent;

	return stat && sscanf(stat, "%*c %d", &parent) == 1 && parent == search->parent &&
	       search->call(pid, search->signal);
}

/*
 * Calls `call` for every child of `parent` until it returns true, which is then returned. This
 * reads all of /proc: not every kernel has /proc/PID/task/TID/children.
 */
static bool children_find(pid_t parent, child_fn *call, int signal)
{
	struct search search = {parent, call, signal};

	return proc_visit("/proc", visit_child, &search) > 0;
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
static bool descendants_children_reap(void)
{
	pid_t pid;

	do
		pid = waitpid(-1, NULL, WNOHANG);
	while (pid > 0 || (pid < 0 && errno == EINTR));
	return pid == 0;
}

void descendants_end(pid_t group)
{
	if (group)
		child_signal(-group, SIGTERM);
	for (unsigned int check = 1; descendants_children_reap(); check++) {
		clock_sleep_until(clock_now_ns() + CHECK_NS);
		children_find(getpid(), child_signal, check < PATIENCE_CHECKS ? SIGTERM : SIGKILL);
	}
}
