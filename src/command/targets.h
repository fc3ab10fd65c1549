/* SPDX-License-Identifier: BSD-2-Clause */
/* Defines the set of processes to trace. Declares functions that find and watch the processes. */
#pragma once

#include "cli/options.h"

#include <sys/types.h>

struct targets {
	pid_t *pid; /* owned */
	size_t cnt;
	size_t found; /* how often a choice of the user found a process, old or new */
	int *fd;      /* owned: pidfds, after targets_watch() */
};

/* 0 or -errno (logged); -ESRCH: a target does not exist. */
int targets_find(struct targets *targets, const struct attach_options *options);

/* 0 or -ENOMEM. Ignores a process that is a target already. */
int targets_add(struct targets *targets, pid_t pid);

/*
 * Opens pidfds: these show an exit even before the parent has waited for the process. 0 or -ENOMEM.
 */
int targets_watch(struct targets *targets);

/* How many still run, and whether at least one does. */
size_t targets_running(const struct targets *targets);
bool targets_alive(const struct targets *targets);

/* How many threads they have now. */
size_t targets_threads(const struct targets *targets);

/*
 * "redis-server (pid 4711)", "python3 worker.py (pid 4711)" or "redis-server (pid 4711) and 2 more
 * processes"
 */
void targets_text(const struct targets *targets, char *text, size_t size);

void targets_free(struct targets *targets);
