/* SPDX-License-Identifier: BSD-2-Clause */
/* The processes that the words of the command line name. */
#ifndef IPCTRACE_COMMAND_TARGETS_H
#define IPCTRACE_COMMAND_TARGETS_H

#include "cli/options.h"

#include <sys/types.h>

struct targets {
	pid_t *pid; /* owned */
	size_t cnt, room;
	int *fd; /* owned: pidfds, from targets_watch() on */
};

/* 0, or -errno (logged): somebody that was named is not there, for example. */
int targets_find(struct targets *targets, const struct attach_options *options);

/* 0 or -ENOMEM. Twice the same does no harm. */
int targets_add(struct targets *targets, pid_t pid);

/* From now on, an end is noticed also of what its parent has not waited for. 0 or -ENOMEM. */
int targets_watch(struct targets *targets);

/* Whether any of them still runs. */
bool targets_alive(const struct targets *targets);

/* In words: "redis-server (4711)", or how many. */
void targets_text(const struct targets *targets, char *text, size_t size);

void targets_free(struct targets *targets);

#endif
