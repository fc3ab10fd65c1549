/* SPDX-License-Identifier: BSD-2-Clause */
/* Defines the set of processes to trace. Declares functions that find and watch the processes. */
#pragma once

#include "cli/options.h"

#include <stdbool.h>
#include <sys/types.h>

struct targets {
	pid_t *pid;    /* owned */
	bool *follows; /* owned; [i]: the children that pid[i] has already are targets, too */
	size_t cnt;
	size_t found; /* how often a choice of the user found a process, old or new */
	int *fd;      /* owned: pidfds, after targets_watch() */
	size_t fd_cnt;
};

/* 0 or -errno (logged); -ESRCH: a target does not exist. */
int targets_find(struct targets *targets, const struct attach_options *options);

/* 0 or -ENOMEM. Ignores a process that is a target already. */
int targets_add(struct targets *targets, pid_t pid);

/* The same for one whose children are targets, too, also if it was added before. */
int targets_add_followed(struct targets *targets, pid_t pid);

bool targets_has(const struct targets *targets, pid_t pid);
bool targets_follows(const struct targets *targets, pid_t pid);

/*
 * Opens pidfds: these show an exit even before the parent has waited for the process. To be called
 * again after further targets were added. 0 or -ENOMEM.
 */
int targets_watch(struct targets *targets);

/* How many still run. */
size_t targets_running(const struct targets *targets);

/* How many threads they have now. */
size_t targets_threads(const struct targets *targets);

/*
 * "redis-server (pid 4711)", "python3 worker.py (pid 4711)" or "redis-server (pid 4711) and 2 more
 * processes"
 */
void targets_text(const struct targets *targets, char *text, size_t size);

void targets_free(struct targets *targets);
