/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Declares functions that start and end COMMAND for `attach -- COMMAND`. A child process executes
 * COMMAND, but only after child__go().
 */
#pragma once

#include "util/caller.h"

#include <stdbool.h>
#include <sys/types.h>

struct child;

/*
 * Starts the command as the user `as` with that user's environment, or with NULL as this program.
 * The child has stdin, stdout, stderr and no other descriptor. `argv` and `as` are borrowed until
 * child__go(). NULL and errno on failure (logged).
 */
struct child *child__new(char *const *argv, const struct caller *as);
pid_t child__pid(const struct child *child);

/*
 * Executes the command. 0, or -errno (logged): there is no such program, or the user may not
 * execute it.
 */
int child__go(struct child *child);
bool child__alive(struct child *child);

/* Sends SIGTERM and returns at once. */
void child__ask_to_end(struct child *child);

/*
 * Kills the command if it still runs, and frees `child`. Returns the exit status as a shell reports
 * it.
 */
int child__end(struct child *child);
