/* SPDX-License-Identifier: BSD-2-Clause */
/* A command that is started, but waits at its first instruction until it is told to go. */
#ifndef IPCTRACE_COMMAND_CHILD_H
#define IPCTRACE_COMMAND_CHILD_H

#include "util/caller.h"

#include <stdbool.h>
#include <sys/types.h>

struct child;

/*
 * As the user `as`, with that user's environment; NULL: as this program. It has stdin, stdout and
 * stderr, and no other descriptor. Both are borrowed until child__go(). NULL and errno on failure
 * (logged).
 */
struct child *child__new(char *const *argv, const struct caller *as);
pid_t child__pid(const struct child *child);

/* 0, or -errno (logged) if there is no such program, or it may not be run as that user. */
int child__go(struct child *child);
bool child__alive(struct child *child);

/* Does not wait for it. */
void child__ask_to_end(struct child *child);

/* Kills it if it still runs. Its status as a shell tells it. Frees it. */
int child__end(struct child *child);

#endif
